"""A finished trace as flat arrays: what passes rewrite, code generators read, joints
store."""

from __future__ import annotations

import functools
import hashlib
import math
import operator
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from knuckle.scalar import choice, rules
from knuckle.scalar import functions as f
from knuckle.scalar.node import LOOPS, SEVERAL, Number, Scalar, is_fraction, live

LEAVES = ("input", "const")
Step = tuple[int, Callable[..., Any], tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Program:
    """Straight-line code in single assignment: value k is ops[k](*args[k]).

    `values` holds what is static in a row: a constant, an input's name, the order of a
    Stumpff function, the body of a loop, a table. `outputs` are indices of values.
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

    def part(self, start: int, stop: int) -> Program:
        """The program of some of the outputs, without what only others need."""
        outputs = self.outputs[start:stop]
        needed = bytearray(len(self.ops))
        for k in outputs:
            needed[k] = True
        for k in range(len(self.ops) - 1, -1, -1):
            if needed[k]:
                for a in self.args[k]:
                    needed[a] = True
        kept = [k for k, wanted in enumerate(needed) if wanted]
        place = {k: n for n, k in enumerate(kept)}
        return Program(
            tuple(self.ops[k] for k in kept),
            tuple(tuple(place[a] for a in self.args[k]) for k in kept),
            tuple(self.values[k] for k in kept),
            tuple(place[k] for k in outputs),
            self.inputs,
        )

    def __call__(self, *inputs: Number) -> tuple[Number, ...]:
        """The outputs on numbers of any kind; on scalars this traces the program
        inline. Constants that meet a Fraction count at their exact value."""
        if len(inputs) != len(self.inputs):
            raise TypeError(
                f"program: expected {len(self.inputs)} numbers "
                f"({', '.join(self.inputs)}), got {len(inputs)}"
            )
        if all(type(x) is float for x in inputs):
            return self._on_floats(inputs)
        exact = next((type(x) for x in inputs if is_fraction(x)), None)
        if exact is not None:
            inputs = tuple(_exactly(x, exact) for x in inputs)
        given = dict(zip(self.inputs, inputs, strict=True))
        known: list[Any] = []
        for op, args, value in zip(self.ops, self.args, self.values, strict=True):
            if op == "const":
                known.append(value if exact is None else _exactly(value, exact))
            elif op == "input":
                known.append(given[value])
            elif value is not None:
                known.append(STATIC[op](value, *[known[a] for a in args]))
            else:
                known.append(FUNCTIONS[op](*[known[a] for a in args]))
        return tuple(known[k] for k in self.outputs)

    def finished(self, fma: bool = True) -> Program:
        """With the rewrites that come before code is made."""
        from knuckle.scalar.passes import finished

        return finished(self, fma)

    @property
    def parts(self) -> tuple[Program, ...]:
        """What a rolled program has several of."""
        return (self,)

    @property
    def weight(self) -> int:
        """How many values one evaluation computes."""
        return len(self.ops)

    def _on_floats(self, inputs: Sequence[float]) -> tuple[float, ...]:
        """The same by a list of steps, as joints evaluate a program many times."""
        start, leaves, steps = self._steps
        known = start.copy()
        given = dict(zip(self.inputs, inputs, strict=True))
        for k, name in leaves:
            known[k] = given[name]
        for k, function, args in steps:
            if len(args) == 2:
                known[k] = function(known[args[0]], known[args[1]])
            else:
                known[k] = function(*[known[a] for a in args])
        return tuple([known[k] for k in self.outputs])

    @functools.cached_property
    def _steps(self) -> tuple[list[Any], list[tuple[int, str]], list[Step]]:
        """The values with the constants filled in; where inputs go; what is computed,
        with what."""
        start: list[Any] = [None] * len(self.ops)
        leaves: list[tuple[int, str]] = []
        steps: list[Step] = []
        for k, op in enumerate(self.ops):
            value = self.values[k]
            if op == "const":
                start[k] = value
            elif op == "input":
                leaves.append((k, value))
            elif value is not None:
                steps.append((k, functools.partial(STATIC[op], value), self.args[k]))
            else:
                steps.append((k, PLAIN[op], self.args[k]))
        return start, leaves, steps

    def __reduce__(self) -> Any:
        return Program, (self.ops, self.args, self.values, self.outputs, self.inputs)

    def operations(self) -> dict[str, int]:
        """How many operations of each kind one evaluation takes; a loop counts its
        steps, at most, and a lookup the entries it reads."""
        counts: Counter[str] = Counter()
        for op, args, value in zip(self.ops, self.args, self.values, strict=True):
            if op in LOOPS:
                for kind, count in value.body.operations().items():
                    counts[kind] += count * value.length
            elif op == "item":
                counts["lookup"] += self.ops[args[0]] == "lookup"
            elif op not in (*LEAVES, "lookup") and args:
                counts[op] += 1
        return dict(sorted((+counts).items()))

    def depth(self) -> int:
        """How many operations wait for one another at most, a loop for all its steps.

        What an evaluation takes with as many processors as it can use.
        """
        found: list[int] = []
        for op, args, value in zip(self.ops, self.args, self.values, strict=True):
            own = value.body.depth() * value.length if op in LOOPS else bool(args)
            found.append(own + max((found[a] for a in args), default=0))
        return max((found[k] for k in self.outputs), default=0)

    def text(self, most: int | None = None) -> str:
        """The program to read, one value a line; the body of a loop is indented."""
        lines: list[str] = []
        for k, (op, args, value) in enumerate(
            zip(self.ops, self.args, self.values, strict=True)
        ):
            shown = "" if value is None or op in LOOPS else f" {value}"
            line = f"%{k} = {op}{shown} " + ", ".join(f"%{a}" for a in args)
            if op in LOOPS:
                body = value.body.text().replace("\n", "\n    ")
                names = ", ".join(value.body.inputs)
                line += f" {value.span()} of ({names}):\n    {body}"
            lines.append(line)
        if most is not None and len(lines) > most:
            lines = [f"... {len(lines) - most} values before", *lines[-most:]]
        lines.append("return " + ", ".join(f"%{k}" for k in self.outputs))
        return "\n".join(line.rstrip() for line in lines)

    def digest(self) -> str:
        """A hash of what is computed, independent of numbering and of unused values."""
        return self._digest

    @functools.cached_property
    def _digest(self) -> str:
        hashes: list[bytes] = []
        for op, args, value in zip(self.ops, self.args, self.values, strict=True):
            content = struct.pack("d", value).hex() if op == "const" else repr(value)
            if op in SEVERAL:
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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self._digest == other._digest

    def __hash__(self) -> int:
        return hash(self._digest)


def _exactly(x: Number, kind: type) -> Number:
    """A finite float as the Fraction that it is."""
    if isinstance(x, float | int) and math.isfinite(x):
        return kind(x)
    return x


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
    "lt": lambda x, y: choice.compare("lt", x, y),
    "le": lambda x, y: choice.compare("le", x, y),
    "eq": lambda x, y: choice.compare("eq", x, y),
    "ne": lambda x, y: choice.compare("ne", x, y),
    "and": lambda x, y: choice.logic("and", x, y),
    "or": lambda x, y: choice.logic("or", x, y),
    "not": choice.logic_not,
    "where": choice.select,
}
"""What each primitive computes, on any number."""

PLAIN = FUNCTIONS | {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
}
"""The same on floats, where there is nothing to rewrite."""

STATIC: dict[str, Callable[..., Any]] = {"stumpff": f.stumpff}
"""The primitives whose row carries a static value, which comes first."""
