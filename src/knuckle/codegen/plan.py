"""Where a program is cut into functions, and where what crosses a cut is kept."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from knuckle.codegen.transpose import blocks
from knuckle.scalar.node import SEVERAL
from knuckle.scalar.program import Program

CHUNK = 1000
"""Operations in one function: LLVM's time grows faster than the function."""


@dataclass(frozen=True)
class Store:
    """One block of neighbours of one output array, ready once its last value is."""

    array: int
    start: int
    nodes: tuple[int, ...]


Item = int | Store


@dataclass(frozen=True)
class Plan:
    """Where the program is cut, and the slots of the values that cross."""

    chunks: list[list[Item]]
    home: dict[int, int]
    slot: dict[int, int]
    slots: int
    starts: tuple[int, ...]
    trig: dict[int, tuple[int, int]]
    constants: list[Item]

    @staticmethod
    def of(program: Program, sizes: Sequence[int], lanes: int) -> Plan:
        items = _items(program, sizes, lanes)
        constants = [item for item in items if _is_constant(program, item)]
        items = [item for item in items if not _is_constant(program, item)]
        chunks = _cut(program, items)
        home, last = {}, {}
        for number, chunk in enumerate(chunks):
            for item in chunk:
                if isinstance(item, int):
                    home[item] = number
                for a in _needs(program, item):
                    last[a] = number
        slot, slots = _slots(program, home, last, chunks)
        starts = tuple(accumulate(sizes, initial=0))
        return Plan(chunks, home, slot, slots, starts, pairs(program), constants)


def _is_constant(program: Program, item: Item) -> bool:
    """A block of outputs that is the same in every row of every batch."""
    return isinstance(item, Store) and all(
        program.ops[k] == "const" for k in item.nodes
    )


def pairs(program: Program) -> dict[int, tuple[int, int]]:
    """Sine and cosine of one angle share their reduction: {either: (sine, cosine)}."""
    found: dict[int, dict[str, int]] = {}
    for k, op in enumerate(program.ops):
        if op in ("sin", "cos"):
            found.setdefault(program.args[k][0], {})[op] = k
    both = [(p["sin"], p["cos"]) for p in found.values() if len(p) == 2]
    return {k: pair for pair in both for k in pair}


def _items(program: Program, sizes: Sequence[int], lanes: int) -> list[Item]:
    """Values and stores in order; the angles' routines, which are calls, come first."""
    early = [
        k
        for k, op in enumerate(program.ops)
        if op in ("sin", "cos") and program.ops[program.args[k][0]] == "input"
    ]
    hoisted = set(early)
    stores: dict[int, list[Store]] = {}
    for array, start, width, base in _output_blocks(sizes, lanes):
        nodes = program.outputs[base + start : base + start + width]
        stores.setdefault(max(nodes), []).append(Store(array, start, nodes))
    items: list[Item] = list(early)
    for k, op in enumerate(program.ops):
        if op not in ("input", "const") and k not in hoisted:
            items.append(k)
        items.extend(stores.get(k, ()))
    return items


def _output_blocks(sizes: Sequence[int], lanes: int) -> list[tuple[int, int, int, int]]:
    found, base = [], 0
    for array, size in enumerate(sizes):
        found += [(array, start, width, base) for start, width in blocks(size, lanes)]
        base += size
    return found


def _needs(program: Program, item: Item) -> tuple[int, ...]:
    """The values that an item reads; an entry of a table reads the index as well."""
    if not isinstance(item, int):
        return item.nodes
    args = program.args[item]
    if program.ops[item] == "item" and program.ops[args[0]] == "lookup":
        return args + program.args[args[0]][:1]
    return args


def _cut(program: Program, items: list[Item]) -> list[list[Item]]:
    """Pieces of about CHUNK operations, each cut where the fewest values are alive."""
    weight = [1 if isinstance(i, int) else 4 * len(i.nodes) for i in items]
    total = sum(weight)
    if total <= 1.25 * CHUNK:
        return [items]
    alive = _alive(program, items)
    pieces = -(-total // CHUNK)
    reach = list(accumulate(weight))
    cuts, position = [0], 0
    for piece in range(1, pieces):
        low, high = total * (piece - 0.3) / pieces, total * (piece + 0.3) / pieces
        first = max(position, bisect_left(reach, low)) + 1
        window = range(first, min(bisect_left(reach, high) + 1, len(items)))
        if window:
            position = min(window, key=lambda k: alive[k])
            cuts.append(position)
    return [items[a:b] for a, b in zip(cuts, [*cuts[1:], len(items)], strict=True)]


def _alive(program: Program, items: list[Item]) -> list[int]:
    """How many values cross the border before each item."""
    born: dict[int, int] = {}
    last: dict[int, int] = {}
    for place, item in enumerate(items):
        if isinstance(item, int):
            born[item] = place
        for a in _needs(program, item):
            last[a] = place
    change = [0] * (len(items) + 1)
    for k, start in born.items():
        if k in last:
            change[start + 1] += 1
            change[last[k] + 1] -= 1
    return list(accumulate(change))


def _slots(
    program: Program,
    home: dict[int, int],
    last: dict[int, int],
    chunks: list[list[Item]],
) -> tuple[dict[int, int], int]:
    """State slots of crossing values, used again after the last chunk that reads
    them."""
    slot: dict[int, int] = {}
    free: list[int] = []
    expiring: dict[int, list[int]] = {}
    total = 0
    for number, chunk in enumerate(chunks):
        for item in chunk:
            if isinstance(item, int) and program.ops[item] in SEVERAL:
                slot[item] = total
                total += len(program.args[item]) - (program.ops[item] == "lookup")
            elif isinstance(item, int) and last.get(item, -1) > number:
                if not free:
                    free.append(total)
                    total += 1
                slot[item] = free.pop()
                expiring.setdefault(last[item], []).append(slot[item])
        free.extend(expiring.get(number, ()))
    return slot, total
