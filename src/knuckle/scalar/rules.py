"""The rewrite rules, applied as a node is built. Above or beside each rule stands its
formula.

Values are taken to be finite and the sign of zero is ignored; no rule makes a finite
result non-finite or moves the guard of a `where`. Constants merge only into a constant
that float32 keeps: between 2^-126 and 2^127, so that no factor overflows or loses bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from knuckle.scalar.node import Number, Scalar

_SMALL, _LARGE = 2.0**-126, 2.0**127


def add(x: Number, y: Number) -> Number:
    if type(x) is not Scalar:
        x, y = y, x
    if type(y) is not Scalar:
        return _add_number(x, y)
    if x.trace is not y.trace:
        x, y = together(x, y)
    xop, yop = x.op, y.op
    if yop == "neg":  # a + -b = a - b
        return sub(x, y.args[0])
    if xop == "neg":  # -a + b = b - a
        return sub(y, x.args[0])
    if x is y:  # a + a = 2 a
        return mul(x, 2.0)
    if yop == "sub" and y.args[1] is x:  # a + (b - a) = b
        return plain(y.args[0])
    if xop == "sub" and x.args[1] is y:  # (a - b) + b = a
        return plain(x.args[0])
    if xop == "mul" or yop == "mul":
        merged = _merge_terms(x, y, 1.0)
        if merged is not None:
            return merged
    return x.trace.apply("add", *((x, y) if x.index <= y.index else (y, x)))


def _add_number(x: Number, c: Number) -> Number:
    if type(x) is not Scalar:
        return x + c
    if c == 0.0:  # a + 0 = a
        return x
    if x.op in ("add", "sub") and x.args[0].op == "const":
        total = c + x.args[0].value
        if abs(total) <= _LARGE:
            if x.op == "add":  # c + (k + a) = (c + k) + a
                return _add_number(x.args[1], total)
            return sub(total, x.args[1])  # c + (k - a) = (c + k) - a
    constant = x.trace.constant(c)
    if x.op == "neg":  # c + -a = c - a
        return x.trace.apply("sub", constant, x.args[0])
    return x.trace.apply("add", constant, x)


def sub(x: Number, y: Number) -> Number:
    if type(y) is not Scalar:
        return _add_number(x, -y)
    if type(x) is not Scalar:
        if x == 0.0:  # 0 - a = -a
            return neg(y)
        if y.op == "neg":  # c - -a = c + a
            return _add_number(y.args[0], x)
        if y.op in ("add", "sub") and y.args[0].op == "const":
            total = x - y.args[0].value
            if abs(total) <= _LARGE:
                if y.op == "add":  # c - (k + a) = (c - k) - a
                    return sub(total, y.args[1])
                return _add_number(y.args[1], total)  # c - (k - a) = (c - k) + a
        return y.trace.apply("sub", y.trace.constant(x), y)
    if x is y:  # a - a = 0
        return 0.0
    if x.trace is not y.trace:
        x, y = together(x, y)
    xop, yop = x.op, y.op
    if yop == "neg":  # a - -b = a + b
        return add(x, y.args[0])
    if xop == "neg":  # -a - b = -(a + b)
        return neg(add(x.args[0], y))
    if xop == "add" and (x.args[0] is y or x.args[1] is y):  # (a + b) - b = a
        return plain(x.args[1] if x.args[0] is y else x.args[0])
    if yop == "sub" and y.args[0] is x:  # a - (a - b) = b
        return plain(y.args[1])
    if xop == "sub" and x.args[0] is y:  # (a - b) - a = -b
        return neg(plain(x.args[1]))
    if yop == "add" and (y.args[0] is x or y.args[1] is x):  # a - (a + b) = -b
        return neg(plain(y.args[1] if y.args[0] is x else y.args[0]))
    if xop == "mul" or yop == "mul":
        merged = _merge_terms(x, y, -1.0)
        if merged is not None:
            return merged
    return x.trace.apply("sub", x, y)


def _merge_terms(x: Scalar, y: Scalar, sign: float) -> Number | None:
    """j a + k a = (j + k) a, and k sin^2 + k cos^2 = k."""
    a, j = _coefficient(x)
    b, k = _coefficient(y)
    if a is b and abs(j + sign * k) <= _LARGE:
        return mul(a, j + sign * k)
    if sign > 0.0 and x.op == "mul" and y.op == "mul":
        return _pythagoras(x, y)
    return None


def _coefficient(x: Scalar) -> tuple[Scalar, float]:
    if x.op == "mul" and x.args[0].op == "const":
        return x.args[1], x.args[0].value
    return x, 1.0


def plain(x: Number) -> Number:
    """A constant node as the number it holds, so that it goes on folding."""
    return x.value if type(x) is Scalar and x.op == "const" else x


def _pythagoras(x: Scalar, y: Scalar) -> Number | None:
    """k s s + k c c = k where s and c are the sine and cosine of one angle."""
    for s, k in _squares(x):
        for c, m in _squares(y):
            if {s.op, c.op} == {"sin", "cos"} and s.args == c.args and k is m:
                return 1.0 if k is None else plain(k)
    return None


def _squares(x: Scalar) -> list[tuple[Scalar, Scalar | None]]:
    """The ways to read x as s s (with None), (k s) s or k (s s) (with k), s a sine or
    cosine."""
    found: list[tuple[Scalar, Scalar | None]] = []
    for s, rest in (x.args, x.args[::-1]):
        if s.op == "mul" and s.args[0] is s.args[1]:
            if s.args[0].op in ("sin", "cos"):
                found.append((s.args[0], rest))
        elif s.op in ("sin", "cos"):
            if rest is s:
                found.append((s, None))
            elif rest.op == "mul" and s in _identities(rest.args):
                found.append((s, rest.args[0] if rest.args[1] is s else rest.args[1]))
    return found


class _identities(tuple):  # type: ignore[type-arg]
    """A tuple whose `in` asks for identity (== on scalars builds a node)."""

    def __contains__(self, item: object) -> bool:
        return any(item is a for a in self)


def mul(x: Number, y: Number) -> Number:
    if type(x) is not Scalar:
        x, y = y, x
    if type(y) is not Scalar:
        return _mul_number(x, y)
    if x.trace is not y.trace:
        x, y = together(x, y)
    xop, yop = x.op, y.op
    if xop == "neg":
        if yop == "neg":  # -a * -b = a b
            return mul(x.args[0], y.args[0])
        return neg(mul(x.args[0], y))  # -a * b = -(a b)
    if yop == "neg":  # a * -b = -(a b)
        return neg(mul(x, y.args[0]))
    if yop == "rcp" or xop == "rcp" or yop == "mul" or xop == "mul":
        cancelled = _cancel(x, y)
        if cancelled is not None:
            return cancelled
    if x is y and xop == "sqrt":  # sqrt(a)^2 = a
        return x.args[0]
    return x.trace.apply("mul", *((x, y) if x.index <= y.index else (y, x)))


def _cancel(x: Scalar, y: Scalar) -> Number | None:
    """a rcp(a) = 1, (b rcp(a)) a = b and (b a) rcp(a) = b."""
    for a, b in ((x, y), (y, x)):
        if b.op == "rcp" and b.args[0] is a:
            return 1.0
        if b.op == "mul":
            for rest, factor in (b.args, b.args[::-1]):
                if _inverse_pair(factor, a):
                    return plain(rest)
    return None


def _inverse_pair(a: Scalar, b: Scalar) -> bool:
    return (a.op == "rcp" and a.args[0] is b) or (b.op == "rcp" and b.args[0] is a)


def _mul_number(x: Number, c: Number) -> Number:
    if type(x) is not Scalar:
        return x * c
    if c == 0.0:  # a * 0 = 0
        return 0.0
    if c == 1.0:
        return x
    if c == -1.0:
        return neg(x)
    if x.op == "neg":  # c * -a = (-c) a
        return _mul_number(x.args[0], -c)
    if x.op == "mul" and x.args[0].op == "const":  # c (k a) = (c k) a
        product = c * x.args[0].value
        if _SMALL <= abs(product) <= _LARGE:
            return _mul_number(x.args[1], product)
    return x.trace.apply("mul", x.trace.constant(c), x)


def neg(x: Number) -> Number:
    if type(x) is not Scalar:
        return -x
    if x.op == "neg":
        return x.args[0]
    if x.op == "sub":  # -(a - b) = b - a
        return sub(x.args[1], plain(x.args[0]))
    if x.op == "mul" and x.args[0].op == "const":  # -(k a) = (-k) a
        return _mul_number(x.args[1], -x.args[0].value)
    return x.trace.apply("neg", x)


def div(x: Number, y: Number) -> Number:
    if type(y) is not Scalar:
        if type(x) is not Scalar:
            return _divide_numbers(x, y)
        if math.frexp(y)[0] in (0.5, -0.5) and _SMALL <= abs(y) <= 1.0 / _SMALL:
            return _mul_number(x, 1.0 / y)  # a / 2^k = a 2^-k, exactly
        return x.trace.apply("div", x, x.trace.constant(y))
    if type(x) is not Scalar:
        if x == 0.0:  # 0 / a = 0
            return 0.0
        if x == 1.0:
            return reciprocal(y)
        return y.trace.apply("div", y.trace.constant(x), y)
    if x is y:  # a / a = 1
        return 1.0
    if x.trace is not y.trace:
        x, y = together(x, y)
    if x.op == "neg":  # -a / b = -(a / b)
        return neg(div(x.args[0], y))
    if y.op == "neg":  # a / -b = -(a / b)
        return neg(div(x, y.args[0]))
    if x.op == "mul" and y in _identities(x.args):  # (a b) / b = a
        return plain(x.args[0] if x.args[1] is y else x.args[1])
    return x.trace.apply("div", x, y)


def _divide_numbers(x: Number, y: Number) -> Number:
    if y == 0 and isinstance(x, float | int) and isinstance(y, float | int):
        if x == 0 or x != x:
            return math.nan
        return math.copysign(math.inf, x) * math.copysign(1.0, y)
    return x / y


def reciprocal(y: Number) -> Number:
    """1 / y; the reciprocal that several products share is one node."""
    if type(y) is not Scalar:
        return _divide_numbers(1, y)
    if y.op == "rcp":  # 1 / (1 / a) = a
        return y.args[0]
    if y.op == "neg":  # 1 / -a = -(1 / a)
        return neg(reciprocal(y.args[0]))
    return y.trace.apply("rcp", y)


def power(x: Number, exponent: Number) -> Number:
    """x^n by repeated squaring for whole n, x^(1/2) = sqrt x, else exp(n log x)."""
    from knuckle.scalar.functions import exp, log, sqrt

    if type(exponent) is Scalar:
        return exp(mul(exponent, log(x)))
    if exponent in (0.5, -0.5):
        return sqrt(x) if exponent > 0 else reciprocal(sqrt(x))
    if not float(exponent).is_integer():
        return exp(mul(exponent, log(x)))
    n, result, square = abs(int(exponent)), None, x
    while n:
        if n & 1:
            result = square if result is None else mul(result, square)
        n >>= 1
        square = mul(square, square) if n else square
    if result is None:
        return 1.0
    return reciprocal(result) if exponent < 0 else result


def absolute(x: Number) -> Number:
    if type(x) is not Scalar:
        return abs(x)
    if x.op == "neg":  # |-a| = |a|
        return absolute(x.args[0])
    return x if x.op in ("abs", "sqrt", "exp") else x.trace.apply("abs", x)


def unary(op: str, x: Scalar) -> Scalar:
    return x.trace.apply(op, x)


def odd(op: str, x: Scalar) -> Number:
    """f(-a) = -f(a)."""
    return neg(x.trace.apply(op, x.args[0])) if x.op == "neg" else x.trace.apply(op, x)


def even(op: str, x: Scalar) -> Scalar:
    """f(-a) = f(a)."""
    return x.trace.apply(op, x.args[0] if x.op == "neg" else x)


def inverse_of(op: str, opposite: str, x: Scalar) -> Scalar:
    """exp(log a) = a and log(exp a) = a."""
    return x.args[0] if x.op == opposite else x.trace.apply(op, x)


def together(x: Number, y: Number) -> tuple[Scalar, Scalar]:
    """Both as nodes of one trace: the inner one, where one trace lies inside the
    other."""
    if type(x) is not Scalar:
        return y.trace.constant(x), y
    if type(y) is not Scalar:
        return x, x.trace.constant(y)
    if x.trace is y.trace:
        return x, y
    if x.trace.inside(y.trace):
        return x, x.trace.lift(y)
    return y.trace.lift(x), y


UFUNCS: dict[str, Callable[..., Number]] = {
    "add": add,
    "subtract": sub,
    "multiply": mul,
    "divide": div,
    "true_divide": div,
    "negative": neg,
    "positive": lambda x: x,
    "power": power,
    "square": lambda x: mul(x, x),
    "reciprocal": reciprocal,
    "absolute": absolute,
    "fabs": absolute,
    "radians": lambda x: mul(x, math.pi / 180.0),
    "deg2rad": lambda x: mul(x, math.pi / 180.0),
    "degrees": lambda x: mul(x, 180.0 / math.pi),
    "rad2deg": lambda x: mul(x, 180.0 / math.pi),
}
"""NumPy's functions that build nodes; `choice` and `functions` add theirs."""
