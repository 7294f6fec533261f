"""MJCF, the models of MuJoCo, by way of its own compiler: defaults and includes are as it has them."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from stoss.collision.quaternions import Quaternion, vector_of
from stoss.collision.shapes.faceted import ConvexHull
from stoss.engine.exchange.mechanism import FREE, WORLD, Inertia, JointOf, Link, Mechanism, bounds, rotation
from stoss.engine.exchange.mjcf_rest import actuators, equalities, key_number, key_pose, others
from stoss.engine.exchange.to_records import Assembly
from stoss.engine.exchange.xml_tree import Element, read_xml
from stoss.engine.model.errors import ModelError
from stoss.engine.model.folders import Folders
from stoss.engine.model.frames import Pose
from stoss.engine.model.model import Model
from stoss.engine.model.records import Action, Marker, Material, Mesh, Shape, WorldSettings
from stoss.engine.settings import Settings

__all__ = ["read_mjcf"]


def read_mjcf(
    path: str | Path, *, folders: Iterable[str | Path] = (), keyframe: str | int | None = None
) -> Model:
    """Return the model of an MJCF file.

    Args:
        path: the file.
        folders: from which its parts may be read, besides its own folder.
        keyframe: name or number of one in whose pose it begins; None: coordinates are as the file has them.

    Raises:
        ModelError: the file is none, MuJoCo does not compile it, or it names files elsewhere.
    """
    file = Path(path)
    _check_files(read_xml(file), Folders(file, folders))
    try:
        import mujoco
    except ImportError as error:
        raise ModelError('MJCF is read by MuJoCo: python -m pip install "stoss[import]"') from error
    told: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(told.append)  # else it writes a file where the program runs
    try:
        compiled = mujoco.MjModel.from_xml_path(str(file))
    except ValueError as error:
        raise ModelError(f"{file}: {error}") from error
    finally:
        mujoco.set_mju_user_warning(before)
    reader = _Reader(mujoco, compiled, file)
    reader.left_out += [f"MuJoCo warns: {text}" for text in told]
    reader.key = key_number(reader, keyframe)
    return reader.model()


def _check_files(root: Element, folders: Folders, depth: int = 0) -> None:
    """Refuse files that a model names outside of where it may read, before MuJoCo opens any."""
    if root.tag not in ("mujoco", "mujocoinclude"):
        raise root.error("an MJCF file begins with <mujoco>")
    if depth > 20:
        raise root.error("files include one another in a circle")
    compilers = [element for element in root.walk() if element.tag == "compiler"]
    beside = dict.fromkeys(("meshdir", "texturedir", "assetdir"), "")
    for compiler in compilers:
        beside |= {name: compiler.attributes[name] for name in beside if name in compiler.attributes}
    for element in root.walk():
        if "file" not in element.attributes:
            continue
        name = element.word("file")
        if element.tag == "include":
            try:
                inner = folders.find(name)
            except ModelError as error:
                raise element.error(str(error)) from None
            _check_files(read_xml(inner), folders, depth + 1)
            continue
        of = "texturedir" if element.tag == "texture" else "meshdir"
        places = [beside[of] or beside["assetdir"]] if beside[of] or beside["assetdir"] else [""]
        if not any(_is_allowed(folders, name, place) for place in (*places, "")):
            raise element.error(
                f"file = {name!r} is outside of the folder {str(folders.folder)!r}; allow it by folders=[...]"
            )


def _is_allowed(folders: Folders, name: str, beside: str) -> bool:
    """Return whether a file may be read; it may be missing, as MuJoCo says where it looks for it."""
    try:
        folders.find(name, beside)
    except ModelError as error:
        return "there is no file" in str(error)
    return True


class _Reader:
    """What is known while a compiled model is read."""

    def __init__(self, mujoco: Any, compiled: Any, path: Path) -> None:
        self.mujoco, self.m, self.path = mujoco, compiled, path
        self.left_out: list[str] = []
        self.key: int | None = None  # number of the keyframe in which the model begins
        self.materials: dict[str, Material] = {}
        self.meshes: dict[str, Mesh] = {}

    def model(self) -> Model:
        """Return the model."""
        m = self.m
        mechanism = Mechanism(left_out=self.left_out)
        names = [self._name("BODY", i) or ("world" if i == 0 else f"body {i}") for i in range(m.nbody)]
        for i in range(m.nbody):
            mechanism.links[names[i]] = self._link(i, names)
        assembly = Assembly(mechanism)
        joints = equalities(self, assembly, names)
        acted = actuators(self, assembly.joints)
        others(self)
        bodies = tuple(
            body for body in assembly.bodies if body.name != names[0] or body.shapes or body.markers
        )
        kept = {body.name for body in bodies}
        joints = [*acted, *joints]
        # MuJoCo lets what hangs in the world collide with it
        fixed = {None, *(body.name for body in assembly.bodies if body.kind == "static")}
        hanging = {joint.name for joint in assembly.joints if joint.first in fixed}
        joints = [joint.replace(collide=joint.collide or joint.name in hanging) for joint in joints]
        joints = [joint if joint.first in kept else joint.replace(first=None) for joint in joints]
        gravity = m.opt.gravity.tolist()
        return Model(
            name=self.path.stem,
            world=WorldSettings(
                gravity=(gravity[0], gravity[1], gravity[2]),
                time_step=float(m.opt.timestep),
                settings=Settings(friction_rule="maximum"),
            ),
            materials=tuple(self.materials.values()),
            meshes=tuple(self.meshes.values()),
            bodies=bodies,
            joints=tuple(joints),
            exclude=self._pairs(assembly.body_of, names, joints),
            initial=key_pose(self, assembly, names),
            left_out=tuple(self.left_out),
        )

    def _name(self, kind: str, number: int) -> str | None:
        return self.mujoco.mj_id2name(self.m, getattr(self.mujoco.mjtObj, f"mjOBJ_{kind}"), number)

    # ------------------------------------------------------------- bodies

    def _link(self, i: int, names: list[str]) -> Link:
        m = self.m
        parent = WORLD if i == 0 else names[int(m.body_parentid[i])]
        link = Link(names[i], parent, _pose(m.body_pos[i], m.body_quat[i]))
        if i == 0:
            link.kind = "static"
        elif m.body_mocapid[i] >= 0:
            link.kind = "kinematic"
        elif self._stands_apart(i):
            link.kind = "static"
        elif m.body_mass[i] > 0.0:
            turn = rotation(_pose(m.body_ipos[i], m.body_iquat[i]))
            tensor = turn @ np.diag(m.body_inertia[i]) @ turn.T
            link.inertia = Inertia(float(m.body_mass[i]), np.array(m.body_ipos[i]), tensor)
        for g in range(int(m.body_geomadr[i]), int(m.body_geomadr[i]) + int(m.body_geomnum[i])):
            self._add_geom(link, g)
        for s in np.flatnonzero(m.site_bodyid == i).tolist():
            pose = _pose(m.site_pos[s], m.site_quat[s])
            name = self._name("SITE", s) or f"site {s}"
            link.markers.append(Marker(name=name, position=pose[0], quaternion=pose[1]))
        first = int(m.body_jntadr[i])
        link.joints = [self._joint(j) for j in range(first, first + int(m.body_jntnum[i]))]
        return link

    def _stands_apart(self, i: int) -> bool:
        """Return whether a body that is fixed in the world collides with others than what it is fixed to."""
        return int(self.m.body_weldid[i]) == 0 and self._bits(i) not in (
            set(),
            self._bits(self.m.body_parentid[i]),
        )

    def _bits(self, i: int) -> set[tuple[int, int]]:
        """Return the bits of all geoms of a body that collide."""
        m = self.m
        own = range(int(m.body_geomadr[i]), int(m.body_geomadr[i]) + int(m.body_geomnum[i]))
        found = {(int(m.geom_contype[g]), int(m.geom_conaffinity[g])) for g in own}
        return found - {(0, 0)}

    def _add_geom(self, link: Link, g: int) -> None:
        m = self.m
        kind = self.mujoco.mjtGeom(int(m.geom_type[g])).name.removeprefix("mjGEOM_").lower()
        color = tuple(float(part) for part in m.geom_rgba[g][:3])
        position, quaternion = _pose(m.geom_pos[g], m.geom_quat[g])
        place: dict[str, Any] = {"position": position, "quaternion": quaternion, "color": color}
        a, b, c = (float(size) for size in m.geom_size[g])
        solid = bool(m.geom_contype[g] or m.geom_conaffinity[g])
        shapes: dict[str, tuple[str, dict[str, Any]]] = {
            "sphere": ("sphere", {"radius": a}),
            "capsule": ("capsule", {"radius": a, "length": 2.0 * b}),
            "cylinder": ("cylinder", {"radius": a, "length": 2.0 * b}),
            "ellipsoid": ("ellipsoid", {"radii": (a, b, c)}),
            "box": ("box", {"size": (2.0 * a, 2.0 * b, 2.0 * c)}),
            "plane": ("half_space", {"normal": (0.0, 0.0, 1.0)}),
        }
        if kind == "mesh":
            mesh = self._mesh(int(m.geom_dataid[g]), hull=solid)
            if solid:
                try:
                    ConvexHull(np.array(self.meshes[mesh].vertices))
                except ValueError as error:
                    self.left_out.append(f"body {link.name!r}: collision mesh {mesh!r}: {error}")
                    return
            shape = Shape(type="convex_hull" if solid else "triangle_mesh", mesh=mesh, **place)
        elif kind in shapes:
            shape = Shape(type=shapes[kind][0], **shapes[kind][1], **place)
        else:
            self.left_out.append(f"body {link.name!r}: a geom of type {kind}")
            return
        link.color = link.color or color
        if not solid:
            link.display.append(shape)
            return
        link.shapes.append(shape.replace(color=None))
        slide, spin, roll = (float(one) for one in m.geom_friction[g])
        rolls = int(m.geom_condim[g])
        values: dict[str, Any] = {"friction": slide if rolls > 1 else 0.0}
        values |= {"torsional_friction": spin} if rolls >= 4 else {}
        values |= {"rolling_friction": roll} if rolls >= 6 else {}
        name = ", ".join(f"{what} {value:g}" for what, value in values.items())
        self.materials.setdefault(name, Material(name=name, **values))
        link.material = link.material or name

    def _mesh(self, number: int, hull: bool) -> str:
        """Return the name of a mesh; its points are in the frame that the compiler has moved it to."""
        m = self.m
        name = (self._name("MESH", number) or f"mesh {number}") + (" (hull)" if hull else "")
        if name not in self.meshes:
            first, count = int(m.mesh_vertadr[number]), int(m.mesh_vertnum[number])
            face, faces = int(m.mesh_faceadr[number]), int(m.mesh_facenum[number])
            vertices = m.mesh_vert[first : first + count].astype(float).tolist()
            self.meshes[name] = Mesh(
                name=name,
                vertices=tuple((x, y, z) for x, y, z in vertices),
                faces=() if hull else tuple(map(tuple, m.mesh_face[face : face + faces].tolist())),
            )
        return name

    # ------------------------------------------------------------- joints

    def _joint(self, j: int) -> JointOf:
        m = self.m
        kind = self.mujoco.mjtJoint(int(m.jnt_type[j])).name.removeprefix("mjJNT_").lower()
        name = self._name("JOINT", j) or f"joint {j}"
        axis, point = vector_of(m.jnt_axis[j]), vector_of(m.jnt_pos[j])
        known = {"hinge": "hinge", "slide": "slider", "ball": "ball", "free": FREE}
        joint = JointOf(name, known[kind], axis, point)
        at, dof = int(m.jnt_qposadr[j]), int(m.jnt_dofadr[j])
        if kind not in ("hinge", "slide"):
            for what, value in (
                ("range", m.jnt_limited[j]),
                ("stiffness", np.ravel(m.jnt_stiffness[j])[0]),
                ("damping", np.ravel(m.dof_damping[dof])[0]),
                ("frictionloss", m.dof_frictionloss[dof]),
                ("armature", m.dof_armature[dof]),
            ):
                if value > 0.0:
                    self.left_out.append(f"joint {name!r} of type {kind}: its {what}")
            return joint
        reference = float(m.qpos0[at])
        if reference:
            self.left_out.append(f"joint {name!r} counts from 0, not from its reference {reference:g}")
        if m.jnt_limited[j]:
            lower, upper = (float(bound) - reference for bound in m.jnt_range[j])
            joint.actions += bounds(lower, upper)
        stiffness = float(np.ravel(m.jnt_stiffness[j])[0])
        damping = float(np.ravel(m.dof_damping[dof])[0])
        if stiffness > 0.0:
            rest = float(m.qpos_spring[at]) - reference
            joint.actions.append(Action(type="spring", rest=rest, stiffness=stiffness))
        if damping > 0.0:
            joint.actions.append(Action(type="damper", damping=damping))
        if m.dof_frictionloss[dof] > 0.0:
            joint.actions.append(Action(type="friction", max_force=float(m.dof_frictionloss[dof])))
        if m.dof_armature[dof] > 0.0:
            joint.actions.append(Action(type="rotor", inertia=float(m.dof_armature[dof])))
        return joint

    # ------------------------------------------------------------- who collides

    def _pairs(
        self, body_of: dict[str, str], names: list[str], joints: list[Any]
    ) -> tuple[tuple[str, str], ...]:
        """Return pairs of bodies that pass through each other, by their bits or by <exclude>."""
        m = self.m
        bits: dict[str, list[int]] = {}
        mixed: Counter[str] = Counter()
        for g in range(m.ngeom):
            kind, affinity = int(m.geom_contype[g]), int(m.geom_conaffinity[g])
            if kind or affinity:
                own = body_of[names[int(m.geom_bodyid[g])]]
                have = bits.setdefault(own, [kind, affinity])
                mixed[own] += have != [kind, affinity]
                bits[own] = [have[0] | kind, have[1] | affinity]
        for own, count in mixed.items():
            if count:
                self.left_out.append(
                    f"body {own!r}: its geoms differ in contype or conaffinity; all bits hold for all"
                )
        apart = {frozenset((int(pair) >> 16, int(pair) & 0xFFFF)) for pair in m.exclude_signature}
        excluded = {frozenset(body_of[names[i]] for i in pair) for pair in apart}
        for i in np.flatnonzero(m.body_weldid == np.arange(m.nbody)).tolist():
            # what moves on a body passes through it, however many joints there are between them
            parent = int(m.body_weldid[m.body_parentid[i]])
            if parent != 0 and i != 0:
                excluded.add(frozenset((body_of[names[i]], body_of[names[parent]])))
        joined = {frozenset((joint.first, joint.second)) for joint in joints if not joint.collide}
        solid = list(bits)
        return tuple(
            (one, other)
            for at, one in enumerate(solid)
            for other in solid[at + 1 :]
            if frozenset((one, other)) not in joined
            and (
                frozenset((one, other)) in excluded
                or not (bits[one][0] & bits[other][1] or bits[other][0] & bits[one][1])
            )
        )


def _pose(position: np.ndarray, quaternion: np.ndarray) -> Pose:
    w, x, y, z = (float(one) for one in quaternion)
    turn: Quaternion = (w, x, y, z)
    return vector_of(position), turn
