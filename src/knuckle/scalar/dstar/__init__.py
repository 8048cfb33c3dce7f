"""D*: all partial derivatives of a trace at once, as sums of shared products.

B. Guenter, "Efficient symbolic differentiation for graphics applications", SIGGRAPH
2007: read the derivative graph, factor it at dominators and post-dominators, multiply
along the paths that remain. The order of factoring is a guess; a few are tried, and the
one that costs the fewest operations is kept. The trap: loops are not looked into.
"""

from __future__ import annotations

from collections.abc import Sequence

from knuckle.scalar.dstar.chains import Refused, Symbols
from knuckle.scalar.dstar.factoring import factor, paths
from knuckle.scalar.dstar.graph import DOWN, UP, Graph, between, read
from knuckle.scalar.dstar.products import numbers
from knuckle.scalar.node import SEVERAL, Number, Scalar
from knuckle.scalar.passes import finished
from knuckle.scalar.program import Program

__all__ = ["NODES", "Refused", "dstar", "fits"]

NODES = 3000
"""Nodes between inputs and outputs up to which D* is tried."""

ORDERS = (UP, DOWN), (DOWN,), (UP,)
"""What to factor at. The arms of choices are worked out first: a guard that a factor
carried further up could be lost when the result is differentiated again."""


def fits(outputs: Sequence[Number], inputs: Sequence[Scalar]) -> bool:
    """Is the graph small enough for D*, and free of loops? `dstar` may yet refuse."""
    ends = [x for x in outputs if isinstance(x, Scalar)]
    nodes = between(ends, {x.index for x in inputs})
    return len(nodes) <= NODES and not any(node.op in SEVERAL for node in nodes)


def dstar(
    outputs: Sequence[Number], inputs: Sequence[Scalar]
) -> list[tuple[Number, ...]]:
    """Rows of d(outputs[i]) / d(inputs[j]); zeros are the plain float 0.0.

    Inputs may be any nodes; while one moves the others rest. Raises `Refused` where
    another method has to do it.
    """
    rows = {x.index: x for x in outputs if isinstance(x, Scalar)}
    columns = {x.index: x for x in inputs}
    table = {(k, k): 1.0 for k in columns} | _table(
        [y for k, y in rows.items() if k not in columns], list(columns.values())
    )
    return [
        tuple(
            table.get((y.index, x.index), 0.0) if isinstance(y, Scalar) else 0.0
            for x in inputs
        )
        for y in outputs
    ]


Table = dict[tuple[int, int], Number]
"""The derivatives that are not zero, by the indices of output and input."""


def _table(outputs: Sequence[Scalar], inputs: Sequence[Scalar]) -> Table:
    if not outputs:
        return {}
    symbols = Symbols(outputs[0].trace)
    links, places = read(symbols, outputs, inputs)
    moving = [y for y in outputs if y.index in places]
    ends = [places[y.index] for y in moving]
    starts = [places.get(x.index, -1) for x in inputs]
    found: list[list[Number]] = []
    refusal = Refused()
    for sides in ORDERS:
        try:
            graph = Graph(links, ends, starts)
            found.append(_values(graph, symbols, sides))
        except Refused as error:
            refusal = error
    if not found:
        raise refusal
    best = min(found, key=_operations)
    pairs = [(y.index, x.index) for y in moving for x in inputs]
    return dict(zip(pairs, best, strict=True))


def _values(graph: Graph, symbols: Symbols, sides: Sequence[int]) -> list[Number]:
    """The derivatives of all pairs."""
    if graph.size > NODES:
        raise Refused(f"D*: {graph.size} nodes; it is tried up to {NODES}")
    symbols.work = 0
    factor(graph, symbols, sides, arms_first=bool(symbols.guards))
    terms = [symbols.term(chain, complete=True) for chain in paths(graph, symbols)]
    return numbers(symbols, terms)


def _operations(values: list[Number]) -> int:
    return sum(finished(Program.of(values)).operations().values())
