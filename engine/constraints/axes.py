"""Axes of what is made of the contacts and joints of one time level: as many islands, rows and so on."""

from stoss.collision.kernels.axes import Axis, CommonAxis
from stoss.collision.kernels.structs import Struct

__all__ = ["Axes", "AxisArrays"]


class AxisArrays(Struct):
    """The axes, for kernels that change them."""

    bodies: Axis
    contacts: Axis
    blocks: Axis  # of rows: of each contact, and of joints
    pairs: Axis  # of bodies that are coupled
    members: Axis  # bodies of all islands
    islands: Axis
    rows: Axis
    fill: Axis  # off-diagonal blocks of factors
    displaced: Axis  # rows of displacements


class Axes:
    """The axes, each common to many tables."""

    def __init__(self) -> None:
        self.bodies, self.contacts, self.blocks = CommonAxis(), CommonAxis(), CommonAxis()
        self.pairs, self.members, self.islands = CommonAxis(), CommonAxis(), CommonAxis()
        self.rows, self.fill, self.displaced = CommonAxis(), CommonAxis(), CommonAxis()
        every = (
            *(self.bodies, self.contacts, self.blocks, self.pairs, self.members, self.islands),
            *(self.rows, self.fill, self.displaced),
        )
        self.arrays = AxisArrays(*(axis.arrays for axis in every))

    def reserve(self, blocks: int, rows: int, displaced: int, fill: int) -> None:
        """Have room for so many blocks, and what they may be made of, rows, and off-diagonal blocks."""
        bodies = self.bodies.length
        for axis in (self.contacts, self.blocks, self.pairs):
            axis.reserve(blocks)
        for axis in (self.members, self.islands):
            axis.reserve(bodies)
        self.rows.reserve(rows)
        self.displaced.reserve(displaced)
        self.fill.reserve(fill)
