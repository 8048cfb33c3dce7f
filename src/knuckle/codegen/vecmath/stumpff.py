"""The Stumpff functions c_k(t) = sum_i (-t)^i / (k + 2i)!, k = 1 .. 12."""

from __future__ import annotations

import math

from .emit import Body, Formula, Value
from .tables import STUMPFF, STUMPFF_LIMIT


def series(k: int) -> Formula:
    """A polynomial up to t = 10 .. 65, beyond that @kn.stumpffk.far, lane by lane."""

    def formula(body: Body, t: Value) -> Value:
        usual = body.polynomial(t, STUMPFF[body.format.dtype][k])
        far = t > STUMPFF_LIMIT[k]
        return body.override(far, f"stumpff{k}.far", [t], [usual])[0]

    return formula


def recursion(k: int) -> Formula:
    """c_{j+2} = (1/j! - c_j) / t from c_1 = sin(s)/s, c_2 = (1 - cos s)/t, s^2 = t."""

    def formula(body: Body, t: Value) -> Value:
        root = body.sqrt(t)
        inverse = 1.0 / t
        s, c = body.call("sincos", [root], "ff")
        square, rest = body.two_product(root, root)
        e = ((t - square) - rest) * 0.5 * root * inverse
        if k % 2:
            value, start = body.mad(e, c, s) * root * inverse, 1
        else:
            value, start = (1.0 - body.mad(-e, s, c)) * inverse, 2
        for j in range(start, k, 2):
            value = (1.0 / math.factorial(j) - value) * inverse
        return value

    return formula
