"""Whole-program passes and the verifier: fusing, shared reciprocals, malformed rows."""

import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from knuckle.scalar import (
    Program,
    Trace,
    cos,
    fuse,
    lookup,
    scan,
    sin,
    verify,
    where,
    while_loop,
)
from knuckle.scalar.fuse import multiply_adds
from knuckle.scalar.loops import Loop
from knuckle.scalar.passes import PASSES, finished
from knuckle.scalar.share import share
from programs import every_primitive, random_program

FUSED = ("fma", "fms", "fnma")


def polynomial_program(seed, size=80):
    """Sums, differences, products and quotients only: exact in fractions."""
    rng = np.random.default_rng(seed)
    trace = Trace()
    leaves = trace.inputs("x", 6)
    values = list(leaves)
    for _ in range(size):
        a, b = (values[-1 - int(k)] for k in rng.integers(0, min(len(values), 9), 2))
        kind = rng.integers(10)
        if kind < 4:
            values.append(a * b)
        elif kind < 9:
            values.append(a + b if kind < 7 else a - b)
        else:
            values.append(a / (b * b + 2.0))
        if len(values) % 7 == 0:
            values.append(0.5 * values[-1] + 0.25)
        if not hasattr(values[-1], "op"):
            values.pop()
    return Program.of(values[-8:], [s.value for s in leaves])


@pytest.mark.parametrize("seed", range(40))
def test_passes_keep_the_value_exactly(seed):
    program = verify(polynomial_program(seed, 20 + 3 * seed))
    at = [Fraction(int(k) + 1, 7) for k in np.random.default_rng(seed).permutation(6)]
    small = polynomial_program(seed, 20)
    for rewrite in (fuse, share, finished):
        assert verify(rewrite(small))(*at) == small(*at)
    for rewrite in (fuse, share, finished):
        with mpmath.workprec(20000):
            first, second = (
                program(*map(_mp, at)),
                verify(rewrite(program))(*map(_mp, at)),
            )
            for x, y in zip(first, second, strict=True):
                assert abs(x - y) <= abs(x) * mpmath.mpf(2) ** -15000


def _mp(x):
    return mpmath.mpf(x.numerator) / x.denominator


@pytest.mark.parametrize("seed", range(40))
def test_fusing_never_costs_an_operation(seed):
    for program in (polynomial_program(seed), random_program(seed, 120)):
        before, after = program.operations(), fuse(program).operations()
        assert sum(after.values()) <= sum(before.values())
        book = multiply_adds(after)
        assert sum(book.values()) >= sum(before.values())


@pytest.mark.parametrize("seed", range(5))
def test_every_pass_leaves_a_well_formed_program(seed):
    for program in (random_program(seed), every_primitive()):
        for rewrite in PASSES.values():
            program = verify(rewrite(program))
        assert program.operations().keys() & set(FUSED)


@pytest.mark.parametrize("seed", range(5))
def test_fused_floats_are_close(seed):
    """Each row is evaluated unfused here, so only the order of sums differs."""
    program = random_program(seed, 80)
    at = np.random.default_rng(seed).uniform(-1, 1, len(program.inputs))
    found = fuse(program)(*map(float, at))
    assert found == pytest.approx(program(*map(float, at)), rel=1e-11, abs=1e-12)


def ops(*outputs, names="abcd", fma=True):
    counts = finished(Program.of(outputs, list(names)), fma).operations()
    return {k: n for k, n in counts.items() if n}


def test_what_fusing_makes_of_sums():
    a, b, c, d = (t := Trace()).input("a"), t.input("b"), t.input("c"), t.input("d")
    assert ops(a * b + c) == {"fma": 1}
    assert ops(a * b - c) == {"fms": 1}
    assert ops(c - a * b) == {"fnma": 1}
    assert ops(a * b + c * d) == {"fma": 1, "mul": 1}
    assert ops((a * b + c * d) + (a * c + b * d)) == {"fma": 3, "mul": 1}
    assert ops((a * b + c * d) - (a * c - b)) == {"fma": 2, "fnma": 1}
    assert ops(a * b + c, a * b) == {"add": 1, "mul": 1}
    assert ops(a * b + c, a * b + d) == {"fma": 2}
    assert ops(-(a * b) - c) == {"fma": 1, "neg": 1}
    assert ops(a + b - c) == {"add": 1, "sub": 1}
    assert ops(a * b + c, fma=False) == {"add": 1, "mul": 1}


def test_partial_sums_that_are_used_elsewhere_are_kept():
    a, b, c, d = (t := Trace()).input("a"), t.input("b"), t.input("c"), t.input("d")
    inner = a * b + c
    assert ops(inner + d, inner) == {"add": 1, "fma": 1}


def test_fusing_goes_into_loops():
    x = (t := Trace()).input("a")
    program = Program.of(scan(lambda k, s: (s * x + k,), (x,), 4), ["a"])
    assert fuse(program).operations() == {"fma": 4}
    assert finished(program, False).operations() == {"add": 4, "mul": 4}
    assert fuse(program)(Fraction(2)) == program(Fraction(2))
    assert len(t.nodes) > 0


def test_multiplications_and_additions_of_the_book():
    counts = {"fma": 2, "fnma": 1, "mul": 1, "sub": 1, "rcp": 1, "div": 1, "sin": 1}
    assert multiply_adds(counts) == {"m": 4, "a": 4, "d": 2, "sin": 1}


def test_quotients_by_one_denominator_share_its_reciprocal():
    a, b, c, d = (t := Trace()).input("a"), t.input("b"), t.input("c"), t.input("d")
    assert ops(a / d, b / d, c / d) == {"rcp": 1, "mul": 3}
    assert ops(a / d, 1.0 / d) == {"rcp": 1, "mul": 1}
    assert ops(a / d, b / c) == {"div": 2}
    assert ops(a / d) == {"div": 1}
    assert ops(1.0 / d, a * (1.0 / d)) == {"rcp": 1, "mul": 1}
    assert ops(a / d + c, b / d) == {"rcp": 1, "fma": 1, "mul": 1}
    assert ops(a / (b + c), d / (b + c)) == {"add": 1, "rcp": 1, "mul": 2}


def test_sharing_goes_into_loops_and_keeps_order():
    x, y = (t := Trace()).input("a"), t.input("b")
    program = Program.of(
        scan(lambda k, s: (s / (y + s) + x / (y + s),), (x,), 4), ["a", "b"]
    )
    assert share(program).operations() == {"add": 8, "mul": 8, "rcp": 4}
    assert verify(share(program))(Fraction(1, 2), Fraction(3)) == program(
        Fraction(1, 2), Fraction(3)
    )
    late = Program.of([x / y, sin(x) / y, cos(1.0 / y)], ["a", "b"])
    assert share(late)(0.5, 2.0) == pytest.approx(late(0.5, 2.0), rel=1e-15)


def test_sharing_moves_a_quotient_by_ulps_only():
    """And the documented exception: a denominator below the normal numbers."""
    a, b, d = (t := Trace()).input("a"), t.input("b"), t.input("d")
    program = Program.of([a / d, b / d], ["a", "b", "d"])
    shared, rng = share(program), np.random.default_rng(0)
    for _ in range(300):
        at = np.exp(rng.uniform(-200, 200, 3)) * rng.choice([-1, 1], 3)
        exact, found = program(*map(Fraction, at)), shared(*map(float, at))
        for x, y in zip(exact, found, strict=True):
            assert abs(Fraction(y) - x) <= abs(x) * Fraction(1001, 1000 * 2**52)
    smallest = 2.0**-1023
    assert shared(smallest, 0.0, smallest) == (1.0, 0.0)
    assert not math.isfinite(shared(1e-310, 0.0, 1e-310)[0])


X = Trace().input("x")
GOOD = Program.of([where(X < 1.0, sin(X), X * 2.0)], ["x"])
LOOP = Program.of(scan(lambda k, s: (s * 2.0,), (X,), 3), ["x"])

WHILE = Program.of(while_loop(lambda s: s < 9.0, lambda s: (s + 1.0,), (X,), 3), ["x"])
TABLE = Program.of([lookup((1.0, 2.0), X)], ["x"])


def row(op, args, value=None, outputs=(2,)):
    """x, 1.0 and one more row."""
    ops, values = ("input", "const", op), ("x", 1.0, value)
    return Program(ops, ((), (), args), values, outputs, ("x",))


def with_condition(op, args):
    ops = ("input", "const", "lt", op)
    return Program(ops, ((), (), (0, 1), args), ("x", 1.0, None, None), (3,), ("x",))


def with_loop(body=None, value=None, **changes):
    """LOOP with its loop changed, or another value in the row of its item."""
    (k,) = [k for k, op in enumerate(LOOP.ops) if op == "scan"]
    values = list(LOOP.values)
    values[k] = replace(values[k], **changes)
    if body is not None:
        values[k] = Loop(body, 1, 3)
    if value is not None:
        values[LOOP.ops.index("item")] = value
    return replace(LOOP, values=tuple(values))


def step(*results):
    trace = Trace()
    return Program.of(results or [trace.input("s")], ["k", "s"])


def with_row(program, op, item=None, **changes):
    """The program with the static value of its row `op` changed, or of its item."""
    values = list(program.values)
    k = program.ops.index(op)
    values[k] = replace(values[k], **changes)
    if item is not None:
        values[program.ops.index("item")] = item
    return replace(program, values=tuple(values))


MALFORMED = {
    "unknown primitive": (row("cbrt", (0,)), "%2: no primitive is called 'cbrt'"),
    "later argument": (row("sin", (3,)), "not defined before its use"),
    "itself": (row("sin", (2,)), "not defined before its use"),
    "negative argument": (row("sin", (-1,)), "not defined before its use"),
    "too few arguments": (row("add", (0,)), "%2 = add: 1 arguments, expected 2"),
    "too many arguments": (row("sin", (0, 1)), "%2 = sin: 2 arguments, expected 1"),
    "leaf with arguments": (row("const", (0,), 1.0), "1 arguments, expected 0"),
    "value where none belongs": (row("sin", (0,), 3), "carries the value 3"),
    "constant that is no float": (row("const", (), 1), "%2 = const: 1 is no float"),
    "constant that is NumPy's": (row("const", (), np.float64(1)), "is no float"),
    "undeclared input": (row("input", (), "y"), "input 'y' is not declared"),
    "stumpff 13": (row("stumpff", (0,), 13), "%2 = stumpff 13: k is 0 to 12"),
    "stumpff of nothing": (row("stumpff", (0,)), "stumpff None"),
    "condition in arithmetic": (with_condition("add", (2, 0)), "number and condition"),
    "condition compared": (with_condition("lt", (2, 0)), "mixes number and"),
    "number chooses": (row("where", (0, 0, 1)), "argument 0 mixes number and"),
    "number in logic": (with_condition("and", (2, 0)), "argument 1 mixes number and"),
    "number negated": (row("not", (0,)), "argument 0 mixes number and condition"),
    "condition chosen": (with_condition("where", (2, 2, 0)), "argument 1 mixes"),
    "condition returned": (row("lt", (0, 1)), r"where\(condition, 1.0, 0.0\)"),
    "output out of range": (row("sin", (0,), outputs=(3,)), "output %3 is no value"),
    "item of a number": (row("item", (0,), 0), "mixes number and loop"),
    "loop in arithmetic": (
        replace(LOOP, ops=("input", "scan", "sin"), values=(*LOOP.values[:-1], None)),
        "mixes number and loop",
    ),
    "loop returned": (replace(LOOP, outputs=(1,)), "output %1 = scan is no number"),
    "item out of range": (with_loop(value=1), "the loop carries no such value"),
    "loop without steps": (with_loop(length=0), "0 steps of 1 results"),
    "loop with too few results": (with_loop(carried=2), "1 results for 2 carried"),
    "body with more inputs": (
        with_loop(Program.of([1.0], ["k", "s", "t"])), "scan: 1 arguments, expected 2"
    ),
    "malformed body": (
        with_loop(replace(step(), ops=("sinh",))), "no primitive is called 'sinh'"
    ),
    "while with too few results": (
        with_row(WHILE, "while", carried=2), "2 results for 2 carried"
    ),
    "body without its condition": (
        with_row(WHILE, "while", body=Program.of([1.0], ["s"])), "1 results for 1"
    ),
    "lookup without a table": (row("lookup", (0,)), "carries None, expected a table"),
    "table cut short": (
        with_row(TABLE, "lookup", data=b"12345678"), "8 bytes, expected 16"
    ),
    "table of nothing": (with_row(TABLE, "lookup", rows=0, data=b""), "expected 0"),
    "entries that are constants": (
        with_row(TABLE, "lookup", data=None), "lookup: 1 arguments, expected 3"
    ),
    "column out of range": (
        with_row(TABLE, "lookup", columns=1, rows=2, item=1), "no such column"
    ),
    "row returned": (replace(TABLE, outputs=(1,)), "output %1 = lookup is no number"),
    "inputs of one name": (replace(GOOD, inputs=("x", "x")), "same name"),
    "rows of different number": (replace(GOOD, args=GOOD.args[1:]), "different number"),
}  # fmt: skip


@pytest.mark.parametrize("fault", MALFORMED)
def test_verifier_names_the_fault(fault):
    program, message = MALFORMED[fault]
    with pytest.raises(ValueError, match=message):
        verify(program)


def test_verifier_returns_what_is_well_formed():
    for program in (GOOD, LOOP, WHILE, TABLE, every_primitive(), Program.of([1.0])):
        assert verify(program) is program
