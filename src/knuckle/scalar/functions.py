"""The elementary functions on any number: float, `Scalar`, mpmath number, Fraction."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from knuckle.scalar import choice, rules
from knuckle.scalar.node import Number, Scalar, TraceError, is_fraction, user_line

where = choice.select
"""where(c, a, b): a where c holds, else b (np.where is no ufunc: it asks for the truth
of c at once and raises)."""
absolute = rules.absolute


def minimum(x: Number, y: Number) -> Number:
    """min(x, y); NaN propagates and -0 < +0."""
    return choice.extremum("min", x, y)


def maximum(x: Number, y: Number) -> Number:
    """max(x, y); NaN propagates and -0 < +0."""
    return choice.extremum("max", x, y)


def sqrt(x: Number) -> Number:
    """The square root; NaN below zero."""
    return _call("sqrt", x, lambda x: rules.unary("sqrt", x))


def sin(x: Number) -> Number:
    """sin x, x in radians."""
    return _call("sin", x, lambda x: rules.odd("sin", x))


def cos(x: Number) -> Number:
    """cos x, x in radians."""
    return _call("cos", x, lambda x: rules.even("cos", x))


def tan(x: Number) -> Number:
    """tan x, x in radians."""
    return _call("tan", x, lambda x: rules.odd("tan", x))


def asin(x: Number) -> Number:
    """The angle in [-pi/2, pi/2] whose sine is x [rad]."""
    return _call("asin", x, lambda x: rules.odd("asin", x))


def acos(x: Number) -> Number:
    """The angle in [0, pi] whose cosine is x [rad]."""
    return _call("acos", x, lambda x: rules.unary("acos", x))


def exp(x: Number) -> Number:
    """e^x."""
    return _call("exp", x, lambda x: rules.inverse_of("exp", "log", x))


def log(x: Number) -> Number:
    """The natural logarithm; NaN below zero."""
    return _call("log", x, lambda x: rules.inverse_of("log", "exp", x))


def tanh(x: Number) -> Number:
    """The hyperbolic tangent."""
    return _call("tanh", x, lambda x: rules.odd("tanh", x))


def floor(x: Number) -> Number:
    """The largest whole number not above x."""
    return _call("floor", x, lambda x: rules.unary("floor", x))


def atan2(y: Number, x: Number) -> Number:
    """The angle of the point (x, y) in (-pi, pi] [rad]."""
    if type(y) is Scalar or type(x) is Scalar:
        y, x = rules.together(y, x)
        return y.trace.apply("atan2", y, x)
    if isinstance(x, _FLOATS) and isinstance(y, _FLOATS):
        return math.atan2(y, x)
    return _foreign("atan2", x if hasattr(x, "context") else y)(y, x)


def atan(x: Number) -> Number:
    """The angle in [-pi/2, pi/2] whose tangent is x [rad]."""
    return atan2(x, 1.0)


def hypot(x: Number, y: Number) -> Number:
    """sqrt(x^2 + y^2); the trap: beyond 1e154 the squares overflow."""
    return sqrt(rules.add(rules.mul(x, x), rules.mul(y, y)))


def sign(x: Number) -> Number:
    """1 above zero, -1 below, else 0."""
    return where(x > 0.0, 1.0, where(x < 0.0, -1.0, 0.0))


def stumpff(k: int, t: Number) -> Number:
    """c_k(t) = sum_i (-t)^i / (k + 2 i)!: cos, sinc, ... of sqrt t, smooth at t = 0.

    c_0 = cos sqrt t, c_1 = sin(sqrt t) / sqrt t, c_2 = (1 - cos sqrt t) / t; k is 0 to
    12. The family is closed under differentiation: c_k' = (k c_{k+2} - c_{k+1}) / 2.
    """
    if type(t) is not Scalar:
        return _stumpff_number(k, t)
    if not 0 <= k <= LAST_STUMPFF:
        raise TraceError(
            f"{user_line()}: stumpff({k}, t) is not compiled: k is 0 to "
            f"{LAST_STUMPFF}; a derivative needs k + 2, a second one k + 4"
        )
    return t.trace.apply_with("stumpff", (t,), k)


LAST_STUMPFF = 12


def sinc(x: Number) -> Number:
    """sin(x) / x, which is 1 at 0 (no pi: NumPy's sinc(x) is sinc(pi x) here)."""
    return stumpff(1, x * x)


def _stumpff_number(k: int, t: Number) -> Number:
    if t != t or t in (math.inf, -math.inf):
        return math.inf if t < 0 else math.nan
    if is_fraction(t) and t != 0:
        _foreign("stumpff", t)
    if k == 0 and t >= 0:
        return cos(sqrt(t))
    if k == 1 and t > 1:
        return sin(sqrt(t)) / sqrt(t)
    if t > 4 * (k + 1):  # c_k = (1 / (k - 2)! - c_{k-2}) / t
        return (1 / (t * 0 + math.factorial(k - 2)) - _stumpff_number(k - 2, t)) / t
    term = 1 / (t * 0 + math.factorial(k))
    total, i = term, k
    while term != 0 and total + term != total or i == k:
        term = -term * t / ((i + 1) * (i + 2))
        total, i = total + term, i + 2
    return total


def _call(name: str, x: Number, node: Callable[[Scalar], Number]) -> Number:
    if type(x) is Scalar:
        return node(x)
    if isinstance(x, _FLOATS):
        return _on_float(name, float(x))
    return _foreign(name, x)(x)


_FLOATS = (float, int, np.number)


def _on_float(name: str, x: float) -> float:
    if x != x or (name in _BOUNDED and abs(x) == math.inf):
        return math.nan
    if name == "floor":
        return float(math.floor(x)) if abs(x) < 2.0**52 and x != 0 else float(x)
    if name in ("sqrt", "log") and x <= 0:
        return math.nan if x < 0 else (-math.inf if name == "log" else x)
    if name in ("asin", "acos") and abs(x) > 1:
        return math.nan
    if name == "exp" and x > 709.782712893384:
        return math.inf
    return float(getattr(math, name)(x))


_BOUNDED = {"sin", "cos", "tan"}


def _foreign(name: str, x: Any) -> Callable[..., Number]:
    """The function of this name in the arithmetic that x belongs to."""
    context = getattr(x, "context", None)
    if context is not None:
        return getattr(context, name)  # type: ignore[no-any-return]
    if is_fraction(x):
        if name == "floor":
            from fractions import Fraction

            return lambda x: Fraction(math.floor(x))
        raise TraceError(
            f"{name} of the Fraction {x} is no Fraction; use floats or mpmath"
        )
    raise TraceError(f"{name}: expected a number, got {type(x).__name__}")


_UFUNCS: dict[str, Callable[..., Number]] = dict(
    sqrt=sqrt, sin=sin, cos=cos, tan=tan, arcsin=asin, arccos=acos, arctan=atan,
    arctan2=atan2, hypot=hypot, exp=exp, log=log, tanh=tanh, floor=floor,
)  # fmt: skip
for _name, _function in _UFUNCS.items():  # np.sin of an object array calls x.sin()
    setattr(Scalar, _name, _function)
rules.UFUNCS.update(_UFUNCS, minimum=minimum, maximum=maximum, sign=sign)
