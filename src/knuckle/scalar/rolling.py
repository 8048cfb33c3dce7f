"""The recorded steps of a run, as few programs over tables.

Every kind of step keeps what some step needs of it and no more; constants that all its
steps share become literals, columns that are equal become one, and what depends on
constants alone is computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from knuckle.scalar.needed import needed
from knuckle.scalar.node import Number, Scalar, Trace
from knuckle.scalar.program import Program
from knuckle.scalar.rolled import Array, Rolled, RolledProgram
from knuckle.scalar.segments import (
    CONSTANT,
    INPUT,
    SLOT,
    ZERO,
    Kind,
    Recorder,
    Step,
)


def rolled(
    recorder: Recorder, numbers: Iterable[Number], inputs: Sequence[str]
) -> RolledProgram:
    """What was recorded, reduced to what these results need."""
    values = [_value(recorder, x) for x in numbers]
    kinds = recorder.finish()
    outputs = np.array(values, np.int64)
    outputs = _copied(recorder, kinds, outputs)
    constants = np.array(recorder.constants, float)
    made = [_reduced(kind, constants) for kind in kinds]
    total = recorder.count
    return RolledProgram(needed(made, outputs, total), outputs, tuple(inputs), total)


def _value(recorder: Recorder, x: Number) -> int:
    if isinstance(x, Scalar):
        x = recorder.now.lift(x)
        if x.op != "const":
            return recorder.value(x)
        x = x.value
    if x == 0.0:
        return ZERO
    return recorder.constant(float(x))


def _copied(recorder: Recorder, kinds: list[Kind], outputs: Array) -> Array:
    """Every result a value of its own: what is none yet is made twice or copied."""
    first = np.zeros(len(outputs), bool)
    first[np.unique(outputs, return_index=True)[1]] = True
    done = outputs.copy()
    again = np.flatnonzero(~first & (outputs & 3 == SLOT))
    rest = set(again.tolist()) - _made_twice(recorder, kinds, outputs, again, done)
    direct = (outputs & 3 == CONSTANT) | (outputs & 3 == INPUT)
    rest |= set(np.flatnonzero(direct).tolist())
    place = sum(len(kind.steps) for kind in kinds)
    copies = {letter: _copier(letter) for letter in "cm"}
    for k in sorted(rest):
        value, made = int(outputs[k]), recorder.fresh(1)
        letter = "c" if value & 3 == CONSTANT else "m"
        step = Step([value], made, recorder.loops + 1, place)
        copies[letter].steps.append(step)
        done[k], place = made[0], place + 1
    kinds += [kind for kind in copies.values() if kind.steps]
    return done


def _copier(letter: str) -> Kind:
    leaf = Trace().input(f"{letter}0")
    return Kind(Program.of([leaf], [f"{letter}0"]), letter)


def _made_twice(
    recorder: Recorder, kinds: list[Kind], outputs: Array, again: Array, done: Array
) -> set[int]:
    """The repeated results that their steps write twice: those of which every step of
    a kind has one, such as the other triangle of a symmetric matrix."""
    places = {int(outputs[k]): int(k) for k in again}
    if len(places) < len(again):
        return set()
    found: set[int] = set()
    for kind in kinds:
        for column in range(len(kind.program.outputs)):
            mine = [places.get(step.made[column]) for step in kind.steps]
            if not mine or None in mine:
                continue
            ends = kind.program.outputs
            kind.program = replace(kind.program, outputs=(*ends, ends[column]))
            for k, step in zip(mine, kind.steps, strict=True):
                (value,) = recorder.fresh(1)
                step.made = [*step.made, value]
                done[k] = value
                found.add(k)  # type: ignore[arg-type]
    return found


def _reduced(kind: Kind, constants: Array) -> Rolled:
    """The columns of all steps, those that are equal as one, constants folded."""
    steps = kind.steps
    values = np.array([s.values for s in steps], np.int64).reshape(len(steps), -1)
    made = np.array([s.made for s in steps], np.int64).reshape(len(steps), -1)
    places = np.array([s.place for s in steps], np.int64)
    loops = np.array([s.loop for s in steps], np.int64)
    program, columns, taken = kind.program, _Columns(len(steps)), _Columns(len(steps))
    trace = Trace()
    known: list[Number] = []
    for k, letter in enumerate(kind.leaves):
        if letter == "c":
            known.append(columns.number(constants[values[:, k] >> 2]))
        else:
            known.append(trace.input(f"m{taken.place(values[:, k])}"))
    return _folded(program, known, trace, columns, taken, made, places, loops)


class _Columns:
    """Columns of a table, each once."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.columns: list[Array] = []
        self._known: dict[bytes, int] = {}

    def place(self, column: Array) -> int:
        """Where this column is."""
        key = column.tobytes()
        if key not in self._known:
            self._known[key] = len(self.columns)
            self.columns.append(column)
        return self._known[key]

    def number(self, column: Array) -> Any:
        """One number where all rows agree, else the column."""
        same = column[0] if np.all(column == column[0]) else None
        return column if same is None else float(same)

    def array(self, kept: Sequence[int], kind: Any) -> Array:
        """The columns that are kept, side by side."""
        columns = [self.columns[k] for k in kept]
        return (
            np.array(columns, kind).T.copy()
            if columns
            else np.empty((self.length, 0), kind)
        )


def _folded(
    program: Program, leaves: list[Any], trace: Trace, columns: _Columns,
    taken: _Columns, made: Array, places: Array, loops: Array,
) -> Rolled:  # fmt: skip
    """The program on scalars and columns of constants, which compute among
    themselves."""
    known: list[Any] = []
    given = dict(zip(program.inputs, leaves, strict=True))

    def scalar(x: Any) -> Scalar:
        if isinstance(x, Scalar):
            return x
        if isinstance(x, np.ndarray):
            return trace.input(f"c{columns.place(x)}")
        return trace.constant(x)

    for op, args, value in zip(program.ops, program.args, program.values, strict=True):
        operands = [known[a] for a in args]
        if op == "input":
            known.append(given[value])
        elif op == "const":
            known.append(value)
        elif op in FOLDS and not any(isinstance(x, Scalar) for x in operands):
            with np.errstate(all="ignore"):
                known.append(columns.number(np.broadcast_to(
                    FOLDS[op](*operands), (columns.length,))))  # fmt: skip
        elif value is None:
            known.append(trace.apply(op, *map(scalar, operands)))
        else:
            known.append(trace.apply_with(op, tuple(map(scalar, operands)), value))
    ends = [scalar(known[k]) for k in program.outputs]
    names = [f"m{k}" for k in range(len(taken.columns))]
    names += [f"c{k}" for k in range(len(columns.columns))]
    return Rolled(
        Program.of(ends, names),
        columns.array(range(len(columns.columns)), float),
        taken.array(range(len(taken.columns)), np.int64),
        made, places, loops,
    )  # fmt: skip


FOLDS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
    "abs": abs,
    "div": lambda a, b: np.divide(a, b),
    "rcp": lambda a: np.divide(1.0, a),
    "sqrt": np.sqrt,
}
"""What is computed on constants; every one rounds as the machine does."""
