"""Matrices of derivatives of a trace, by whichever method costs the least."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from knuckle.scalar.derive import tangents
from knuckle.scalar.node import Number, Scalar, TraceError, live
from knuckle.scalar.reverse import gradient

if TYPE_CHECKING:
    from knuckle.scalar.dstar import Rows

Direction = Mapping[Scalar, Number]
"""How fast each leaf moves; the others rest."""
FEW = 6
"""How many times as many columns as rows make one method a matter of course."""


def jacobian(
    outputs: Sequence[Number],
    directions: Sequence[Direction],
    method: str = "auto",
    beside: Sequence[Number] = (),
) -> Rows:
    """d(outputs[i]) along directions[k], in row i and column k; zeros are plain 0.0.

    `method` is "forward", "reverse", "dstar" (which raises `Refused` where the graph is
    too large or has loops), or "auto": the cheapest of those worth a try, beside what
    is needed anyway.
    """
    if method != "auto":
        return METHODS[method](outputs, directions)
    from knuckle.scalar.dstar import Refused, operations

    found = {}
    for name in _worth_trying(outputs, directions):
        try:
            found[name] = METHODS[name](outputs, directions)
        except (Refused, TraceError):  # a loop without a way back, a graph too large
            continue
    if not found:
        return forward(outputs, directions)
    cost = operations if "dstar" in found else _size
    return min(found.values(), key=lambda rows: cost([*rows, tuple(beside)]))


def forward(outputs: Sequence[Number], directions: Sequence[Direction]) -> Rows:
    """One sweep from the inputs for each direction."""
    columns = [tangents(outputs, seeds) for seeds in directions]
    return [tuple(column[i] for column in columns) for i in range(len(outputs))]


def reverse(outputs: Sequence[Number], directions: Sequence[Direction]) -> Rows:
    """One sweep from each output."""
    leaves = _leaves(directions)
    rows = []
    for y in outputs:
        slopes = dict(zip(leaves, gradient([y], [1.0], leaves), strict=True))
        rows.append(tuple(_along(slopes, seeds) for seeds in directions))
    return rows


def by_factors(outputs: Sequence[Number], directions: Sequence[Direction]) -> Rows:
    """D*: the graph of all derivatives, factored; never dearer than a sweep, for the
    sweeps are candidates."""
    from knuckle.scalar.dstar import Refused, dstar, fits, operations

    leaves = _leaves(directions)
    if not fits(outputs, leaves):
        raise Refused("D*: the graph is too large, or holds a loop")
    rows = [
        tuple(_along(dict(zip(leaves, row)), seeds) for seeds in directions)
        for row in dstar(outputs, leaves)
    ]
    return min(rows, forward(outputs, directions), key=operations)


def _leaves(directions: Sequence[Direction]) -> list[Scalar]:
    return list({x.index: x for seeds in directions for x in seeds}.values())


def _along(slopes: Mapping[Scalar, Number], seeds: Direction) -> Number:
    return sum((slopes[x] * rate for x, rate in seeds.items()), 0.0)


METHODS: dict[str, Callable[[Sequence[Number], Sequence[Direction]], Rows]] = {
    "forward": forward,
    "reverse": reverse,
    "dstar": by_factors,
}
"""By name; each gives the same numbers up to rounding."""


def _size(rows: Rows) -> int:
    """A count for graphs that are too large to look at what fuses."""
    return len(live([x for row in rows for x in row]))


def _worth_trying(
    outputs: Sequence[Number], directions: Sequence[Direction]
) -> list[str]:
    rows = len({x.index for x in outputs if isinstance(x, Scalar)})
    if rows > FEW * len(directions):
        return ["forward"]
    if len(directions) > FEW * rows:
        return ["reverse"]
    return ["forward", "reverse", "dstar"]
