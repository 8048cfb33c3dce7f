"""scan: values, captures, nesting, derivatives, errors."""

import math

import mpmath
import pytest

from knuckle.scalar import (
    Program,
    Trace,
    TraceError,
    cos,
    scan,
    sin,
    tangents,
    verify,
    where,
)


def unrolled(body, init, length):
    carry = tuple(init)
    for k in range(length):
        carry = tuple(body(float(k), *carry))
    return carry


def check(make, *at, loops=1):
    """make(scan, *inputs) gives the same numbers rolled and unrolled."""
    trace = Trace()
    leaves = trace.inputs("x", len(at))
    program = verify(Program.of(make(scan, *leaves), [s.value for s in leaves]))
    assert program.ops.count("scan") == loops
    assert program(*at) == pytest.approx(make(unrolled, *at), rel=1e-14)
    return program


def test_carries_and_index():
    check(lambda scan, x: scan(lambda k, a, b: (a * x + k, a - b), (1.0, x), 5), 0.7)


def test_captured_values():
    check(
        lambda scan, x, y: scan(lambda k, s: (s * sin(y) + x * y,), (x,), 4), 0.7, 0.3
    )


def test_start_from_plain_numbers():
    check(lambda scan, x: scan(lambda k, s: (s * x + 1.0,), (0.0,), 6), 0.9)
    check(lambda scan, x: scan(lambda k, a, b: (b, x * a), (1.0, 2.0), 5), 0.9)


def test_body_returns_outer_values_and_numbers():
    check(lambda scan, x, y: scan(lambda k, a, b: (x, 2.0), (y, y), 2), 0.2, 0.4)
    check(lambda scan, x, y: scan(lambda k, a, b: (b, a), (y, x), 3), 0.2, 0.4)


def test_captured_condition():
    check(
        lambda scan, x, y: scan(lambda k, s: (where(x < y, s + y, s * x),), (x,), 3),
        0.2,
        0.4,
    )


@pytest.mark.parametrize("start", ["outer", "number", "inner"])
def test_nested(start):
    def make(scan, x, y):
        def step(k, s):
            init = {"outer": x, "number": 0.5, "inner": s}[start]
            return scan(lambda j, a: (a * y + s * x + j - k,), (init,), 3)

        return scan(step, (0.25,), 4)

    check(make, 0.3, 0.6)


def test_nested_with_starts_of_two_traces():
    def make(scan, x, y):
        def step(k, s):
            a, b = scan(lambda j, a, b: (a + y, b * a), (x, s), 2)
            return (a * b,)

        return scan(step, (1.0,), 3)

    check(make, 0.3, 0.6)


def test_three_deep_from_numbers():
    def make(scan, x):
        def outer(k, s):
            def middle(j, t):
                (u,) = scan(lambda i, u: (u + x * s + t + i,), (0.0,), 2)
                return (t + u,)

            (t,) = scan(middle, (0.0,), 2)
            return (s + t,)

        return scan(outer, (0.0,), 2)

    check(make, 0.3)


@pytest.mark.parametrize("length", [0, 1])
def test_short(length):
    trace = Trace()
    x = trace.input("x")
    found = scan(lambda k, s: (s * x,), (x,), length)
    assert Program.of(found)(3.0) == (3.0 ** (1 + length),)
    assert scan(lambda k, s: (s * 2.0,), (3.0,), length) == (3.0 * 2.0**length,)


def test_numbers_alone_need_no_trace():
    assert scan(lambda k, s: (s + k,), (0.0,), 5) == (10.0,)
    assert scan(lambda k, s: (s * 2,), (mpmath.mpf(1),), 5) == (32,)


def test_what_does_not_change_in_the_loop_is_computed_once():
    program = check(lambda scan, x: scan(lambda k, s: (s + cos(x) * x,), (x,), 9), 0.7)
    assert program.operations() == {"add": 9, "cos": 1, "mul": 1}


def test_same_loop_is_one_node():
    trace = Trace()
    x = trace.input("x")
    a = scan(lambda k, s: (s * x,), (x,), 3)
    b = scan(lambda k, t: (x * t,), (x,), 3)
    assert a[0] is b[0]


def derivative(make, *at):
    trace = Trace()
    leaves = trace.inputs("x", len(at))
    outputs = make(scan, *leaves)
    moved = tangents(outputs, dict.fromkeys(leaves[:1], 1.0))
    program = verify(Program.of(moved, [s.value for s in leaves]))
    with mpmath.workdps(30):
        rest = [mpmath.mpf(a) for a in at[1:]]
        for k, found in enumerate(program(*map(mpmath.mpf, at))):
            expected = mpmath.diff(lambda x, k=k: make(unrolled, x, *rest)[k], at[0])
            assert abs(found - expected) < 1e-20 * (1 + abs(expected))
    return program


def test_derivative_of_carry_and_capture():
    derivative(
        lambda scan, x, y: scan(
            lambda k, a, b: (a * x + b, sin(b) * y + k), (1.0, x), 4
        ),
        0.7,
        0.3,
    )


def test_derivative_of_nested():
    def make(scan, x, y):
        def step(k, s):
            return scan(lambda j, a: (a * y + s * x * a,), (s,), 3)

        return scan(step, (x,), 3)

    derivative(make, 0.3, 0.6)


def test_second_derivative():
    trace = Trace()
    x = trace.input("x")
    (s,) = scan(lambda k, s: (s * s + x,), (0.5,), 4)
    (ds,) = tangents([s], {x: 1.0})
    (dds,) = tangents([ds], {x: 1.0})
    program = verify(Program.of([dds]))
    with mpmath.workdps(40):
        at = mpmath.mpf("0.3")
        f = lambda x: unrolled(lambda k, s: (s * s + x,), (mpmath.mpf("0.5"),), 4)[0]  # noqa: E731
        assert abs(program(at)[0] - mpmath.diff(f, at, 2)) < 1e-25


def test_only_what_moves_is_differentiated():
    trace = Trace()
    x, y = trace.inputs("x", 2)
    found = scan(lambda k, a, b: (a * x, b * y + 1.0), (y, y), 5)
    moved = tangents(found, {x: 1.0})
    assert moved[1] == 0.0 and type(moved[1]) is float
    (loop,) = [n.value for n in trace.nodes if n.op == "scan" and n.value.carried == 3]
    assert loop.body.operations() == {"add": 2, "mul": 4}


def test_derivative_through_a_chain_of_carries():
    """x moves a, a moves b one step later, b moves c: found to a fixed point."""
    derivative(
        lambda scan, x, y: scan(
            lambda k, a, b, c, d: (a + x, b + a * a, c + sin(b), d * y),
            (0.0, 0.0, 0.0, 1.0),
            5,
        )[:3],
        0.3,
        0.6,
    )


def test_guarded_derivative_in_a_loop():
    trace = Trace()
    x = trace.input("x")
    (s,) = scan(lambda k, s: (where(x > 0.0, s / x, s + x),), (1.0,), 3)
    assert Program.of(tangents([s], {x: 1.0}))(0.0) == (3.0,)


def test_wrong_number_of_results():
    x = Trace().input("x")
    with pytest.raises(ValueError, match="body returned 2 values for 1 carried"):
        scan(lambda k, s: (s, s), (x,), 3)


@pytest.mark.parametrize("length", [-1, 2.0, "3", None])
def test_bad_length(length):
    with pytest.raises(TraceError, match=r"length is expected to be 0, 1, \.\.\.; got"):
        scan(lambda k, s: (s,), (Trace().input("x"),), length)


def test_condition_cannot_be_carried():
    x = Trace().input("x")
    with pytest.raises(TraceError, match=r"carry where\(c, 1.0, 0.0\) instead"):
        scan(lambda k, s: (s < 1.0,), (x,), 3)
    with pytest.raises(TraceError, match=r"carry where\(c, 1.0, 0.0\) instead"):
        scan(lambda k, s: (s,), (x < 0.0,), 3)


def test_value_of_the_body_cannot_leave_it():
    trace = Trace()
    x, kept = trace.input("x"), []
    scan(lambda k, s: (kept.append(s) or s * x,), (x,), 3)
    with pytest.raises(TraceError, match="outside the function that traced it"):
        x + kept[0]
    with pytest.raises(ValueError, match=r"inputs \['carry\[0\]'\] are used"):
        Program.of([2.0 * kept[0]], ["x"])


def test_index_is_a_number_not_a_place():
    x = Trace().input("x")
    with pytest.raises(TraceError, match="no float yet"):
        scan(lambda k, s: ([s, s][k],), (x,), 2)
    assert math.isfinite(x.index)
