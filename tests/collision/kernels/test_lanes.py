"""Lanes: several numbers at once, each as the scalar operations give it."""

import numpy as np
import pytest

from stoss.collision.kernels.cache import digest_of
from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.lane_places import (
    RECORD,
    gather,
    load_each,
    load_places,
    load_turned,
    scatter,
)
from stoss.collision.kernels.lanes import (
    LANES,
    WIDE,
    absolute,
    largest,
    load,
    load_wide,
    select_equal,
    select_greater,
    select_not_greater,
    splat,
    splat_wide,
    square_root,
    store,
)
from stoss.collision.kernels.types import Floats, Floats2, Ints

NAN, INF = float("nan"), float("inf")


@kernel
def compute(a: Floats, b: Floats, out: Floats2) -> float:
    """Write one result a row; return the largest of a."""
    x, y = load(a, 0), load(b, 0)
    store(out[0], 0, x + y)
    store(out[1], 0, x - y)
    store(out[2], 0, x * y)
    store(out[3], 0, x / y)
    store(out[4], 0, square_root(x))
    store(out[5], 0, absolute(x))
    store(out[6], 0, select_greater(x, y, x, splat(7.0)))
    store(out[7], 0, select_not_greater(x, y, x, splat(7.0)))
    store(out[8], 0, select_equal(x, y, x, splat(7.0)))
    store(out[9], 0, x * y + x)  # two roundings, not one
    return largest(x)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([1.0, -2.0, 1e300, 3.0], [3.0, 0.0, 1e300, 3.0]),
        ([0.0, -0.0, INF, -1.0], [-0.0, NAN, INF, NAN]),
        (np.random.default_rng(1).normal(size=4), np.random.default_rng(2).normal(size=4)),
    ],
)
def test_each_lane_computes_as_a_scalar(a, b):
    """Round, compare and pass nan on as numpy does with single numbers; the largest is the largest."""
    a, b = np.array(a), np.array(b)
    out = np.zeros((10, LANES))
    assert compute(a, b, out) == a.max()
    with np.errstate(all="ignore"):
        seven = np.full(LANES, 7.0)
        wanted = [a + b, a - b, a * b, a / b, np.sqrt(a), np.abs(a)]
        wanted += [np.where(a > b, a, seven), np.where(a <= b, a, seven), np.where(a == b, a, seven)]
        wanted.append(a * b + a)
    assert np.array_equal(out, wanted, equal_nan=True)
    known = ~np.isnan(out)  # which sign a nan has is not said
    assert np.array_equal(np.signbit(out[known]), np.signbit(np.array(wanted)[known]))


@kernel
def compute_wide(a: Floats, b: Floats, out: Floats2) -> float:
    """Do as `compute` in wide lanes."""
    x, y = load_wide(a, 0), load_wide(b, 0)
    store(out[0], 0, x + y)
    store(out[1], 0, x - y)
    store(out[2], 0, x * y)
    store(out[3], 0, x / y)
    store(out[4], 0, square_root(x))
    store(out[5], 0, absolute(x))
    store(out[6], 0, select_greater(x, y, x, splat_wide(7.0)))
    store(out[7], 0, select_not_greater(x, y, x, splat_wide(7.0)))
    store(out[8], 0, select_equal(x, y, x, splat_wide(7.0)))
    store(out[9], 0, x * y + x)
    return largest(x)


def test_wide_lanes_compute_as_four():
    """Give the same bits in however many lanes numbers are computed."""
    rng = np.random.default_rng(5)
    a, b = np.abs(rng.normal(size=WIDE)), rng.normal(size=WIDE)
    b[::3] = a[::3]
    wide, parts = np.zeros((10, WIDE)), np.zeros((10, WIDE))
    assert compute_wide(a, b, wide) == a.max()
    for k in range(0, WIDE, LANES):
        four = np.zeros((10, LANES))
        compute(a[k : k + LANES].copy(), b[k : k + LANES].copy(), four)
        parts[:, k : k + LANES] = four
    assert np.array_equal(wide, parts)


@kernel
def move(values: Floats2, at: Ints, records: Floats, to: Floats, turned: Floats2) -> None:
    """Collect numbers and records from places in any order, and write the records elsewhere."""
    places = (at[0], at[1], at[2], at[3])
    store(turned[0], 0, load_each(values, places, 2, 1))
    part = load_turned(values, places, 2, 1)
    for i in range(4):
        store(turned[1 + i], 0, part[i])
    wide = load_places(at, 0, 1)
    store(turned[5], 0, load_each(values, wide, 2, 0))
    part = load_turned(values, wide, 2, 1)
    for i in range(4):
        store(turned[6 + i], 0, part[i])
    found = gather(records, at, 0)
    for i in range(8):
        store(turned[10 + i], 0, found[i])
    scatter(to, at, WIDE, found)


def test_numbers_are_collected_and_spread():
    """Take consecutive numbers, or a record of eight, from a place for each lane, and put them elsewhere."""
    rng = np.random.default_rng(3)
    values, records = rng.normal(size=(40, 2)), rng.normal(size=(2 * WIDE + 1, RECORD))
    at = rng.permutation(2 * WIDE + 1)[: 2 * WIDE]
    to, turned = np.zeros((2 * WIDE + 1, RECORD)), np.zeros((18, WIDE))
    move(values, at, records.ravel(), to.reshape(-1), turned)
    flat, read, written = values.ravel(), at[:WIDE], at[WIDE:]
    assert np.array_equal(turned[0, :4], values[at[:4], 1])
    assert np.array_equal(turned[1:5, :4].T, [flat[2 * i + 1 : 2 * i + 5] for i in at[:4]])
    assert np.array_equal(turned[5], values[read + 1, 0])
    assert np.array_equal(turned[6:10].T, [flat[2 * i + 3 : 2 * i + 7] for i in read])
    assert np.array_equal(turned[10:].T, records[read])
    expected = np.zeros((2 * WIDE + 1, RECORD))
    expected[written] = records[read]
    assert np.array_equal(to, expected)


def test_kernels_depend_on_the_source_of_lanes(monkeypatch):
    """Keep no kernel that was compiled with another form of the module of lanes."""
    from stoss.collision.kernels import cache

    before = digest_of(compute.dispatcher, compute.signature)
    cache._code_of.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(cache, "_source", lambda module: module.encode())
        assert digest_of(compute.dispatcher, compute.signature) != before
    cache._code_of.cache_clear()
    assert digest_of(compute.dispatcher, compute.signature) == before
