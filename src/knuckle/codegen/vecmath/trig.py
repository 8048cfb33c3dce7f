"""sin, cos and tan: one reduction, two polynomials, signs by integer operations."""

from __future__ import annotations

from .emit import Body, Value
from .reduction import reduce, reduce_pair
from .tables import COS, SIN


def sincos(body: Body, x: Value) -> tuple[Value, Value]:
    """(sin x, cos x) [x in rad], within 2 ulp."""
    size = body.absolute(x)
    q, r = reduce(body, size)
    s, c = kernels(body, r)
    odd = (q & 1).nonzero()
    sine, cosine = body.where(odd, c, s), body.where(odd, s, c)
    top = q << (body.format.bits - 2)
    return (
        body.flip_sign(sine, top ^ body.bits(x)),
        body.flip_sign(cosine, top + (body.format.sign >> 1)),
    )


def sin(body: Body, x: Value) -> Value:
    return sincos(body, x)[0]


def cos(body: Body, x: Value) -> Value:
    return sincos(body, x)[1]


def kernels(body: Body, r: Value) -> tuple[Value, Value]:
    """(sin r, cos r) for |r| <= pi/4."""
    z = r * r
    s = body.mad(r * z, body.polynomial(z, SIN[body.format.dtype]), r)
    p = body.polynomial(z, COS[body.format.dtype])
    if body.module.fma:
        return s, body.fma(z, body.fma(z, p, -0.5), 1.0)
    c, e = body.fast_two_sum(1.0, z * -0.5)
    return s, c + (z * z * p + e)


def tan(body: Body, x: Value) -> Value:
    """tan x = sin x / cos x of unevaluated pairs: a rounded quotient exceeds 2 ulp."""
    q, r, e = reduce_pair(body, body.absolute(x))
    (s, se), (c, ce) = kernel_pairs(body, r, e)
    odd = (q & 1).nonzero()
    high, high_e = body.where(odd, -c, s), body.where(odd, -ce, se)
    low, low_e = body.where(odd, s, c), body.where(odd, se, ce)
    t = quotient_of_pairs(body, high, high_e, low, low_e)
    return body.flip_sign(t, body.bits(x))


def kernel_pairs(
    body: Body, r: Value, e: Value
) -> tuple[tuple[Value, Value], tuple[Value, Value]]:
    """sin and cos of r + e, each as a rounded value and what the rounding lost."""
    z, ze = body.two_product(r, r)
    s, se = body.fast_two_sum(r, r * z * body.polynomial(z, SIN[body.format.dtype]))
    se = se + e * (1.0 - 0.5 * z)
    p = z * z * body.polynomial(z, COS[body.format.dtype])
    c, ce = body.fast_two_sum(1.0, z * -0.5)
    c, ce = body.fast_two_sum(c, ce + (p - (0.5 * ze + r * e)))
    return (s, se), (c, ce)


def quotient_of_pairs(body: Body, a: Value, ae: Value, b: Value, be: Value) -> Value:
    """(a + ae) / (b + be), nearly correctly rounded."""
    inverse = 1.0 / b
    q = a * inverse
    p, pe = body.two_product(q, b)
    return q + ((a - p) - pe + (ae - q * be)) * inverse
