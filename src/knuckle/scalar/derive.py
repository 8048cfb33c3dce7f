"""Forward differentiation of a trace: one row of partial derivatives per primitive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from knuckle.scalar.functions import cos, sin, sqrt, stumpff, where
from knuckle.scalar.node import Number, Scalar, live
from knuckle.scalar.rules import reciprocal

Partials = Callable[..., tuple[Number, ...]]

PARTIALS: dict[str, Partials] = {
    "add": lambda r, x, y: (1.0, 1.0),
    "sub": lambda r, x, y: (1.0, -1.0),
    "mul": lambda r, x, y: (y, x),
    "div": lambda r, x, y: (reciprocal(y), -r * reciprocal(y)),
    "rcp": lambda r, x: (-r * r,),
    "neg": lambda r, x: (-1.0,),
    "sqrt": lambda r, x: (0.5 * reciprocal(r),),
    "sin": lambda r, x: (cos(x),),
    "cos": lambda r, x: (-sin(x),),
    "tan": lambda r, x: (1.0 + r * r,),
    "asin": lambda r, x: (reciprocal(sqrt((1.0 - x) * (1.0 + x))),),
    "acos": lambda r, x: (-reciprocal(sqrt((1.0 - x) * (1.0 + x))),),
    "atan2": lambda r, y, x: (
        x * reciprocal(x * x + y * y),
        -y * reciprocal(x * x + y * y),
    ),
    "exp": lambda r, x: (r,),
    "log": lambda r, x: (reciprocal(x),),
    "tanh": lambda r, x: (1.0 - r * r,),
    "abs": lambda r, x: (where(x < 0.0, -1.0, 1.0),),
    "min": lambda r, x, y: (where(x <= y, 1.0, 0.0), where(x <= y, 0.0, 1.0)),
    "max": lambda r, x, y: (where(x >= y, 1.0, 0.0), where(x >= y, 0.0, 1.0)),
    "floor": lambda r, x: (0.0,),
}
"""d(result) / d(each argument), from the result and the arguments."""


def tangents(
    outputs: Sequence[Number], seeds: Mapping[Scalar, Number]
) -> tuple[Number, ...]:
    """d(outputs) along the direction in which each seed moves at the given rate.

    Seeds may be any nodes; what is computed from a seed moves, the seed itself is free.
    """
    rate: dict[int, Number] = {node.index: dx for node, dx in seeds.items()}
    for node in live(outputs):
        if node.index not in rate and node.args:
            total = _rate(node, rate)
            if not (type(total) is float and total == 0.0):
                rate[node.index] = total
    return tuple(
        rate.get(x.index, 0.0) if isinstance(x, Scalar) else 0.0 for x in outputs
    )


def _rate(node: Scalar, rate: dict[int, Number]) -> Number:
    moving = [a.index in rate for a in node.args]
    if not any(moving):
        return 0.0
    if node.op in _SPECIAL:
        return _SPECIAL[node.op](node, rate)
    total: Number = 0.0
    for a, partial in zip(node.args, PARTIALS[node.op](node, *node.args), strict=True):
        if a.index in rate:
            total = total + partial * rate[a.index]
    return total


def _where_rate(node: Scalar, rate: dict[int, Number]) -> Number:
    condition, x, y = node.args
    return where(condition, rate.get(x.index, 0.0), rate.get(y.index, 0.0))


def _stumpff_rate(node: Scalar, rate: dict[int, Number]) -> Number:
    k, (t,) = node.value, node.args
    slope = 0.5 * (k * stumpff(k + 2, t) - stumpff(k + 1, t))
    return slope * rate[t.index]


def _item_rate(node: Scalar, rate: dict[int, Number]) -> Number:
    from knuckle.scalar.loops import item_rate

    return item_rate(node, rate)


_SPECIAL: dict[str, Callable[[Scalar, dict[int, Number]], Number]] = {
    "where": _where_rate,
    "stumpff": _stumpff_rate,
    "item": _item_rate,
    "scan": lambda node, rate: (
        1.0
    ),  # marks the loop as moving; its items carry the rates
}
for _condition in ("lt", "le", "eq", "ne", "and", "or", "not"):
    _SPECIAL[_condition] = lambda node, rate: 0.0
