"""Rational numbers that stay rational: a float that meets one is taken at its exact
value."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any


class Exact(Fraction):
    """A Fraction whose arithmetic with floats is exact."""

    __slots__ = ()


def _exact(
    operation: Callable[[Fraction, Fraction], Fraction],
) -> Callable[[Any, Any], Any]:
    def forward(a: Any, b: Any) -> Any:
        if isinstance(b, float | int | Fraction):
            return Exact(operation(Fraction(a), Fraction(b)))
        return NotImplemented

    return forward


for _name in ("add", "sub", "mul", "truediv"):
    _plain = getattr(Fraction, f"__{_name}__")
    setattr(Exact, f"__{_name}__", _exact(_plain))
    setattr(Exact, f"__r{_name}__", _exact(lambda a, b, f=_plain: f(b, a)))  # type: ignore
Exact.__neg__ = lambda a: Exact(Fraction.__neg__(a))  # type: ignore
