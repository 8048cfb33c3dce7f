"""Few programs over tables of constants and addresses: what a rolled kernel runs."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from knuckle.scalar.passes import finished
from knuckle.scalar.program import Program

Array = np.ndarray[Any, Any]


class Rolled(NamedTuple):
    """A program and all steps that run it, a row each.

    The program's inputs are "c0", "c1" ... for the columns of `constants` and "m0",
    "m1" ... for those of `taken`; its outputs are the columns of `made`. Both count
    values: 4 n + SLOT for value n in memory, 4 n + INPUT for number n of the arguments.
    """

    program: Program
    constants: Array
    taken: Array
    made: Array
    places: Array
    loops: Array


@dataclass(frozen=True)
class RolledProgram:
    """Kinds of steps, the values that are returned, and how much there is of all."""

    kinds: tuple[Rolled, ...]
    outputs: Array
    inputs: tuple[str, ...]
    values: int

    def finished(self, fma: bool = True) -> RolledProgram:
        """With the rewrites that come before code is made."""
        kinds = (k._replace(program=finished(k.program, fma)) for k in self.kinds)
        return replace(self, kinds=tuple(kinds))

    def operations(self) -> dict[str, int]:
        """How many operations of each kind one evaluation takes."""
        counts: Counter[str] = Counter()
        for kind in self.kinds:
            for op, count in kind.program.operations().items():
                counts[op] += count * len(kind.places)
        return dict(sorted(counts.items()))

    def text(self) -> str:
        """Every kind of step, to read."""
        return "\n\n".join(
            f"{len(kind.places)} steps:\n{kind.program.text()}" for kind in self.kinds
        )

    def digest(self) -> str:
        """A hash of what is computed."""
        total = hashlib.sha256(repr((self.inputs, self.values)).encode())
        total.update(self.outputs.tobytes())
        for kind in self.kinds:
            total.update(kind.program.digest().encode())
            for array in kind[1:]:
                total.update(repr((array.shape, array.dtype)).encode())
                total.update(array.tobytes())
        return total.hexdigest()

    @property
    def parts(self) -> tuple[Program, ...]:
        """The programs of all kinds."""
        return tuple(kind.program for kind in self.kinds)

    @property
    def steps(self) -> int:
        """How many steps one evaluation takes."""
        return sum(len(kind.places) for kind in self.kinds)

    @property
    def repeats(self) -> bool:
        """Do most of the steps share their code with others?"""
        return 2 * sum(k.program.weight for k in self.kinds) <= self.weight

    @property
    def weight(self) -> int:
        """How many values one evaluation computes."""
        return sum(len(k.program.ops) * len(k.places) for k in self.kinds)
