"""Values of bodies that give a pair the friction that a scene states, by whatever rule they combine."""

__all__ = ["pair_friction"]

_ABOVE_ALL = 1e6  # friction that no body of a scene exceeds


def pair_friction(rule: str, friction: float) -> tuple[float, float]:
    """Return the friction of the ground, the same for all values of the pair, and that of the body on it.

    Args:
        rule: how the world combines friction, one of `stoss.engine.bodies.material.COMBINATION_RULES`.
        friction: coefficient of the pair.

    Raises:
        ValueError: an unknown rule.
    """
    values = {
        "multiply": (1.0, friction),
        "add": (0.0, friction),
        "minimum": (_ABOVE_ALL, friction),
        "maximum": (0.0, friction),
        "mean": (0.0, 2.0 * friction),
        "geometric_mean": (1.0, friction**2),
    }
    if rule not in values:
        raise ValueError(f"friction_rule = {rule!r} is unknown; choose one of {', '.join(values)}")
    return values[rule]
