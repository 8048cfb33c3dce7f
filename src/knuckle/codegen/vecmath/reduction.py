"""x = q pi/2 + r with |r| <= pi/4, for x >= 0: Cody and Waite, Payne and Hanek."""

from __future__ import annotations

from .emit import Body, Value

TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")

FUSED_PARTS = {
    "double": ("0x1.921fb54442d18p+0", "0x1.1a62633145c07p-54",
               "-0x1.f1976b7ed8fbcp-110"),
    "float": ("0x1.921fb6p+0", "-0x1.777a5cp-25", "-0x1.ee59dap-50"),
}  # fmt: skip
"""pi/2 in three full parts; two of them gave 451 ulp at 91.106186954104."""

SHORT_PARTS = {
    "double": ("0x1.921fb544p+0", "0x1.0b4611a6p-34", "0x1.3198a2e037073p-69"),
    "float": ("0x1.92p+0", "0x1.fb4p-12", "0x1.444p-24", "0x1.68c234p-39"),
}  # fmt: skip
"""pi/2 in parts whose products with q are exact (33 and 11 bits), and the tail."""

FUSED_LIMIT = {"double": 2.0**30, "float": 2.0**16}
SHORT_LIMIT = {"double": 2.0**20, "float": 2.0**13}


def reduce(body: Body, x: Value) -> list[Value]:
    """(q, r): x = q pi/2 + r, q in the low bits, r within about 0.5 ulp, for x >= 0.

    Lanes beyond the limit, infinity among them, take the long division.
    """
    usual = fused(body, x) if body.module.fma else short(body, x)[:2]
    return body.override(is_long(body, x), "reduce.single", [x], usual)


def reduce_pair(body: Body, x: Value) -> list[Value]:
    """(q, r, e): the remainder is r + e with |e| <= ulp(r) / 2."""
    usual = fused_pair(body, x) if body.module.fma else short(body, x)
    return body.override(is_long(body, x), "reduce.pair", [x], usual)


def is_long(body: Body, x: Value) -> Value:
    limits = FUSED_LIMIT if body.module.fma else SHORT_LIMIT
    return x > limits[body.format.dtype]


def quotient(body: Body, x: Value) -> tuple[Value, Value]:
    """(q as integer bits, q as a float), q = x 2/pi to nearest."""
    shifted = body.mad(x, TWO_OVER_PI, body.format.magic)
    return body.bits(shifted), shifted - body.format.magic


def fused(body: Body, x: Value) -> tuple[Value, ...]:
    """The first difference is exact: both terms are multiples of ulp(x), it is < 1."""
    q, n = quotient(body, x)
    for part in FUSED_PARTS[body.format.dtype]:
        x = body.fma(n, -float.fromhex(part), x)
    return q, x


def fused_pair(body: Body, x: Value) -> tuple[Value, ...]:
    q, n = quotient(body, x)
    first, second, third = map(float.fromhex, FUSED_PARTS[body.format.dtype])
    r = body.fma(n, -first, x)
    p = n * -second
    r, e = body.two_sum(r, p)
    e = e + body.fma(n, -third, body.fma(n, -second, -p))
    return q, *body.fast_two_sum(r, e)


def short(body: Body, x: Value) -> tuple[Value, ...]:
    """Without FMA: every product but the last is exact, so are the differences."""
    q, n = quotient(body, x)
    *exact, middle, tail = map(float.fromhex, SHORT_PARTS[body.format.dtype])
    for part in exact:
        x = x - n * part
    r, e = body.two_sum(x, n * -middle)
    return q, *body.fast_two_sum(r, e - n * tail)


def long_single(body: Body, x: Value) -> tuple[Value, ...]:
    q, r, e = body.call("reduce.pair", [x], "iff")
    return q, r + e
