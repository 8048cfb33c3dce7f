"""The rewrite rules: each by its formula, and what none of them may do."""

import math
import struct
from operator import neg

import hypothesis.strategies as st
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings

from knuckle.scalar import (
    Program,
    Scalar,
    Trace,
    absolute,
    asin,
    cos,
    exp,
    log,
    maximum,
    minimum,
    reciprocal,
    sin,
    sqrt,
    tan,
    tanh,
    verify,
    where,
)
from programs import random_program

mp = mpmath.mp.clone()
mp.prec = 200


def traced(function):
    """function(a, b, x) on scalars."""
    trace = Trace()
    return function(*(trace.input(n) for n in "abx"))


def same(x, y):
    if isinstance(x, Scalar) or isinstance(y, Scalar):
        return x is y
    return struct.pack("d", x) == struct.pack("d", y)


RULES = {
    "a + 0 = a": lambda a, b, x: (a + 0.0, a),
    "a + -0 = a": lambda a, b, x: (a + -0.0, a),
    "a - 0 = a": lambda a, b, x: (a - 0.0, a),
    "0 - a = -a": lambda a, b, x: (0.0 - a, -a),
    "a * 0 = 0": lambda a, b, x: (a * 0.0, 0.0),
    "a * 1 = a": lambda a, b, x: (a * 1, a),
    "a * -1 = -a": lambda a, b, x: (a * -1.0, -a),
    "0 / a = 0": lambda a, b, x: (0.0 / a, 0.0),
    "1 / a = rcp a": lambda a, b, x: (1.0 / a, reciprocal(a)),
    "a / 4 = a * 0.25": lambda a, b, x: (a / 4.0, a * 0.25),
    "-(-a) = a": lambda a, b, x: (neg(neg(a)), a),
    "a + b = b + a": lambda a, b, x: (a + b, b + a),
    "a * b = b * a": lambda a, b, x: (a * b, b * a),
    "a + -b = a - b": lambda a, b, x: (a + -b, a - b),
    "-a + b = b - a": lambda a, b, x: (-a + b, b - a),
    "a - -b = a + b": lambda a, b, x: (a - -b, a + b),
    "-a - b = -(a + b)": lambda a, b, x: (-a - b, -(a + b)),
    "-(a - b) = b - a": lambda a, b, x: (-(a - b), b - a),
    "-(2 a) = -2 a": lambda a, b, x: (-(2.0 * a), -2.0 * a),
    "2 + -a = 2 - a": lambda a, b, x: (2.0 + -a, 2.0 - a),
    "2 - -a = 2 + a": lambda a, b, x: (2.0 - -a, 2.0 + a),
    "-a * -b = a b": lambda a, b, x: (-a * -b, a * b),
    "-a * b = -(a b)": lambda a, b, x: (-a * b, -(a * b)),
    "2 * -a = -2 a": lambda a, b, x: (2.0 * -a, -2.0 * a),
    "-a / b = -(a / b)": lambda a, b, x: (-a / b, -(a / b)),
    "a / -b = -(a / b)": lambda a, b, x: (a / -b, -(a / b)),
    "1 / -a = -(1 / a)": lambda a, b, x: (1.0 / -a, -(1.0 / a)),
    "1 / (1 / a) = a": lambda a, b, x: (1.0 / (1.0 / a), a),
    "a + a = 2 a": lambda a, b, x: (a + a, 2.0 * a),
    "a - a = 0": lambda a, b, x: (a - a, 0.0),
    "a / a = 1": lambda a, b, x: (a / a, 1.0),
    "a rcp(a) = 1": lambda a, b, x: (a * (1.0 / a), 1.0),
    "(b rcp(a)) a = b": lambda a, b, x: (a * (b * (1.0 / a)), b),
    "(b a) rcp(a) = b": lambda a, b, x: (b * a * (1.0 / a), b),
    "(a b) / b = a": lambda a, b, x: (a * b / b, a),
    "sqrt(a)^2 = a": lambda a, b, x: (sqrt(a) * sqrt(a), a),
    "a + (b - a) = b": lambda a, b, x: (a + (b - a), b),
    "(a - b) + b = a": lambda a, b, x: ((a - b) + b, a),
    "(a + b) - b = a": lambda a, b, x: ((a + b) - b, a),
    "(a - b) - a = -b": lambda a, b, x: ((a - b) - a, -b),
    "a - (a - b) = b": lambda a, b, x: (a - (a - b), b),
    "a - (a + b) = -b": lambda a, b, x: (a - (a + b), -b),
    "a + (2 - a) = 2, a number": lambda a, b, x: (a + (2.0 - a), 2.0),
    "(2 + a) - a = 2, a number": lambda a, b, x: ((2.0 + a) - a, 2.0),
    "a - (a + 2) = -2, a number": lambda a, b, x: (a - (a + 2.0), -2.0),
    "(2 a) rcp(a) = 2, a number": lambda a, b, x: (2.0 * a * (1.0 / a), 2.0),
    "3 + (2 + a) = 5 + a": lambda a, b, x: (3.0 + (2.0 + a), 5.0 + a),
    "3 + (2 - a) = 5 - a": lambda a, b, x: (3.0 + (2.0 - a), 5.0 - a),
    "3 - (2 + a) = 1 - a": lambda a, b, x: (3.0 - (2.0 + a), 1.0 - a),
    "3 - (2 - a) = 1 + a": lambda a, b, x: (3.0 - (2.0 - a), 1.0 + a),
    "2 + (a - 2) = a": lambda a, b, x: (2.0 + (a - 2.0), a),
    "3 (2 a) = 6 a": lambda a, b, x: (3.0 * (2.0 * a), 6.0 * a),
    "2 a + 3 a = 5 a": lambda a, b, x: (2.0 * a + 3.0 * a, 5.0 * a),
    "a + 3 a = 4 a": lambda a, b, x: (a + 3.0 * a, 4.0 * a),
    "a - 3 a = -2 a": lambda a, b, x: (a - 3.0 * a, -2.0 * a),
    "3 a - a = 2 a": lambda a, b, x: (3.0 * a - a, 2.0 * a),
    "2 a - 2 a = 0": lambda a, b, x: (2.0 * a - 2.0 * a, 0.0),
    "sin^2 + cos^2 = 1": lambda a, b, x: (sin(x) ** 2 + cos(x) ** 2, 1.0),
    "b sin^2 + b cos^2 = b": lambda a, b, x: (
        b * sin(x) * sin(x) + b * cos(x) * cos(x),
        b,
    ),
    "b (sin^2) + b (cos^2) = b": lambda a, b, x: (
        b * (sin(x) * sin(x)) + b * (cos(x) * cos(x)),
        b,
    ),
    "2 sin^2 + 2 cos^2 = 2": lambda a, b, x: (
        2.0 * sin(x) ** 2 + 2.0 * cos(x) ** 2,
        2.0,
    ),
    "sin -a = -sin a": lambda a, b, x: (sin(-a), -sin(a)),
    "tan -a = -tan a": lambda a, b, x: (tan(-a), -tan(a)),
    "asin -a = -asin a": lambda a, b, x: (asin(-a), -asin(a)),
    "tanh -a = -tanh a": lambda a, b, x: (tanh(-a), -tanh(a)),
    "cos -a = cos a": lambda a, b, x: (cos(-a), cos(a)),
    "exp log a = a": lambda a, b, x: (exp(log(a)), a),
    "log exp a = a": lambda a, b, x: (log(exp(a)), a),
    "|-a| = |a|": lambda a, b, x: (absolute(-a), absolute(a)),
    "||a|| = |a|": lambda a, b, x: (absolute(absolute(a)), absolute(a)),
    "|sqrt a| = sqrt a": lambda a, b, x: (absolute(sqrt(a)), sqrt(a)),
    "min(a, a) = a": lambda a, b, x: (minimum(a, a), a),
    "max(a, b) = max(b, a)": lambda a, b, x: (maximum(a, b), maximum(b, a)),
    "where(c, a, a) = a": lambda a, b, x: (where(x < 0.0, a, a), a),
    "where(c, 2, 2) = 2": lambda a, b, x: (where(x < 0.0, 2.0, 2.0), 2.0),
    "where(true, a, b) = a": lambda a, b, x: (where(1.0 < 2.0, a, b), a),
    "where(~c, a, b) = where(c, b, a)": lambda a, b, x: (
        where(~(x < 0.0), a, b),
        where(x < 0.0, b, a),
    ),
    "~~c = c": lambda a, b, x: (~~(a < b), a < b),
    "c & true = c": lambda a, b, x: ((a < b) & True, a < b),
    "c | c = c": lambda a, b, x: ((a < b) | (a < b), a < b),
    "a > b is b < a": lambda a, b, x: (a > b, b < a),
    "a >= b is b <= a": lambda a, b, x: (a >= b, b <= a),
    "a^2 = a a": lambda a, b, x: (a**2, a * a),
    "a^-1 = 1 / a": lambda a, b, x: (a**-1, 1.0 / a),
    "a^0 = 1": lambda a, b, x: (a**0, 1.0),
    "a^0.5 = sqrt a": lambda a, b, x: (a**0.5, sqrt(a)),
    "a^-0.5 = 1 / sqrt a": lambda a, b, x: (a**-0.5, 1.0 / sqrt(a)),
    "a^b = exp(b log a)": lambda a, b, x: (a**b, exp(b * log(a))),
    "2^a = exp(a log 2)": lambda a, b, x: (2.0**a, exp(a * math.log(2.0))),
}


@pytest.mark.parametrize("name", RULES)
def test_rule(name):
    left, right = traced(RULES[name])
    assert same(left, right), f"{name}: {left!r} is not {right!r}"


@pytest.mark.parametrize("name", RULES)
def test_rule_is_true(name):
    """The right side equals what the left side says, in 200 bits."""
    if "where" in name or "c " in name or "~" in name or name.startswith("a >"):
        return
    a, b, x = mp.mpf("0.37"), mp.mpf("1.91"), mp.mpf("0.83")
    left, _ = RULES[name](a, b, x)
    expression, _ = traced(RULES[name])
    if not isinstance(expression, Scalar):
        assert abs(left - expression) < mp.mpf(2) ** -50
        return
    value = Program.of([expression], ["a", "b", "x"])(a, b, x)[0]
    assert abs(left - value) < mp.mpf(2) ** -50


def evaluate(function, *numbers):
    """The simplified trace of function(x, ...) at the numbers."""
    trace = Trace()
    leaves = trace.inputs("x", len(numbers))
    result = function(*leaves)
    return verify(Program.of([result], [s.value for s in leaves]))(*numbers)[0]


FINITE = {
    "c (k x), the constants overflow": (lambda x: 1e200 * (1e200 * x), 1e-300),
    "c (k x), they overflow in float32": (lambda x: 1e30 * (1e30 * x), 1e-40),
    "c (k x), the constants underflow": (lambda x: 1e-200 * (1e-200 * x), 1e300),
    "c (k x), the product is subnormal": (lambda x: 1e-200 * (1e-115 * x), 1e300),
    "c (k x), opposite": (lambda x: 1e-200 * (1e200 * x), 1e-150),
    "c + (k + x)": (lambda x: 1e308 + (1e308 + x), -1e308),
    "c + (k - x)": (lambda x: 1e308 + (1e308 - x), 1e308),
    "c - (k + x)": (lambda x: 1e308 - (-1e308 + x), 1e308),
    "c - (k - x)": (lambda x: 1e308 - (x - 1e308), 1e308),
    "j x + k x": (lambda x: 1e308 * x + 1e308 * x, 1e-100),
    "x / tiny": (lambda x: x / 1e-310, 1e-312),
    "x / 2^-1074": (lambda x: x / 5e-324, 1e-322),
    "x / 2^-140, infinite in float32": (lambda x: x / 2.0**-140, 1e-42),
    "x / 2^1023": (lambda x: x / 2.0**1023, 1e308),
    "x / 3": (lambda x: x / 3.0, 1e308),
    "1 / (1 / x), subnormal": (lambda x: 1.0 / (1.0 / x), 1e-310),
    "x (2 / x)": (lambda x: x * (2.0 * (1.0 / x)), 1e-310),
    "x * 0": (lambda x: x * 0.0 + 1.0, 1e308),
    "(x x) / x": (lambda x: x * x / x, 1e200),
    "(x - 1e308) + x": (lambda x: (x - 1e308) + x, 9e307),
}


@pytest.mark.parametrize("name", FINITE)
def test_finite_stays_finite(name):
    function, x = FINITE[name]
    exact = function(mp.mpf(x))
    found = evaluate(function, x)
    assert math.isfinite(found)
    assert abs(mp.mpf(found) - exact) <= 4e-16 * abs(exact) + 5e-324


@pytest.mark.parametrize(
    "function, x",
    [
        (lambda x: 1e30 * (1e30 * x), 1e-40),
        (lambda x: x / 2.0**-140, 2.0**-149),
        (lambda x: 3e38 + (3e38 + x), -3e38),
    ],
)
def test_finite_in_single_precision(function, x):
    """Constants that merge stay inside float32."""
    trace = Trace()
    leaf = trace.input("x")
    function(leaf)
    for node in trace.nodes:
        if node.op == "const":
            assert 2.0**-149 <= abs(node.value) <= 3.4e38


numbers = st.floats(-8, 8).filter(lambda x: x == 0 or abs(x) > 1e-3)
leaves = st.sampled_from("abx") | numbers
GROW = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "n": lambda x, y: -x,
    "r": lambda x, y: 1.0 / x,
    "s": lambda x, y: sin(x),
    "c": lambda x, y: cos(x),
    "q": lambda x, y: x * x,
    "w": lambda x, y: where(x < y, x, y),
    "m": minimum,
    "a": lambda x, y: absolute(x),
}
trees = st.recursive(
    leaves, lambda t: st.tuples(st.sampled_from(sorted(GROW)), t, t), max_leaves=25
)


def grown(tree, place):
    if isinstance(tree, tuple):
        op, x, y = tree
        return GROW[op](grown(x, place), grown(y, place))
    return place.get(tree, tree) if isinstance(tree, str) else tree


class Interval(Exception):
    """The tree leaves the numbers for which its value means something."""


def bounded(tree, place):
    """(value in 200 bits, bound of the error of evaluating in double precision)."""
    if not isinstance(tree, tuple):
        value = place.get(tree, tree) if isinstance(tree, str) else tree
        return mp.mpf(value), mp.mpf(0)
    op, left, right = tree
    (x, dx), (y, dy) = bounded(left, place), bounded(right, place)
    if (op == "/" and abs(y) <= 4 * dy + 1e-6) or (
        op == "r" and abs(x) <= 4 * dx + 1e-6
    ):
        raise Interval
    if op == "w" and x != y and abs(x - y) <= 4 * (dx + dy) + 1e-9:
        raise Interval
    value = GROW[op](x, y)
    slope = {
        "+": dx + dy, "-": dx + dy, "*": abs(x) * dy + abs(y) * dx + dx * dy,
        "n": dx, "s": dx, "c": dx, "q": (2 * abs(x) + dx) * dx,
        "w": dx + dy, "m": dx + dy, "a": dx,
    }  # fmt: skip
    if op == "/":
        error = 2 * (dx + abs(value) * dy) / abs(y)
    else:
        error = 2 * dx / x**2 if op == "r" else slope[op]
    if abs(value) > 1e100:
        raise Interval
    size = abs(x) + abs(y) + abs(value)  # a sum may be taken apart and put together
    return value, error + mp.mpf(2) ** -50 * size


@settings(max_examples=250, deadline=None, derandomize=True)
@given(trees, numbers, numbers, numbers)
def test_simplified_equals_direct(tree, a, b, x):
    """Within the error bound of the expression as it was written."""
    place = dict(zip("abx", (a, b, x), strict=True))
    try:
        value, error = bounded(tree, place)
    except (Interval, ZeroDivisionError):
        return
    trace = Trace()
    result = grown(tree, {n: trace.input(n) for n in "abx"})
    if isinstance(result, Scalar) and result.op not in ("lt", "le"):
        program = verify(Program.of([result], "abx"))
        assert abs(program(a, b, x)[0] - value) <= 8 * error + 1e-300
        assert abs(program(*map(mp.mpf, (a, b, x)))[0] - value) <= 8 * error + 1e-300
    elif not isinstance(result, Scalar):
        assert abs(result - value) <= 8 * error + 1e-300


@pytest.mark.parametrize("seed", range(8))
def test_random_program_in_mpmath(seed):
    program = verify(random_program(seed))
    at = np.random.default_rng(seed).uniform(-2, 2, len(program.inputs))
    floats = program(*map(float, at))
    exact = program(*(mp.mpf(x) for x in at))
    assert floats == pytest.approx([float(x) for x in exact], rel=1e-11, abs=1e-12)


def test_where_moves_no_guard():
    """The arm not taken may be anything; the node keeps both arms as they are."""
    trace = Trace()
    x = trace.input("x")
    program = Program.of([where(x > 0.0, log(x), -1.0), where(x != 0.0, 1.0 / x, 0.0)])
    assert program(0.0) == (-1.0, 0.0)
    assert program(math.e) == (1.0, 1.0 / math.e)
