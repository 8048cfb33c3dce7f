"""Where a program is cut into functions, and where what crosses a cut is kept."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from knuckle.codegen.transpose import blocks
from knuckle.scalar.loops import AnyLoop
from knuckle.scalar.node import LOOPS
from knuckle.scalar.program import Program

CHUNK = 1000
"""Operations in one function: LLVM's time grows faster than the function."""


@dataclass(frozen=True)
class Store:
    """One block of neighbours of one output array, ready once its last value is."""

    array: int
    start: int
    nodes: tuple[int, ...]


@dataclass(frozen=True)
class Carry:
    """The end of a loop's step: the new value of everything that it carries.

    In a loop with a condition, `going` says in which lanes they count.
    """

    nodes: tuple[int, ...]
    going: int | None = None


@dataclass(frozen=True)
class Keep:
    """The end of a step that runs many times: what others take of it."""

    nodes: tuple[int, ...]


Item = int | Store | Carry | Keep


@dataclass(frozen=True)
class Plan:
    """Where the program is cut, the slots of the values that cross, and the plans of
    its loops."""

    chunks: list[list[Item]]
    home: dict[int, int]
    slot: dict[int, int]
    slots: int
    trig: dict[int, tuple[int, int]]
    constants: list[Item]
    loops: dict[int, Plan]

    @staticmethod
    def of(program: Program, sizes: Sequence[int], lanes: int) -> Plan:
        """The plan of a kernel whose outputs are arrays of these sizes."""
        items = _items(program, _stores(program, sizes, lanes))
        constants = [item for item in items if _is_constant(program, item)]
        items = [item for item in items if not _is_constant(program, item)]
        return _planned(program, items, constants)

    @staticmethod
    def of_kind(program: Program) -> Plan:
        """The plan of a step of a rolled program, whose outputs are kept at its
        end."""
        items = [*_items(program, {}), Keep(program.outputs)]
        return _planned(program, items, [])

    @staticmethod
    def of_step(loop: AnyLoop) -> Plan:
        """The plan of one step of a loop, which ends when all is carried on."""
        outputs, n = loop.body.outputs, loop.carried
        carry = Carry(outputs[:n], *outputs[n:])
        return _planned(loop.body, [*_items(loop.body, {}), carry], [])


def _planned(program: Program, items: list[Item], constants: list[Item]) -> Plan:
    chunks = _cut(program, items)
    last: dict[int, int] = {}
    for number, chunk in enumerate(chunks):
        for item in chunk:
            for a in _needs(program, item):
                last[a] = number
    loops = {
        k: Plan.of_step(program.values[k])
        for k, op in enumerate(program.ops)
        if op in LOOPS
    }
    home = {k: n for n, c in enumerate(chunks) for k in c if isinstance(k, int)}
    slot, slots = _slots(program, last, chunks, loops)
    return Plan(chunks, home, slot, slots, pairs(program), constants, loops)


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


def _items(program: Program, stores: Mapping[int, Sequence[Store]]) -> list[Item]:
    """Values, each followed by the stores that it completes; the angles' routines,
    which are calls, come first."""
    early = [
        k
        for k, op in enumerate(program.ops)
        if op in ("sin", "cos") and program.ops[program.args[k][0]] == "input"
    ]
    hoisted = set(early)
    items: list[Item] = list(early)
    for k, op in enumerate(program.ops):
        if op not in ("input", "const") and k not in hoisted:
            items.append(k)
        items.extend(stores.get(k, ()))
    return items


def _stores(
    program: Program, sizes: Sequence[int], lanes: int
) -> dict[int, list[Store]]:
    """The blocks of neighbours of the outputs, by the value that completes each."""
    found: dict[int, list[Store]] = {}
    base = 0
    for array, size in enumerate(sizes):
        for start, width in blocks(size, lanes):
            nodes = program.outputs[base + start : base + start + width]
            found.setdefault(max(nodes), []).append(Store(array, start, nodes))
        base += size
    return found


def _needs(program: Program, item: Item) -> tuple[int, ...]:
    """The values that an item reads; an entry of a table reads the index as well."""
    if isinstance(item, Carry):
        return item.nodes if item.going is None else (*item.nodes, item.going)
    if isinstance(item, Store | Keep):
        return item.nodes
    args = program.args[item]
    return args + program.args[args[0]][:1] if of_table(program, item) else args


def of_table(program: Program, k: int) -> bool:
    """Is this value an entry of a table?"""
    return program.ops[k] == "item" and program.ops[program.args[k][0]] == "lookup"


def _cut(program: Program, items: list[Item]) -> list[list[Item]]:
    """Pieces of about CHUNK operations, each cut where the fewest values are alive."""
    weight = [4 * len(i.nodes) if isinstance(i, Store) else 1 for i in items]
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
    last: dict[int, int],
    chunks: list[list[Item]],
    loops: dict[int, Plan],
) -> tuple[dict[int, int], int]:
    """State slots of crossing values, used again after the last chunk that reads them.

    A loop has a block to itself: its counter, what it carries and captures, and the
    slots of its step. A table has its entries that are no constants.
    """
    slot: dict[int, int] = {}
    free: list[int] = []
    expiring: dict[int, list[int]] = {}
    total = 0
    for number, chunk in enumerate(chunks):
        for item in chunk:
            if not isinstance(item, int):
                continue
            op = program.ops[item]
            if op in LOOPS:
                slot[item] = total
                total += 1 + len(program.args[item]) + loops[item].slots
            elif op == "lookup":
                slot[item] = total
                total += len(program.args[item]) - 1
            elif op == "item" and not of_table(program, item):
                continue
            elif last.get(item, -1) > number:
                if not free:
                    free.append(total)
                    total += 1
                slot[item] = free.pop()
                expiring.setdefault(last[item], []).append(slot[item])
        free.extend(expiring.get(number, ()))
    return slot, total
