"""Virtual model control of two legs in the sagittal plane: torques of joints out of forces that are wanted.

Henze 2002, sections 3.3.3 to 3.4, with its misprints corrected. Angles are those of
segments against the vertical, positive forward; torques act on the distal segment of a joint. The lever of a
foot leads from the point where it stands, heel or balls, to the ankle.
"""

from dataclasses import dataclass
from math import cos, sin

__all__ = ["Leg", "planted", "shared_by_both", "stance", "swing"]

Torques = tuple[float, float, float]  # of ankle, knee and hip

FLAT = 1e-3  # [m^2] below which both legs are side by side, and share nothing


@dataclass
class Leg:
    """A leg as the sagittal plane sees it.

    Attributes:
        lever: from the point where the foot stands to the ankle [m].
        hat: angle of this lever against the vertical [rad].
        shank, thigh: lengths [m].
        theta_2, theta_3: angles of shank and thigh [rad].
    """

    lever: float
    hat: float
    shank: float
    thigh: float
    theta_2: float
    theta_3: float

    def __post_init__(self) -> None:
        l1, l2, l3 = self.lever, self.shank, self.thigh
        s2, c2, s3, c3 = sin(self.theta_2), cos(self.theta_2), sin(self.theta_3), cos(self.theta_3)
        self.a1 = l1 * cos(self.hat) + l2 * c2 + l3 * c3
        self.a2 = -l1 * sin(self.hat) - l2 * s2 - l3 * s3
        self.a3, self.a4 = -l2 * c2 - l3 * c3, l2 * s2 + l3 * s3
        self.a5, self.a6 = -l3 * c3, l3 * s3
        self.b1, self.b2 = -l2 * c2, l2 * s2
        self.b3, self.b4 = -l3 * c3 - l2 * c2, l3 * s3 + l2 * s2

    def force_on_hip(self, torques: Torques, otherwise: float) -> float:
        """Return the horizontal force of a standing leg on its hip by its torques [N].

        Args:
            torques: of ankle, knee and hip [N m].
            otherwise: where the leg is straight, and torques do not tell.
        """
        ankle, knee, hip = torques
        size = self.a5 * self.a4 - self.a3 * self.a6
        if abs(size) < FLAT:
            return otherwise
        return -(self.a6 * ankle - self.a4 * knee + (self.a4 - self.a6) * hip) / size


def stance(leg: Leg, foot: float, vertical: float, trunk: float) -> tuple[Torques, float]:
    """Return torques of a leg that stands alone, and the horizontal force that goes with them; (3.6).

    Nothing holds the foot against the ground, so the horizontal force on the hip cannot be chosen.

    Args:
        leg: that stands.
        foot: moment that is wanted on the foot [N m].
        vertical: force that is wanted on the hip [N].
        trunk: moment that is wanted on the trunk [N m].
    """
    forward = -(foot + leg.a2 * vertical + trunk) / leg.a1
    ankle = leg.a3 * forward + leg.a4 * vertical - trunk
    knee = leg.a5 * forward + leg.a6 * vertical - trunk
    return (ankle, knee, -trunk), forward


def planted(leg: Leg, ankle: float, vertical: float, trunk: float) -> Torques:
    """Return torques of a leg whose foot its load holds on the ground, so that the ankle is free.

    Args:
        leg: that stands.
        ankle: torque of the ankle [N m].
        vertical: force that is wanted on the hip [N].
        trunk: moment that is wanted on the trunk [N m].
    """
    forward = (ankle - leg.a4 * vertical + trunk) / leg.a3
    return ankle, leg.a5 * forward + leg.a6 * vertical - trunk, -trunk


def swing(leg: Leg, foot: float, forward: float, vertical: float) -> Torques:
    """Return torques of a leg in the air; (3.8).

    Args:
        leg: that swings.
        foot: moment that is wanted on the foot [N m].
        forward, vertical: force that is wanted on the ankle, from the hip [N].
    """
    knee = foot + leg.b1 * forward + leg.b2 * vertical
    hip = foot + leg.b3 * forward + leg.b4 * vertical
    return foot, knee, hip


def shared_by_both(
    front: Leg,
    rear: Leg,
    front_foot: float,
    rear_foot: float,
    forward: float,
    vertical: float,
    trunk: float,
    share: float,
) -> tuple[Torques, Torques]:
    """Return torques of both legs on the ground, front and rear; (3.10) to (3.14).

    Args:
        front, rear: the legs.
        front_foot, rear_foot: moments that are wanted on the feet [N m].
        forward, vertical: force that is wanted on the hip from both together [N].
        trunk: moment that is wanted on the trunk [N m].
        share: of the front leg in this moment, 0 to 1.
    """
    w, t = front, rear
    c1 = -(t.a1 * w.a2 - w.a1 * t.a2)
    if abs(c1) < FLAT:
        c1 = FLAT if c1 >= 0.0 else -FLAT
    c2, c3 = -w.a3 * t.a2 + w.a4 * t.a1, -w.a3 * w.a2 + w.a4 * w.a1
    c4, c5 = -w.a5 * t.a2 + w.a6 * t.a1, -w.a5 * w.a2 + w.a6 * w.a1
    c6, c7 = t.a3 * t.a2 - t.a4 * t.a1, t.a3 * w.a2 - t.a4 * w.a1
    c8, c9 = t.a5 * t.a2 - t.a6 * t.a1, t.a5 * w.a2 - t.a6 * w.a1
    rest = 1.0 - share
    front_torques = (
        (
            c2 * front_foot
            + c3 * rear_foot
            + t.a1 * c3 * forward
            + t.a2 * c3 * vertical
            + ((-c1 + c2) * share + c3 * rest) * trunk
        )
        / c1,
        (
            c4 * front_foot
            + c5 * rear_foot
            + t.a1 * c5 * forward
            + t.a2 * c5 * vertical
            + ((-c1 + c4) * share + c5 * rest) * trunk
        )
        / c1,
        -share * trunk,
    )
    rear_torques = (
        (
            c6 * front_foot
            + c7 * rear_foot
            + w.a1 * c6 * forward
            + w.a2 * c6 * vertical
            + (c6 * share + (-c1 + c7) * rest) * trunk
        )
        / c1,
        (
            c8 * front_foot
            + c9 * rear_foot
            + w.a1 * c8 * forward
            + w.a2 * c8 * vertical
            + (c8 * share + (-c1 + c9) * rest) * trunk
        )
        / c1,
        -rest * trunk,
    )
    return front_torques, rear_torques
