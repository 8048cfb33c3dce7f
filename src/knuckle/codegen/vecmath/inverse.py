"""asin, acos and atan2."""

from __future__ import annotations

import math

from .emit import Body, Value
from .tables import ASIN, ATAN

PI = {"double": (math.pi, 1.2246467991473532e-16),
      "float": (3.1415927410125732421875, -8.742277657347585773e-08)}  # fmt: skip
"""pi = high + low."""

LARGE = {"double": (2.0**900, 2.0**-200), "float": (2.0**100, 2.0**-30)}
SMALL = {"double": (2.0**-800, 2.0**200), "float": (2.0**-90, 2.0**40)}
TINY = {"double": 2.0**-960, "float": 2.0**-100}


def asin(body: Body, x: Value) -> Value:
    """pi/2 - 2 asin sqrt((1 - |x|)/2) from 1/2 on; NaN beyond 1."""
    near, u, p = asin_kernel(body, body.absolute(x))
    high, low = (part / 2.0 for part in PI[body.format.dtype])
    s, e = body.fast_two_sum(high, u * -2.0)
    y = body.where(near, u + p, s + (e + (low - (p + p))))
    return body.flip_sign(y, body.bits(x))


def acos(body: Body, x: Value) -> Value:
    """2 asin sqrt((1 - x)/2), pi minus that of -x, or pi/2 - asin x around 0."""
    near, u, p = asin_kernel(body, body.absolute(x))
    pi, pi_low = PI[body.format.dtype]
    left = x < 0.0
    turns = body.where(near, 0.5, body.where(left, 1.0, 0.0))
    factor = body.where(near, -1.0, 2.0)
    factor = body.where(left, -factor, factor)
    s, e = body.fast_two_sum(turns * pi, u * factor)
    return s + (e + (turns * pi_low + p * factor))


def asin_kernel(body: Body, size: Value) -> tuple[Value, Value, Value]:
    """(|x| < 1/2, u, p): asin |x| or asin sqrt((1 - |x|)/2) is u + p."""
    near = size < 0.5
    far = (1.0 - size) * 0.5
    z = body.where(near, size * size, far)
    u = body.where(near, size, body.sqrt(far))
    return near, u, u * z * body.polynomial(z, ASIN[body.format.dtype])


def atan2(body: Body, y: Value, x: Value) -> Value:
    """The angle of (x, y) [rad] in [-pi, pi]: (k pi/4) +- atan of a ratio below 1/2."""
    a, b, swap = ratio(body, body.absolute(y), body.absolute(x))
    middle = a > b * 0.5
    total, total_e = body.two_sum(a, b)
    n = body.where(middle, a - b, a)
    d, de = body.where(middle, total, b), body.where(middle, total_e, 0.0)
    t, te = ratio_pair(body, n, d, de)
    z = t * t
    te = te + t * z * body.polynomial(z, ATAN[body.format.dtype])
    return octant(body, y, x, (middle, swap), (t, te))


def ratio(body: Body, y: Value, x: Value) -> tuple[Value, Value, Value]:
    """(a, b, y > x): a <= b are y and x, scaled alike; finite, b not zero, or NaN."""
    swap = y > x
    a, b = body.where(swap, x, y), body.where(swap, y, x)
    infinite = b.equals(math.inf)
    a = body.where(infinite, body.where(a.equals(math.inf), 1.0, 0.0), a)
    b = body.where(infinite, 1.0, body.where(b.equals(0.0), 1.0, b))
    large, down = LARGE[body.format.dtype]
    small, up = SMALL[body.format.dtype]
    scale = body.where(b > large, down, body.where(b < small, up, 1.0))
    return a * scale, b * scale, swap


def ratio_pair(body: Body, n: Value, d: Value, de: Value) -> tuple[Value, Value]:
    """n / (d + de) as a rounded value and the rest.

    Without FMA the rest of a tiny n would be lost in underflow: it is left out.
    """
    inverse = 1.0 / d
    t = n * inverse if body.module.fma else n / d
    p, pe = body.two_product(t, d)
    te = (((n - p) - pe) - t * de) * inverse
    if not body.module.fma:
        te = body.where(body.absolute(n) < TINY[body.format.dtype], 0.0, te)
    return t, te


def octant(
    body: Body,
    y: Value,
    x: Value,
    place: tuple[Value, Value],
    angle: tuple[Value, Value],
) -> Value:
    """angle is that of the ratio, minus pi/4 where middle; reflect it to (x, y)."""
    middle, swap = place
    pi, pi_low = PI[body.format.dtype]
    top = body.bits(x) & body.format.sign
    left = top.nonzero()
    quarters = body.where(swap, 2.0, body.where(left, 4.0, 0.0))
    flip = body.where(swap, top ^ body.format.sign, top)
    step = body.where(middle, body.flip_sign(body.lift(1.0, "f"), flip), 0.0)
    quarters = quarters + step
    s, e = body.fast_two_sum(quarters * (pi / 4.0), body.flip_sign(angle[0], flip))
    rest = body.mad(quarters, pi_low / 4.0, body.flip_sign(angle[1], flip))
    result = body.flip_sign(s + (e + rest), body.bits(y))
    invalid = body.compare("uno", y, x)
    return body.where(invalid, math.nan, result)
