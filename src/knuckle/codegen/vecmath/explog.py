"""exp, log and tanh."""

from __future__ import annotations

import math

from .emit import Body, Value
from .tables import EXP, LOG, TANH

LN2_FULL = {"double": (math.log(2.0), 2.3190468138462996e-17),
            "float": (0.693147182464599609375, -1.904654299957767878e-09)}  # fmt: skip
"""ln 2 = high + low, for fused products."""

LN2_SHORT = {
    "double": (6.93147180369123816490e-01, 1.90821492927058770002e-10),
    "float": (6.9313812256e-01, 9.0580006145e-06),
}
"""The same with n * high exact for every exponent n (fdlibm)."""

EXP_RANGE = {"double": (-746.0, 710.0), "float": (-104.0, 89.0)}
"""Outside, the result is 0 or infinity, and so it is at the ends."""

TANH_ONE = {"double": 20.0, "float": 10.0}
SQRT_HALF_BITS = {"double": 0x3FE6A09E00000000, "float": 0x3F3504F3}


def exp(body: Body, x: Value) -> Value:
    """e^x = 2^n e^r, scaled in two steps so that it underflows gradually."""
    low, high = EXP_RANGE[body.format.dtype]
    x = body.where(x > high, high, body.where(x < low, low, x))
    bias = 2048 if body.format.bits == 64 else 512
    y, q = exp_kernel(body, x, bias)
    n = q & (2 * bias - 1)
    half = n >> 1
    return y * power(body, half, bias // 2) * power(body, n - half, bias // 2)


def exp_kernel(body: Body, x: Value, bias: int) -> tuple[Value, Value]:
    """(e^r, q): x = n ln 2 + r, |r| <= ln 2 / 2; the low bits of q hold n + bias."""
    magic, dtype = body.format.magic + bias, body.format.dtype
    shifted = body.mad(x, math.log2(math.e), magic)
    n = shifted - magic
    for part in (LN2_FULL if body.module.fma else LN2_SHORT)[dtype]:
        x = body.mad(n, -part, x)
    y = body.mad(x * x, body.polynomial(x, EXP[dtype]), x) + 1.0
    return y, body.bits(shifted)


def power(body: Body, n: Value, bias: int) -> Value:
    """2^(n - bias), for integers n."""
    return body.floats((n + (body.format.bias - bias)) << body.format.mantissa)


def log(body: Body, x: Value) -> Value:
    """log x = k ln 2 + log(1 + f), 1 + f in [sqrt 1/2, sqrt 2); the sum is fdlibm's."""
    form = body.format
    smallest = 2.0 ** (1 - form.bias)
    subnormal = x < smallest
    lifted = body.where(subnormal, x * 2.0 ** (form.mantissa + 2), x)
    k, f = mantissa(body, lifted)
    k = body.where(subnormal, k - float(form.mantissa + 2), k)
    s = f / (f + 2.0)
    w = s * s
    half_square = f * f * 0.5
    r = w * body.polynomial(w, LOG[form.dtype])
    high, low = LN2_SHORT[form.dtype]
    small = body.mad(k, low, s * (half_square + r))
    y = k * high - ((half_square - small) - f)
    y = body.where(x.equals(0.0), -math.inf, body.where(x < 0.0, math.nan, y))
    return body.where(body.compare("ugt", x, largest(body)), x, y)


def largest(body: Body) -> float:
    form = body.format
    return (2.0 - 2.0**-form.mantissa) * 2.0**form.bias


def mantissa(body: Body, x: Value) -> tuple[Value, Value]:
    """x = 2^k (1 + f) for normal positive x; k by the magic number."""
    form = body.format
    root = SQRT_HALF_BITS[form.dtype]
    one = form.bias << form.mantissa
    u = body.bits(x) + (one - root)
    k = body.floats(
        (u >> form.mantissa) | body.bits(body.lift(2.0**form.mantissa, "f"))
    )
    m = body.floats((u & ((1 << form.mantissa) - 1)) + root)
    return k - (2.0**form.mantissa + form.bias), m - 1.0


def tanh(body: Body, x: Value) -> Value:
    """x + x^3 P(x^2) below 0.55, else 1 - 2 / (e^2|x| + 1)."""
    size, one = body.absolute(x), TANH_ONE[body.format.dtype]
    near = size < 0.55
    z = size * size
    small = body.mad(size * z, body.polynomial(z, TANH[body.format.dtype]), size)
    size = body.where(size > one, one, size)
    y, q = exp_kernel(body, size + size, 0)
    large = 1.0 - 2.0 / (body.mad(y, power(body, q, 0), 1.0))
    return body.flip_sign(body.where(near, small, large), body.bits(x))
