"""The verifier: every row of a program is well formed, or the first fault is told."""

from __future__ import annotations

from typing import Any

from knuckle.scalar.functions import LAST_STUMPFF
from knuckle.scalar.loops import Loop
from knuckle.scalar.node import CONDITIONS
from knuckle.scalar.program import FUNCTIONS, LEAVES, STATIC, Program

_UNARY = (
    "rcp", "neg", "sqrt", "sin", "cos", "tan", "asin", "acos", "exp", "log", "tanh",
    "abs", "floor", "not", "stumpff", "item",
)  # fmt: skip
ARITY = dict.fromkeys(FUNCTIONS, 2)
ARITY |= dict.fromkeys(LEAVES, 0) | dict.fromkeys(_UNARY, 1)
ARITY |= dict.fromkeys(("fma", "fms", "fnma", "where"), 3)
"""How many arguments each primitive takes; a scan takes what its body does."""

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
        if op not in ARITY and op != "scan":
            raise ValueError(f"%{k}: no primitive is called {op!r}")
        for a in args:
            if not 0 <= a < k:
                raise ValueError(
                    f"%{k} = {op} {args}: an argument is not defined before its use"
                )
        wanted = len(value.body.inputs) - 1 if op == "scan" else ARITY[op]
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
        if program.ops[k] in CONDITIONS or program.ops[k] == "scan":
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
        if (kind == "scan") != (op == "item"):
            raise ValueError(f"%{k} = {op}: argument {place} mixes number and loop")


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
    if op == "item" and value not in range(_loop_of(program, k).carried):
        raise ValueError(f"%{k} = item {value!r}: the loop carries no such value")
    if op == "scan":
        verify(value.body)
        if len(value.body.outputs) != value.carried or value.length < 1:
            raise ValueError(
                f"%{k} = scan: {value.length} steps of "
                f"{len(value.body.outputs)} results for {value.carried} carried values"
            )


def _loop_of(program: Program, k: int) -> Loop:
    (scan,) = program.args[k]
    return program.values[scan]  # type: ignore[no-any-return]
