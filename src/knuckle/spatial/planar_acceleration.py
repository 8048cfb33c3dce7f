"""Planar accelerations that know their velocity, as the spatial ones do.

(w, v_x, v_y) of Sec. 2.16 with the classical linear part at hand; the net force of a
body in the plane is m a + K h and h x a + I alpha, K = alpha x - w^2.
"""

from __future__ import annotations

from typing import Any

from knuckle.scalar import Number
from knuckle.spatial.acceleration import Classical, same
from knuckle.spatial.frames import Frame
from knuckle.spatial.linear import Vector, add
from knuckle.spatial.vectors import PlanarForce, PlanarMotion


class PlanarAcceleration(Classical, PlanarMotion):
    """(alpha, a_O - w x v) of a body that moves in the plane at `velocity`."""

    __slots__ = ("_alpha", "classical", "velocity")

    def __init__(
        self,
        alpha: Number,
        classical: Vector,
        velocity: PlanarMotion,
        frame: Frame = None,
    ) -> None:
        self._alpha, self.classical, self.velocity = alpha, classical, velocity
        self.frame = frame

    @property
    def entries(self) -> Vector:  # type: ignore[override]
        """The coordinates of the spatial acceleration, angular first."""
        w, vx, vy = self.velocity.entries
        x, y = self.classical
        return self._alpha, x + w * vy, y - w * vx

    def carried(self, X: Any, velocity: PlanarMotion, frame: Frame) -> Any:
        """X @ a: at the shift (x, y), turned by c and s; a_O + K r there."""
        w, (ax, ay) = self.velocity.entries[0], self.classical
        dx, dy = turning(w, self._alpha, (X.x, X.y))
        x, y = ax + dx, ay + dy
        there = X.c * x + X.s * y, X.c * y - X.s * x
        return PlanarAcceleration(self._alpha, there, velocity, frame)

    def _plus(self, other: Any, frame: Frame) -> Any:
        alpha, x, y = other.entries
        linear = add(self.classical, (x, y))
        return PlanarAcceleration(self._alpha + alpha, linear, self.velocity, frame)

    def _joined(self, v: Any, vJ: Any, frame: Frame) -> Any:
        """Plus v x v_J: Coriolis (w + w_before) x v_J."""
        both, (_, x, y) = v.entries[0] + self.velocity.entries[0], vJ.entries
        linear = add(self.classical, (0.0 - both * y, both * x))
        return PlanarAcceleration(self._alpha, linear, v, frame)

    def _negated(self) -> Any:
        x, y = self.classical
        return PlanarAcceleration(
            0.0 - self._alpha, (0.0 - x, 0.0 - y), self.velocity, self.frame
        )


def turning(w: Number, alpha: Number, r: Vector) -> Vector:
    """K r with K = alpha x - w^2: how the acceleration changes along a body."""
    x, y = r
    ww = w * w
    return 0.0 - (ww * x + alpha * y), alpha * x - ww * y


def planar_net_force(I: Any, v: Any, a: Any, frame: Frame) -> PlanarForce:
    """f = I a + v x* I v in the plane (2.68), with what the acceleration knows."""
    w, vx, vy = v.entries
    if isinstance(a, PlanarAcceleration) and same(a.velocity, v):
        alpha, (x, y) = a.entries[0], a.classical
    else:
        alpha, x, y = a.entries
        x, y = x - w * vy, y + w * vx
    dx, dy = turning(w, alpha, (I.hx, I.hy))
    n = I.Io * alpha + (I.hx * y - I.hy * x)
    return PlanarForce(n, I.mass * x + dx, I.mass * y + dy, frame)
