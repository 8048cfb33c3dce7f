"""D* with choices: what the arm that is not taken would add never leaks."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knuckle.scalar import (
    Program,
    Trace,
    absolute,
    asin,
    exp,
    log,
    maximum,
    minimum,
    reciprocal,
    sin,
    sqrt,
    tangents,
    where,
)
from knuckle.scalar import dstar as package
from knuckle.scalar.dstar import ORDERS, SWEEPS, factored, guards, operations
from knuckle.scalar.dstar.guards import TRUE
from knuckle.scalar.reverse import gradient


def forward(outputs, inputs):
    columns = [tangents(outputs, {x: 1.0}) for x in inputs]
    return [tuple(column[i] for column in columns) for i in range(len(outputs))]


def dstar(outputs, inputs):
    """The cheapest of the factorings, the sweeps aside."""
    return min(factored(outputs, inputs), key=operations)


def values(rows, inputs, at):
    numbers = [z for row in rows for z in row]
    return np.array(Program.of(numbers, [x.value for x in inputs])(*at), float)


def derivatives(function, at):
    """First and second derivatives by D*, and by the forward sweep twice."""
    trace = Trace()
    inputs = trace.inputs("x", len(at))
    outputs = function(*inputs)
    found = []
    for method in (dstar, forward):
        first = method(outputs, inputs)
        second = method([z for row in first for z in row], inputs)
        found += [values(first, inputs, at), values(second, inputs, at)]
    return found


BOUNDARIES = {
    "sqrt at 0": lambda x, y: [where(x > 0.0, sqrt(x) * y, 2.0 * x * y)],
    "1 / x, chained": lambda x, y: [
        sin(y) * where(absolute(x) > 0.0, sin(sqrt(x)) / x, 1.0 + x * y) * 2.0
    ],
    "log of the same in two outputs": lambda x, y: [
        where(x > 0.0, log(x), x * x) * y,
        where(x > 0.0, log(x) + y, y),
    ],
    "asin beyond 1": lambda x, y: [where(x < 0.0, asin(1.0 + x), y * x) + y],
    "min and max": lambda x, y: [minimum(y, 1.0 / x), maximum(y * x, -1.0 / x)],
    "one arm a number": lambda x, y: [where(x > 0.0, sqrt(x) * y, 3.0)],
    "nested": lambda x, y: [
        where(x > -1.0, where(x > 0.0, sqrt(x), where(y > 0.0, log(y), y)), log(x))
    ],
    "two choices of one infinite slope": lambda x, y: [
        where(x > 0.0, 2.0 * sqrt(x), y) * where(y > 0.0, sin(sqrt(x)), y)
    ],
    "a choice between choices": lambda x, y: [
        y * where(x > 0.0, where(y > 0.0, sqrt(x * y), y), x + y) ** 2,
        where(y > 0.0, where(x > 0.0, sqrt(x * y), 2.0), x),
    ],
    "a choice in a chain": lambda x, y: [
        exp(where(x > 0.0, log(x) * y, sin(y))) * y for _ in range(2)
    ],
}


@pytest.mark.parametrize("order", [None, *ORDERS], ids=str)
@pytest.mark.parametrize("name", BOUNDARIES)
def test_at_the_boundary(name, order, monkeypatch):
    """Finite to second order wherever the taken arm is, in every order of factoring."""
    if order:
        monkeypatch.setattr(package, "ORDERS", (order,))
    for at in itertools.product((-0.5, 0.0, 0.7), (-0.3, 0.0, 1.1)):
        first, second, expected, curve = derivatives(BOUNDARIES[name], at)
        for ours, theirs in ((first, expected), (second, curve)):
            sound = np.isfinite(theirs)
            assert np.isfinite(ours[sound]).all(), (at, ours, theirs)
            assert ours[sound] == pytest.approx(theirs[sound], rel=1e-12, abs=1e-12)


def test_a_factor_that_none_of_its_choices_takes_does_not_count():
    """Both choices look at sqrt x under their own condition; with neither, its
    infinite slope at 0 must not meet the zero that the factor before it then is."""
    trace = Trace()
    inputs = x, p, q = trace.inputs("x", 3)
    root = sqrt(x)
    outputs = [
        k * (where(p > 0.0, root * p, p) + where(q > 0.0, root, q)) for k in (1.0, p)
    ]
    found = values(dstar(outputs, inputs), inputs, (0.0, -2.0, -3.0))
    assert found == pytest.approx([0.0, 1.0, 1.0, 0.0, -4.0 - 3.0, -2.0])


def test_the_product_is_chosen_and_never_multiplied_by_a_chosen_zero():
    """where(c, w * slope, 0), for the slope may be infinite where c fails."""
    trace = Trace()
    x, y = trace.inputs("x", 2)
    ((slope, _),) = dstar([where(y > 0.0, y * log(x), 1.0)], (x, y))
    assert slope.op == "where" and slope.args[1].op == "mul"
    assert Program.of([slope], [x.value, y.value])(0.0, -1.0) == (0.0,)


SAFE = [lambda x, y: x * y, lambda x, y: x - y, lambda x, y: sin(x), minimum, maximum]
RISKY = [lambda x: sqrt(x), lambda x: log(x), reciprocal, lambda x: asin(1.0 + x)]


def guarded_function(choices, outputs):
    """A function of three inputs that chooses between sound and risky arms."""

    def function(*inputs):
        nodes = list(inputs)
        for kind, a, b, c in choices:
            x, y, z = (nodes[-1 - k % len(nodes)] for k in (a, b, c))
            if kind < len(SAFE):
                nodes.append(SAFE[kind](x, y))
            else:
                risky = RISKY[kind - len(SAFE)]
                nodes.append(where(inputs[a % 3] > 0.0, risky(x) * z, y))
        return nodes[-outputs:]

    return function


STEP = st.tuples(st.integers(0, len(SAFE) + len(RISKY) - 1), *[st.integers(0, 8)] * 3)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    order=st.sampled_from(ORDERS),
    choices=st.lists(STEP, min_size=3, max_size=14),
    outputs=st.integers(1, 3),
    at=st.tuples(*[st.sampled_from([-0.5, 0.0, 0.25, 1.5])] * 3),
)
def test_finite_where_the_forward_sweep_is(order, choices, outputs, at):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(package, "ORDERS", (order,))
        check_guarded(choices, outputs, at)


def check_guarded(choices, outputs, at):
    first, second, expected, curve = derivatives(guarded_function(choices, outputs), at)
    for ours, theirs in ((first, expected), (second, curve)):
        sound = np.isfinite(theirs)
        assert np.isfinite(ours[sound]).all()
        size = 1.0 + np.abs(theirs[sound]).max(initial=0.0)
        assert np.abs(ours[sound] - theirs[sound]).max(initial=0.0) <= 1e-9 * size


@settings(max_examples=50, deadline=None, derandomize=True)
@given(choices=st.lists(STEP, min_size=6, max_size=14), outputs=st.integers(1, 3))
def test_no_more_operations_than_the_better_sweep(choices, outputs):
    inputs = Trace().inputs("x", 3)
    results = guarded_function(choices, outputs)(*inputs)
    ours = operations(package.dstar(results, inputs))
    assert ours <= min(operations(sweep(results, inputs)) for sweep in SWEEPS)


def test_derivatives_of_d_star_by_the_other_sweeps():
    """The guards of D*'s own nodes hold when they are differentiated in turn."""
    trace = Trace()
    x, y = trace.inputs("x", 2)
    outputs = BOUNDARIES["nested"](x, y)
    for at in ((0.0, -0.3), (0.7, 0.0)):
        for row in dstar(outputs, (x, y)):
            for slope in row:
                along = [gradient([slope], [1.0], (x, y)), forward([slope], (x, y))[0]]
                back, ahead = (values([r], (x, y), at) for r in along)
                sound = np.isfinite(ahead)
                assert back[sound] == pytest.approx(ahead[sound])


def test_both_guards_or_none_that_can_hold():
    assert guards.both((2,), TRUE) == (2,)
    assert guards.both((2, -3), (1, 2)) == (-3, 1, 2)
    assert guards.both((1, 2), (-2,)) is None


def test_one_choice_for_a_condition_and_its_negation():
    """where(c, p, q), not where(c, p, 0) + where(c, 0, q)."""
    trace = Trace()
    x, y = trace.inputs("x", 2)
    c = (x < y).index + 1
    total = guards.guarded_sum(trace, {(c,): x, (-c,): y, (): 2.0})
    assert Program.of([total]).operations() == {"add": 1, "lt": 1, "where": 1}
    assert Program.of([total], ["x[0]", "x[1]"])(1.0, 5.0) == (3.0,)
    assert math.isclose(Program.of([total], ["x[0]", "x[1]"])(4.0, 1.0)[0], 3.0)
