"""People of both sexes and of all sizes: public tables, percentiles, regressions (Henze 2002, section 2.1).

The thesis prints the data of one man; its tables are not public. Here two that are say how women differ from
men, and how sizes are spread:

- de Leva 1996, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", Journal of Biomechanics
  29, table 4: masses, lengths, centres of mass and radii of gyration of segments, women and men. A woman is
  the man of the thesis with each of these in the ratio of the table, so that joints stay where he has them.
- Heinz, Peterson, Johnson, Kerk 2003, "Exploring relationships in body dimensions", Journal of Statistics
  Education 11 (2), whose table of 260 women and 247 men, active adults, is public (`bdims` of the R package
  openintro): means and standard deviations of stature and mass; breadths of shoulders, between the acromia,
  and of hips, between the trochanters.
- The height of the ankle, 67.0 % (women) and 64.8 % (men) of that of the lower leg's least girth: Henze 2002,
  appendix E.2.

Lengths are brought to the stature, and masses to the mass, by one factor each.
"""

from dataclasses import dataclass, replace
from math import sqrt
from statistics import NormalDist
from typing import Any, Self

from stoss.collision.quaternions import Vector
from stoss.engine import checks
from stoss.engine.humans.anthropometry import MALE, Human, Segment
from stoss.names import closed, takes_names

__all__ = ["FEMALE", "SEXES", "STATISTICS", "Statistic", "person"]

SEXES = ("male", "female")


@closed
@dataclass(frozen=True)
class Statistic:
    """How a measure is spread among people: its mean and standard deviation, normally distributed.

    Args:
        mean: in the unit of the measure.
        deviation: standard deviation, above zero.
    """

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", checks.number("mean", self.mean, "unit of the measure"))
        object.__setattr__(
            self, "deviation", checks.positive("deviation", self.deviation, "unit of the measure")
        )

    @classmethod
    def from_percentiles(cls, fifth: float, ninety_fifth: float) -> Self:
        """Return the measure of which the 5th and the 95th percentile are known.

        Args:
            fifth, ninety_fifth: values at these percentiles, in the unit of the measure.

        Raises:
            ValueError: the second is not above the first.
        """
        low, high = checks.number("fifth", fifth, "unit"), checks.number("ninety_fifth", ninety_fifth, "unit")
        if high <= low:
            raise ValueError(f"ninety_fifth = {high:g} must be above fifth = {low:g}")
        return cls(0.5 * (low + high), (high - low) / (2.0 * NormalDist().inv_cdf(0.95)))

    def at(self, percentile: float) -> float:
        """Return the value below which a share of people is.

        Args:
            percentile: that share, above 0 and below 100 [per cent].
        """
        share = _share("percentile", percentile)
        return NormalDist(self.mean, self.deviation).inv_cdf(share)

    def percentile_of(self, value: float) -> float:
        """Return the share of people [per cent] that have less than a value.

        Args:
            value: in the unit of the measure.
        """
        number = checks.number("value", value, "unit of the measure")
        return 100.0 * NormalDist(self.mean, self.deviation).cdf(number)

    def given(self, value: float, of: "Statistic", correlation: float) -> "Statistic":
        """Return the measure among those who have a value of another one: regression, and what it leaves.

        Henze 2002, eq. 2.1: mean + correlation deviation / deviation of the other (value - its mean), with
        the standard error deviation sqrt(1 - correlation^2).

        Args:
            value: of the other measure.
            of: the other measure.
            correlation: of both, above -1 and below 1.
        """
        number = checks.number("value", value, "unit of the other measure")
        checks.instance("of", of, Statistic, "Statistic(1.76, 0.07)")
        c = _correlation(correlation)
        slope = c * self.deviation / of.deviation
        return Statistic(self.mean + slope * (number - of.mean), self.deviation * sqrt(1.0 - c * c))

    def plus(self, other: "Statistic", correlation: float) -> "Statistic":
        """Return the sum of two measures; its percentiles are not the sums of theirs.

        Args:
            other: the other measure, in the same unit.
            correlation: of both, above -1 and below 1.
        """
        checks.instance("other", other, Statistic, "Statistic(0.44, 0.03)")
        c, a, b = _correlation(correlation), self.deviation, other.deviation
        return Statistic(self.mean + other.mean, sqrt(a * a + 2.0 * c * a * b + b * b))


def _share(what: str, percentile: Any) -> float:
    number = checks.number(what, percentile, "per cent")
    if not 0.0 < number < 100.0:
        raise ValueError(f"{what} = {number:g} must be above 0 and below 100")
    return number / 100.0


def _correlation(value: Any) -> float:
    c = checks.number("correlation", value, "1")
    if not -1.0 < c < 1.0:
        raise ValueError(f"correlation = {c:g} must be above -1 and below 1")
    return c


# Stature [m] and mass [kg]: Heinz et al. 2003.
STATISTICS: dict[str, dict[str, Statistic]] = {
    "male": {"stature": Statistic(1.77745, 0.07184), "mass": Statistic(78.145, 10.513)},
    "female": {"stature": Statistic(1.64872, 0.06545), "mass": Statistic(60.600, 9.616)},
}
# The same: breadths [m] of shoulders (biacromial) and hips (bitrochanteric), women and men.
_SHOULDERS, _HIPS = (0.36503, 0.41241), (0.31462, 0.32527)
_LEAST_GIRTH = (0.670, 0.648)  # height of the ankle joint over that of the least girth, women and men

# de Leva 1996, table 4, women and men: mass [%], length [mm], centre of mass from the proximal end [% of
# length], radii of gyration about the sagittal, the transverse and the longitudinal axis [% of length].
# Statures: of those who were measured [mm].
_STATURES = 1735.0, 1741.0
_HEAD = (243.7, 242.9), (27.1, 30.3), (29.5, 31.5), (26.1, 26.1)
_TRUNK = (614.8, 603.3), (30.7, 32.8), (29.2, 30.6), (14.7, 16.9)
_AS_IT_IS = (1.0, 1.0)
_TABLE: dict[str, tuple[tuple[float, float], ...]] = {
    "head": ((6.68, 6.94), _HEAD[0], _AS_IT_IS, *_HEAD[1:]),
    "neck": ((6.68, 6.94), _HEAD[0], _AS_IT_IS, *_HEAD[1:]),
    "thorax": ((15.45, 15.96), _TRUNK[0], _AS_IT_IS, *_TRUNK[1:]),
    "lumbar": ((14.65, 16.33), _TRUNK[0], _AS_IT_IS, *_TRUNK[1:]),
    "pelvis": ((12.47, 11.17), _TRUNK[0], _AS_IT_IS, *_TRUNK[1:]),
    "upper_arm": ((2.55, 2.71), (275.1, 281.7), (57.54, 57.72), (27.8, 28.5), (26.0, 26.9), (14.8, 15.8)),
    "forearm": ((1.38, 1.62), (264.3, 268.9), (45.59, 45.74), (26.1, 27.6), (25.7, 26.5), (9.4, 12.1)),
    "hand": ((0.56, 0.61), (78.0, 86.2), (74.74, 79.00), (53.1, 62.8), (45.4, 51.3), (33.5, 40.1)),
    "thigh": ((14.78, 14.16), (368.5, 422.2), (36.12, 40.95), (36.9, 32.9), (36.4, 32.9), (16.2, 14.9)),
    "shank": ((4.81, 4.33), (432.3, 434.0), (44.16, 44.59), (27.1, 25.5), (26.7, 24.9), (9.3, 10.3)),
    "foot": ((1.29, 1.37), (228.3, 258.1), _AS_IT_IS, (29.9, 25.7), (27.9, 24.5), (13.9, 12.4)),
}


def _ratio(pair: tuple[float, float]) -> float:
    return pair[0] / pair[1]


def _woman() -> Human:
    """Return the man of the thesis with the ratios of the tables, of mean stature and mass."""
    stature, mass = (STATISTICS["female"][name].mean for name in ("stature", "mass"))
    per_stature = stature / MALE.stature * _STATURES[1] / _STATURES[0]
    grown = {name: per_stature * _ratio(row[1]) for name, row in _TABLE.items()}
    ankle = stature / MALE.stature * _ratio(_LEAST_GIRTH)
    # what stands on each other is as high as the stature: one factor
    upright = ("shank", "thigh", "pelvis", "lumbar", "thorax", "neck")
    height = ankle * MALE.ankle_height + sum(grown[name] * getattr(MALE, name).length for name in upright)
    factor = stature * MALE.height / MALE.stature / (height + 0.7 * grown["head"] * MALE.head.length)
    shares = {name: _ratio(row[0]) for name, row in _TABLE.items()}
    total = sum(share * getattr(MALE, name).mass * _COUNTS[name] for name, share in shares.items())
    parts = {
        name: _changed(
            getattr(MALE, name),
            row,
            mass / total * shares[name],
            factor * grown[name],
            factor * (ankle if name == "foot" else grown[name]),
        )
        for name, row in _TABLE.items()
    }
    smaller = STATISTICS["male"]["stature"].mean / MALE.stature  # the breadths are those of the mean man
    hips, shoulders = smaller * _ratio(_HIPS), smaller * _ratio(_SHOULDERS)
    parts["pelvis"] = _wide(parts["pelvis"], MALE.pelvis, hips)
    parts["thorax"] = _wide(parts["thorax"], MALE.thorax, shoulders)
    return replace(MALE, stature=stature, **parts)


_COUNTS = {name: 1 if name in ("head", "neck", "thorax", "lumbar", "pelvis") else 2 for name in _TABLE}


def _changed(
    segment: Segment, row: tuple[tuple[float, float], ...], mass: float, long: float, high: float
) -> Segment:
    """Return a segment of other mass, length and height by the factors given, and other ratios of a row."""
    about = [_ratio(pair) ** 2 * mass * long * long for pair in row[3:6]]
    if segment.proximal is not None and segment.distal is None and segment.points:  # a foot: along x
        about.reverse()
    x, y, z = (factor * moment for factor, moment in zip(about, segment.inertia, strict=True))
    shift = _ratio(row[2])

    def moved(p: Vector | None, share: float = 1.0) -> Vector | None:
        return None if p is None else (long * p[0], long * p[1], high * share * p[2])

    near, far = moved(segment.proximal, shift), moved(segment.distal)
    if segment.proximal is not None and segment.distal is not None and near is not None and shift != 1.0:
        down = high * (segment.distal[2] - segment.proximal[2])
        far = (long * segment.distal[0], long * segment.distal[1], near[2] + down)
    points = tuple((name, moved(p) or (0.0, 0.0, 0.0)) for name, p in segment.points)
    return replace(
        segment,
        mass=mass * segment.mass,
        length=long * segment.length,
        inertia=(x, y, z),
        proximal=near,
        distal=far,
        points=points,
    )


def _wide(segment: Segment, of: Segment, factor: float) -> Segment:
    """Return a segment with its joints as far to the sides as those of another one, times a factor."""

    def placed(p: Vector | None, q: Vector | None) -> Vector | None:
        return None if p is None or q is None else (p[0], factor * q[1], p[2])

    points = tuple(
        (name, (p[0], factor * q[1], p[2]))
        for (name, p), (_, q) in zip(segment.points, of.points, strict=True)
    )
    return replace(segment, distal=placed(segment.distal, of.distal), points=points)


FEMALE = _woman()


@takes_names
def person(
    sex: str = "male",
    *,
    stature: float | None = None,
    mass: float | None = None,
    percentile: float | None = None,
    mass_percentile: float | None = None,
) -> Human:
    """Return the data of a person for `build_humanoid`: of either sex and any size.

    Men are the man of the thesis, women `FEMALE`, scaled: lengths by the stature, masses by the mass. Sizes
    are those of active adults (Heinz et al. 2003).

    Args:
        sex: "male" or "female".
        stature: [m]; None: by the percentile.
        mass: [kg]; None: by its percentile, or the mean one times the square of the stature over its mean.
        percentile: of statures, above 0 and below 100; None: the mean.
        mass_percentile: of masses, above 0 and below 100.

    Raises:
        TypeError, ValueError: no such sex, sizes that are none, or a size and its percentile too.
    """
    known = STATISTICS[checks.choice("sex", sex, SEXES)]
    for name, value, share in (("stature", stature, percentile), ("mass", mass, mass_percentile)):
        if value is not None and share is not None:
            which = "percentile" if name == "stature" else "mass_percentile"
            raise ValueError(
                f"{name} = {value!r} and {which} = {share!r} say the same twice; give one of them"
            )
    if stature is None:
        stature = known["stature"].mean if percentile is None else known["stature"].at(percentile)
    height = checks.positive("stature", stature, "m")
    if mass is None:
        usual = known["mass"].mean * (height / known["stature"].mean) ** 2
        mass = usual if mass_percentile is None else known["mass"].at(mass_percentile)
    base = MALE if sex == "male" else FEMALE
    return base.scaled(stature=height, mass=checks.positive("mass", mass, "kg"))
