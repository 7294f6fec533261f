"""How much effort goes into a picture."""

from dataclasses import dataclass

from stoss.names import hint

__all__ = ["QUALITIES", "Quality", "choose_quality", "find_quality"]


@dataclass(frozen=True)
class Quality:
    """What a level of quality draws.

    Attributes:
        name: of the level.
        shadow_size: edge of the shadow map [pixels]; 0 for no shadows.
        shadow_taps: samples of it per pixel.
        shadow_shapes: shadows are left out where there are more shapes.
        ambient_taps: samples of the map from above that darkens what lies below others; 0 for none.
        smooth: whether edges are smoothed in the finished picture.
        samples: per pixel, for smoother edges; 0 for none.
        segments: corners of the finest circle.
        deviation: of polygons from circles [pixels] that decides how many corners they get.
        triangles: about how many a frame may have; circles get fewer corners above that.
    """

    name: str
    shadow_size: int
    shadow_taps: int
    shadow_shapes: int
    ambient_taps: int
    smooth: bool
    samples: int
    segments: int
    deviation: float
    triangles: int


QUALITIES: dict[str, Quality] = {
    quality.name: quality
    for quality in (
        Quality("low", 512, 1, 1000, 0, False, 0, 32, 0.5, 60_000),
        Quality("medium", 1024, 4, 100_000, 0, True, 0, 48, 0.3, 150_000),
        Quality("high", 2048, 16, 100_000, 24, False, 4, 96, 0.15, 400_000),
    )
}


def find_quality(name: str) -> Quality:
    """Return the level of that name.

    Raises:
        ValueError: there is none.
    """
    if name not in QUALITIES:
        near = hint(name, QUALITIES) if isinstance(name, str) else ""
        raise ValueError(f"quality is {name!r}; choose from {', '.join(QUALITIES)}{near}")
    return QUALITIES[name]


def choose_quality(renderer: str, bodies: int) -> str:
    """Return the level that is likely to run smoothly.

    Args:
        renderer: the name that OpenGL gives of what draws (`stoss.viewer.drawing.context.renderer_name`).
        bodies: number of bodies.
    """
    in_software = any(word in renderer.lower() for word in ("llvmpipe", "softpipe", "swrast", "software"))
    if in_software:
        return "low"
    return "high" if bodies <= 5000 else "medium"
