"""Forward derivatives: every primitive against 30 digits, guards, sparsity."""

import functools
import math

import mpmath
import numpy as np
import pytest

from knuckle.scalar import (
    Program,
    Scalar,
    Trace,
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
    sin,
    sinc,
    sqrt,
    stumpff,
    tan,
    tangents,
    tanh,
    verify,
    where,
)
from programs import random_program

FUNCTIONS = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "number over": lambda x, y: 3.0 / y,
    "over number": lambda x, y: x / 3.0,
    "rcp": lambda x, y: reciprocal(x),
    "neg": lambda x, y: -x,
    "sqrt": lambda x, y: sqrt(x),
    "sin": lambda x, y: sin(x),
    "cos": lambda x, y: cos(x),
    "tan": lambda x, y: tan(x),
    "asin": lambda x, y: asin(x),
    "acos": lambda x, y: acos(x),
    "atan": lambda x, y: atan(x),
    "atan2": lambda x, y: atan2(x, y),
    "exp": lambda x, y: exp(x),
    "log": lambda x, y: log(x),
    "tanh": lambda x, y: tanh(x),
    "abs": lambda x, y: absolute(x - y),
    "min": minimum,
    "max": maximum,
    "max with number": lambda x, y: maximum(x, 0.5),
    "where": lambda x, y: where(x < y, x * x, y),
    "sinc": lambda x, y: sinc(x),
    "hypot": hypot,
    "power": lambda x, y: x**3 + x**-2 + x**0.5 + x**1.5,
    **{f"stumpff {k}": lambda x, y, k=k: stumpff(k, x * y) for k in range(7)},
}
POINTS = [("0.37", "1.9"), ("0.91", "0.13"), ("0.0001", "2.5")]


def mpmath_of(function, x, y):
    """(df/dx, df/dy) by mpmath's difference quotients."""
    return (
        mpmath.diff(lambda x: function(x, y), x),
        mpmath.diff(lambda y: function(x, y), y),
    )


def partial_programs(function):
    trace = Trace()
    x, y = trace.input("x"), trace.input("y")
    value = function(x, y)
    return [verify(Program.of(tangents([value], {z: 1.0}), ["x", "y"])) for z in (x, y)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_first_and_second_derivative_in_30_digits(name):
    function = FUNCTIONS[name]
    with mpmath.workdps(30):
        for point in POINTS:
            at = tuple(map(mpmath.mpf, point))
            for partial, expected in zip(
                partial_programs(function), mpmath_of(function, *at), strict=True
            ):
                found = partial(*at)[0]
                digits = 1e-16 if name == "over number" else 1e-24  # 1 / 3 as float
                assert abs(found - expected) <= digits * (1 + abs(expected)), point
                if name in ("stumpff 5", "stumpff 6"):
                    continue  # they need c_9 and c_10
                trace = Trace()
                x, y = trace.input("x"), trace.input("y")
                twice = Program.of(tangents(partial(x, y), {x: 1.0}), ["x", "y"])
                along = functools.partial(lambda f, y, x: f(x, y)[0], partial, at[1])
                curve = mpmath.diff(along, at[0])
                assert abs(twice(*at)[0] - curve) <= 1e-18 * (1 + abs(curve))


@pytest.mark.parametrize("seed", range(6))
def test_random_program_along_a_direction(seed):
    program = random_program(seed, scalars=None)
    n = len(program.inputs)
    rng = np.random.default_rng(100 + seed)
    at, direction = rng.uniform(-1, 1, n), rng.uniform(-1, 1, n)
    trace = Trace()
    x, dx = trace.inputs("x", n), trace.inputs("dx", n)
    moved = tangents(program(*x), dict(zip(x, dx, strict=True)))
    slopes = verify(Program.of(moved, [s.value for s in (*x, *dx)]))
    with mpmath.workdps(30):
        mps, step = [mpmath.mpf(a) for a in at], [mpmath.mpf(d) for d in direction]
        found = slopes(*mps, *step)
        for k, value in enumerate(found):
            expected = mpmath.diff(
                lambda s, k=k: program(*(a + s * d for a, d in zip(mps, step)))[k], 0
            )
            assert abs(value - expected) <= 1e-15 * (1 + abs(expected))


GUARDED = {
    "sqrt at 0": (lambda x: where(x > 0.0, sqrt(x), 2.0 * x), 2.0),
    "log at 0": (lambda x: where(x > 0.0, log(x), x * x), 0.0),
    "1 / x at 0": (lambda x: where(absolute(x) > 0.0, 1.0 / x, 3.0 * x), 3.0),
    "asin at 1 + x": (lambda x: where(x < 0.0, asin(1.0 + x), 5.0 * x), 5.0),
    "infinite slope, chained": (
        lambda x: where(x > 0.0, sin(sqrt(x)) / x, 1.0 + x) * 2.0,
        2.0,
    ),
    "min with infinity": (lambda x: minimum(x, 1.0 / x), 1.0),
    "max with minus infinity": (lambda x: maximum(x, -1.0 / x), 1.0),
    "abs at 0": (lambda x: absolute(x), 1.0),
    "NaN arm": (lambda x: where(x < 1.0, 4.0 * x, sqrt(x - 1.0)), 4.0),
}


@pytest.mark.parametrize("name", GUARDED)
def test_derivative_is_that_of_the_taken_arm(name):
    """Finite although the other arm, or its slope, is infinite or NaN."""
    function, slope = GUARDED[name]
    trace = Trace()
    x = trace.input("x")
    assert Program.of(tangents([function(x)], {x: 1.0}), ["x"])(0.0) == (slope,)


def test_what_does_not_move_is_a_plain_zero():
    trace = Trace()
    x, y = trace.inputs("x", 2)
    outputs = [sin(y), floor(x), 3.0, x * y, where(x < y, y, 2.0)]
    found = tangents(outputs, {x: 1.0})
    assert found[:3] == (0.0, 0.0, 0.0) and found[4] == 0.0 and found[3] is y
    assert all(type(z) is float for z in (*found[:3], found[4]))


def test_numbers_fold_in_derivatives():
    """d(2 x + x / 4 + atan x): constants stay numbers, so that they merge."""
    trace = Trace()
    x = trace.input("x")
    assert tangents([2.0 * x + 3.0 * (x - 1.0), x / 4.0], {x: 1.0}) == (5.0, 0.25)
    (slope,) = tangents([atan(x)], {x: 1.0})
    program = Program.of([slope])
    assert program.operations() == {"add": 1, "mul": 1, "rcp": 1}


def test_seed_may_be_any_node():
    trace = Trace()
    x, y = trace.inputs("x", 2)
    inner = sin(x)
    (slope,) = tangents([inner * y], {inner: 1.0})
    assert slope is y
    (both,) = tangents([inner * y], {inner: x, y: 2.0})
    assert isinstance(both, Scalar)
    assert Program.of([both])(0.5, 3.0)[0] == pytest.approx(
        3.0 * 0.5 + 2.0 * math.sin(0.5)
    )
