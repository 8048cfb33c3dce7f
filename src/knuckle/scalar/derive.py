"""Forward differentiation of a trace: one row of partial derivatives per primitive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from knuckle.scalar.functions import cos, sin, sqrt, stumpff, where
from knuckle.scalar.node import CONDITIONS, Number, Scalar, live
from knuckle.scalar.rules import plain, reciprocal

Partials = Callable[..., tuple[Number, ...]]


def _inverse(y: Number) -> Number:
    return reciprocal(y) if isinstance(y, Scalar) else 1.0 / y


PARTIALS: dict[str, Partials] = {
    "add": lambda r, x, y: (1.0, 1.0),
    "sub": lambda r, x, y: (1.0, -1.0),
    "mul": lambda r, x, y: (y, x),
    "div": lambda r, x, y: (_inverse(y), -r * _inverse(y)),
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
    "floor": lambda r, x: (0.0,),
    "abs": lambda r, x: (where(x < 0.0, -1.0, 1.0),),
}
"""d(result) / d(each argument), from the result and the arguments."""


def partials(node: Scalar) -> tuple[Number, ...]:
    """d(node) / d(each argument) of a smooth primitive; choices and loops have none."""
    places = [plain(a) for a in node.args]
    if node.op == "stumpff":
        return (_stumpff_slope(node.value, *places),)
    return PARTIALS[node.op](node, *places)


def tangents(
    outputs: Sequence[Number], seeds: Mapping[Scalar, Number]
) -> tuple[Number, ...]:
    """d(outputs) along the direction in which each seed moves at the given rate.

    Seeds may be any nodes; what is computed from a seed moves, the seed itself is free.
    What does not move has the rate 0.0, a plain float.
    """
    rate: dict[int, Any] = {node.index: dx for node, dx in seeds.items()}
    for node in live(outputs):
        if node.index not in rate and any(a.index in rate for a in node.args):
            total = _rate(node, rate)
            if not (isinstance(total, float) and total == 0.0):
                rate[node.index] = total
    return tuple(
        rate.get(x.index, 0.0) if isinstance(x, Scalar) else 0.0 for x in outputs
    )


def _rate(node: Scalar, rate: dict[int, Any]) -> Any:
    if node.op in _SPECIAL:
        return _SPECIAL[node.op](node, rate)
    total: Number = 0.0
    for a, partial in zip(node.args, partials(node), strict=True):
        if a.index in rate:
            total = total + partial * rate[a.index]
    return total


def _rates(node: Scalar, rate: dict[int, Any]) -> list[Number]:
    return [rate.get(a.index, 0.0) for a in node.args]


def _where_rate(node: Scalar, rate: dict[int, Any]) -> Number:
    _, dx, dy = _rates(node, rate)
    return where(node.args[0], dx, dy)


def _div_rate(node: Scalar, rate: dict[int, Any]) -> Number:
    """(dx - (x / y) dy) / y."""
    y, (dx, dy) = plain(node.args[1]), _rates(node, rate)
    total = dx - node * dy
    return total * reciprocal(y) if isinstance(y, Scalar) else total / y


def _abs_rate(node: Scalar, rate: dict[int, Any]) -> Number:
    (x,), (dx,) = node.args, _rates(node, rate)
    return where(x < 0.0, -dx, dx)


def _min_rate(node: Scalar, rate: dict[int, Any]) -> Number:
    (x, y), (dx, dy) = node.args, _rates(node, rate)
    return where(x <= y, dx, dy)


def _max_rate(node: Scalar, rate: dict[int, Any]) -> Number:
    (x, y), (dx, dy) = node.args, _rates(node, rate)
    return where(x >= y, dx, dy)


def _stumpff_slope(k: int, t: Number) -> Number:
    """c_k' = (k c_{k+2} - c_{k+1}) / 2."""
    if k == 0:
        return -0.5 * stumpff(1, t)
    return 0.5 * (k * stumpff(k + 2, t) - stumpff(k + 1, t))


def _loop_rates(node: Scalar, rate: dict[int, Any]) -> tuple[Number, ...]:
    """The rates of all carried values, which the items then pick from."""
    from knuckle.scalar.loop_rates import loop_rates

    return loop_rates(node, _rates(node, rate))


def _lookup_rates(node: Scalar, rate: dict[int, Any]) -> Any:
    """The row of rates, which the items then pick from."""
    from knuckle.scalar.tables import lookup_rates

    return lookup_rates(node, _rates(node, rate))


def _item_rate(node: Scalar, rate: dict[int, Any]) -> Number:
    return rate[node.args[0].index][node.value]


_SPECIAL: dict[str, Callable[[Scalar, dict[int, Any]], Any]] = {
    "div": _div_rate,
    "where": _where_rate,
    "abs": _abs_rate,
    "min": _min_rate,
    "max": _max_rate,
    "scan": _loop_rates,
    "while": _loop_rates,
    "lookup": _lookup_rates,
    "item": _item_rate,
}
for _condition in CONDITIONS:
    _SPECIAL[_condition] = lambda node, rate: 0.0
