"""Settings of a world: one frozen dataclass, every number with its unit and its reason."""

from dataclasses import Field, dataclass, fields, replace
from typing import Any

import numpy as np

from stoss.engine import checks
from stoss.engine.bodies.material import COMBINATION_RULES, IMPACT_LAWS
from stoss.engine.motion.compositions import COMPOSITIONS
from stoss.engine.motion.free_motion import METHODS
from stoss.engine.sleeping.rest import RestLimits
from stoss.names import closed

__all__ = ["CHOICES", "SOLVERS", "Settings"]

SOLVERS = ("auto", "direct", "gauss_seidel")
COLLISION_BACKENDS = ("native", "fcl")
# Exact rest: shares of the tolerances within which a state is the same one, 1e-12 m and 1e-9 m/s; share of
# the time after which bodies sleep, 0.1 s; and the least number of steps. What creeps by less, 1e-11 m/s,
# does so by the tolerance of velocities, not by anything that acts on it.
EXACT_PLACE, EXACT_SPEED, EXACT_TIME, EXACT_STEPS = 1e-6, 10.0, 0.2, 10
CHOICES = {
    "solver": SOLVERS,
    "motion": tuple(METHODS),
    "collision": COLLISION_BACKENDS,
    "friction_rule": COMBINATION_RULES,
    "restitution_rule": COMBINATION_RULES,
    "impact_law": IMPACT_LAWS,
    "rest": ("computed", "exact"),
}


def _checked(field: Field[Any], name: str, value: Any) -> Any:
    """Return the value of a setting, of its type.

    Raises:
        ValueError: it has none of its type, or is out of range.
    """
    try:
        if field.name in CHOICES:
            return checks.choice(name, value, CHOICES[field.name])
        if field.type in (bool, "bool"):
            return checks.flag(name, value)
        if field.type in (int, "int"):
            return checks.whole(name, value, least=1)
        return checks.number(name, value, least=0.0)
    except TypeError as error:
        raise ValueError(str(error)) from None


@closed
@dataclass(frozen=True, kw_only=True)
class Settings:
    """Say how a world is simulated. Immutable: `dataclasses.replace` makes a variant.

    Lengths and velocities are absolute: a world of millimetres wants smaller ones (`scaled`).

    Args:
        solver: "auto" chooses per island by predicted work, or "direct" or "gauss_seidel".
        motion: free motion of a body, see `stoss.engine.motion.free_motion`.
        collision: "native" (compiled kernels) or "fcl" (FCL in both phases, slower: a check).
        order: of mechanisms that touch nothing and whose drives are smooth: 2, 4 or 6. Higher ones are
            compositions of 5 or 7 steps of order 2; all else stays at 2.
        largest_turn: [rad] steps in which a joint's lever turns farther than this are split; 0.05 keeps the
            energy of a whipping chain within a quarter of a per cent, 0.1 within two. Where many joints are
            so fast that each sub-step has a length of its own, it is 1.3 times as much.
        most_sub_steps: most parts of a step, whatever happens in it; 1 never splits.
        most_cost: most usual steps that a step may cost, counted in solutions, factorisations and sweeps,
            not by a clock. When much is spent, searches become brief, then nothing is split and impacts are
            not followed any farther. The default lets hard steps be solved exactly; 20 keeps all steps
            alike, and joints may open by millimetres, named by the report, in a few.
        sweeps: most Gauss-Seidel sweeps of one phase; there are two phases in a step. Impacts with
            restitution are swept until they have converged, at most 300 times; islands in which nothing
            is faster than `resting_speed` up to four times as often, so that heaps come to rest.
        time_limit: [s] most time of Gauss-Seidel sweeps in one phase, 0 for no limit. A limit by the
            clock gives up reproducibility, so it is off by default.
        shock_propagation: whether sweeps that end before they have converged are followed by one traversal
            from the ground up, which solves what stands on something level by level, lower bodies frozen
            (Bender 2007, section 5.2.4). Towers then stand with few sweeps. Its impulses are not passed on
            downwards: momentum goes to the ground at once. Bodies in free flight are left as they are.
        position_tolerance: [m] position rows count as satisfied below this.
        velocity_tolerance: [m/s] velocity rows count as satisfied below this.
        preview_passes: most evaluations of the preview in one step (Bender 2007, section 3.2.1).
        correction_speed: [m/s or rad/s] an open joint is closed by impulses no faster than this; what is open
            wider (a model to be assembled) is closed by displacing bodies, at most at `recovery_speed`.
        contact_margin: [m] contacts are seen from this gap on. Must exceed what a resting body falls
            in one step, else it is seen too late to be stopped exactly at the surface.
        touch_distance: [m] gap below which a contact takes part in velocity rows.
        resting_speed: [m/s] approach below which a contact does not bounce. Judged by the velocity
            before the forces of the step, so it need not exceed g h.
        recovery_speed: [m/s] overlap that is older than one step is removed no faster than this, and than
            bodies of its island approach, by displacing positions, so that no energy enters.
        recovery_rate: [1] share of an old overlap that is removed in one step.
        direct_work: predicted multiplications of one factorisation, per row of the island, up to
            which "auto" prefers the direct solver.
        direct_budget: multiplications of the direct solver in one phase after which "auto" leaves islands
            in turmoil to the sweeps; 4e5 take about a millisecond.
        friction_rule, restitution_rule: how a pair of bodies combines its values: "multiply", "add"
            (the thesis: restitution multiplies, friction adds), "minimum", "maximum", "mean" or
            "geometric_mean". The friction rule also combines rolling and torsional friction.
        warm_start: whether a phase starts from the impulses of the last one (Bender 2007, section 7.2).
            Off only to see what that is worth: `python -m stoss.benchmarks.studies.warm_start`.
        impact_law: what restitution e gives back: "newton" e times the velocity of the approach, "poisson" e
            times the impulse of compression, "stronge" e^2 of its work. They differ with friction, in
            eccentric impacts and where several contacts hit at once.
        sleeping: whether islands at rest are left out of the steps until something happens to them. Off by
            default: what sleeps keeps its last error for as long as it sleeps.
        sleep_distance: [m] a body rests while it stays within this of where it came to rest, a turn counted
            by what it moves at the surface; far above jitter, far below what can be seen.
        sleep_time: [s] for which all bodies of an island must rest to fall asleep. A body that creeps faster
            than sleep_distance / sleep_time, 0.4 mm/s, does not sleep.
        rest: "computed": each step of what rests is computed, or "exact": the outcome of an island is kept
            once it has come back to the same state, to 1e-12 m and 1e-9 m/s at the default tolerances, in all
            steps of a fifth of `sleep_time` and at least ten. Any change computes it anew, with the next
            step: a force, a support that moves, gravity, friction, a mass, another time step, a neighbour.
            Such bodies count as asleep too. What rests is left out once it is a quarter of the awake bodies
            that touch anything; before, it is computed to the same outcome.
        time_of_impact: end sub-steps where surfaces meet, or joints their stops, and settle impacts there,
            which is of order 2. Else an impact is settled at the end of the step in which it happens.
        continuous_collision: hold bodies that move farther in a step than their thickness where they first
            meet another one, so that they do not pass through it; they lose the rest of the step.
        speed_limit: [m/s] a body faster than this stops the simulation with a report.

    Raises:
        ValueError: no number, a value out of range or an unknown choice.
    """

    solver: str = "auto"
    motion: str = "symmetric"
    order: int = 2
    largest_turn: float = 0.07
    most_sub_steps: int = 64
    most_cost: float = 300.0
    collision: str = "native"
    sweeps: int = 15
    time_limit: float = 0.0
    shock_propagation: bool = False
    position_tolerance: float = 1e-6
    velocity_tolerance: float = 1e-10
    preview_passes: int = 10
    correction_speed: float = 0.01
    contact_margin: float = 5e-3
    touch_distance: float = 1e-5
    resting_speed: float = 0.1
    recovery_speed: float = 1.0
    recovery_rate: float = 0.5
    direct_work: float = 1000.0
    direct_budget: float = 4e5
    friction_rule: str = "geometric_mean"
    restitution_rule: str = "maximum"
    warm_start: bool = True
    sleeping: bool = False
    sleep_distance: float = 2e-4
    sleep_time: float = 0.5
    rest: str = "computed"
    time_of_impact: bool = False
    continuous_collision: bool = True
    impact_law: str = "poisson"
    speed_limit: float = 1e6

    def __post_init__(self) -> None:
        for field in fields(self):
            # kernels take floats and ints of one kind: another one would compile them anew
            name, value = f"settings.{field.name}", getattr(self, field.name)
            object.__setattr__(self, field.name, _checked(field, name, value))
        if self.order not in COMPOSITIONS:
            raise ValueError(f"settings.order = {self.order!r} is unknown; choose one of 2, 4, 6")
        if not self.most_cost >= 1.0:
            raise ValueError(f"settings.most_cost = {self.most_cost!r} must be at least 1 usual step")
        if not self.largest_turn > 0.0:
            raise ValueError(
                f"settings.largest_turn = {self.largest_turn!r} must be above zero [rad]; "
                "most_sub_steps = 1 never splits a step"
            )
        if self.sleep_distance <= 0.0 or self.sleep_time <= 0.0:
            raise ValueError(
                f"settings.sleep_distance = {self.sleep_distance!r} [m] and sleep_time = {self.sleep_time!r} "
                "[s] must be above zero; sleeping = False lets nothing sleep"
            )
        if self.sleeping and self.rest == "exact":
            raise ValueError(
                "settings.rest = 'exact' with sleeping = True: choose one, for what sleeps keeps its last "
                "error, and what rests exactly has none"
            )
        if self.touch_distance > self.contact_margin:
            raise ValueError(
                f"settings.touch_distance = {self.touch_distance!r} must not exceed "
                f"contact_margin = {self.contact_margin!r}"
            )

    @property
    def leaves_out(self) -> bool:
        """Return whether what rests is left out of the steps."""
        return self.sleeping or self.rest == "exact"

    @property
    def rest_limits(self) -> RestLimits:
        """Return when it is."""
        if self.rest == "computed":
            return RestLimits(self.sleep_distance, np.inf, self.sleep_time, 0, False)
        distance, speed = EXACT_PLACE * self.position_tolerance, EXACT_SPEED * self.velocity_tolerance
        return RestLimits(distance, speed, EXACT_TIME * self.sleep_time, EXACT_STEPS, True)

    @property
    def budget(self) -> float:
        """Return the number of multiplications of direct solves in one phase, infinite unless "auto"."""
        return self.direct_budget if self.solver == "auto" else np.inf

    def scaled(self, length: float, time: float | None = None) -> "Settings":
        """Return settings for a world whose lengths and times are these multiples of usual ones.

        Args:
            length: factor of all lengths, 0.01 for a world of centimetres.
            time: factor of all times; by default the square root of `length`, as things fall. The world's
                `time_step` is to be multiplied by it too.
        """
        length = checks.positive("length", length, "1")
        duration = float(np.sqrt(length)) if time is None else checks.positive("time", time, "1")
        speed = length / duration
        lengths = {"position_tolerance", "contact_margin", "touch_distance", "sleep_distance"}
        speeds = {
            *("velocity_tolerance", "resting_speed", "correction_speed", "recovery_speed", "speed_limit")
        }
        changes = {name: getattr(self, name) * length for name in lengths}
        changes |= {name: getattr(self, name) * speed for name in speeds}
        return replace(self, **changes, sleep_time=self.sleep_time * duration)

    def features(self) -> dict[str, bool]:
        """Return which features have kernels that are compiled when they are first wanted."""
        return {
            "sleeping": self.leaves_out,
            "time of impact": self.time_of_impact,
            "shock propagation": self.shock_propagation,
            "fast bodies": self.continuous_collision,
        }
