"""Inertias without constraints: ten numbers of which every value is a rigid body.

The pseudo-inertia [[Sigma, h], [h^T, m]], with Sigma the second moments of the mass, is
positive definite exactly where some distribution of mass has this inertia. It is U U^T
with U = e^alpha [[e^d1, s12, s13, t1], [0, e^d2, s23, t2], [0, 0, e^d3, t3], [0, 0, 0,
1]] (Rucker and Wensing 2022).
"""

from __future__ import annotations

from collections.abc import Sequence

from knuckle.scalar import Number, exp, log
from knuckle.spatial.frames import Frame
from knuckle.spatial.inertia import Inertia


def from_log_cholesky(theta: Sequence[Number], frame: Frame = None) -> Inertia:
    """The inertia of (alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3); t is the com [m].

    Smooth, one to one, and onto the inertias of bodies with extent.
    """
    alpha, d1, d2, d3, s12, s23, s13, *t = theta
    m = exp(2.0 * alpha)
    rows = (exp(d1), s12, s13), (0.0, exp(d2), s23), (0.0, 0.0, exp(d3))
    xx, xy, xz, yy, yz, zz = (
        m * (sum((a * b for a, b in zip(rows[i], rows[j])), 0.0) + t[i] * t[j])
        for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    )
    I = (yy + zz, 0.0 - xy, 0.0 - xz, xx + zz, 0.0 - yz, xx + yy)
    return Inertia.of(m, tuple(m * x for x in t), I, frame)


def log_cholesky(inertia: Inertia) -> tuple[Number, ...]:
    """The inverse of `from_log_cholesky`; not finite for a body without extent."""
    m, r = inertia.mass, 1.0 / inertia.mass
    t = tuple(r * x for x in inertia.h)
    xx, xy, xz, yy, yz, zz = inertia.I
    half = 0.5 * (xx + yy + zz)
    a, b, c = (r * (half - x) - y * y for x, y in zip((xx, yy, zz), t))
    p, q, s = (
        0.0 - r * x - t[i] * t[j] for x, i, j in ((xy, 0, 1), (yz, 1, 2), (xz, 0, 2))
    )
    d3 = 0.5 * log(c)
    s23, s13 = q * exp(0.0 - d3), s * exp(0.0 - d3)
    d2 = 0.5 * log(b - s23 * s23)
    s12 = (p - s13 * s23) * exp(0.0 - d2)
    d1 = 0.5 * log(a - s12 * s12 - s13 * s13)
    return (0.5 * log(m), d1, d2, d3, s12, s23, s13, *t)
