"""Of the steps of a rolled program, what some step or the caller takes."""

from __future__ import annotations

import numpy as np

from knuckle.scalar.program import Program
from knuckle.scalar.rolled import Array, Rolled
from knuckle.scalar.segments import SLOT


def needed(kinds: list[Rolled], outputs: Array, total: int) -> tuple[Rolled, ...]:
    """The kinds with those outputs that some step or the caller takes."""
    producer = np.full(total, -1, np.int64)
    widths = np.cumsum([0] + [k.made.shape[1] for k in kinds])
    for n, kind in enumerate(kinds):
        producer[kind.made >> 2] = widths[n] + np.arange(kind.made.shape[1])
    uses = [_uses(kind) for kind in kinds]
    sources = [
        [
            np.unique(producer[column[column & 3 == SLOT] >> 2])
            for column in kind.taken.T
        ]
        for kind in kinds
    ]
    live = np.zeros(widths[-1], bool)
    stack = list(np.unique(producer[outputs[outputs & 3 == SLOT] >> 2]))
    while stack:
        code = stack.pop()
        if live[code]:
            continue
        live[code] = True
        n = int(np.searchsorted(widths, code, "right")) - 1
        for leaf in uses[n][code - widths[n]]:
            stack.extend(x for x in sources[n][leaf] if not live[x])
    kept = [
        _kept(kind, np.flatnonzero(live[widths[n] : widths[n + 1]]))
        for n, kind in enumerate(kinds)
    ]
    return _numbered([kind for kind in kept if kind.made.shape[1]])


def _producers(producer: Array, column: Array) -> Array:
    """The outputs of kinds of steps that these values come from."""
    return np.unique(producer[column[column & 3 == SLOT] >> 2])


def _numbered(kinds: list[Rolled]) -> tuple[Rolled, ...]:
    """The steps that are left, numbered in their order."""
    left = np.sort(np.concatenate([np.empty(0, int), *(k.places for k in kinds)]))
    return tuple(k._replace(places=np.searchsorted(left, k.places)) for k in kinds)


def _uses(kind: Rolled) -> list[set[int]]:
    """For each output the columns of `taken` that it depends on."""
    program, found = kind.program, []
    for end in program.outputs:
        seen, stack, leaves = set(), [end], set()
        while stack:
            k = stack.pop()
            if k in seen:
                continue
            seen.add(k)
            if program.ops[k] == "input" and program.values[k][0] == "m":
                leaves.add(int(program.values[k][1:]))
            stack.extend(program.args[k])
        found.append(leaves)
    return found


def _kept(kind: Rolled, outputs: Array) -> Rolled:
    """The kind with these outputs alone, and the columns that they need."""
    program = kind.program
    needed, stack = set(), [program.outputs[k] for k in outputs]
    while stack:
        k = stack.pop()
        if k not in needed:
            needed.add(k)
            stack.extend(program.args[k])
    order = sorted(needed)
    place = {k: n for n, k in enumerate(order)}
    used = {program.values[k] for k in order if program.ops[k] == "input"}
    taken = [k for k in range(kind.taken.shape[1]) if f"m{k}" in used]
    constants = [k for k in range(kind.constants.shape[1]) if f"c{k}" in used]
    names = {f"m{k}": f"m{n}" for n, k in enumerate(taken)}
    names |= {f"c{k}": f"c{n}" for n, k in enumerate(constants)}
    small = Program(
        tuple(program.ops[k] for k in order),
        tuple(tuple(place[a] for a in program.args[k]) for k in order),
        tuple(names[program.values[k]] if program.ops[k] == "input"
              else program.values[k] for k in order),
        tuple(place[program.outputs[k]] for k in outputs),
        tuple(names.values()),
    )  # fmt: skip
    return Rolled(
        small, kind.constants[:, constants], kind.taken[:, taken],
        kind.made[:, outputs], kind.places, kind.loops,
    )  # fmt: skip
