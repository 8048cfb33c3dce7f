"""D*: all partial derivatives of a trace at once, as sums of shared products.

B. Guenter, "Efficient symbolic differentiation for graphics applications", SIGGRAPH
2007: read the derivative graph, factor it at dominators and post-dominators, multiply
along the paths that remain. The order of factoring is a guess; a few are tried, the two
sweeps among them, which factor from one end, and the one that costs the fewest
operations is kept. The trap: loops are not looked into.
"""

from __future__ import annotations

from collections.abc import Sequence

from knuckle.scalar.derive import tangents
from knuckle.scalar.dstar.chains import Refused, Symbols
from knuckle.scalar.dstar.factoring import factor, paths
from knuckle.scalar.dstar.graph import DOWN, UP, Graph, between, read
from knuckle.scalar.dstar.products import numbers
from knuckle.scalar.node import SEVERAL, Number, Scalar
from knuckle.scalar.passes import finished
from knuckle.scalar.program import Program
from knuckle.scalar.reverse import gradient

__all__ = ["NODES", "Refused", "Rows", "dstar", "fits", "operations"]

NODES = 3000
"""Nodes between inputs and outputs up to which D* is tried."""

ORDERS = (UP, DOWN), (DOWN,), (UP,)
"""What to factor at. The arms of choices are worked out first: a guard that a factor
carried further up could be lost when the result is differentiated again."""

Rows = list[tuple[Number, ...]]
Table = dict[tuple[int, int], Number]
"""The derivatives that are not zero, by the indices of output and input."""


def fits(outputs: Sequence[Number], inputs: Sequence[Scalar]) -> bool:
    """Is the graph small enough for D*, and free of loops? `dstar` may yet refuse."""
    ends = [x for x in outputs if isinstance(x, Scalar)]
    nodes = between(ends, {x.index for x in inputs})
    return len(nodes) <= NODES and not any(node.op in SEVERAL for node in nodes)


def dstar(outputs: Sequence[Number], inputs: Sequence[Scalar]) -> Rows:
    """Rows of d(outputs[i]) / d(inputs[j]); zeros are the plain float 0.0.

    Inputs may be any nodes; while one moves the others rest. Raises `Refused` where
    another method has to do it.
    """
    found = [*factored(outputs, inputs), *(f(outputs, inputs) for f in SWEEPS)]
    return min(found, key=operations)


def operations(rows: Rows) -> int:
    """How many operations all of them together take, fused."""
    program = Program.of([x for row in rows for x in row])
    return sum(finished(program).operations().values())


def from_inputs(outputs: Sequence[Number], inputs: Sequence[Scalar]) -> Rows:
    """The forward sweep: a column for each input, node by node."""
    columns = [tangents(outputs, {y: float(y is x) for y in inputs}) for x in inputs]
    return [tuple(column[i] for column in columns) for i in range(len(outputs))]


def from_outputs(outputs: Sequence[Number], inputs: Sequence[Scalar]) -> Rows:
    """The reverse sweep: a row for each output, node by node."""
    return [gradient([y], [1.0], inputs) for y in outputs]


SWEEPS = from_inputs, from_outputs


def factored(outputs: Sequence[Number], inputs: Sequence[Scalar]) -> list[Rows]:
    """The rows by each order of factoring that is not too much work."""
    rows = {x.index: x for x in outputs if isinstance(x, Scalar)}
    columns = {x.index: x for x in inputs}
    still = {(k, k): 1.0 for k in columns}
    moving = [y for k, y in rows.items() if k not in columns]
    tables = _tables(moving, list(columns.values()))
    return [[_row(table | still, y, inputs) for y in outputs] for table in tables]


def _row(table: Table, y: Number, inputs: Sequence[Scalar]) -> tuple[Number, ...]:
    if not isinstance(y, Scalar):
        return (0.0,) * len(inputs)
    return tuple(table.get((y.index, x.index), 0.0) for x in inputs)


def _tables(outputs: Sequence[Scalar], inputs: Sequence[Scalar]) -> list[Table]:
    if not outputs:
        return [{}]
    symbols = Symbols(outputs[0].trace)
    links, places = read(symbols, outputs, inputs)
    moving = [y for y in outputs if y.index in places]
    ends = [places[y.index] for y in moving]
    starts = [places.get(x.index, -1) for x in inputs]
    pairs = [(y.index, x.index) for y in moving for x in inputs]
    found: list[Table] = []
    for sides in ORDERS:
        try:
            values = _values(Graph(links, ends, starts), symbols, sides)
        except Refused:
            if not found:  # the other orders would be as much work
                raise
            continue
        found.append(dict(zip(pairs, values, strict=True)))
    return found


def _values(graph: Graph, symbols: Symbols, sides: Sequence[int]) -> list[Number]:
    """The derivatives of all pairs."""
    if graph.size > NODES:
        raise Refused(f"D*: {graph.size} nodes; it is tried up to {NODES}")
    symbols.work = 0
    factor(graph, symbols, sides, arms_first=bool(symbols.guards))
    return numbers(symbols, [symbols.term(chain) for chain in paths(graph, symbols)])
