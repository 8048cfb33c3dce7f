"""Trees as parent arrays: regular numberings, the sets of a node (Sec. 4.1, 6.5).

A parent array lists, for nodes 0 ... n - 1, the parent's number, with -1 for the base:
the book's lambda less one. Every walk is iterative: trees may have any depth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import factorial, prod

from knuckle.model.errors import ModelError

Parents = Sequence[int]


def regular_numberings(parents: Parents, loops: int = 0) -> int:
    """How many regular numberings a tree has: n! / prod_i |nu(i)|, times N_L!.

    Sec. 4.1.2: any order in which every node comes after its parent, and any order of
    the N_L chords; an unbranched tree has one.
    """
    sizes = [1] * len(parents)
    for i in reversed(depth_first(parents)):
        if parents[i] >= 0:
            sizes[parents[i]] += sizes[i]
    return factorial(len(parents)) // prod(sizes) * factorial(loops)


def regular_orders(parents: Parents) -> Iterator[tuple[int, ...]]:
    """Every order in which parents come before their children; for small trees."""
    stack: list[tuple[int, ...]] = [()]
    while stack:
        order = stack.pop()
        if len(order) == len(parents):
            yield order
        done = {-1, *order}
        ready = [i for i, p in enumerate(parents) if i not in done and p in done]
        stack.extend((*order, i) for i in reversed(ready))


def depth_first(parents: Parents) -> tuple[int, ...]:
    """The regular numbering depth-first, children in order of declaration."""
    below = children(parents)
    order: list[int] = []
    stack = [i for i in reversed(range(len(parents))) if parents[i] < 0]
    while stack:
        i = stack.pop()
        order.append(i)
        stack.extend(reversed(below[i]))
    return tuple(order)


def cycle(parents: Parents) -> tuple[int, ...]:
    """The nodes of a cycle of the parent relation, in order; empty if there is none."""
    safe: set[int] = {-1}
    for start in range(len(parents)):
        path: dict[int, None] = {}
        i = start
        while i not in safe and i not in path:
            path[i] = None
            i = parents[i]
        if i in path:
            nodes = list(path)
            return tuple(nodes[nodes.index(i) :])
        safe.update(path)
    return ()


def depths(parents: Parents) -> tuple[int, ...]:
    """|kappa(i)|: the number of tree joints between node i and the base."""
    depth = [0] * len(parents)
    for i in depth_first(parents):
        depth[i] = 1 + (depth[parents[i]] if parents[i] >= 0 else 0)
    return tuple(depth)


def support(parents: Parents, i: int) -> tuple[int, ...]:
    """kappa(i): the nodes from the base to i, i last (Sec. 4.1.4)."""
    path = []
    while i >= 0:
        path.append(i)
        i = parents[i]
    return tuple(reversed(path))


def children(parents: Parents) -> tuple[tuple[int, ...], ...]:
    """mu(i) of every node i: the nodes whose parent is i."""
    below: list[list[int]] = [[] for _ in parents]
    for i, p in enumerate(parents):
        if p >= 0:
            below[p].append(i)
    return tuple(tuple(b) for b in below)


def subtree(parents: Parents, i: int) -> tuple[int, ...]:
    """nu(i): i and every node that i carries (Sec. 4.1.4)."""
    below, found, stack = children(parents), [], [i]
    while stack:
        k = stack.pop()
        found.append(k)
        stack.extend(below[k])
    return tuple(sorted(found))


def expanded_parents(
    parents: Parents, freedoms: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """lambda' and the map i -> last velocity of node i (Sec. 6.5).

    A joint of k freedoms becomes a chain of k one-freedom joints; a node without any
    stands for its parent. Velocities are numbered in the order of the nodes given,
    which must be regular (parents first).
    """
    last: list[int] = []
    expanded: list[int] = []
    for i, (p, k) in enumerate(zip(parents, freedoms, strict=True)):
        if p >= i:
            raise ModelError(
                f"node {i}: its parent {p} comes later; renumber regularly"
            )
        before = last[p] if p >= 0 else -1
        for _ in range(k):
            expanded.append(before)
            before = len(expanded) - 1
        last.append(before)
    return tuple(expanded), tuple(last)


def depth_sums(parents: Parents) -> tuple[int, int]:
    """D1 = sum (d_i - 1) and D2 = sum d_i (d_i - 1) / 2, d_i = |kappa(i)| (Sec. 6.5).

    LTL costs n square roots, D1 divisions and D2 (m + a); H has n + 2 D1 entries that
    are not zero. Take the expanded parent array when joints have several freedoms.
    """
    d = depths(parents)
    return sum(k - 1 for k in d), sum(k * (k - 1) // 2 for k in d)
