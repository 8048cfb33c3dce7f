"""Derivatives of repeat, while_loop and lookup, and of declared fixed points."""

import math

import mpmath
import numpy as np
import pytest

from control import (
    NUMBERS,
    points,
    program_of,
    targets,
)
from knuckle.scalar import (
    Program,
    Trace,
    TraceError,
    absolute,
    cos,
    lookup,
    repeat,
    scan,
    sin,
    sqrt,
    tangents,
    verify,
    where,
    while_loop,
)
from rounding import kernel


def differences(make, at, n=1):
    """d^n make / dx0^n in 30 digits, by mpmath."""
    x, *rest = at
    count = len(make(*at))
    return [mpmath.diff(lambda s, k=k: make(s, *rest)[k], x, n) for k in range(count)]


def derivative_programs(make, count, order):
    trace = Trace()
    leaves = trace.inputs("x", count)
    outputs = make(*leaves)
    for _ in range(order):
        outputs = tangents(outputs, {leaves[0]: 1.0})
    return verify(Program.of(outputs, [s.value for s in leaves]))


SMOOTH = {
    "repeat": lambda x, y: repeat(lambda s, t: (s * y + sin(t), t - x * s), (x, y), 4),
    "while": lambda x, y: while_loop(
        lambda s, t: s < 5.0,
        lambda s, t: (s + 0.2 * x * t + 0.4, cos(s) * y),
        (x, y),
        40,
    ),
    "scan in while": lambda x, y: while_loop(
        lambda s: s < 3.0,
        lambda s: scan(lambda k, t: (t + 0.1 * x * t + y * s * 0.05,), (s,), 2),
        (x,),
        60,
    ),
    "table": lambda x, y: (x * lookup(NUMBERS, 3.3) * x, x**2 * lookup(NUMBERS, y)),
    "table of scalars": lambda x, y: (
        lookup([x, x * y, sin(x * x), y], 4.0 * y),
        *lookup([(x * y, 1.0), (y, x * x)], y),
    ),
    "index": lambda x, y: (x * lookup(NUMBERS, 5.0 * x) + y,),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_first_and_second_derivative(name):
    with mpmath.workdps(30):
        for point in [("0.37", "0.83"), ("0.61", "0.29")]:
            at = [mpmath.mpf(x) for x in point]
            for order in (1, 2):
                found = derivative_programs(SMOOTH[name], 2, order)(*at)
                expected = differences(SMOOTH[name], at, order)
                for a, b in zip(found, expected, strict=True):
                    assert abs(a - b) <= 1e-13 * (1 + abs(b)), (point, order)


@pytest.mark.parametrize("name", SMOOTH)
@targets
def test_derivatives_compiled(name, dtype, isa):
    program = derivative_programs(SMOOTH[name], 2, 2)
    at = points(19, dtype, 3)
    got = kernel(program, dtype, isa)(at)
    expected = np.array([program(*map(float, row)) for row in at])
    scale = 1.0 + np.abs(expected).max()
    assert np.abs(got - expected).max() <= 500 * np.finfo(dtype).eps * scale


def test_constant_table_moves_nothing():
    x = Trace().input("x")
    (rate,) = tangents([lookup(NUMBERS, x)], {x: 1.0})
    assert type(rate) is float and rate == 0.0
    found = tangents(lookup([(x, 1.0), (2.0, 3.0)], 0.0 * x + x), {x: 1.0})
    assert type(found[1]) is float and found[1] == 0.0


def kepler(fixed_point):
    """E - e sin E = M by Newton's rule."""

    def solve(M, e):
        return while_loop(
            lambda E: absolute(E - e * sin(E) - M) > 1e-14,
            lambda E: (E - (E - e * sin(E) - M) / (1.0 - e * cos(E)),),
            (M,),
            30,
            fixed_point=fixed_point,
        )

    return solve


def contraction(x, y):
    """Two equations that no step solves: a linear rate, several values."""
    return while_loop(
        lambda a, b: (
            (absolute(a - (0.5 * cos(b) + x)) > 1e-15)
            | (absolute(b - (0.4 * sin(a) * y)) > 1e-15)
        ),
        lambda a, b: (0.5 * cos(b) + x, 0.4 * sin(a) * y),
        (0.0, 0.0),
        200,
        fixed_point=True,
    )


@pytest.mark.parametrize("solve", [kepler(True), contraction], ids=["Newton", "linear"])
def test_fixed_point_derivatives_in_30_digits(solve):
    """The implicit rule is exact at the solution: first and second order."""

    def exact(x, y):
        """The same equations, solved to 40 digits."""
        if solve is contraction:

            def f(a, b):
                miss = b - mpmath.mpf(0.4) * mpmath.sin(a) * y
                return a - mpmath.cos(b) / 2 - x, miss

            return list(mpmath.findroot(f, (x, y / 5)))
        return [mpmath.findroot(lambda E: E - y * mpmath.sin(E) - x, x)]

    at = (0.7, 0.3)
    with mpmath.workdps(40):
        for order in (1, 2):
            found = derivative_programs(solve, 2, order)(*at)
            expected = differences(exact, [mpmath.mpf(a) for a in at], order)
            for a, b in zip(found, expected, strict=True):
                assert abs(a - b) < 1e-12 * (1 + abs(b))


def test_derivative_of_the_steps_taken_nears_that_of_the_solution():
    taken, implicit = (
        derivative_programs(kepler(kind), 2, 1)(0.7, 0.3) for kind in (False, True)
    )
    assert taken == pytest.approx(implicit, rel=1e-6)


def test_a_step_is_multiplied_by_its_slope_where_that_is_cheaper():
    """a b + a a b + y a with a = sin y, b = cos y: the rate is one factor of the whole
    slope, where the sweep carries it into every product."""

    def step(k, y):
        a, b = sin(y), cos(y)
        return (a * b + a * a * b + y * a,)

    trace = Trace()
    (x,) = trace.inputs("x", 1)
    (last,) = scan(step, (x,), 3)
    (rate,) = tangents([last], {x: 1.0})
    body = rate.args[0].value.body
    y, dy = Trace().inputs("y", 2)
    (value,) = step(0.0, y)
    (swept,) = tangents([value], {y: dy})
    assert sum(body.operations().values()) < sum(
        Program.of([value, swept]).operations().values()
    )
    with mpmath.workdps(30):
        (expected,) = differences(lambda s: scan(step, (s,), 3), [mpmath.mpf("0.3")])
        assert Program.of([rate], ["x[0]"])(mpmath.mpf("0.3"))[0] == pytest.approx(
            expected, rel=1e-15
        )


def test_fixed_point_forgets_its_start():
    trace = Trace()
    x, y = trace.inputs("x", 2)
    (root,) = while_loop(
        lambda s: absolute(s * s - y) > 1e-14,
        lambda s: (0.5 * (s + y / s),),
        (x,),
        30,
        fixed_point=True,
    )
    slopes = Program.of(tangents([root], {x: 1.0}), ["x[0]", "x[1]"])
    assert slopes(1.0, 2.0)[0] == 0.0
    (slope,) = Program.of(tangents([root], {y: 1.0}), ["x[0]", "x[1]"])(1.0, 2.0)
    assert slope == pytest.approx(0.5 / math.sqrt(2.0), rel=1e-14)


def test_captured_fixed_point_in_a_scan():
    """The implicit rule inside another loop's body."""

    def make(x, y):
        def step(k, s):
            (root,) = while_loop(
                lambda r: absolute(r * r - s - 1.0) > 1e-15,
                lambda r: (0.5 * (r + (s + 1.0) / r),),
                (1.0,),
                40,
                fixed_point=True,
            )
            return (root * x,)

        return scan(step, (y,), 3)

    def exact(x, y):
        for _ in range(3):
            y = mpmath.sqrt(y + 1) * x
        return [y]

    found = derivative_programs(make, 2, 1)(0.7, 0.3)
    with mpmath.workdps(30):
        (expected,) = differences(exact, [mpmath.mpf(0.7), mpmath.mpf(0.3)])
    assert found[0] == pytest.approx(float(expected), rel=1e-13)


@pytest.mark.parametrize("seed", range(3))
def test_implicit_system_picks_its_pivots(seed):
    """Elimination with pivots chosen by selects, against NumPy; a zero comes first."""
    from knuckle.scalar.fixed_point import solve

    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(4, 4)), rng.normal(size=4)
    A[0, 0] = 0.0
    program = program_of(
        lambda *x: solve([x[4 * i : 4 * i + 4] for i in range(4)], x[16:]), 20
    )
    got = kernel(program)(np.concatenate([A.ravel(), b]))
    assert np.allclose(got, np.linalg.solve(A, b), rtol=1e-11)
    assert np.allclose(solve(A.tolist(), b.tolist()), got, rtol=1e-13)


def test_adjoint_weights_are_the_transposed_rule():
    """w (1 - B_x) = adjoints, so w B_p dp = adjoints dx."""
    from knuckle.scalar import fixed_point

    trace = Trace()
    x, y = trace.inputs("x", 2)
    a, b = contraction(x, y)
    node = a.args[0]
    adjoint = fixed_point.weights(node, (2.0, 3.0))
    body = node.value.body
    inner = Trace()
    places = inner.inputs("place", len(body.inputs))
    assert len(places) == 4  # a, b, and two captured
    program = Program.of([*adjoint, a, b], ["x[0]", "x[1]"])
    w0, w1, A, B = program(0.7, 0.3)
    da, db = Program.of(tangents([a, b], {x: 1.0}), ["x[0]", "x[1]"])(0.7, 0.3)
    assert w0 == pytest.approx(2.0 * da + 3.0 * db, rel=1e-12)  # B_p = (1, 0) for x
    da, db = Program.of(tangents([a, b], {y: 1.0}), ["x[0]", "x[1]"])(0.7, 0.3)
    assert 0.4 * math.sin(A) * w1 == pytest.approx(2.0 * da + 3.0 * db, rel=1e-12)


def test_reverse_through_steps_is_refused_by_name():
    from knuckle.scalar import fixed_point

    x = Trace().input("x")
    (s,) = while_loop(lambda s: s < 4.0, lambda s: (s + x,), (x,), 9)
    with pytest.raises(TraceError, match="while_loop: reverse.*declare fixed_point=Tr"):
        fixed_point.weights(s.args[0], (1.0,))


@pytest.mark.parametrize("index", [-2.0, 0.3, 1.0, 2.9, 7.0])
def test_adjoints_of_table_entries(index):
    """What forward and reverse say of one table: w . dx = adjoints . dentries."""
    from knuckle.scalar.tables import lookup_weights

    trace = Trace()
    x, i = trace.inputs("x", 6), trace.input("i")
    row = lookup([x[0:2], x[2:4], x[4:6]], i)
    adjoints = lookup_weights(row[0].args[0], (2.0, 3.0))
    names = [s.value for s in (*x, i)]
    found = Program.of(adjoints, names)(*([0.5] * 6), index)
    assert found[0] == 0.0
    for k in range(6):
        rates = Program.of(tangents(row, {x[k]: 1.0}), names)(*([0.5] * 6), index)
        assert found[1 + k] == 2.0 * rates[0] + 3.0 * rates[1]
    constant = lookup(NUMBERS, i).args[0]
    assert lookup_weights(constant, (1.0,)) == (0.0,)


def test_guard_holds_in_a_while_loop():
    """A branch that is not taken leaks neither values nor slopes."""
    x = Trace().input("x")
    (s,) = while_loop(
        lambda s: s < 4.0,
        lambda s: (where(x > 0.0, s + sqrt(x), s + 1.0 + x),),
        (0.5,),
        9,
    )
    assert Program.of(tangents([s], {x: 1.0}))(0.0) == (4.0,)
