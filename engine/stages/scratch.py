"""Memory of the stages, kept from step to step so that no kernel allocates."""

from typing import Annotated

import numpy as np

from stoss.collision.kernels.decorators import inner
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Codes, Floats, Ints

__all__ = ["StageScratch", "copy_matrix", "copy_vector"]


class StageScratch(Struct):
    """Arrays with room for at least as many rows, islands and bodies as there are."""

    # position-level solve, and both solves of the velocity level
    applied: Annotated[Bools, "rows"]  # whether what an impulse does is done already
    start: Annotated[Floats, "rows"]  # impulses at the start of the stage
    states: Annotated[Codes, "rows"]  # states of the rows at that time
    last: Annotated[Floats, "rows"]  # impulses of the last good pass
    settled: Annotated[Floats, "rows"]  # impulses with which joints and resting contacts are settled
    last_settled: Annotated[Floats, "rows"]  # that of the last sub-step, of contacts that `was_settled` names
    given: Annotated[Floats, "rows"]  # impulses given in the stage
    booked: Annotated[Floats, "rows"]  # impulses of one solve, for the ledger
    nothing: Annotated[Floats, "rows"]  # zeros
    # impacts
    unapplied: Annotated[Bools, "rows"]  # as `applied`, of a solve within a round
    hit: Annotated[Floats, "rows", 3]  # restitution (-1: not hit), approach [m/s] and law
    rates: Annotated[Floats, "rows"]  # velocities of the rows before the round
    first: Annotated[Floats, "rows"]  # impulses of compression
    second: Annotated[Floats, "rows"]  # impulses of restitution
    trial: Annotated[Floats, "rows"]  # normal impulses of restitution by Stronge's law
    lifted: Annotated[Floats, "rows"]  # growth of gaps by displacement, times effective mass [kg m]
    group: Annotated[Ints, "rows"]  # contacts of one pair of bodies that hit
    places: Annotated[Floats, "rows", 2]  # where they lie in their plane, for the largest of one
    motions: Annotated[Floats, "motions", 12]  # what impulses do to both bodies, mass-weighted
    shifts: Annotated[Floats, "motions", 2]  # what keeps the contacts together, for a unit of each impulse
    # islands
    everything: Annotated[Bools, "islands"]  # all true
    chosen: Annotated[Bools, "islands"]
    hit_islands: Annotated[Bools, "islands"]
    waiting: Annotated[Bools, "islands"]  # where impacts wait until all else is settled
    straight: Annotated[Bools, "islands"]  # contacts alone, solved once more where their normals turn
    worst: Annotated[Floats, "islands"]  # error of the preview
    last_worst: Annotated[Floats, "islands"]
    failing: Annotated[Bools, "islands"]  # which were given more energy than they may
    displaced: Annotated[Bools, "islands"]  # in this sub-step
    tolerance: Annotated[Floats, "islands"]  # error of the preview that will do
    lawful: Annotated[Bools, "islands"]  # where friction laws are
    rubbed: Annotated[
        Floats, "islands"
    ]  # by how much friction is not what its law says [m/s], 0: close enough
    rubbed_before: Annotated[Floats, "islands"]  # the same a look before
    compliant: Annotated[Bools, "islands"]  # where contacts give way by laws
    lever: Annotated[Floats, "islands"]  # of contacts, see `preview_curvature` [m]
    slid: Annotated[Floats, "islands"]  # how far what rolls would slide, by the preview [m]
    # bodies
    members: Annotated[Ints, "bodies"]  # bodies of the chosen islands
    hits: Annotated[Ints, "bodies"]  # contacts of the body that hit
    last_velocities: Annotated[Floats, "bodies", 3]  # of the last good pass
    last_angular_velocities: Annotated[Floats, "bodies", 3]
    middle_z: Annotated[Floats, "bodies", 6]  # z after compression
    rest_z: Annotated[Floats, "bodies", 6]  # what restitution adds to it
    gain: Annotated[Floats, "bodies"]  # what holding and touching gave the body in this sub-step [J]
    driven: Annotated[Floats, "bodies"]  # sizes of the works of drives on the body in this sub-step [J]
    driven_before: Annotated[Floats, "bodies"]  # the same two before the work of a solve was entered
    gain_before: Annotated[Floats, "bodies"]
    gross: Annotated[Floats, "bodies"]  # sizes of the works of the last solve, added up [J]
    elastic: Annotated[Floats, "bodies"]  # what soft stops gave, and store, in this sub-step [J]
    elastic_before: Annotated[Floats, "bodies"]
    drives: Annotated[Floats, "bodies"]  # work of drives in this sub-step [J]
    drives_before: Annotated[Floats, "bodies"]
    taken: Annotated[Floats, "bodies"]  # what drives took that they do not store, less what they gave [J]
    active: Annotated[Floats, "bodies"]  # what motors and controllers did in this sub-step [J]
    active_before: Annotated[Floats, "bodies"]
    motors: Annotated[Floats, "bodies"]  # what motors gave beyond what brakes at their rates may [J]
    motors_before: Annotated[Floats, "bodies"]
    shared: Annotated[Floats, "bodies"]  # what joints were booked that loads were not, see `book` [J]
    shared_before: Annotated[Floats, "bodies"]
    account: Annotated[Floats, "bodies", 7]  # gain, driven, elastic, drives, active, motors, shared before
    entries: Annotated[Floats, "entries"]  # of the ledger, before the work of a solve was entered [J]
    unheld: Annotated[Bools, "bodies"]  # whether nothing has held it in this sub-step
    rung: Annotated[Ints, "bodies"]  # of the ladder, the highest one in this step (`certificate`)

    def reserve(self, **wanted: int) -> None:
        """Have room for at least so many of each; what was there is lost where it grows."""
        for name, field in self.array_fields().items():
            length = wanted[str(field.axes[0])]
            if len(getattr(self, name)) < length:
                fill = name == "everything"
                setattr(self, name, np.full((3 * length // 2 + 8, *field.inner), fill, field.dtype))


@inner
def copy_vector(source, target, count):
    """Copy the first `count` numbers: assigning slices compiles error messages, with shapes and all."""
    for i in range(count):
        target[i] = source[i]


@inner
def copy_matrix(source, target, count):
    """Copy the first `count` rows."""
    for i in range(count):
        for k in range(source.shape[1]):
            target[i, k] = source[i, k]
