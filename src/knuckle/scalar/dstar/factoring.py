"""Factoring: what lies between a node and its dominator becomes one edge.

On the way from an output, a node that is reached along several edges has an immediate
dominator: the last node that all those paths share. The paths between the two are a
factor of the derivatives of all pairs for which this holds; so are, on the way from an
input, those between a node and its immediate post-dominator. The factor that the most
pairs have is replaced first. In the end every pair has one path.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from knuckle.scalar.dstar.chains import ONE, Chain, Symbols
from knuckle.scalar.dstar.graph import DOWN, UP, Edge, Graph

Found = list[tuple[Edge, int]]
"""Edges of a factor, each with the pairs for which it is part of it."""


def factor(
    graph: Graph, symbols: Symbols, sides: Sequence[int], arms_first: bool
) -> None:
    """Replace factors, the commonest first, until every pair has one path.

    Those at dominators (UP), at post-dominators (DOWN), or both. `arms_first`: what
    lies below a choice is worked out down to the inputs before anything else.
    """
    factoring = _Factoring(graph, symbols, sides)
    if arms_first:
        factoring.close_arms()
    factoring.find()
    factoring.run()


class _Factoring:
    def __init__(self, graph: Graph, symbols: Symbols, sides: Sequence[int]) -> None:
        self.graph, self.symbols, self.sides = graph, symbols, sides
        self.heap: list[tuple[int, int, int, int]] = []
        self.nodes = range(len(graph.at[UP]))
        self.dominators: tuple[list[list[tuple[int, int]]], ...] = (
            [[] for _ in self.nodes],
            [[] for _ in self.nodes],
        )

    def find(self) -> None:
        """The immediate dominators of every node, and the factors that they make."""
        for side in self.sides:
            for v in reversed(self.nodes) if side == UP else self.nodes:
                self._dominate(v, self.graph.passing(v, side), side)

    def close_arms(self) -> None:
        """One edge, guarded inside, from each choice to each input, from the lowest.

        No guard is left then that a later factor would have to carry.
        """
        graph, guards = self.graph, self.symbols.guards
        for v, below in enumerate(graph.at[DOWN]):
            guarded = any(k in guards for edge in below for k in edge.chain.factors)
            for x in graph.inputs if guarded else ():
                pairs = graph.passing(v, DOWN) & graph.ended[DOWN][x]
                if pairs:
                    found, inner = self._walk(v, x, pairs, DOWN)
                    found.reverse()
                    chain = self._evaluate(found, pairs, x, v, UP)
                    edges = [(self.symbols.chain_sum([chain]), pairs)]
                    self._cut(v, x, DOWN, pairs, inner, edges)

    def run(self) -> None:
        while self.heap:
            count, _, upper, lower = heapq.heappop(self.heap)
            pairs = self._pairs(upper, lower)
            if pairs and pairs.bit_count() == -count:
                for side in self.sides:
                    ends = (lower, upper) if side == UP else (upper, lower)
                    self._replace(*ends, side)
            elif pairs:
                self._propose(upper, lower)

    def _pairs(self, upper: int, lower: int) -> int:
        """The pairs of which the paths between two nodes are a factor."""
        return self._dominated(lower, upper, UP) | self._dominated(upper, lower, DOWN)

    def _dominated(self, v: int, u: int, side: int) -> int:
        """The pairs that branch at v and meet first at u."""
        for other, pairs in self.dominators[side][v]:
            if other == u:
                return pairs & self.graph.branching(v, side)
        return 0

    def _propose(self, upper: int, lower: int) -> None:
        count = self._pairs(upper, lower).bit_count()
        if count:
            heapq.heappush(self.heap, (-count, upper - lower, upper, lower))

    def _dominate(self, v: int, pairs: int, side: int) -> None:
        """Find the immediate dominator of v anew, of these pairs, on this side."""
        kept = [(u, m & ~pairs) for u, m in self.dominators[side][v]]
        found = {u: m for u, m in kept if m}
        for u, m in self._meet(v, pairs, side):
            found[u] = found.get(u, 0) | m
        self.dominators[side][v] = sorted(found.items())
        for u in found:
            self._propose(*((u, v) if side == UP else (v, u)))

    def _meet(self, v: int, pairs: int, side: int) -> Iterator[tuple[int, int]]:
        """Where the paths that leave v meet again, each pair's.

        The node of the front that is nearest to v gives way to its own dominator, until
        a pair has one node left.
        """
        front: dict[int, int] = {}
        tally = _Tally()
        heap: list[int] = []
        arriving = [(e.ends[side], e.pairs & pairs) for e in self.graph.at[side][v]]
        while True:
            self.symbols.spend(1 + len(arriving))
            for u, m in arriving:
                if u not in front:
                    heapq.heappush(heap, _rank(u, side))
                new = m & ~front.get(u, 0)
                front[u] = front.get(u, 0) | new
                tally.add(new)
            if not heap:
                return
            u = abs(heapq.heappop(heap))
            here = front.pop(u)
            tally.remove(here)
            others = tally.any()
            if here & ~others:
                yield u, here & ~others
            both = here & others
            arriving = [(w, m & both) for w, m in self.dominators[side][u] if m & both]

    def _replace(self, start: int, end: int, side: int) -> None:
        """One edge for the paths from start to end, of the pairs that end dominates."""
        pairs = self._dominated(start, end, side)
        if not pairs:
            return
        found, inner = self._walk(start, end, pairs, side)
        edges = [
            (self._evaluate(found, same, start, end, side), same)
            for same in _alike(found, pairs)
        ]
        self._cut(start, end, side, pairs, inner, edges)
        if 1 - side in self.sides:
            for v, through in inner.items():
                left = through & self.graph.passing(v, 1 - side)
                self._dominate(v, left, 1 - side)

    def _cut(
        self,
        start: int,
        end: int,
        side: int,
        pairs: int,
        inner: dict[int, int],
        edges: Sequence[tuple[Chain, int]],
    ) -> None:
        """Cut the paths at start, and what then leads nowhere; put the edges there."""
        graph = self.graph
        for edge in graph.at[side][start]:
            edge.pairs &= ~pairs
        for v, through in inner.items():
            lost = through & ~(graph.passing(v, 1 - side) | graph.ended[1 - side][v])
            for edge in graph.at[side][v]:
                edge.pairs &= ~lost
        graph.drop_empty([start, *inner])
        ends = (end, start) if side == UP else (start, end)
        for chain, same in edges:
            graph.insert(ends, chain, same)

    def _walk(
        self, start: int, end: int, pairs: int, side: int
    ) -> tuple[Found, dict[int, int]]:
        """The edges from start to end, and the nodes in between with their pairs."""
        reached, found, inner = {start: pairs}, [], {}
        heap = [_rank(start, side)]
        while heap:
            v = abs(heapq.heappop(heap))
            for edge in self.graph.at[side][v]:
                here, u = edge.pairs & reached[v], edge.ends[side]
                self.symbols.spend(1)
                if here:
                    found.append((edge, here))
                    if u not in reached and u != end:
                        heapq.heappush(heap, _rank(u, side))
                    reached[u] = reached.get(u, 0) | here
            if v != start:
                inner[v] = reached[v]
        return found, inner

    def _evaluate(
        self, found: Found, pairs: int, start: int, end: int, side: int
    ) -> Chain:
        """The sum over the paths, gathered from start to end."""
        arrived: dict[int, list[Chain]] = {start: [ONE]}
        chains = {start: ONE}
        for edge, here in found:
            if here & pairs:
                v, u = edge.ends[1 - side], edge.ends[side]
                if v not in chains:
                    chains[v] = self._sum(arrived[v])
                parts = (edge.chain, chains[v])
                upper, lower = parts if side == UP else parts[::-1]
                arrived.setdefault(u, []).append(upper.then(lower))
        return self._sum(arrived[end])

    def _sum(self, chains: list[Chain]) -> Chain:
        return chains[0] if len(chains) == 1 else self.symbols.chain_sum(chains)


class _Tally:
    """How often each pair was added, one binary digit of all counts at a time."""

    def __init__(self) -> None:
        self.digits: list[int] = []

    def add(self, pairs: int) -> None:
        for k, digit in enumerate(self.digits):
            self.digits[k], pairs = digit ^ pairs, digit & pairs
        if pairs:
            self.digits.append(pairs)

    def remove(self, pairs: int) -> None:
        for k, digit in enumerate(self.digits):
            self.digits[k], pairs = digit ^ pairs, pairs & ~digit

    def any(self) -> int:
        total = 0
        for digit in self.digits:
            total |= digit
        return total


def _rank(v: int, side: int) -> int:
    """Nearest first, on the way to this side."""
    return v if side == UP else -v


def _alike(found: Found, pairs: int) -> list[int]:
    """The pairs, apart where they take different edges."""
    classes = [pairs]
    for _, here in found:
        split = [m for c in classes for m in (c & here, c & ~here)]
        classes = [m for m in split if m]
    return classes


def paths(graph: Graph, symbols: Symbols) -> list[Chain]:
    """The one path of each pair, in the order of the pairs; 0 where there is none."""
    numbers: list[float | None] = [None] * graph.pairs
    factors: list[list[int]] = [[] for _ in numbers]
    for v in range(len(graph.at[DOWN]) - 1, -1, -1):
        for edge in graph.at[DOWN][v]:
            left = edge.pairs
            while left:
                pair = (left & -left).bit_length() - 1
                left &= left - 1
                symbols.spend(1)
                before = numbers[pair]
                number = edge.chain.number
                numbers[pair] = number if before is None else number * before
                factors[pair] += edge.chain.factors
    return [Chain(c or 0.0, tuple(f)) for c, f in zip(numbers, factors, strict=True)]
