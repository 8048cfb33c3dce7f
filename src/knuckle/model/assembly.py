"""How a tree is put together in O(log n) steps one after the other (Sec. 7.5).

From every body one goes on to its heaviest child: these paths are cut in two where the
bodies before and behind are as many, and again, down to runs of one body or a few.
What hangs on a path at the side is put together by itself and added to the body that
carries it. So a step that has w of n bodies below it is at most some 2 log2(n / w)
steps away from the last one.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, count
from typing import Any

import numpy as np

from knuckle.model.bodies import World
from knuckle.model.layout import PerBody, Position
from knuckle.model.view import View
from knuckle.spatial import LDL, articulated

GRAIN = 4
"""How many bodies in a row make a run, where nothing forbids to cut between them.

In a chain of 64 hinges 1 gives 207 k operations of which 744 wait for one another, 2
174 k and 709, 4 112 k and 655; articulated bodies take 24 k and 2000.
"""


@dataclass(frozen=True, eq=False)
class Run:
    """Bodies in a row, the first one first, and what each carries at its sides."""

    bodies: tuple[Any, ...]
    sides: tuple[Part | None, ...]


@dataclass(frozen=True, eq=False)
class Joined:
    """Two parts of one path: the last body of the upper one carries the lower one."""

    upper: Part
    lower: Part


@dataclass(frozen=True, eq=False)
class Beside:
    """Two parts that stand on the same body."""

    one: Part
    other: Part


Part = Run | Joined | Beside


def assembly(view: Any) -> list[Part]:
    """One part for each body that stands on the world: all that it carries."""
    weight = dict.fromkeys(view.bodies, 1)
    for i in reversed(view.bodies):
        if not isinstance(i.parent, World):
            weight[i.parent] += weight[i]
    next_of = {i: max(i.children, key=weight.__getitem__, default=None) for i in weight}
    starts = [i for i in view.bodies if next_of.get(i.parent) is not i]
    regular, whole = regularity(view), dict[Any, Part]()
    for start in reversed(starts):
        path = [start]
        while next_of[path[-1]]:
            path.append(next_of[path[-1]])
        runs, sizes = [], []
        for run in _runs(path, regular):
            light = [[j for j in i.children if j is not next_of[i]] for i in run]
            sides = [_beside([(weight[j], whole[j]) for j in js]) for js in light]
            runs.append(Run(tuple(run), tuple(sides)))
            sizes.append(len(run) + sum(weight[j] for js in light for j in js))
        whole[start] = _halved(runs, sizes)
    return [whole[i] for i in starts if isinstance(i.parent, World)]


def _halved(runs: Sequence[Run], sizes: Sequence[int]) -> Part:
    """The runs joined, each cut where both of its sides weigh as alike as they can."""
    if len(runs) == 1:
        return runs[0]
    before = list(accumulate(sizes))[:-1]
    total = sum(sizes)
    cut = 1 + min(range(len(before)), key=lambda k: max(before[k], total - before[k]))
    upper, lower = (_halved(runs[s], sizes[s]) for s in (slice(cut), slice(cut, None)))
    return Joined(upper, lower)


def _beside(parts: Sequence[tuple[int, Part]]) -> Part | None:
    """The parts in pairs, the lightest first (Huffman), so that none lies deep."""
    tick = count()
    heap = [(size, next(tick), part) for size, part in parts]
    heapq.heapify(heap)
    while len(heap) > 1:
        a, _, one = heapq.heappop(heap)
        b, _, other = heapq.heappop(heap)
        heapq.heappush(heap, (a + b, next(tick), Beside(one, other)))
    return heap[0][2] if heap else None


def _runs(path: Sequence[Any], regular: Regularity) -> list[list[Any]]:
    """Cut behind a body that can be alone, or behind one that moves whatever it is
    behind: a body without mass needs one that has it in its run."""
    runs: list[list[Any]] = []
    run: list[Any] = []
    for i in path:
        run.append(i)
        settled = i in regular.full or all(j in regular.alone for j in run)
        if settled and len(run) >= GRAIN:
            runs.append(run)
            run = []
    return [*runs, run] if run else runs


@dataclass(frozen=True)
class Regularity:
    """The bodies whose inertia is positive definite, and those for which S^T I S and
    the rotors are, whatever q: known of the model's constants, not of parameters."""

    full: frozenset[Any]
    alone: frozenset[Any]


def regularity(view: Any) -> Regularity:
    """What the constants of the model say; a mass that is a parameter counts as is."""
    plain = View(view.model, None, 0.0, flat=view.flat)
    full, alone = set(), set()
    for i, known in zip(view.bodies, plain.bodies, strict=True):
        if definite(known.inertia.matrix()):
            full.add(i)
        if i in full or _moved_alone(known):
            alone.add(i)
    return Regularity(frozenset(full), frozenset(alone))


def floppy(view: Any) -> frozenset[Any]:
    """The bodies whose I^A has no inverse, in a position like any other.

    Such as one without mass that carries a hinge: what turns about it needs no force.
    """
    plain = View(view.model, None, 0.3, flat=view.flat)
    q = Position(view.model.random(np.random.default_rng(0)).tolist())
    IA, found = PerBody(), set()
    for i, known in zip(reversed(view.bodies), reversed(plain.bodies), strict=True):
        IA[known] += articulated(known.inertia)
        if not definite(IA[known].matrix()):
            found.add(i)
        S = known.joint.subspace(q[known])
        U = IA[known] @ S
        D = LDL(known.joint.with_rotor(S.T @ U))
        Ia = IA[known] - U @ D.inv @ U.T
        IA[known.parent] += known.joint.transform(q[known]).T @ Ia
    return frozenset(found)


def _moved_alone(i: Any) -> bool:
    """Is S^T I S + rotors regular? Only where S is constant can that be said."""
    joint = i.joint.model
    columns = joint.motions.subspace
    ends = columns.outputs[: 6 * joint.nv]
    if any(columns.ops[k] != "const" for k in ends):
        return False
    S = i.joint.subspace(joint.neutral)
    return definite(i.joint.with_rotor(S.T @ (i.inertia @ S)))


def definite(H: Sequence[Sequence[float]]) -> bool:
    """Positive definite to nine digits, each row and column in its own unit."""
    A = np.array(H, float).reshape(len(H), len(H))
    d = np.diag(A)
    if not (np.isfinite(A).all() and np.all(d > 0.0)):
        return False
    return bool(np.linalg.eigvalsh(A / np.sqrt(np.outer(d, d))).min(initial=1) > 1e-9)
