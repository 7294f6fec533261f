"""What the displacement of overlapping bodies works on, beside the system."""

from typing import Annotated

from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Ints
from stoss.engine.constraints.rows import Rows
from stoss.engine.solvers.arrays import SolverArrays, SolverOptions

__all__ = ["Separating"]


class Separating(Struct):
    """What the displacement of bodies works on besides the system."""

    rows: Rows  # of the displacement: of contacts, and of the places of joints
    solver: SolverArrays  # with memory of its own, so that the factors of the others are kept
    options: SolverOptions
    place_rows: Annotated[Ints, "joints"]  # rows of the place of each joint
    pairs: Annotated[Floats, "groups", "groups", "values"]  # values of pairs of materials
    jointed: bool  # whether any joint takes part
    slop: float  # overlap that is left alone [m]
    tolerance: float  # error of joints that is left alone [m or rad]
    touch: float  # gap below which surfaces touch [m]
    resting_speed: float  # from which on they hit each other [m/s]
    margin: float  # overlap from which on contacts are called jammed [m]
    correction_speed: float  # by which joints are closed otherwise [m/s]
    rate: float  # share of an old overlap that is removed
    speed: float  # most that is displaced per time [m/s]
    # islands
    displaced: Annotated[Bools, "islands"]
    moving: Annotated[Bools, "islands"]  # in the present round
    broken: Annotated[Bools, "islands"]  # whose joints are open
    whole: Annotated[Bools, "islands"]  # that have joints, none of which is open
    passed: Annotated[Bools, "islands"]  # whose joints are beyond their stops
    free: Annotated[Bools, "islands"]  # that nothing from outside holds
    momenta: Annotated[Floats, "islands", 4]  # of those, before
    excessive: Annotated[Bools, "islands"]  # in which contacts asked for more than joints let them have
    doubted: Annotated[Bools, "islands"]  # in which contacts did not get what was promised
    limited: Annotated[Bools, "islands"]  # displaced by a share of what they were to be in the present round
    errors: Annotated[Floats, "islands"]  # of joints
    motion: Annotated[Floats, "islands"]  # its energy before [J]
    stored: Annotated[Floats, "islands"]  # by springs and soft stops, before, too
    bent: Annotated[Floats, "islands"]  # the same after it
    driven: Annotated[Bools, "islands"]  # whose stops move
    wanted: Annotated[Floats, "islands"]  # most that a joint is to be closed by in a round [m or rad]
    bends: Annotated[Floats, "islands"]  # twice what turns do to joints that is not in proportion to them [m]
    allowed: Annotated[Floats, "measures"]  # how far beyond its stop each may stay [m or rad]
    # contacts
    before: Annotated[Floats, "contacts"]  # gaps [m]
    goals: Annotated[Floats, "contacts"]  # that are wanted [m]
    held: Annotated[Bools, "contacts"]  # which are not to slide
    contradicted: Annotated[Bools, "contacts"]  # which joints do not let have what they ask for
    most: Annotated[Floats, "contacts"]  # by which overlaps are to shrink [m]
    yielded: Annotated[
        Floats, "contacts"
    ]  # how deep contacts are by their laws [m], while bodies are displaced
    depth: Annotated[Floats, "contacts"]  # overlap from which on it may be jammed [m]
    jammed: Annotated[Ints, "contacts"]  # which are, as many as `count` says
    count: Annotated[Ints, "one"]
    # bodies
    positions: Annotated[Floats, "bodies", 3]  # before
    quaternions: Annotated[Floats, "bodies", 4]
    statistics: Annotated[Floats, "figures"]  # of the displacement
