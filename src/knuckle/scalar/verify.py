"""The verifier: every row of a program is well formed, or the first fault is told."""

from __future__ import annotations

from typing import Any

from knuckle.scalar.functions import LAST_STUMPFF
from knuckle.scalar.node import CONDITIONS, LOOPS, SEVERAL
from knuckle.scalar.program import FUNCTIONS, LEAVES, STATIC, Program

_UNARY = (
    "rcp", "neg", "sqrt", "sin", "cos", "tan", "asin", "acos", "exp", "log", "tanh",
    "abs", "floor", "not", "stumpff", "item",
)  # fmt: skip
ARITY = dict.fromkeys(FUNCTIONS, 2)
ARITY |= dict.fromkeys(LEAVES, 0) | dict.fromkeys(_UNARY, 1)
ARITY |= dict.fromkeys(("fma", "fms", "fnma", "where"), 3)
"""How many arguments each primitive takes; a loop takes what its body does, a
lookup an index and the entries that are no constants."""

_TRUTHS = {"where": (0,), "and": (0, 1), "or": (0, 1), "not": (0,)}


def verify(program: Program) -> Program:
    """The program itself, when every row is well formed; the first fault otherwise."""
    sizes = {len(program.ops), len(program.args), len(program.values)}
    if len(sizes) != 1:
        raise ValueError(f"rows of different number: {sorted(sizes)}")
    if len(set(program.inputs)) != len(program.inputs):
        raise ValueError("two inputs have the same name")
    declared = set(program.inputs)
    rows = zip(program.ops, program.args, program.values, strict=True)
    for k, (op, args, value) in enumerate(rows):
        if op not in ARITY and op not in SEVERAL:
            raise ValueError(f"%{k}: no primitive is called {op!r}")
        for a in args:
            if not 0 <= a < k:
                raise ValueError(
                    f"%{k} = {op} {args}: an argument is not defined before its use"
                )
        wanted = ARITY[op] if op in ARITY else _wanted(op, value)
        if len(args) != wanted:
            raise ValueError(f"%{k} = {op}: {len(args)} arguments, expected {wanted}")
        _verify_kinds(program, k, op, args)
        if op in LEAVES or op in STATIC:
            _verify_value(program, k, op, value, declared)
        elif value is not None:
            raise ValueError(f"%{k} = {op}: carries the value {value!r}, expected none")
    for k in program.outputs:
        if not 0 <= k < len(program.ops):
            raise ValueError(f"output %{k} is no value of the program")
        if program.ops[k] in (*CONDITIONS, *SEVERAL):
            raise ValueError(
                f"output %{k} = {program.ops[k]} is no number; "
                "return where(condition, 1.0, 0.0)"
            )
    return program


def _verify_kinds(program: Program, k: int, op: str, args: tuple[int, ...]) -> None:
    """Numbers, conditions and loops stand where each belongs."""
    truths = _TRUTHS.get(op, ())
    for place, a in enumerate(args):
        kind = program.ops[a]
        if (kind in CONDITIONS) != (place in truths):
            raise ValueError(
                f"%{k} = {op}: argument {place} mixes number and condition"
            )
        if (kind in SEVERAL) != (op == "item"):
            raise ValueError(
                f"%{k} = {op}: argument {place} mixes number and loop or row"
            )


def _verify_value(
    program: Program, k: int, op: str, value: Any, declared: set[str]
) -> None:
    """The static value of a row fits its primitive."""
    if op == "const" and type(value) is not float:
        raise ValueError(f"%{k} = const: {value!r} is no float")
    if op == "input" and value not in declared:
        raise ValueError(f"%{k}: the input {value!r} is not declared")
    if op == "stumpff" and value not in range(LAST_STUMPFF + 1):
        raise ValueError(f"%{k} = stumpff {value!r}: k is 0 to {LAST_STUMPFF}")
    if op == "item" and value not in range(_results(program, k)):
        raise ValueError(f"%{k} = item {value!r}: {_missing(program, k)}")
    if op in LOOPS:
        verify(value.body)
        least = 0 if op == "while" else 1
        if (
            len(value.body.outputs) != value.carried + value.tail
            or value.length < least
        ):
            raise ValueError(
                f"%{k} = {op}: {value.length} steps of "
                f"{len(value.body.outputs)} results for {value.carried} carried values"
            )
    if op == "lookup" and value.data is not None:
        size = 8 * value.rows * value.columns
        if len(value.data) != size or size == 0:
            raise ValueError(
                f"%{k} = lookup {value}: {len(value.data)} bytes, expected {size}"
            )


def _wanted(op: str, value: Any) -> int:
    """How many arguments a row with several results takes."""
    if op in LOOPS:
        return len(value.body.inputs) - value.lead
    from knuckle.scalar.tables import Table

    if not isinstance(value, Table):
        raise ValueError(f"lookup: carries {value!r}, expected a table")
    return 1 + (value.rows * value.columns if value.data is None else 0)


def _missing(program: Program, k: int) -> str:
    loop = program.ops[program.args[k][0]] in LOOPS
    return f"the {'loop carries no such value' if loop else 'table has no such column'}"


def _results(program: Program, k: int) -> int:
    """How many results the row has that an item picks from."""
    (row,) = program.args[k]
    value = program.values[row]
    return value.columns if program.ops[row] == "lookup" else value.carried  # type: ignore
