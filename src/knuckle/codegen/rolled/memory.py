"""Where the values of a rolled program live: in vectors from the start of a tile.

Arguments come first, results next; then the values that cross from step to step. What
a step makes lies in a block for each loop that is the last to take some of it; a block
is used again after the last step that reads it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from knuckle.scalar.rolled import Array, RolledProgram
from knuckle.scalar.segments import INPUT, SLOT


class Memory:
    """The address of every value, in vectors, and how many there are."""

    def __init__(self, program: RolledProgram) -> None:
        inputs, outputs = len(program.inputs), len(program.outputs)
        self._addresses = np.full(program.values, -1, np.int64)
        made = program.outputs & 3 == SLOT
        places = inputs + np.flatnonzero(made)
        self._addresses[program.outputs[made] >> 2] = places
        self.size = inputs + outputs
        last = _last_uses(program)
        loops = np.empty(program.steps, np.int64)
        for kind in program.kinds:
            loops[kind.places] = kind.loops
        blocks: list[tuple[int, int, Any]] = []
        for kind in program.kinds:
            blocks += self._blocks(kind.made >> 2, kind.places, last, loops)
        self._allocate(sorted(blocks, key=lambda b: b[0]))

    def of(self, values: Array) -> Array:
        """Addresses of values."""
        numbers = values >> 2
        slots = np.where(values & 3 == SLOT, numbers, 0)
        return np.where(values & 3 == INPUT, numbers, self._addresses[slots])

    def _blocks(
        self, made: Array, places: Array, last: Array, loops: Array
    ) -> list[tuple[int, int, Array]]:
        """(step, last use, values) of the blocks of one kind."""
        groups: dict[int, list[Array]] = defaultdict(list)
        for column in made.T:
            if np.any(self._addresses[column] < 0):
                groups[int(np.max(loops[last[column]]))].append(column)
        found = []
        for columns in groups.values():
            values = np.array(columns).T
            uses = last[values].max(axis=1)
            found += list(zip(places.tolist(), uses.tolist(), values, strict=True))
        return found

    def _allocate(self, blocks: list[tuple[int, int, Array]]) -> None:
        """Gives each block, in the order of the steps, what is free by then."""
        room = _Room(self.size)
        pieces: list[tuple[Array, int]] = []
        for place, last, values in blocks:
            room.advance(place)
            while len(values):
                start, size = room.taken(len(values), max(last, place + 1))
                pieces.append((values[:size], start))
                values = values[size:]
        self.size = room.size
        for values, start in pieces:
            places = np.arange(start, start + len(values))
            mine = self._addresses[values] < 0
            self._addresses[values[mine]] = places[mine]


class _Room:
    """Blocks in use and free blocks by size."""

    def __init__(self, size: int) -> None:
        self.size, self._done = size, -1
        self._free: dict[int, list[int]] = defaultdict(list)
        self._ending: dict[int, list[tuple[int, int]]] = defaultdict(list)

    def advance(self, place: int) -> None:
        """Frees what no step from here on takes."""
        while self._done < place:
            self._done += 1
            for size, start in self._ending.pop(self._done, ()):
                self._free[size].append(start)

    def taken(self, wanted: int, last: int) -> tuple[int, int]:
        """(start, size) of a block until step `last`: of the size wanted, or a free one
        of at least half of it."""
        size = next((k for k in range(wanted, wanted // 2, -1) if self._free[k]), 0)
        if size:
            start = self._free[size].pop()
        else:
            size, start, self.size = wanted, self.size, self.size + wanted
        self._ending[last].append((size, start))
        return start, size


def _last_uses(program: RolledProgram) -> Array:
    """The last step that takes each value; its own where none does."""
    last = np.zeros(program.values, np.int64)
    for kind in program.kinds:
        last[kind.made >> 2] = kind.places[:, None]
    for kind in program.kinds:
        for column in kind.taken.T:
            slots = column & 3 == SLOT
            np.maximum.at(last, column[slots] >> 2, kind.places[slots])
    return last
