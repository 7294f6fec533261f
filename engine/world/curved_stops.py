"""Handles of stops whose bounds are curves: of a swing within a closed cone, of a twist over the swing."""

import numpy as np

from stoss.collision.read_only import read_only
from stoss.engine import checks
from stoss.engine.joints.excerpts import of_joint
from stoss.engine.joints.probes import measured
from stoss.engine.joints.stop_curves import described, outline
from stoss.engine.world.drives import DAMPING_UNIT, STIFFNESS_UNIT, RowHandle, RowValue
from stoss.engine.world.exclusive import enters_world
from stoss.engine.world.joint_checks import check_stop
from stoss.names import closed

__all__ = ["CurvedLimit", "SwingLimit", "TwistLimit"]


class _BothRows(RowValue):
    """A number that both rows of a stop have."""

    def __set__(self, handle: "RowHandle", value: float) -> None:
        super().__set__(handle, value)
        row = handle.index
        array = getattr(handle._arrays, self.name)
        array[row + 1] = array[row]


@closed
@enters_world()
class CurvedLimit(RowHandle):
    """What stops along a curve have in common: rigid with restitution, or soft with stiffness and damping."""

    __slots__ = ()
    _row_count = 2

    restitution = _BothRows("Restitution of a rigid stop, 0 to 1.", "1", least=0.0, most=1.0)
    stiffness = _BothRows("Stiffness [N m/rad]; infinite: rigid.", STIFFNESS_UNIT, least=0.0, finite=False)
    damping = _BothRows("Damping [N m s/rad] of a soft stop.", DAMPING_UNIT, least=0.0)

    def _check_together(self, **new: float) -> None:
        now = dict(restitution=self.restitution, stiffness=self.stiffness, damping=self.damping)
        check_stop(self._joint, **(now | new))

    @property
    def force(self) -> float:
        """Return the torque [N m] of the stop on the second body along the coordinate, both rows together.

        It is the mean over the last step.
        """
        row = self.index
        return float(self._arrays.total[row : row + 2].sum() / self._joint.world._steps.force_step)

    @property
    def _curve(self) -> np.ndarray:
        arrays = self._arrays
        number = int(arrays.curve[self.index])
        return arrays.curve_value[arrays.curve_start[number] : arrays.curve_start[number + 1]]

    def _measured(self) -> np.ndarray:
        """Return the values (2,) of both rows at the present poses."""
        own = of_joint(self._joint._table.arrays, self._joint._row)
        first = self.index - self._joint._arrays.row_start[self._joint._row]
        values: np.ndarray = measured(own, self._joint.world._all_bodies.arrays)[0][first : first + 2]
        return values


@closed
@enters_world()
class SwingLimit(CurvedLimit):
    """A stop that keeps the axis of a joint within a closed cone; see `Joint.limit_swing`."""

    __slots__ = ()

    @property
    def gap(self) -> float:
        """Return the angle [rad] by which the axis is within the cone, negative beyond it."""
        return -float(self._measured().max())

    @property
    def form(self) -> str:
        """Return what the cone is: "ellipse", "spline" or "polygon"."""
        return described(self._curve).form

    @property
    def rows(self) -> np.ndarray:
        """Return the numbers of the cone (n, k) as they were given; those of an ellipse are one row."""
        return read_only(described(self._curve).rows)

    @property
    def inside(self) -> np.ndarray | None:
        """Return the direction (3,) that is inside; None: the axis of the joint."""
        found = described(self._curve).inside
        return None if found is None else read_only(found)

    def outline(self, count: int = 64) -> np.ndarray:
        """Return directions (k, 3) on the cone in the joint's frame on the first body, first and last alike.

        Args:
            count: about how many of them.
        """
        return outline(self._curve, checks.whole("count", count, least=3, most=100_000))


@closed
@enters_world()
class TwistLimit(CurvedLimit):
    """A stop of the twist between bounds that depend on the swing; see `Joint.limit_twist`."""

    __slots__ = ()

    @property
    def gap(self) -> float:
        """Return the angle [rad] to the nearer bound at the present swing, negative beyond it."""
        above, below = self._measured()
        return float(min(-above, below))

    @property
    def ranges(self) -> np.ndarray:
        """Return swing, lowest and highest twist (n, 3) [rad] as they were given."""
        return read_only(described(self._curve).rows)
