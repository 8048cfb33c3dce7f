"""Traces and programs: interning, digests, NumPy, errors that name the user's line."""

import inspect
import math
import pickle
import subprocess
import sys
import time
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from knuckle.scalar import (
    Program,
    Scalar,
    Trace,
    TraceError,
    atan,
    hypot,
    minimum,
    scan,
    sign,
    sin,
    sqrt,
    stumpff,
    verify,
    where,
)
from programs import every_primitive, random_program


def test_equal_nodes_are_one_object():
    trace = Trace()
    x, y = trace.inputs("x", 2)
    assert x * y + sin(x) is y * x + sin(x)
    assert trace.input("x[0]") is x
    assert stumpff(2, x) is stumpff(2, x) and stumpff(2, x) is not stumpff(3, x)
    assert len(trace.nodes) == len({id(n) for n in trace.nodes})


def test_constants_are_interned_by_bit_pattern():
    trace = Trace()
    assert trace.constant(0.0) is not trace.constant(-0.0)
    assert trace.constant(math.nan) is trace.constant(math.nan)
    assert trace.constant(1) is trace.constant(1.0)
    assert trace.constant(-0.0) is trace.constant(-0.0)


def test_programs_keep_constants_bit_by_bit():
    outputs = (0.0, -0.0, math.nan, math.inf)
    program = Program.of(outputs)
    found = program()
    assert [math.copysign(1.0, x) for x in found[:2]] == [1.0, -1.0]
    assert math.isnan(found[2]) and found[3] == math.inf
    assert Program.of([0.0]) != Program.of([-0.0])
    assert Program.of([math.nan]) == Program.of([math.nan])


def test_loops_that_differ_by_the_sign_of_a_zero_differ():
    trace = Trace()
    x = trace.input("x")
    (a,) = scan(lambda k, s: (where(s < 0.0, s, 0.0),), (x,), 2)
    (b,) = scan(lambda k, s: (where(s < 0.0, s, -0.0),), (x,), 2)
    (c,) = scan(lambda k, s: (where(s < 0.0, s, 0.0),), (x,), 2)
    assert a is not b and a is c
    first, second = Program.of([a, b])(1.0)
    assert (math.copysign(1, first), math.copysign(1, second)) == (1.0, -1.0)


def test_digest_does_not_depend_on_numbering():
    def build(order):
        trace = Trace()
        x, y = trace.inputs("x", 2)
        parts = {"p": lambda: sin(x) * y, "q": lambda: sqrt(y) + x, "r": lambda: x / y}
        made = {k: parts[k]() for k in order}
        sin(made["p"]) if order[0] == "r" else None  # a value nobody uses
        return Program.of([made["p"] + made["q"], made["r"]], ["x[0]", "x[1]"])

    assert build("pqr").ops != build("rqp").ops
    assert build("pqr").digest() == build("rqp").digest() == build("qpr").digest()
    assert build("pqr") == build("rqp") and hash(build("pqr")) == hash(build("rqp"))


def test_digest_tells_programs_apart():
    trace = Trace()
    x, y = trace.inputs("x", 2)
    names = ["x[0]", "x[1]"]
    (s,) = scan(lambda k, s: (s * x,), (y,), 3)
    (t,) = scan(lambda k, s: (s * x,), (y,), 4)
    outputs = [x - y, y - x, x / y, x + y, x * y, x + 1.0, x + 2.0, s, t,
               stumpff(1, x), stumpff(2, x), where(x < y, x, y), where(x <= y, x, y),
               x, y, 0.0]  # fmt: skip
    digests = {Program.of([z], names).digest() for z in outputs}
    digests |= {Program.of([x, y], names[::-1]).digest()}
    digests |= {Program.of([x, y], names).digest(), Program.of([y, x], names).digest()}
    assert len(digests) == len(outputs) + 3


def test_digest_is_the_same_in_a_fresh_process():
    code = (
        "from knuckle.scalar import *; t = Trace(); x, y = t.inputs('x', 2);"
        "print(Program.of([sin(x) * y + 0.5], ['x[0]', 'x[1]']).digest())"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    x, y = Trace().inputs("x", 2)
    program = Program.of([sin(x) * y + 0.5], ["x[0]", "x[1]"])
    assert shown.stdout.strip() == program.digest()


@pytest.mark.parametrize("make", [every_primitive, lambda: random_program(3)])
def test_pickle_keeps_program(make):
    program = make()
    again = pickle.loads(pickle.dumps(program))
    assert again == program and again.text() == program.text()
    at = [0.3 + 0.1 * k for k in range(len(program.inputs))]
    assert again(*at) == program(*at)


def line_of(function, text):
    lines, first = inspect.getsourcelines(function)
    return first + next(k for k, line in enumerate(lines) if text in line)


def branches(x):
    if x > 0.0:  # the line
        return x
    return -x


@pytest.mark.parametrize(
    "misuse",
    [
        branches,
        lambda x: x < 0.0 and x,
        lambda x: not x,
        lambda x: min(x, 1.0),
        lambda x: sorted([x, 0.5]),
        lambda x: 0.0 < x < 1.0,
        lambda x: x in [1.0, 2.0],
        lambda x: np.where(x > 0.0, x, 0.0),
        lambda x: np.maximum(np.array([x], object), 0.0),
    ],
)
def test_truth_of_a_traced_value_is_refused_with_the_repair(misuse):
    with pytest.raises(TraceError, match=r"where\(condition, a, b\)"):
        misuse(Trace().input("x"))


def test_error_names_file_line_and_source():
    with pytest.raises(TraceError) as caught:
        branches(Trace().input("x"))
    message = str(caught.value)
    assert message.startswith(f"{__file__}:{line_of(branches, 'the line')} ")
    assert "`if x > 0.0:  # the line`" in message


@pytest.mark.parametrize("use", [math.sin, float, int, math.floor, round, range])
def test_float_functions_are_refused_with_the_repair(use):
    with pytest.raises(TypeError, match="no float yet|__round__"):
        use(Trace().input("x"))
    with pytest.raises(TraceError, match=r"np\.sin\(x\).*instead of math's"):
        math.sin(Trace().input("x"))


def test_number_is_no_condition():
    x = Trace().input("x")
    for misuse in (lambda: x & (x < 1.0), lambda: ~x, lambda: where(x, 1.0, 2.0)):
        with pytest.raises(TraceError, match="expected a condition such as x < 0.0"):
            misuse()


def test_scalar_of_another_trace_is_refused():
    x, y = Trace().input("x"), Trace().input("y")
    with pytest.raises(TraceError, match="outside the function that traced it"):
        x + y


@pytest.mark.parametrize("other", [None, "x", [1.0], 1j])
def test_comparison_with_what_is_no_number(other):
    x = Trace().input("x")
    assert (x == other) is False and (x != other) is True
    for misuse in (lambda: x < other, lambda: x**other, lambda: x + other):
        with pytest.raises(TypeError):
            misuse()


def test_numpy_functions_build_nodes():
    x, y = Trace().inputs("x", 2)
    assert np.sin(x) is sin(x) and np.arctan(x) is atan(x)
    assert np.arctan2(x, 1.0) is atan(x) and np.hypot(x, y) is hypot(x, y)
    assert np.square(x) is x * x and np.sign(x) is sign(x)
    assert np.minimum(x, y) is minimum(x, y) and np.power(x, 2) is x * x
    assert np.float64(2.0) * x is 2.0 * x and x - np.float32(0.5) is x - 0.5
    assert np.radians(x) is x * (math.pi / 180) and np.deg2rad(x) is np.radians(x)
    assert (np.logical_and(x < y, x < 1.0)) is ((x < y) & (x < 1.0))
    assert np.bool_(True) & (x < y) is (x < y)
    assert np.greater(x, y) is (y < x) and np.logical_not(x < y) is ~(x < y)


def test_arrays_of_scalars_and_floats():
    x, y = Trace().inputs("x", 2)
    mixed = np.array([x, 2.0, y], dtype=object)
    assert all(a is b for a, b in zip(mixed * x, [x * x, 2.0 * x, x * y], strict=True))
    assert all(a is b for a, b in zip(x - np.array([1.0, 2.0]), [x - 1.0, x - 2.0]))
    assert all(a is b for a, b in zip(np.array([1.0, 2.0]) * x, [x, 2.0 * x]))
    assert np.dot([1.0, 0.0, 3.0], mixed) is x + 3.0 * y
    assert (np.eye(3) @ mixed)[2] is y and mixed.sum() is x + 2.0 + y
    assert all(isinstance(s, Scalar) for s in np.sin(np.array([x, y], object)))
    assert np.arctan2(np.array([x], object), np.array([y], object))[0].op == "atan2"
    assert np.array([1.0, x], object) @ np.array([x, 0.0], object) is x
    assert (x < np.array([1.0, 2.0]))[1] is (x < 2.0)
    held = np.array([y, 1.0], object)
    held *= x
    assert held[0] is x * y and held[1] is x


def test_float_array_cannot_hold_scalars():
    x = Trace().input("x")
    array = np.ones(3)
    with pytest.raises(TraceError, match="float64 cannot hold a traced value.*object"):
        array *= x


def test_unknown_numpy_function_names_what_there_is():
    x = Trace().input("x")
    with pytest.raises(TraceError, match=r"np\.cbrt has no meaning .* arctan2"):
        np.cbrt(x)
    with pytest.raises(TraceError, match="test_scalar_trace.py:"):
        np.add.accumulate(x)


def test_fractions_stay_exact():
    trace = Trace()
    x, y = trace.inputs("x", 2)
    program = Program.of([x * 0.5 + y / x - 1.0 / y, where(x < y, x, y) * 0.1 + 1.0])
    found = program(Fraction(1, 3), Fraction(5, 7))
    assert found[0] == Fraction(1, 6) + Fraction(15, 7) - Fraction(7, 5)
    assert found[1] == Fraction(1, 3) * Fraction(0.1) + 1
    assert all(isinstance(z, Fraction) for z in found)
    (s,) = scan(lambda k, s: (s * x + k * 0.5,), (1.0,), 3)
    at = Fraction(2, 3)
    expected = ((1 * at + 0) * at + Fraction(1, 2)) * at + 1
    assert Program.of([s])(at) == (expected,)


def test_plain_floats_take_the_steps_and_numpy_floats_the_rules():
    program = every_primitive()
    at = [0.3, -0.7, 1.1, 0.2, -1.4, 0.9]
    assert program(*at) == program(*map(np.float64, at))
    assert "_steps" in vars(program)
    again = pickle.loads(pickle.dumps(program))  # the steps stay behind
    assert again == program and again(*at) == program(*at)


def test_mpmath_goes_through():
    program = every_primitive()
    with mpmath.workdps(50):
        at = [mpmath.mpf(k + 1) / 7 for k in range(6)]
        exact = program(*at)
        floats = program(*(float(x) for x in at))
    assert floats == pytest.approx([float(x) for x in exact], rel=1e-13)
    assert sum(isinstance(x, mpmath.mpf) for x in exact) > 30


def test_floats_never_raise():
    program = every_primitive()
    specials = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1e308, -1e-320]
    for k, value in enumerate(specials * 6):
        at = [0.5] * 6
        at[k % 6] = value
        assert len(program(*at)) == len(program.outputs)
    for value in specials:
        program(*[value] * 6)


def test_call_with_wrong_number_of_values():
    x, y = Trace().inputs("x", 2)
    with pytest.raises(
        TypeError, match=r"expected 2 numbers \(x\[0\], x\[1\]\), got 1"
    ):
        Program.of([x + y])(1.0)


def test_undeclared_input():
    x, y = Trace().inputs("x", 2)
    with pytest.raises(
        ValueError, match=r"inputs \['x\[1\]'\] are used and not declared"
    ):
        Program.of([x + y], ["x[0]"])


def test_text_of_a_program():
    trace = Trace()
    x = trace.input("x")
    (s,) = scan(lambda k, s: (s * x,), (1.0,), 3)
    program = Program.of([sin(x) * 2.0, s, stumpff(3, x)])
    assert program.text() == "\n".join([
        "%0 = input x",
        "%1 = const 1.0",
        "%2 = scan %1, %0 for 3 steps of (k, carry[0], captured[0]):",
        "    %0 = input carry[0]",
        "    %1 = input captured[0]",
        "    %2 = mul %0, %1",
        "    return %2",
        "%3 = item 0 %2",
        "%4 = sin %0",
        "%5 = const 2.0",
        "%6 = mul %5, %4",
        "%7 = stumpff 3 %0",
        "return %6, %3, %7",
    ])  # fmt: skip
    assert program.text(most=1) == "... 7 values before\n%7 = stumpff 3 %0\n" + (
        "return %6, %3, %7"
    )
    assert repr(s).startswith("<Scalar %")


def test_operations_count_the_steps_of_loops():
    trace = Trace()
    x, y = trace.inputs("x", 2)
    (s,) = scan(lambda k, s: (s * x + sin(s) + sin(y),), (x,), 10)
    program = Program.of([s / y, where(x < y, 1.0, x)])
    assert program.operations() == {  # sin(y) is the same in every step
        "add": 20, "div": 1, "lt": 1, "mul": 10, "sin": 11, "where": 1,
    }  # fmt: skip


def test_depth_is_the_longest_way_from_an_input():
    trace = Trace()
    x, y = trace.inputs("x", 2)
    assert Program.of([x, 2.0]).depth() == 0
    assert Program.of([x * y, x + sin(y) * y]).depth() == 3
    (s,) = scan(lambda k, s: (s * x + sin(s),), (x,), 10)
    assert Program.of([s / y]).depth() == 22  # sin and add, ten times; item; div


def test_long_traces_are_walked_without_recursion():
    trace = Trace()
    x = y = trace.input("x")
    start = time.process_time()
    for k in range(10_000):
        y = y * x + float(k)
    per_node = (time.process_time() - start) / len(trace.nodes)
    program = verify(Program.of([y]))
    assert len(program.digest()) == 64 and len(program.text().splitlines()) > 20_000
    assert pickle.loads(pickle.dumps(program)) == program
    assert per_node < 20e-6  # 2 us alone; the machine may be busy
