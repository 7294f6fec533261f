"""One rule says what counts as a number, a whole number, a switch, a choice, or an orientation."""

import datetime
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from stoss.collision import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Detector,
    Ellipsoid,
    HalfSpace,
    Placed,
    Shape,
    ShapeTable,
    Sphere,
    TriangleMesh,
    ray_cast,
)
from stoss.collision.orientations import unit_quaternion
from stoss.collision.plain_numbers import bits, choice, finite_array, flag, number, shown, whole

NAN, INF = float("nan"), float("inf")

ONES = [
    *(1, 1.0, np.float32(1), np.float64(1), np.float16(1), np.longdouble(1), np.int8(1), np.uint64(1)),
    *(np.array(1.0), np.array(1), Fraction(1), Decimal("1.0")),
]
NO_NUMBERS = [
    *("1.0", b"1.0", bytearray(b"1"), np.str_("1"), np.array("1"), None, True, np.True_, np.array(True), 1j),
    *(np.complex128(1), [1.0], (1.0,), {1.0}, {}, np.array([1.0]), np.array([[1.0]]), np.timedelta64(1, "s")),
    *(np.datetime64("2020-01-01"), datetime.timedelta(1), object(), float, lambda: 1.0),
]


@pytest.mark.parametrize("value", ONES, ids=lambda value: type(value).__name__)
def test_what_is_a_number(value):
    """Take all that Python and numpy have for a number as a float, a vector of them too."""
    found = number("mass", value)
    assert type(found) is float and found == 1.0
    vector = finite_array("position", [value, 2.0, value], (3,))
    assert vector.dtype == np.float64 and vector.tolist() == [1.0, 2.0, 1.0]
    assert type(Sphere(value).radius) is float
    assert type(Box((value, value, value)).size[0]) is float


@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda value: type(value).__name__)
def test_what_is_no_number(value):
    """Refuse text, truth values, arrays with axes and the like, naming argument and value; no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call in (
            lambda: number("mass", value),
            lambda: Sphere(value),
            lambda: Capsule(1.0, value),
            lambda: Cylinder(value, 1.0),
            lambda: Cone(1.0, value),
            lambda: HalfSpace((0, 0, 1), value),
            lambda: finite_array("position", [value, 0.0, 0.0], (3,)),
            lambda: Box((1.0, value, 1.0)),
            lambda: Ellipsoid((1.0, 1.0, value)),
            lambda: HalfSpace((value, 0, 1)),
            lambda: Placed(Sphere(1.0), (value, 0.0, 0.0)),
            lambda: Placed(Sphere(1.0), quaternion=(1.0, 0.0, 0.0, value)),
            lambda: ConvexHull([(value, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]),
            lambda: whole("count", value),
        ):
            with pytest.raises((TypeError, ValueError)) as caught:
                call()
            assert " = " in str(caught.value), str(caught.value)
            said = shown(value)[:10]
            assert said in str(caught.value) or said.strip("([)]") in str(caught.value), str(caught.value)


def test_numbers_out_of_range():
    """Refuse NaN, infinity and numbers beyond all floats, in whatever dress, and what is out of bounds."""
    wanted = r"^mass = .* must be a finite number, above zero \[kg\]"
    huge = (10**400, Fraction(10**400))
    for value in (NAN, INF, -INF, *huge, Decimal("NaN"), Decimal("sNaN"), np.float32(NAN)):
        with pytest.raises((TypeError, ValueError), match=wanted):
            number("mass", value, "kg", above=0.0)
        with pytest.raises((TypeError, ValueError), match=r"^position = "):
            finite_array("position", (0.0, value, 0.0), (3,))
    assert number("force", INF, finite=False) == number("force", 10**400, finite=False) == INF
    with pytest.raises(ValueError, match="nan"):
        number("force", NAN, finite=False)
    with pytest.raises(ValueError, match=r"share = 1.5 must be a finite number, at least 0 and at most 1"):
        number("share", 1.5, least=0.0, most=1.0)
    with pytest.raises(ValueError, match="cannot be shown"):  # Python refuses to write such an int
        number("mass", 10**5000, above=0.0)
    with pytest.raises(ValueError, match=r"Box: size = \(1e-200, 1, 1\).* 1e-12 to 1e\+12"):
        Box((1e-200, 1, 1))
    with pytest.raises(ValueError, match="Sphere: radius = 1e[+]100"):
        Sphere(1e100)


def test_truth_values_among_numbers_are_refused():
    """Refuse a truth value in a list, which numpy takes for a one, however deep it lies."""
    for value in ([True, 0.0, 0.0], (0, np.False_, 1.0), [np.array(True), 0.0, 1.0]):
        with pytest.raises(TypeError, match="position = .* must be 3 numbers"):
            finite_array("position", value, (3,))
    with pytest.raises(TypeError, match="vertices"):
        ConvexHull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, True)])
    masked = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
    with pytest.raises(TypeError, match="position = .* must be 3 numbers"):
        finite_array("position", masked, (3,))


def test_arrays_are_new_and_in_order():
    """Return arrays of our own, of one type and layout, whatever was given."""
    for given in (np.ones((3, 4), np.float32), np.asfortranarray(np.ones((3, 4))), [[1] * 4] * 3):
        found = finite_array("rows", given, (-1, 4))
        assert found.flags.c_contiguous and found.flags.owndata and found.dtype == np.float64
        assert not np.shares_memory(found, given) if isinstance(given, np.ndarray) else True


def test_whole_numbers_bits_switches_and_words():
    """Take whole numbers, 64 bits, truth values and words for what they are, and nothing else."""
    assert whole("count", np.int32(3)) == 3 and type(whole("count", np.uint8(3))) is int
    for value in (2.0, np.float64(2.0), "2", True, 10**30, -1, None, Fraction(2), np.array([2])):
        with pytest.raises((TypeError, ValueError), match="^count = .* whole number"):
            whole("count", value)
    assert bits("mask", 0xFFFFFFFFFFFFFFFF) == bits("mask", -1) == -1
    assert bits("mask", np.uint64(2**63)) == -(2**63) and bits("mask", 5) == 5
    for value in (2**64, -(2**63) - 1, 1.0, "all", True, None):
        with pytest.raises((TypeError, ValueError), match="^mask = .* bits name groups"):
            bits("mask", value)
    assert flag("on", np.True_) is True
    for value in (1, 0, 1.0, "yes", None, [True], np.array([True])):
        with pytest.raises(TypeError, match="^on = .* must be True or False"):
            flag("on", value)
    assert type(choice("kind", np.str_("static"), ("static", "dynamic"))) is str
    for value in ("fixed", None, 1, ["static"], np.array(["static", "dynamic"]), b"static"):
        with pytest.raises((TypeError, ValueError), match="^kind = .*static"):
            choice("kind", value, ("static", "dynamic"))


def test_orientations():
    """Take four numbers of unit length or scipy's `Rotation`, and nothing else."""
    turn = Rotation.from_rotvec([0.1, 0.2, 0.3])
    expected = turn.as_quat(scalar_first=True)
    assert np.abs(np.array(unit_quaternion("q", turn)) - expected).max() < 1e-15
    assert np.abs(np.array(Placed(Sphere(1.0), quaternion=turn).quaternion) - expected).max() < 1e-15
    for value in (Rotation.identity(2), np.eye(3), (1, 0, 0), (2, 0, 0, 0), "xyz", None, 1.0, Rotation):
        with pytest.raises((TypeError, ValueError), match="^quaternion = "):
            unit_quaternion("quaternion", value)


def test_shapes_that_are_none_are_refused_before_anything_changes():
    """Refuse the base of shapes, classes and triangles without area, and leave the table as it was."""
    with pytest.raises(TypeError, match=r"Shape\(\) is no shape"):
        Shape()
    flat = TriangleMesh([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2), (2, 1, 0)], two_sided=True)
    table = ShapeTable()
    table.add(Sphere(1.0), 0)
    for value in (Sphere, flat, "box", None, 1.0, [Sphere(1.0)]):
        with pytest.raises((TypeError, ValueError), match="^shape = "):
            table.add(value, 0)
    for change in (
        {"body": -1},
        {"body": 1.0},
        {"body": 2**40},
        {"group": 2**64},
        {"mask": "all"},
        {"position": (0, 0)},
        {"position": "here"},
        {"quaternion": (1, 1, 0, 0)},
        {"quaternion": None},
    ):
        with pytest.raises((TypeError, ValueError), match=f"^{next(iter(change))} = "):
            table.add(**({"shape": Sphere(1.0), "body": 0} | change))
    assert table.count == len(table.kind) == 1 and table.polyhedra.count == 0
    with pytest.raises(TypeError, match="^mask = 1.5"):
        ray_cast(table, (0, 0, 5), (0, 0, -1), mask=1.5)
    assert ray_cast(table, (0, 0, 5), (0, 0, -1), mask=0xFFFFFFFFFFFFFFFF) is not None


def test_pairs_that_do_not_exist_are_refused():
    """Refuse pairs of shapes that a detector does not have, in place of reading beyond its arrays."""
    detector = Detector()
    for body in range(2):
        detector.add_shape(Sphere(1.0), body, (1.5 * body, 0.0, 0.0))
    detector.detect(np.zeros((2, 3)), np.tile([1.0, 0, 0, 0], (2, 1)), np.ones(2, bool), 0.01)
    assert detector.collide(np.array([[0, 1]]), 0.01).count == 1
    assert detector.collide([[0, 1]], 0.01).count == 1
    for pairs in (
        [[0, 10**9]],
        [[-1, 0]],
        [[1, 0]],
        [[0, 0]],
        [0, 1],
        [[0.0, 1.0]],
        "01",
        [[0, 1], [0, 1]],
        None,
    ):
        with pytest.raises((TypeError, ValueError), match="^pairs = "):
            detector.collide(pairs, 0.01)
    for margin in (-1.0, NAN, INF, "0.1", True):
        with pytest.raises((TypeError, ValueError), match="^margin = "):
            detector.collide([[0, 1]], margin)
    for bodies in ((0, 0), (0, -1), (0, 1.5), ("a", 1), (True, 0)):
        with pytest.raises((TypeError, ValueError), match="^body_[ij] = "):
            detector.exclude(*bodies)
    assert detector.excluded == set()
