"""The derivative graph of a trace: its edges are the partial derivatives.

d(output i) / d(input j) is the sum over the paths from i down to j of the product of
the edges on them. Every edge knows the pairs (i, j) whose paths it lies on, as bits of
one whole number: the graphs of all pairs are kept, and cut, together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from knuckle.scalar.derive import partials
from knuckle.scalar.dstar.chains import ONE, Chain, Refused, Symbols
from knuckle.scalar.dstar.guards import literal
from knuckle.scalar.node import CONDITIONS, SEVERAL, Number, Scalar
from knuckle.scalar.rules import reciprocal

UP, DOWN = 0, 1
"""The sides of an edge: towards the outputs, towards the inputs."""

Links = list[list[tuple[int, Chain]]]
"""For each node the nodes right below it, each with the factor in between."""


Choice = tuple[Any, Scalar, Scalar]


class Edge:
    """One factor of the paths of some pairs; ends = (upper node, lower node)."""

    __slots__ = ("ends", "chain", "pairs")

    def __init__(self, ends: tuple[int, int], chain: Chain, pairs: int) -> None:
        self.ends, self.chain, self.pairs = ends, chain, pairs


class Graph:
    """Nodes are numbered upwards: the upper end of an edge has the larger number.

    `at[side][v]` are the edges that leave v on that side; `ended[side][v]` the pairs
    that end there. Pair (i, j) is bit i * width + j.
    """

    def __init__(
        self, links: Links, outputs: Sequence[int], inputs: Sequence[int]
    ) -> None:
        self.width = len(inputs)
        self.pairs = len(outputs) * len(inputs)
        self.inputs = [v for v in inputs if v >= 0]
        below, above = _below(links, inputs), _above(links, outputs, self.width)
        self.size = sum(1 for a, b in zip(above, below, strict=True) if a and b)
        self.at: tuple[list[list[Edge]], ...] = tuple([[] for _ in links] for _ in "ud")
        self.ended = [0] * len(links), [0] * len(links)
        for upper, found in enumerate(links):
            for lower, chain in found:
                if above[upper] and below[lower]:
                    self.insert((upper, lower), chain, above[upper] * below[lower])
        for i, v in enumerate(outputs):
            self.ended[UP][v] |= below[v] << i * self.width
        for j, v in enumerate(inputs):
            if v >= 0:
                self.ended[DOWN][v] |= above[v] << j

    def insert(self, ends: tuple[int, int], chain: Chain, pairs: int) -> None:
        """A new edge, or more pairs for an equal one."""
        for edge in self.at[DOWN][ends[UP]]:
            if edge.ends == ends and edge.chain == chain:
                edge.pairs |= pairs
                return
        edge = Edge(ends, chain, pairs)
        self.at[DOWN][ends[UP]].append(edge)
        self.at[UP][ends[DOWN]].append(edge)

    def drop_empty(self, nodes: Sequence[int]) -> None:
        """Forget the edges at these nodes that no path uses any more."""
        for v in nodes:
            for side in (UP, DOWN):
                for edge in self.at[side][v]:
                    if not edge.pairs:
                        self.at[1 - side][edge.ends[side]].remove(edge)
                self.at[side][v] = [e for e in self.at[side][v] if e.pairs]

    def branching(self, v: int, side: int) -> int:
        """The pairs that leave v on this side along more than one edge."""
        once = twice = 0
        for edge in self.at[side][v]:
            twice |= once & edge.pairs
            once |= edge.pairs
        return twice

    def passing(self, v: int, side: int) -> int:
        """The pairs that leave v on this side."""
        total = 0
        for edge in self.at[side][v]:
            total |= edge.pairs
        return total


def _below(links: Links, inputs: Sequence[int]) -> list[int]:
    """The inputs that each node depends on, as bits."""
    below = [0] * len(links)
    for j, v in enumerate(inputs):
        if v >= 0:
            below[v] |= 1 << j
    for upper, found in enumerate(links):
        for lower, _ in found:
            below[upper] |= below[lower]
    return below


def _above(links: Links, outputs: Sequence[int], width: int) -> list[int]:
    """The outputs that depend on each node: bit i * width."""
    above = [0] * len(links)
    for i, v in enumerate(outputs):
        above[v] |= 1 << i * width
    for upper in range(len(links) - 1, -1, -1):
        for lower, _ in links[upper]:
            above[lower] |= above[upper]
    return above


def read(
    symbols: Symbols, outputs: Sequence[Scalar], inputs: Sequence[Scalar]
) -> tuple[Links, dict[int, int]]:
    """What lies between outputs and inputs, and the number of every node that moves."""
    leaves = {x.index for x in inputs}
    links: Links = []
    places: dict[int, int] = {}
    for node in between(outputs, leaves):
        if node.index in leaves:
            found = []
        elif node.op in CONDITIONS or not any(a.index in places for a in node.args):
            continue
        else:
            found = _links(symbols, node, places, links)
        places[node.index] = len(links)
        links.append(found)
    return links, places


def between(outputs: Sequence[Scalar], leaves: set[int]) -> list[Scalar]:
    """The nodes that the outputs need, without what lies before the leaves."""
    needed: dict[int, Scalar] = {}
    stack = list(outputs)
    while stack:
        node = stack.pop()
        if node.index not in needed:
            needed[node.index] = node
            if node.index not in leaves:
                stack.extend(node.args)
    return [needed[k] for k in sorted(needed)]


def _links(
    symbols: Symbols, node: Scalar, places: dict[int, int], links: Links
) -> list[tuple[int, Chain]]:
    """The edges down from a node; equal ends add up."""
    if node.op in (*SEVERAL, "item"):
        raise Refused("D*: a loop lies between inputs and outputs")
    if node.op in CHOICES:
        condition, x, y = CHOICES[node.op](node)
        return [
            (places[a.index], symbols.chain_under(literal(condition, holds)))
            for a, holds in ((x, True), (y, False))
            if a.index in places
        ]
    if node.op == "div" and all(a.index in places for a in node.args):
        return [(_quotient(symbols, node, places, links), _inverse(symbols, node))]
    weights: dict[int, Number] = {}
    for a, partial in zip(node.args, partials(node), strict=True):
        if a.index in places:
            weights[a.index] = weights.get(a.index, 0.0) + partial
    found = [(places[k], symbols.chain_of(w)) for k, w in weights.items()]
    return [(lower, chain) for lower, chain in found if chain.number]


def _quotient(
    symbols: Symbols, node: Scalar, places: dict[int, int], links: Links
) -> int:
    """A node of its own for dx - (x / y) dy, which d(x / y) is 1 / y times."""
    x, y = node.args
    slope = Chain(-1.0).then(symbols.chain_of(node))
    links.append([(places[x.index], ONE), (places[y.index], slope)])
    return len(links) - 1


def _inverse(symbols: Symbols, node: Scalar) -> Chain:
    return symbols.chain_of(reciprocal(node.args[1]))


def _of_where(node: Scalar) -> Choice:
    condition, x, y = node.args
    return condition, x, y


def _of_min(node: Scalar) -> Choice:
    x, y = node.args
    return x <= y, x, y


def _of_max(node: Scalar) -> Choice:
    x, y = node.args
    return y <= x, x, y


CHOICES: dict[str, Callable[[Scalar], Choice]] = {
    "where": _of_where,
    "min": _of_min,
    "max": _of_max,
}
"""(condition, taken where it holds, taken where not) of the primitives that choose."""
