"""Connectivity: spanning trees, regular numberings, the sets of a tree (Sec. 4.1).

A parent array lists, for nodes 0 ... n - 1, the parent's number, with -1 for the
base: the book's lambda less one. Every walk is iterative: trees may be any depth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import factorial, prod
from typing import NamedTuple

from knuckle.model.errors import ModelError, near

Parents = Sequence[int]


class Arc(NamedTuple):
    """A joint of the connectivity graph: its polarity is predecessor to successor."""

    name: str
    predecessor: str
    successor: str


@dataclass(frozen=True)
class SpanningTree:
    """A spanning tree, regularly numbered, and its chords (the loop joints).

    Node i is `nodes[i]`, reached from `parents[i]` through `joints[i]`. `backward[i]`
    says that this joint's successor is the parent: the tree needs `Reversed(joint)`.
    """

    nodes: tuple[str, ...]
    parents: tuple[int, ...]
    joints: tuple[Arc, ...]
    loops: tuple[Arc, ...]

    @property
    def backward(self) -> tuple[bool, ...]:
        """Which tree joints point towards the base (reverse joints, Sec. 4.1.3)."""
        pairs = zip(self.nodes, self.joints, strict=True)
        return tuple(arc.successor != node for node, arc in pairs)

    @property
    def depth(self) -> int:
        """The largest number of joints between a node and the base."""
        return max(depths(self.parents), default=0)


def spanning_tree(
    bodies: Sequence[str],
    joints: Sequence[tuple[str, str, str]],
    base: str = "world",
    tree: Sequence[str] | None = None,
) -> SpanningTree:
    """A spanning tree of least depth with N_L = N_J - N_B chords (4.1), depth-first.

    `joints` are (name, predecessor, successor); `tree` names the tree joints to take
    instead. Among equals the joint that is declared first wins.
    """
    arcs = _arcs(bodies, joints, base)
    usable = arcs
    if tree is not None:
        names = [arc.name for arc in arcs]
        for name in tree:
            if name not in names:
                hint = near(name, names, "joints")
                raise ModelError(f"tree joint {name!r}: no such joint; {hint}")
        usable = [arc for arc in arcs if arc.name in set(tree)]
    reached = _breadth_first(usable, base)
    lost = [b for b in bodies if b not in reached]
    if lost:
        raise ModelError(
            f"body {lost[0]!r}: no path of joints leads to {base!r} (bodies cut off: "
            f"{', '.join(lost)}); add a joint, a free joint if the body floats"
        )
    if tree is not None and len(usable) > len(bodies):
        raise ModelError(
            f"tree={list(tree)!r}: {len(usable)} joints for {len(bodies)} bodies close "
            "a loop; leave out one joint of every loop"
        )
    return _tree_of(bodies, arcs, reached)


def spanning_trees(
    bodies: Sequence[str],
    joints: Sequence[tuple[str, str, str]],
    base: str = "world",
) -> Iterator[SpanningTree]:
    """Every spanning tree; their number grows exponentially, meant for small graphs."""
    arcs = _arcs(bodies, joints, base)
    for chosen in combinations(arcs, len(bodies)):
        reached = _breadth_first(list(chosen), base)
        if len(reached) == len(bodies):
            yield _tree_of(bodies, arcs, reached)


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


def _arcs(
    bodies: Sequence[str], joints: Sequence[tuple[str, str, str]], base: str
) -> list[Arc]:
    arcs = [Arc(*j) for j in joints]
    known = {base, *bodies}
    if len(known) != len(bodies) + 1:
        raise ModelError(f"bodies {list(bodies)!r}: a name occurs twice or is {base!r}")
    if len({arc.name for arc in arcs}) != len(arcs):
        raise ModelError("joints: a name occurs twice; give every joint its own")
    for arc in arcs:
        for end in arc[1:]:
            if end not in known:
                raise ModelError(
                    f"joint {arc.name!r}: no body is called {end!r}; "
                    + near(end, known, "bodies")
                )
    return arcs


def _breadth_first(arcs: Sequence[Arc], base: str) -> dict[str, tuple[str, Arc]]:
    """node -> (its parent, the joint between), by least depth."""
    at: dict[str, list[tuple[str, Arc]]] = {}
    for arc in arcs:
        at.setdefault(arc.predecessor, []).append((arc.successor, arc))
        at.setdefault(arc.successor, []).append((arc.predecessor, arc))
    reached: dict[str, tuple[str, Arc]] = {}
    level = [base]
    while level:
        following = []
        for node in level:
            for other, arc in at.get(node, ()):
                if other != base and other not in reached:
                    reached[other] = (node, arc)
                    following.append(other)
        level = following
    return reached


def _tree_of(
    bodies: Sequence[str], arcs: Sequence[Arc], reached: dict[str, tuple[str, Arc]]
) -> SpanningTree:
    place = {b: i for i, b in enumerate(bodies)}
    parents = [place.get(reached[b][0], -1) for b in bodies]
    order = depth_first(parents)
    number = {old: new for new, old in enumerate(order)} | {-1: -1}
    nodes = tuple(bodies[i] for i in order)
    taken = {arc.name for _, arc in reached.values()}
    return SpanningTree(
        nodes,
        tuple(number[parents[i]] for i in order),
        tuple(reached[b][1] for b in nodes),
        tuple(arc for arc in arcs if arc.name not in taken),
    )
