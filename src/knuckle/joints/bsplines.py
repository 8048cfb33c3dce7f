"""Uniform B-splines: which controls are active, and how much of each.

Cubic ones for poses, which are then C2. Quartic ones for points: the frame that follows
a tangent is one derivative worse than its curve, and is C2 again.
"""

from __future__ import annotations

from knuckle.scalar import Number, floor, maximum, minimum

Weights = tuple[Number, ...]


def segment(q: Number, count: int, closed: bool = False) -> tuple[Number, Number]:
    """(i, u): q lies at u in [0, 1] of segment i of ``count`` (Sueda, below 2.62).

    Beyond the ends the polynomials of the first and the last segment go on; a closed
    spline starts again. i moves in steps, so its derivative is zero and that of u one.
    """
    i = floor(q)
    if closed:
        return i - count * floor(i / count), q - i
    i = minimum(maximum(i, 0.0), count - 1.0)
    return i, q - i


def cubic(u: Number) -> Weights:
    """B_1 ... B_4 of the four active controls (Sueda 2.61)."""
    s = 1.0 - u
    return (
        s * s * s / 6.0,
        (4.0 + u * u * (3.0 * u - 6.0)) / 6.0,
        (4.0 + s * s * (3.0 * s - 6.0)) / 6.0,
        u * u * u / 6.0,
    )


def quartic(u: Number) -> Weights:
    """The five weights of degree 4."""
    s = 1.0 - u
    return (
        s * s * s * s / 24.0,
        (1.0 + s * (4.0 + s * (6.0 + s * (4.0 - 4.0 * s)))) / 24.0,
        (11.0 + u * (12.0 + u * (u * (6.0 * u - 12.0) - 6.0))) / 24.0,
        (1.0 + u * (4.0 + u * (6.0 + u * (4.0 - 4.0 * u)))) / 24.0,
        u * u * u * u / 24.0,
    )


def cumulative(u: Number) -> Weights:
    """The cumulative basis of controls 2, 3, 4; that of control 1 is 1 (2.65)."""
    return (
        (5.0 + u * (3.0 + u * (u - 3.0))) / 6.0,
        (1.0 + u * (3.0 + u * (3.0 - 2.0 * u))) / 6.0,
        u * u * u / 6.0,
    )
