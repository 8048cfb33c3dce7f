"""repeat, while_loop and lookup: values, rows, errors."""

import math
import pickle
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest

from control import (
    NUMBERS,
    PROGRAMS,
    ROWS,
    TARGETS,
    heron,
    points,
    program_of,
    targets,
)
from knuckle.codegen import host, native
from knuckle.codegen.operand import Operand
from knuckle.codegen.target import FOREIGN
from knuckle.model.arrays import evaluate
from knuckle.scalar import (
    Program,
    Trace,
    TraceError,
    lookup,
    repeat,
    scan,
    verify,
    where,
    while_loop,
)
from rounding import kernel, rounded


@pytest.mark.parametrize("name", PROGRAMS)
@targets
def test_compiled_bit_for_bit(name, dtype, isa):
    """As the interpreter with the same roundings, at 37 points, NaN rows as NaN."""
    program = program_of(PROGRAMS[name], 2)
    compiled, at = kernel(program, dtype, isa), points(37, dtype)
    got = compiled(at)
    for row, values in zip(at, got, strict=True):
        expected = rounded(program, dtype, host(isa).fma, *map(float, row))
        assert np.array_equal(values, np.array(expected, dtype), equal_nan=True)


@pytest.mark.parametrize("name", PROGRAMS)
@targets
def test_rows_do_not_see_their_neighbours(name, dtype, isa):
    program = program_of(PROGRAMS[name], 2)
    compiled, at = kernel(program, dtype, isa), points(33, dtype, 1)
    at[5], at[11, 0], at[12, 1], at[13] = np.nan, np.nan, np.nan, np.inf
    at[14] = 1e6
    whole = compiled(at)
    alone = np.stack([compiled(row) for row in at])
    assert whole.tobytes() == alone.tobytes()
    shuffled = compiled(at[::-1])[::-1]
    assert np.ascontiguousarray(shuffled).tobytes() == whole.tobytes()


@pytest.mark.parametrize("name", PROGRAMS)
def test_interpreters_agree(name):
    """Floats, 30 digits, and columns of NumPy."""
    program = program_of(PROGRAMS[name], 2)
    at = points(9, "float64", 2)
    rows = np.array([program(*map(float, row)) for row in at])
    columns = np.stack(np.broadcast_arrays(at[:, 0], *evaluate(program, *at.T))[1:], 1)
    assert np.allclose(columns, rows, rtol=1e-13, equal_nan=True)
    with mpmath.workdps(30):
        for row, values in zip(at, rows, strict=True):
            exact = program(*map(mpmath.mpf, map(float, row)))
            plain = PROGRAMS[name](*map(mpmath.mpf, map(float, row)))
            assert np.allclose([float(x) for x in exact], values, rtol=1e-11)
            assert all(abs(a - b) < 1e-14 for a, b in zip(exact, plain, strict=True))


@pytest.mark.parametrize("name", PROGRAMS)
def test_content_counts(name):
    program, again = (program_of(PROGRAMS[name], 2) for _ in range(2))
    copy = pickle.loads(pickle.dumps(program))
    assert program == again == copy and hash(program) == hash(copy)
    assert copy.text() == program.text()
    assert verify(copy).operations() == program.operations()


def test_digest_sees_bound_kind_and_table():
    def loop(**changes):
        given = {"max_steps": 9, "fixed_point": False, **changes}
        return program_of(
            lambda x, y: while_loop(lambda s: s > y, lambda s: (s - x,), (x,), **given),
            2,
        )

    assert loop() == loop()
    assert len({loop(), loop(max_steps=8), loop(fixed_point=True)}) == 3
    zero, minus = (
        program_of(lambda x, z=z: (lookup((1.0, z), x),), 1) for z in (0.0, -0.0)
    )
    nan, other = (program_of(lambda x: (lookup((math.nan, 1.0), x),), 1),) * 2
    assert zero != minus and nan == other


def test_rational():
    program = program_of(PROGRAMS["repeat"], 2)
    exact = program(Fraction(1, 3), Fraction(1, 7))
    assert exact == PROGRAMS["repeat"](Fraction(1, 3), Fraction(1, 7))
    assert all(isinstance(x, Fraction) for x in exact)
    table = program_of(lambda x, y: (lookup(NUMBERS, x) * y,), 2)
    assert table(Fraction(5, 2), Fraction(1, 3)) == (Fraction(2.9) / 3,)
    root = program_of(heron, 2)(Fraction(2), Fraction(1))
    assert root == (Fraction(577, 408), 3)


def test_numbers_alone_need_no_trace():
    assert repeat(lambda s: (2 * s,), (1,), 5) == (32,)
    y = mpmath.mpf(3) / 7
    assert scan(lambda k, s: (s * y,), (y,), 2) == (y**3,)
    (root,) = while_loop(
        lambda s: abs(s * s - y) > 1e-14, lambda s: ((s + y / s) / 2,), (y,), 20
    )
    assert abs(root - mpmath.sqrt(y)) < 1e-14
    assert lookup(NUMBERS, 2.9) == 2.9 and lookup(ROWS, 1) == ROWS[1]


INDICES = (
    -math.inf, -5.0, -1e-9, 0.0, 0.999, 1.0, 3.5, 4.0, 4.999, 5.0, 1e9, 1e300,
    math.inf, math.nan,
)  # fmt: skip


def test_starting_from_a_number_that_a_scalar_could_take():
    """1 / 0.0 stops Python; the traced loop chooses the other arm."""
    x = Trace().input("x")
    guarded = lambda s: where(s > 0.0, 1.0 / s, x)  # noqa: E731
    (a,) = scan(lambda k, s: (guarded(s),), (0.0,), 2)
    (b,) = while_loop(lambda s: s < 1.0, lambda s: (guarded(s) + 1.0,), (0.0,), 9)
    assert Program.of([a, b])(4.0) == (0.25, 5.0)


@pytest.mark.parametrize("index", INDICES)
def test_index_is_clamped(index):
    """Beyond the ends the end; NaN gives NaN, in every engine."""
    inside = min(max(index, 0.0), 4.0)
    expected = NUMBERS[math.floor(inside)] if index == index else math.nan
    program = program_of(lambda x, y: (lookup(NUMBERS, x), lookup([y] * 5, x)), 2)
    found = [program(index, expected)]
    found += [kernel(program, "float64", isa)([index, expected]) for _, isa in TARGETS]
    found.append(evaluate(program, np.array(index), np.array(expected)))
    for values in found:
        assert np.array_equal(values, [expected] * 2, equal_nan=True)


def test_tables_as_arrays():
    x = Trace().input("x")
    assert lookup(np.array(NUMBERS), x) is lookup(NUMBERS, x)
    assert lookup(np.array(ROWS), x)[1] is lookup(ROWS, x)[1]
    program = Program.of(lookup(ROWS, x)[1:])
    assert program.operations() == {"lookup": 2}
    assert "lookup of 4 x 3 constants %0" in program.text()


def test_large_table_across_chunks():
    """Rows looked up in one function of the code and read in a later one."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(500, 6))

    def make(x, y):
        row, again = lookup(rows, x), lookup([(x * k, y - k) for k in range(40)], y)
        total = row[0]
        for k in range(700):
            total = total * x + float(k) * total * y * 1e-3
        return (*(total * 0.0 + entry for entry in row), total, *again)

    def still(x, y):
        found = make(x, y)
        return [
            found[6] * 1e-9,
            *(e + 1e-9 * found[6] for e in (*found[:6], *found[7:])),
        ]

    program = program_of(still, 2)
    at = np.array([[0.1, 0.2], [0.5, 0.3], [0.9, 0.1]])
    expected = [program(*row) for row in at]
    assert np.allclose(kernel(program)(at), expected, rtol=1e-12)
    assert kernel(program).show("llvm").count("define internal void @chunk") > 1


def test_large_steps_are_cut_too():
    """A while loop of thousands of operations, with a table, a scan and a choice that
    cross its cuts."""

    def step(s, n):
        row, first = lookup(ROWS, n), lookup([s, 0.5 * s, n], 2.0 * s)
        (inner,) = scan(lambda k, t: (0.5 * t + 0.1 * k * s,), (s,), 3)
        small, total = s < 0.7, s
        for k in range(900):
            total = 0.99 * total + (0.01 * k % 0.07) * s * total * (1.0 - total)
        total = where(small, total + 1e-3 * row[1], total - 1e-3 * first)
        return 0.9 * total + 1e-2 * inner, n + 1.0

    def make(x, y):
        return while_loop(lambda s, n: n < 4.0 * y, step, (x, 0.0), 9)

    program, at = program_of(make, 2), points(21, "float64", 5)
    compiled = kernel(program)
    assert compiled.show("llvm").count("define internal void @loop0.step") > 2
    expected = [rounded(program, "float64", host().fma, *map(float, row)) for row in at]
    assert np.array_equal(compiled(at), np.array(expected))


def test_not_converged_is_nan_in_its_row_alone():
    program = program_of(heron, 2)
    at = np.array([[2.0, 1.0], [2.0, 1e9], [-1.0, 1.0], [4.0, 2.0], [np.nan, 1.0]])
    values = kernel(program)(at)
    assert np.isnan(values[[1, 2, 4]]).all()
    assert values[3].tolist() == [2.0, 0.0]
    assert values[0, 0] == pytest.approx(math.sqrt(2), rel=1e-5)
    for row, found in zip(at, values, strict=True):
        assert np.allclose(program(*row), found, equal_nan=True)


def test_bound_counts_steps():
    """As many steps as allowed are enough when they just suffice."""
    for steps, most, ok in [(0, 0, True), (3, 3, True), (4, 3, False), (1, 0, False)]:
        program = program_of(
            lambda x, m=most: while_loop(
                lambda s: s > 0.0, lambda s: (s - 1.0,), (x,), m
            ),
            1,
        )
        expected = 0.0 if ok else math.nan
        assert np.array_equal(
            kernel(program)([float(steps)]), [expected], equal_nan=True
        )
        assert np.array_equal(program(float(steps)), [expected], equal_nan=True)
        plain = while_loop(lambda s: s > 0, lambda s: (s - 1,), (steps,), most)
        assert np.array_equal(plain, [expected], equal_nan=True)


@pytest.mark.parametrize(
    "cond",
    [
        lambda s, y: s < y,
        lambda s, y: ~(s >= y),
        lambda s, y: (s != y) & (s < 3.0),
        lambda s, y: (s < 3.0) | (s < y),
        lambda s, y: ~((s > 5.0) | (s > y)),
    ],
)
def test_nan_in_the_condition_stops(cond):
    """However the condition is written; the row is NaN, the others are unchanged."""
    program = program_of(
        lambda x, y: while_loop(lambda s: cond(s, y), lambda s: (s + 1.0,), (x,), 8),
        2,
    )
    at = np.array([[0.0, 4.0], [0.0, np.nan], [np.nan, 4.0], [1.0, 3.0]])
    values = kernel(program)(at)
    assert np.isnan(values[[1, 2]]).all() and np.isfinite(values[[0, 3]]).all()
    for row, found in zip(at, values, strict=True):
        assert np.array_equal(program(*row), found, equal_nan=True)
        assert np.array_equal(evaluate(program, *row), found, equal_nan=True)


def test_loop_leaves_early():
    """A bound of a billion steps costs nothing where five suffice."""
    program = program_of(
        lambda x: while_loop(lambda s: s > 0.5, lambda s: (0.5 * s,), (x,), 10**9), 1
    )
    assert kernel(program)(np.full((20, 1), 8.0)).tolist() == [[0.5]] * 20


def test_a_finished_lane_may_be_unable_to_go_on():
    """The interpreter does not take the step past the end: 1 / 0 in 30 digits."""
    program = program_of(
        lambda x: while_loop(lambda s: s > 0.0, lambda s: (s - 1.0 / s * s,), (x,), 9),
        1,
    )
    with mpmath.workdps(30):
        assert program(mpmath.mpf(3)) == (0,)


ERRORS = {
    "no bound": (
        lambda x: while_loop(lambda s: s > 0.0, lambda s: (s,), (x,), None),
        "max_steps is expected to be 0, 1, ...; got None",
    ),
    "negative bound": (
        lambda x: repeat(lambda s: (s,), (x,), -1),
        "repeat: times is expected to be 0, 1",
    ),
    "number as condition": (
        lambda x: while_loop(lambda s: s - 1.0, lambda s: (s,), (x,), 3),
        "cond returned a number, expected a condition such as",
    ),
    "condition carried": (
        lambda x: while_loop(lambda s: s > 0.0, lambda s: (s > 1.0,), (x,), 3),
        r"while_loop: a carried value is a condition",
    ),
    "condition in a table": (
        lambda x: lookup([x, x > 0.0], x), "an entry is a condition"
    ),
    "`if` on a traced value": (
        lambda x: while_loop(lambda s: bool(s > 0.0), lambda s: (s,), (x,), 3),
        r"write where\(condition, a, b\)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    make, message = ERRORS[name]
    with pytest.raises(TraceError, match=message):
        make(Trace().input("x"))


def test_more_errors():
    x = Trace().input("x")
    with pytest.raises(
        ValueError, match="while_loop: the body returned 2 values for 1"
    ):
        while_loop(lambda s: s > 0.0, lambda s: (s, s), (x,), 3)
    with pytest.raises(ValueError, match=r"2 rows of lengths \[1, 2\]; expected at"):
        lookup([(1.0, 2.0), (3.0,)], x)
    with pytest.raises(ValueError, match=r"0 rows of lengths \[\]"):
        lookup([], x)


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_lowers_to_every_machine(name, dtype):
    """Object code for processors that are not here; conversions follow their clamp."""
    program = program_of(PROGRAMS["loops and tables"], 2)
    x, y = Operand("x", (2,)), Operand("y", (2,))
    text = native.ir("f", program, [x], [y], dtype, FOREIGN[name])
    assert len(native.assemble(text, FOREIGN[name])) > 1000
    before = [line for line, after in pairwise(text.splitlines()) if "fptosi" in after]
    assert len(before) == 2 and all(" select " in line for line in before)
