"""Reverse differentiation: against forward, through choices, loops and tables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knuckle.scalar import (
    Program,
    Trace,
    TraceError,
    absolute,
    lookup,
    maximum,
    minimum,
    repeat,
    scan,
    sqrt,
    tangents,
    where,
    while_loop,
)
from knuckle.scalar.dstar import Refused
from knuckle.scalar.jacobian import jacobian
from knuckle.scalar.reverse import UNROLLED, gradient
from programs import random_program


def both_ways(function, at):
    """(forward, reverse) Jacobians of function at a point, through one trace."""
    trace = Trace()
    inputs = trace.inputs("x", len(at))
    outputs = list(function(*inputs))
    forward = [tangents(outputs, {x: 1.0}) for x in inputs]
    flat = [column[i] for i in range(len(outputs)) for column in forward]
    flat += [g for y in outputs for g in gradient([y], [1.0], inputs)]
    program = Program.of(flat, [x.value for x in inputs])
    numbers = np.array(program(*map(float, at)), float)
    return numbers.reshape(2, len(outputs), len(at))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_random_programs_have_one_jacobian(seed):
    program = random_program(seed)
    rng = np.random.default_rng(seed)
    at = rng.uniform(0.2, 1.5, len(program.inputs))
    forward, reverse = both_ways(program, at)
    good = np.isfinite(forward)
    assert np.allclose(reverse[good], forward[good], rtol=1e-9, atol=1e-9)


LOOPS = {
    "scan": lambda x, y: scan(lambda k, a, b: (a * x + b, b * y - k), (x, 1.0), 4),
    "repeat": lambda x, y: repeat(lambda a: (sqrt(a + x * y),), (y,), 5),
    "long scan": lambda x, y: scan(
        lambda k, a: (0.5 * (a + x / a) + 1e-3 * y,), (1.0,), 2 * UNROLLED
    ),
    "fixed point": lambda x, y: while_loop(
        lambda a, b: absolute(b) > 1e-14,
        lambda a, b: (0.5 * (a + x * y / a), 0.5 * (x * y / a - a)),
        (1.0, 1.0), 60, fixed_point=True,
    )[:1],
    "table": lambda x, y: [lookup([x, y * y, x * y], 3.0 * x), x],
    "rows": lambda x, y: list(lookup([(x, y), (y, x * x)], y)),
    "nested": lambda x, y: scan(
        lambda k, a: repeat(lambda b: (b * x + k,), (a + y,), 2), (y,), 3
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_loops_and_tables(name):
    for at in ((0.7, 1.3), (0.2, 0.4)):
        forward, reverse = both_ways(LOOPS[name], at)
        assert np.isfinite(forward).all() and np.abs(forward).max() > 0.0
        assert np.allclose(reverse, forward, rtol=1e-11, atol=1e-11)


def test_a_loop_that_counts_its_steps_is_refused_by_name():
    trace = Trace()
    (x,) = trace.inputs("x", 1)
    (y,) = while_loop(lambda a: a < 10.0, lambda a: (a * x,), (x,), 50)
    with pytest.raises(TraceError, match="declare fixed_point=True"):
        gradient([y], [1.0], [x])


GUARDS = {
    "where": lambda x: [where(x > 0.0, sqrt(x), 0.0 * x)],
    "max": lambda x: [maximum(sqrt(absolute(x)) - 1.0, x)],
    "min": lambda x: [minimum(2.0, 1.0 / x)],
    "nested": lambda x: [where(x > 0.0, where(x < 1.0, 1.0 / x, 1.0), x * x)],
    "shared": lambda x: [where(x > 0.0, sqrt(x), 0.0) + where(x > 1.0, sqrt(x), x)],
    "scan": lambda x: [
        where(x > 0.0, scan(lambda k, a: (sqrt(a),), (x,), 2)[0], -x)
    ],
}  # fmt: skip
CASES = {
    "where": (0.0, -1.0), "max": (0.0,), "min": (0.0,), "nested": (0.0, 1.0, -2.0),
    "shared": (-1.0,), "scan": (-1.0, 0.0),
}  # fmt: skip


@pytest.mark.parametrize("name", GUARDS)
def test_the_arm_not_taken_never_leaks(name):
    """First and second derivatives, where an arm that is not taken has none."""
    trace = Trace()
    (x,) = trace.inputs("x", 1)
    (y,) = GUARDS[name](x)
    (first,) = gradient([y], [1.0], [x])
    (second,) = gradient([first], [1.0], [x])
    (mixed,) = tangents([first], {x: 1.0})
    program = Program.of([first, second, mixed], ["x[0]"])
    for at in CASES[name]:
        values = [float(v) for v in program(at)]
        assert all(map(math.isfinite, values)), (at, values)
        assert math.isclose(values[1], values[2], abs_tol=1e-12)


def test_what_does_not_move_is_a_plain_zero():
    trace = Trace()
    x, y, z = trace.inputs("x", 3)
    assert gradient([x * y, 3.0], [1.0, 1.0], [z]) == (0.0,)
    assert gradient([x * y], [0.0], [x, y]) == (0.0, 0.0)
    assert gradient([x], [2.0], [x, y]) == (2.0, 0.0)


def test_auto_goes_forward_where_there_is_no_way_back():
    trace = Trace()
    x, y = trace.inputs("x", 2)
    (z,) = while_loop(lambda a: a < 10.0, lambda a: (a * x + y,), (x,), 50)
    rows = jacobian([z], [{x: 1.0}, {y: 1.0}])
    assert rows == jacobian([z], [{x: 1.0}, {y: 1.0}], "forward")
    for method in ("reverse", "dstar"):
        with pytest.raises((TraceError, Refused)):
            jacobian([z], [{x: 1.0}, {y: 1.0}], method)
