"""A finished trace as flat arrays: what passes rewrite, code generators read, joints
store."""

from __future__ import annotations

import hashlib
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from knuckle.scalar import functions as f
from knuckle.scalar import rules
from knuckle.scalar.node import Number, Scalar, live

LEAVES = ("input", "const")


@dataclass(frozen=True)
class Program:
    """Straight-line code in single assignment: value k is ops[k](*args[k]).

    `values` holds what is static in a row: a constant, an input's name, the order of a
    Stumpff function, the body of a scan. `outputs` are indices of values.
    """

    ops: tuple[str, ...]
    args: tuple[tuple[int, ...], ...]
    values: tuple[Any, ...]
    outputs: tuple[int, ...]
    inputs: tuple[str, ...]

    @staticmethod
    def of(outputs: Sequence[Number], inputs: Iterable[str] | None = None) -> Program:
        """The program of traced outputs; `inputs` fixes names and order (default: in
        use)."""
        nodes = live(outputs)
        place = {node.index: k for k, node in enumerate(nodes)}
        ops = [node.op for node in nodes]
        args = [tuple(place[a.index] for a in node.args) for node in nodes]
        values = [node.value for node in nodes]
        constants: dict[bytes, int] = {
            struct.pack("d", v): k
            for k, (op, v) in enumerate(zip(ops, values, strict=True))
            if op == "const"
        }
        ends = []
        for x in outputs:
            if isinstance(x, Scalar):
                ends.append(place[x.index])
                continue
            key = struct.pack("d", float(x))
            if key not in constants:
                constants[key] = len(ops)
                ops.append("const")
                args.append(())
                values.append(float(x))
            ends.append(constants[key])
        used = [v for op, v in zip(ops, values, strict=True) if op == "input"]
        names = tuple(used) if inputs is None else tuple(inputs)
        unknown = set(used) - set(names)
        if unknown:
            raise ValueError(f"inputs {sorted(unknown)} are used and not declared")
        return Program(tuple(ops), tuple(args), tuple(values), tuple(ends), names)

    def __call__(self, *inputs: Number) -> tuple[Number, ...]:
        """The outputs on numbers of any kind; on scalars this traces the program
        inline."""
        given = dict(zip(self.inputs, inputs, strict=True))
        known: list[Any] = []
        for op, args, value in zip(self.ops, self.args, self.values, strict=True):
            if op == "const":
                known.append(value)
            elif op == "input":
                known.append(given[value])
            elif value is not None:
                known.append(STATIC[op](value, *[known[a] for a in args]))
            else:
                known.append(FUNCTIONS[op](*[known[a] for a in args]))
        return tuple(known[k] for k in self.outputs)

    def operations(self) -> dict[str, int]:
        """How many operations of each kind one evaluation takes; a scan counts its
        steps."""
        counts: Counter[str] = Counter()
        for op, args, value in zip(self.ops, self.args, self.values, strict=True):
            if op == "scan":
                for kind, count in value.body.operations().items():
                    counts[kind] += count * value.length
            elif op not in (*LEAVES, "item") and args:
                counts[op] += 1
        return dict(sorted(counts.items()))

    def text(self, most: int | None = None) -> str:
        """The program to read, one value a line."""
        lines = []
        for k, (op, args, value) in enumerate(
            zip(self.ops, self.args, self.values, strict=True)
        ):
            shown = "" if value is None else f" {value}"
            lines.append(f"%{k} = {op}{shown} " + ", ".join(f"%{a}" for a in args))
        if most is not None and len(lines) > most:
            lines = [f"... {len(lines) - most} values before", *lines[-most:]]
        lines.append("return " + ", ".join(f"%{k}" for k in self.outputs))
        return "\n".join(line.rstrip() for line in lines)

    def digest(self) -> str:
        """A hash of what is computed, independent of numbering and of unused values."""
        hashes: list[bytes] = []
        for op, args, value in zip(self.ops, self.args, self.values, strict=True):
            content = struct.pack("d", value).hex() if op == "const" else repr(value)
            if op == "scan":
                content = value.digest()
            parts = [hashes[a] for a in args]
            if op in COMMUTATIVE:
                parts.sort()
            hashes.append(
                hashlib.sha256(f"{op} {content}".encode() + b"".join(parts)).digest()
            )
        total = hashlib.sha256(repr(self.inputs).encode())
        for k in self.outputs:
            total.update(hashes[k])
        return total.hexdigest()


COMMUTATIVE = ("add", "mul", "min", "max", "eq", "ne", "and", "or")

FUNCTIONS: dict[str, Callable[..., Number]] = {
    "add": rules.add,
    "sub": rules.sub,
    "mul": rules.mul,
    "div": rules.div,
    "rcp": rules.reciprocal,
    "neg": rules.neg,
    "fma": lambda a, b, c: rules.add(rules.mul(a, b), c),
    "fms": lambda a, b, c: rules.sub(rules.mul(a, b), c),
    "fnma": lambda a, b, c: rules.sub(c, rules.mul(a, b)),
    "sqrt": f.sqrt,
    "sin": f.sin,
    "cos": f.cos,
    "tan": f.tan,
    "asin": f.asin,
    "acos": f.acos,
    "atan2": f.atan2,
    "exp": f.exp,
    "log": f.log,
    "tanh": f.tanh,
    "abs": rules.absolute,
    "min": f.minimum,
    "max": f.maximum,
    "floor": f.floor,
    "lt": lambda x, y: rules.compare("lt", x, y),
    "le": lambda x, y: rules.compare("le", x, y),
    "eq": lambda x, y: rules.compare("eq", x, y),
    "ne": lambda x, y: rules.compare("ne", x, y),
    "and": lambda x, y: rules.logic("and", x, y),
    "or": lambda x, y: rules.logic("or", x, y),
    "not": rules.logic_not,
    "where": rules.select,
}
"""What each primitive computes, on any number."""

STATIC: dict[str, Callable[..., Any]] = {"stumpff": f.stumpff}
"""The primitives whose row carries a static value, which comes first."""

CONDITIONS = ("lt", "le", "eq", "ne", "and", "or", "not")


def verify(program: Program) -> Program:
    """The program itself, when every row is well formed; the first fault otherwise."""
    sizes = {len(program.ops), len(program.args), len(program.values)}
    if len(sizes) != 1:
        raise ValueError(f"rows of different number: {sorted(sizes)}")
    for k, (op, args) in enumerate(zip(program.ops, program.args, strict=True)):
        if (
            op not in FUNCTIONS
            and op not in STATIC
            and op not in (*LEAVES, "scan", "item")
        ):
            raise ValueError(f"%{k}: no primitive is called {op!r}")
        if any(not 0 <= a < k for a in args):
            raise ValueError(
                f"%{k} = {op} {args}: an argument is not defined before its use"
            )
        wants_condition = _condition_places(op)
        for place, a in enumerate(args):
            if (program.ops[a] in CONDITIONS) != (place in wants_condition):
                raise ValueError(
                    f"%{k} = {op}: argument {place} mixes number and condition"
                )
        if op == "input" and program.values[k] not in program.inputs:
            raise ValueError(f"%{k}: the input {program.values[k]!r} is not declared")
    if any(not 0 <= k < len(program.ops) for k in program.outputs):
        raise ValueError("an output is no value of the program")
    return program


def _condition_places(op: str) -> tuple[int, ...]:
    return {"where": (0,), "and": (0, 1), "or": (0, 1), "not": (0,)}.get(op, ())
