"""Connectivity graphs and their spanning trees (Sec. 4.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from knuckle.model.errors import ModelError, near
from knuckle.model.tree import depth_first, depths


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
