"""Accelerations that know their velocity, and so the cheaper of two linear parts.

The spatial acceleration has the linear part a_O - w x v (Featherstone 2.48), the
classical one a_O. Carried along a body, a_O changes by K r with K = alpha x + (w x)(w
x), which the net force needs anyway; the linear velocity is then never used. An
algorithm's text adds spatial vectors all the same: both parts are at hand, and what is
not asked for costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from knuckle.scalar import Number
from knuckle.spatial.frames import Frame
from knuckle.spatial.linear import (
    Matrix,
    Vector,
    add,
    cross3,
    is_zero,
    matvec,
    neg,
    sub,
)
from knuckle.spatial.vectors import Motion, PlanarProduct, Product

Turn = Callable[[Vector], Vector]


class Classical:
    """What accelerations that know their velocity share: how others are added."""

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        if getattr(other, "kind", None) is not self.kind or isinstance(  # type: ignore
            other, Classical
        ):
            return super().__add__(other)  # type: ignore[misc]
        frame = self._like(other, "+")  # type: ignore[attr-defined]
        if isinstance(other, Product | PlanarProduct):
            v, vJ = other.factors
            if same(self.velocity + vJ, v):  # type: ignore[attr-defined]
                return self._joined(v, vJ, frame)  # type: ignore[attr-defined]
        return self._plus(other, frame)  # type: ignore[attr-defined]

    def __neg__(self) -> Any:
        if all(is_zero(x) for x in self.velocity.entries):  # type: ignore[attr-defined]
            return self._negated()  # type: ignore[attr-defined]
        return super().__neg__()  # type: ignore[misc]


class Acceleration(Classical, Motion):
    """A spatial acceleration [alpha; a_O - w x v] of a body that moves at
    `velocity`."""

    __slots__ = ("_alpha", "classical", "velocity")

    def __init__(
        self, alpha: Vector, classical: Vector, velocity: Motion, frame: Frame = None
    ) -> None:
        self._alpha, self.classical, self.velocity = alpha, classical, velocity
        self.frame = frame

    @property
    def entries(self) -> Vector:  # type: ignore[override]
        """The spatial coordinates, angular first."""
        turning = cross3(self.velocity.angular, self.velocity.linear)
        return (*self._alpha, *sub(self.classical, turning))

    @property
    def angular(self) -> Vector:
        """The angular acceleration [rad/s^2]."""
        return self._alpha

    def carried(
        self, turned: Turn, r: Vector, velocity: Motion, frame: Frame
    ) -> Acceleration:
        """X @ a: at the point r of the same body, turned by E; a_O + K r there."""
        K = gradient(self.velocity.angular, self._alpha)
        there = add(self.classical, matvec(K, r))
        return Acceleration(turned(self._alpha), turned(there), velocity, frame)

    def _plus(self, other: Motion, frame: Frame) -> Acceleration:
        alpha = add(self._alpha, other.angular)
        linear = add(self.classical, other.linear)
        return Acceleration(alpha, linear, self.velocity, frame)

    def _joined(self, v: Motion, vJ: Motion, frame: Frame) -> Acceleration:
        """Plus v x v_J, where v = velocity + v_J: Coriolis (w + w_before) x v_J."""
        both = add(v.angular, self.velocity.angular)
        alpha = add(self._alpha, cross3(v.angular, vJ.angular))
        return Acceleration(
            alpha, add(self.classical, cross3(both, vJ.linear)), v, frame
        )

    def _negated(self) -> Acceleration:
        parts = neg(self._alpha), neg(self.classical)
        return Acceleration(*parts, self.velocity, self.frame)


def same(a: Any, b: Any) -> bool:
    """Are these the same numbers and the same traced values?"""
    return all(_identical(x, y) for x, y in zip(a.entries, b.entries, strict=True))


def _identical(x: Number, y: Number) -> bool:
    return x is y or (type(x) is float and type(y) is float and x == y)


def gradient(w: Vector, alpha: Vector) -> Matrix:
    """K = alpha x + (w x)(w x), how the acceleration changes along a body [1/s^2]."""
    x, y, z = w
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz = x * y, x * z, y * z
    p, q, r = alpha
    return (
        (-(yy + zz), xy - r, xz + q),
        (xy + r, -(xx + zz), yz - p),
        (xz - q, yz + p, -(xx + yy)),
    )
