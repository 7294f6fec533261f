"""Joints of others that follow one another, as couplings where the engine can couple them."""

from collections.abc import Iterable

from stoss.engine.exchange.to_records import Assembly
from stoss.engine.model.records import Joint

__all__ = ["mimic_joints"]


def mimic_joints(
    mimics: Iterable[tuple[str, str, float, float]], assembly: Assembly, left_out: list[str]
) -> list[Joint]:
    """Return the couplings of joints that follow others: value = ratio value_of_the_other + offset.

    Args:
        mimics: joint, the one that it follows, ratio, offset.
        assembly: bodies and joints.
        left_out: is told of those that cannot be coupled.
    """
    known = {joint.name: joint for joint in assembly.joints}
    kinds = {body.name: body.kind for body in assembly.bodies}
    found = []
    for name, of, ratio, offset in mimics:
        if name not in known or of not in known:
            left_out.append(f"joint {name!r} follows {of!r}, one of which is not there or does not move")
            continue
        if ratio == 0.0:
            left_out.append(f"joint {name!r} follows {of!r} by a ratio of 0")
            continue
        one, other = known[of], known[name]
        ends = {one.first, one.second, other.first, other.second} - {None}
        moving = sorted(end for end in ends if end is not None and kinds[end] == "dynamic")
        if len(moving) > 2:
            left_out.append(
                f"joint {name!r} follows {of!r}: a coupling moves two bodies, this one {len(moving)} "
                f"({', '.join(moving)}); the joint moves freely"
            )
            continue
        found.append(
            Joint(
                name=f"{name} follows {of}",
                type="coupling",
                joint_1=of,
                joint_2=name,
                ratio=ratio,
                offset=offset,
            )
        )
    return found
