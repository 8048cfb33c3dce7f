"""The elementary functions on plain numbers: special values, accuracy, identities."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from knuckle.scalar import (
    Trace,
    TraceError,
    absolute,
    acos,
    asin,
    atan,
    atan2,
    cos,
    exp,
    floor,
    hypot,
    log,
    maximum,
    minimum,
    reciprocal,
    sign,
    sin,
    sinc,
    sqrt,
    stumpff,
    tan,
    tanh,
    where,
)

mp = mpmath.mp.clone()
mp.prec = 400
UNARY = {
    "sqrt": sqrt, "sin": sin, "cos": cos, "tan": tan, "asin": asin, "acos": acos,
    "exp": exp, "log": log, "tanh": tanh, "floor": floor,
}  # fmt: skip
NUMPY = {"asin": "arcsin", "acos": "arccos"}
SPECIAL = [
    math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 1e308,
    -1e308, 5e-324, -5e-324, 709.782712893384, 709.7827128933841, -745.2, 2.0**52 + 1,
    2.5, -2.5, math.pi,
]  # fmt: skip


def bits(x):
    return "nan" if math.isnan(x) else (x, math.copysign(1.0, x))


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("kind", [float, np.float64])
def test_special_values_are_those_of_numpy(name, kind):
    function = getattr(np, NUMPY.get(name, name))
    for x in SPECIAL:
        with np.errstate(all="ignore"):
            expected = float(function(x))
        found = UNARY[name](kind(x))
        assert type(found) is float
        if math.isfinite(expected) and expected != 0 and name != "floor":
            assert found == pytest.approx(expected, rel=1e-15), x
        else:
            assert bits(found) == bits(expected), x


@pytest.mark.parametrize("kind", [int, np.int64, np.float32, float])
def test_every_kind_of_real_number(kind):
    for function in (*UNARY.values(), atan, sinc, sign):
        if function is not log:
            assert function(kind(0)) == function(0.0)
    assert atan2(kind(1), kind(1)) == math.pi / 4
    assert hypot(kind(3), kind(4)) == 5.0


def test_extrema_order_zeros_and_propagate_nan():
    values = [-1.0, -0.0, 0.0, 1.0, math.inf, -math.inf, math.nan]
    rank = {-math.inf: 0, -1.0: 1, -0.0: 2, 1.0: 4, math.inf: 5}
    for x, y in itertools.product(values, repeat=2):
        low, high = minimum(x, y), maximum(x, y)
        if math.isnan(x) or math.isnan(y):
            assert math.isnan(low) and math.isnan(high)
            continue
        ordered = sorted((x, y), key=lambda z: 3 if bits(z) == (0.0, 1.0) else rank[z])
        assert [bits(low), bits(high)] == [bits(z) for z in ordered]


def test_division_by_zero_is_infinite():
    assert bits(reciprocal(0.0)) == bits(math.inf)
    assert bits(reciprocal(-0.0)) == bits(-math.inf)
    assert reciprocal(0) == math.inf and reciprocal(4) == 0.25
    assert reciprocal(Fraction(3, 7)) == Fraction(7, 3)
    assert reciprocal(mp.mpf(3)) == 1 / mp.mpf(3)


def test_choices_on_numbers():
    assert where(True, 1.0, 2.0) == 1.0 and where(np.bool_(False), 1.0, 2.0) == 2.0
    assert [sign(x) for x in (-3.0, 0.0, 5.0, Fraction(-1, 2))] == [
        -1.0,
        0.0,
        1.0,
        -1.0,
    ]
    assert absolute(-2.5) == 2.5 and absolute(Fraction(-1, 3)) == Fraction(1, 3)


def test_what_a_fraction_cannot_be():
    third = Fraction(1, 3)
    for function in (sqrt, sin, exp, lambda x: stumpff(2, x), lambda x: atan2(x, 1.0)):
        with pytest.raises(TraceError, match="of the Fraction 1/3 is no Fraction"):
            function(third)
    assert floor(Fraction(-7, 2)) == -4 and stumpff(3, Fraction(0)) == Fraction(1, 6)


def test_what_is_no_number():
    for x in ("1", None, [1.0], 1j):
        with pytest.raises((TraceError, TypeError)):
            sin(x)
    with pytest.raises(TraceError, match="sin: expected a number, got str"):
        sin("1")


def exact(k, t):
    """c_k in 400 bits, by the series as far as it converges well."""
    t = mp.mpf(t)
    if abs(t) > 600:
        s = mp.sqrt(t)
        if k < 2:
            return mp.cos(s) if k == 0 else mp.sin(s) / s
        return (1 / mp.factorial(k - 2) - exact(k - 2, t)) / t
    return mp.nsum(lambda i: (-t) ** int(i) / mp.factorial(k + 2 * int(i)), [0, 120])


@pytest.mark.parametrize("k", range(13))
def test_stumpff_against_400_bits(k):
    """To a few ulp of the largest of 1, the value, and what half an ulp of t moves."""
    rng = np.random.default_rng(k)
    points = [-1e-6, 0.0, 1e-300, 1e-12, 0.5, 1.0, math.pi**2, 4.0 * k + 4, 1e4]
    points += list(rng.uniform(0, 4 * (k + 1) + 5, 12)) + list(rng.uniform(50, 1e4, 4))
    points += [-1.0, -9.0]
    for t in points:
        value, slope = exact(k, t), (k * exact(k + 2, t) - exact(k + 1, t)) / 2
        scale = max(abs(value), abs(slope * t))
        assert abs(mp.mpf(stumpff(k, float(t))) - value) <= 8 * 2.0**-53 * scale, t


@pytest.mark.parametrize("k", range(11))
def test_stumpff_derivative_identity(k):
    """c_k' = (k c_{k+2} - c_{k+1}) / 2 in 400 bits, and by mpmath's derivative."""
    for t in (mp.mpf("-0.3"), mp.mpf("1e-9"), mp.mpf(2), mp.mpf(37)):
        slope = (k * stumpff(k + 2, t) - stumpff(k + 1, t)) / 2
        assert abs(mp.diff(lambda t: stumpff(k, t), t) - slope) < mp.mpf(10) ** -30


@pytest.mark.parametrize("k", range(13))
def test_stumpff_of_what_is_not_finite(k):
    assert math.isnan(stumpff(k, math.nan)) and stumpff(k, -math.inf) == math.inf
    assert math.isnan(stumpff(k, math.inf)) and math.isfinite(stumpff(k, 1e300))
    assert stumpff(k, 0) == 1 / math.factorial(k) and stumpff(k, -1e300) == math.inf


def test_stumpff_beyond_the_table():
    with pytest.raises(
        TraceError, match=r"stumpff\(13, t\) is not compiled: k is 0 to 12"
    ):
        stumpff(13, Trace().input("t"))


def test_sinc_has_no_singularity():
    assert sinc(0.0) == 1.0 and sinc(1e-200) == 1.0
    assert sinc(math.pi) == pytest.approx(0.0, abs=1e-16)
    assert sinc(-2.0) == pytest.approx(math.sin(2.0) / 2.0, rel=1e-15)
