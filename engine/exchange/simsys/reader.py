"""Files of simsys as a model: bodies, markers, joints, beginning and recording; loads are in `acting`."""

import math
from collections.abc import Iterable
from pathlib import Path

from stoss.engine.exchange.simsys.acting import Acting
from stoss.engine.exchange.simsys.beginning import chains, turns, velocities
from stoss.engine.exchange.simsys.description import Description, describe
from stoss.engine.exchange.simsys.files import Repairs
from stoss.engine.model import records
from stoss.engine.model.errors import ModelError
from stoss.engine.model.expressions import CONSTANTS, FUNCTIONS, Expression
from stoss.engine.model.model import Model

__all__ = ["read_simsys"]

# Channels of the program, and what they are here.
_CHANNELS = {
    "AusgZwKraefte": ("joint.*.force",),
    "AusgGelAusdehn": ("joint.*.error",),
    "AusgKoordin": ("body.*.position", "body.*.orientation", "body.*.velocity", "body.*.angular_velocity"),
    "AusgEnergie": ("energy.*",),
    "AusgDrehimp": ("angular_momentum",),
    "AusgSchwerp": ("center_of_mass", "center_of_mass.velocity"),
    "AusgKraefte": ("load.*.force",),
    "AusgMomente": ("load.*.torque",),
    "AusgGelWinkel": ("joint.*.angle", "joint.*.angle.rate"),
}
_OF_ITS_OWN = {
    "IntMaxErrTol": "how often its integrator may miss the tolerance",
    "IntMaxErrSteps": "how many steps its integrator may make",
    "IntGenauAbs": "accuracy of its integrator",
    "IntGenauRel": "accuracy of its integrator",
    "AnzSleep": "pause between two pictures",
}
_GROUND: tuple[str, ...] = (
    "BodenHoeheZ",
    "BodKraftFaktX",
    "BodKraftFaktVX",
    "BodKraftFaktZ",
    "BodKraftFaktVZ",
)
_GROUND += ("BodKraftExpoV", "BodKraftOrdElast", "BodKraftOrdDissi")


def read_simsys(
    path: str | Path,
    *,
    folders: Iterable[str | Path] = (),
    lenient: bool = False,
    names: Iterable[str] = (),
) -> Model:
    """Return the model of a parameter file of simsys, with the files that it names (Krieg 1992, section 4.3).

    The plane of simsys, whose second coordinate is called z, is the plane "xy" of the model. Angles are
    counter-clockwise; positive torques in joints close them, as there. C code is not run: what is arithmetic
    of parameters, the time, angles, rates and integrals becomes loads and controllers, all else is told.

    Args:
        path: the parameter file.
        folders: from which files may be read, besides its own folder.
        lenient: repair small faults, and tell each, rather than refuse the file.
        names: of the bodies in their order; without them they are "body_1" and so on.

    Raises:
        ModelError: a file is not there, or wrong; says where.
    """
    found = describe(Path(path), folders, Repairs(lenient))
    return _Records(found, tuple(names)).model()


class _Records:
    def __init__(self, found: Description, names: tuple[str, ...]) -> None:
        self.found = found
        count = len(found.masses)
        if names and len(names) != count:
            raise ModelError(f"names: {len(names)} names for {count} bodies; give one for each, or none")
        self.names = names or tuple(f"body_{number + 1}" for number in range(count))
        self.left_out: list[str] = []
        self.order = chains(found)

    def model(self) -> Model:
        """Return the model."""
        found, keys = self.found, self.found.keys
        params, written = self.parameters()
        acting = Acting(found, self.names, written, params)
        loads = acting.fields()
        starts, initial = self.initial()
        duration, every = keys.number("IntDauer", 1.0), keys.number("AusgIntervall", 0.001)
        step = keys.number("IntSchrWeite", 1.0)
        for key, value in (("IntDauer", duration), ("AusgIntervall", every), ("IntSchrWeite", step)):
            if not value > 0.0:
                raise ModelError(f"{keys.path}: {key} = {value:g} must be above 0")
        gravity = keys.number("GravitatX", 0.0), keys.number("GravitatZ", 0.0), 0.0
        recording = records.Recording(duration=duration, every=every, channels=self.channels())
        self.tell()
        return Model(
            name=keys.path.stem,
            world=records.WorldSettings(planar="xy", gravity=gravity, time_step=step * 1e-3),
            params=tuple(params),
            bodies=tuple(self.bodies(starts)),
            joints=tuple(self.joints(acting)),
            initial=initial,
            record=recording,
            left_out=(*found.repairs.told, *self.left_out, *acting.left_out, *keys.unused()),
            **loads,
        )

    def parameters(self) -> tuple[list[records.Parameter], dict[str, float | str]]:
        """Return the parameters, and for each variable of code what stands for it in expressions."""
        params: list[records.Parameter] = []
        written: dict[str, float | str] = {}
        for name, value in self.found.user.items():
            if name in CONSTANTS or name in FUNCTIONS:
                written[name] = value  # as a number, for the name means something else in expressions
                continue
            params.append(records.Parameter(name=name, value=value))
            written[name] = name
        return params, written

    def bodies(self, starts: dict[int, list[records.Marker]]) -> list[records.Body]:
        found = self.found
        speeds, spins = velocities(found, self.order)
        bodies = []
        for body, name in enumerate(self.names):
            x, z = speeds[body].tolist()
            markers = [
                records.Marker(name=f"lever_{number + 1}", position=(*lever.position, 0.0))
                for number, lever in enumerate(found.levers[body])
            ]
            bodies.append(
                records.Body(
                    name=name,
                    mass=found.masses[body],
                    inertia=(found.inertias[body],) * 3,
                    velocity=(x, z, 0.0),
                    angular_velocity=(0.0, 0.0, float(spins[body])),
                    markers=(*markers, *starts.get(body, ())),
                )
            )
        return bodies

    def joints(self, acting: Acting) -> list[records.Joint]:
        return [
            records.Joint(
                name=f"joint_{number + 1}",
                type="hinge",
                first=f"{self.names[joint.first]}:lever_{joint.first_lever + 1}",
                second=f"{self.names[joint.second]}:lever_{joint.second_lever + 1}",
                actions=tuple(acting.actions(number)),
            )
            for number, joint in enumerate(self.found.joints)
        ]

    def initial(self) -> tuple[dict[int, list[records.Marker]], records.Initial]:
        """Return markers where chains begin beside other bodies, and the pose."""
        degrees, _ = turns(self.found)
        angles = {
            name: Expression(math.radians(angle), f"deg({angle!r})")
            for name, angle in zip(self.names, degrees, strict=True)
        }
        anchors: dict[str, tuple[float, float, float]] = {}
        at: dict[str, str] = {}
        markers: dict[int, list[records.Marker]] = {}
        for place in self.order:
            body = self.names[place.body - 1]
            point = f"{body}:lever_{place.lever}" if place.lever else body
            x, z = place.position
            if not place.reference:
                anchors[point] = (x, z, 0.0)
                continue
            there = place.reference - 1
            at[point] = self.names[there]
            if x or z:
                # the offset is in space, a marker in the axes of its body
                turn = -math.radians(degrees[there])
                c, s = math.cos(turn), math.sin(turn)
                marker = records.Marker(name=f"start_of_{body}", position=(c * x - s * z, s * x + c * z, 0.0))
                markers.setdefault(there, []).append(marker)
                at[point] = f"{self.names[there]}:{marker.name}"
        return markers, records.Initial(anchors=anchors, at=at, angles=angles)  # type: ignore[arg-type]

    def channels(self) -> tuple[str, ...]:
        """Return what is recorded: the channels that have a file."""
        found: list[str] = []
        for key, channels in _CHANNELS.items():
            if self.found.keys.word(key) is not None:
                found += channels
        if self.found.keys.word("AusgHblKoord") is not None:
            for body, levers in enumerate(self.found.levers):
                found += [
                    f"marker.{self.names[body]}:lever_{number + 1}.position"
                    for number, lever in enumerate(levers)
                    if lever.recorded
                ]
        return tuple(dict.fromkeys(found))

    def tell(self) -> None:
        """Tell which keys have no counterpart."""
        keys = self.found.keys
        for key, what in _OF_ITS_OWN.items():
            if keys.words(key) is not None:
                self.left_out.append(f"{key}: {what}")
        for key in _GROUND:
            keys.words(key)
        self.left_out.append(
            f"the ground at z = {keys.number('BodenHoeheZ', 0.0):g}, which simsys lets every lever touch: "
            "its law was never printed; add a power-law contact"
        )
