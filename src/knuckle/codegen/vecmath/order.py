"""min and max: NaN propagates, -0 < +0 (IEEE 754-2019 minimum and maximum)."""

from __future__ import annotations

from .emit import Body, Value


def minimum(body: Body, a: Value, b: Value) -> Value:
    return body.intrinsic("minimum", a, b)


def maximum(body: Body, a: Value, b: Value) -> Value:
    return body.intrinsic("maximum", a, b)
