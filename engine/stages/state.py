"""What the stages of a step work on, as kernels take it."""

from typing import Annotated

from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Ints
from stoss.engine.bodies.arrays import BodyArrays, BodyScratch, OldBodies
from stoss.engine.constraints.islands import Islands, Layout
from stoss.engine.constraints.rows import Rows
from stoss.engine.contacts.constraints import ContactFrames
from stoss.engine.contacts.warm_start import ImpulseMemory
from stoss.engine.joints.arrays import JointArrays
from stoss.engine.joints.constraints import JointFrames
from stoss.engine.joints.measures import PlacedParts
from stoss.engine.solvers.island_solver import SolverArrays


class System(Struct):
    """All arrays that the stages work on."""

    bodies: BodyArrays
    old: OldBodies
    scratch: BodyScratch
    contacts: ContactArrays
    frames: ContactFrames
    touching: Annotated[Bools, "contacts"]  # contacts that touch
    joints: JointArrays
    joint_frames: JointFrames
    places: PlacedParts
    rows: Rows
    total: Annotated[Floats, "rows"]  # impulses over the step
    islands: Islands
    layout: Layout
    has_joints: Annotated[Bools, "islands"]
    solver: SolverArrays
    step_length: Annotated[Floats, ""]  # of the step that the impulses in the rows belong to [s]
    ledger: Annotated[Floats, ""]  # of the step [J]


class Building(Struct):
    """What the rows of contacts are built from, besides the system."""

    memory: ImpulseMemory
    resists: Annotated[Ints, "contacts"]  # what turning each contact resists, besides sliding
    pairs: Annotated[Floats, "groups", "groups", "values"]  # values of pairs of materials
    friction_rule: int
    restitution_rule: int
    impact_law: int


class Options(Struct):
    """Settings and circumstances of a step, as numbers."""

    motion: int
    preview_passes: int
    tolerance: float  # of the preview [m]
    position_tolerance: float
    velocity_tolerance: float
    correction_speed: float
    resting_speed: float
    touch_distance: float
    sweeps: int
    time_limit: float
    shock: bool  # whether shock propagation ends the sweeps
    budget: float
    shortest: float  # sub-step [s] that is not split
    impact_law: int  # of stops
    stops: bool  # whether any joint has stops
    exact: bool  # whether sub-steps end where surfaces meet
    cold: bool  # whether phases start from no impulses
    composed: bool  # whether the step is a composition: then it is given up where it would have to be split
