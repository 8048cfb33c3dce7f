"""Comparisons, truth values and choices, with the rules for each."""

from __future__ import annotations

import math
from collections.abc import Callable

from knuckle.scalar import rules
from knuckle.scalar.node import CONDITIONS, Number, Scalar, TraceError, user_line
from knuckle.scalar.rules import together


def extremum(op: str, x: Number, y: Number) -> Number:
    """min or max; NaN propagates and -0 < +0."""
    if type(x) is not Scalar and type(y) is not Scalar:
        if x != x or y != y:
            return math.nan
        if x == 0 and y == 0 and isinstance(x, float):
            first = math.copysign(1.0, x) < math.copysign(1.0, y)
            return (x if first else y) if op == "min" else (y if first else x)
        return min(x, y) if op == "min" else max(x, y)
    if x is y:
        return x
    x, y = together(x, y)
    return x.trace.apply(op, *((x, y) if x.index <= y.index else (y, x)))


_COMPARE: dict[str, Callable[[Number, Number], Number]] = {
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
}


def compare(op: str, x: Number, y: Number) -> Number:
    if type(x) is not Scalar and type(y) is not Scalar:
        return _COMPARE[op](x, y)
    x, y = together(x, y)
    return x.trace.apply(op, x, y)


def logic(op: str, x: Number, y: Number) -> Number:
    """x and y, x or y on conditions; a condition that is known disappears."""
    for known, other in ((x, y), (y, x)):
        if type(known) is not Scalar:
            return _truth(other) if bool(known) == (op == "and") else bool(known)
    x, y = together(_truth(x), _truth(y))
    return x if x is y else x.trace.apply(op, x, y)


def logic_not(x: Number) -> Number:
    if type(x) is not Scalar:
        return not x
    return x.args[0] if x.op == "not" else x.trace.apply("not", _truth(x))


def _truth(x: Number) -> Number:
    """x itself, which must be a condition where it is traced."""
    if type(x) is Scalar and x.op not in CONDITIONS:
        raise TraceError(
            f"{user_line()}: expected a condition such as x < 0.0, got the traced "
            f"number %{x.index} = {x.op}; a number is no truth, write x != 0.0"
        )
    return x


def select(condition: Number, x: Number, y: Number) -> Number:
    """x where the condition holds, else y; the arm not taken cannot leak."""
    if type(condition) is not Scalar:
        return x if condition else y
    if _truth(condition).op == "not":  # where(not c, a, b) = where(c, b, a)
        return select(condition.args[0], y, x)
    if x is y or (type(x) is not Scalar and type(y) is not Scalar and x == y):
        return x
    trace = condition.trace
    if isinstance(x, Scalar) and x.trace is not trace:
        condition, x = together(condition, x)
        trace = condition.trace
    if isinstance(y, Scalar) and y.trace is not trace:
        condition, y = together(condition, y)
        trace = condition.trace
    return trace.apply("where", trace.lift(condition), trace.lift(x), trace.lift(y))


rules.UFUNCS.update(
    less=lambda x, y: compare("lt", x, y),
    less_equal=lambda x, y: compare("le", x, y),
    greater=lambda x, y: compare("lt", y, x),
    greater_equal=lambda x, y: compare("le", y, x),
    equal=lambda x, y: compare("eq", x, y),
    not_equal=lambda x, y: compare("ne", x, y),
    logical_and=lambda x, y: logic("and", x, y),
    logical_or=lambda x, y: logic("or", x, y),
    logical_not=lambda x: logic_not(x),
    bitwise_and=lambda x, y: logic("and", x, y),
    bitwise_or=lambda x, y: logic("or", x, y),
    invert=lambda x: logic_not(x),
)
