"""How the net force on a moving body changes with its velocity.

Where the velocity of a body changes by psi, and its acceleration by -v x psi with it,
the force changes by B psi = v x* I psi - I (v x psi) + psi x* I v. Only the angular
part w of psi counts: the moment changes by N w and the force by w x l, where l is twice
the linear momentum and N = 2 ((h . u) 1 - u h^T - (omega x) Sigma), with v = (omega, u)
and Sigma the second moments of the mass. These twelve numbers add over bodies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knuckle.scalar import Number
from knuckle.spatial.cheapest import cheapest
from knuckle.spatial.congruence import rotate_general
from knuckle.spatial.frames import Frame, join
from knuckle.spatial.inertia import Inertia, Step
from knuckle.spatial.linear import (
    Matrix,
    Vector,
    add,
    cross3,
    dot,
    full,
    matadd,
    matmul,
    matTvec,
    matvec,
    neg,
    scale,
    skew,
    symvec,
    transpose,
)
from knuckle.spatial.planar import PlanarInertia, PlanarTransform
from knuckle.spatial.subspace import (
    ForceSubspace,
    PlanarForceSubspace,
    PlanarSubspace,
    Subspace,
)
from knuckle.spatial.vectors import Force, Motion, PlanarForce, PlanarMotion


class Coriolis:
    """B = [[N, 0], [-l x, 0]], from motions to forces."""

    __slots__ = ("N", "frame", "l")

    def __init__(self, N: Matrix, l: Sequence[Number], frame: Frame = None) -> None:
        self.N, self.l, self.frame = N, tuple(l), frame

    def __matmul__(self, m: Any) -> Any:
        """B psi = (N w, w x l), 15m + 9a."""
        if isinstance(m, Subspace):
            return ForceSubspace(tuple(self @ c for c in m.columns), self.frame)
        frame = join(self.frame, m.frame, "Coriolis @ Motion")
        w = m.angular
        return Force.of(matvec(self.N, w) + cross3(w, self.l), frame)

    @property
    def T(self) -> CoriolisTransposed:
        """B^T, whose values are couples."""
        return CoriolisTransposed(self)

    def __add__(self, other: Coriolis) -> Coriolis:
        """Of two bodies, 12a."""
        frame = join(self.frame, other.frame, "Coriolis + Coriolis")
        return Coriolis(matadd(self.N, other.N), add(self.l, other.l), frame)

    def rate(self, s: Motion) -> Coriolis:
        """s x* B - B s x, the change as the body moves by s."""
        w, u, turning = s.angular, s.linear, skew(s.angular)
        ahead, behind = matmul(turning, self.N), matmul(self.N, turning)
        along = dot(u, self.l)
        N = tuple(
            tuple(
                ahead[i][j] - behind[i][j] - self.l[i] * u[j]
                + (along if i == j else 0.0)
                for j in range(3)
            )
            for i in range(3)
        )  # fmt: skip
        frame = join(self.frame, s.frame, "Coriolis.rate")
        return Coriolis(N, cross3(w, self.l), frame)

    def pulled(self, whole: Step, parts: tuple[Step, ...], frame: Frame) -> Coriolis:
        """X^T B X; parts multiply to the whole."""
        N, l = cheapest(_PULLED, whole, parts, (self.N, self.l))
        return Coriolis(N, l, frame)


class CoriolisTransposed:
    """B^T: ``B.T @ S`` are forces without a linear part."""

    __slots__ = ("B",)

    def __init__(self, B: Coriolis) -> None:
        self.B = B

    def __matmul__(self, m: Any) -> Any:
        """B^T s = (N^T w + l x v, 0), 15m + 12a."""
        B = self.B
        if isinstance(m, Subspace):
            return ForceSubspace(tuple(self @ c for c in m.columns), B.frame)
        frame = join(B.frame, m.frame, "B.T @ Motion")
        moment = add(matTvec(B.N, m.angular), cross3(B.l, m.linear))
        return Force(moment, (0.0, 0.0, 0.0), frame)


def _pulled_at_once(
    whole: Step, parts: tuple[Step, ...], B: tuple[Matrix, Vector]
) -> tuple[Matrix, Vector]:
    """Rotate, then add the moment r x (w x l) = ((r . l) 1 - l r^T) w."""
    Et, r = transpose(whole[0]), whole[1]
    N, l = rotate_general(Et, B[0]), matvec(Et, B[1])
    s = dot(r, l)
    moved = tuple(
        tuple(
            N[i][j] - l[i] * r[j] + s if i == j else N[i][j] - l[i] * r[j]
            for j in range(3)
        )
        for i in range(3)
    )
    return moved, l


def _pulled_in_parts(
    whole: Step, parts: tuple[Step, ...], B: tuple[Matrix, Vector]
) -> tuple[Matrix, Vector]:
    for part in reversed(parts):
        B = _pulled_at_once(part, (), B)
    return B


_PULLED = (_pulled_at_once, _pulled_in_parts)


class PlanarCoriolis:
    """In the plane: the moment n w and the force w x (lx, ly)."""

    __slots__ = ("entries", "frame")

    def __init__(self, *entries: Number, frame: Frame = None) -> None:
        self.entries: Vector = entries
        self.frame = frame

    def __matmul__(self, m: Any) -> Any:
        """B psi, 3m."""
        if isinstance(m, PlanarSubspace):
            return PlanarForceSubspace(tuple(self @ c for c in m.columns), self.frame)
        n, lx, ly = self.entries
        w, frame = m.entries[0], join(self.frame, m.frame, "PlanarCoriolis @ motion")
        return PlanarForce(n * w, -(w * ly), w * lx, frame)

    @property
    def T(self) -> PlanarCoriolisTransposed:
        """B^T, whose values are couples."""
        return PlanarCoriolisTransposed(self)

    def __add__(self, other: PlanarCoriolis) -> PlanarCoriolis:
        frame = join(self.frame, other.frame, "PlanarCoriolis + PlanarCoriolis")
        return PlanarCoriolis(*add(self.entries, other.entries), frame=frame)

    def rate(self, s: Any) -> PlanarCoriolis:
        """The change as the body moves by s."""
        (w, ux, uy), (_, lx, ly) = s.entries, self.entries
        return PlanarCoriolis(ux * lx + uy * ly, 0.0 - w * ly, w * lx, frame=self.frame)

    def pulled(self, X: PlanarTransform, frame: Frame) -> PlanarCoriolis:
        """X^T B X, 6m + 4a."""
        n, lx, ly = self.entries
        lx, ly = X.c * lx - X.s * ly, X.s * lx + X.c * ly
        return PlanarCoriolis(n + (X.x * lx + X.y * ly), lx, ly, frame=frame)


class PlanarCoriolisTransposed:
    """B^T: ``B.T @ S`` are couples."""

    __slots__ = ("B",)

    def __init__(self, B: PlanarCoriolis) -> None:
        self.B = B

    def __matmul__(self, m: Any) -> Any:
        if isinstance(m, PlanarSubspace):
            columns = tuple(self @ c for c in m.columns)
            return PlanarForceSubspace(columns, self.B.frame)
        n, lx, ly = self.B.entries
        w, x, y = m.entries
        frame = join(self.B.frame, m.frame, "B.T @ PlanarMotion")
        return PlanarForce(n * w + (lx * y - ly * x), 0.0, 0.0, frame)


def coriolis(I: Any, v: Motion | PlanarMotion) -> Any:
    """B of one body of inertia I that moves with velocity v."""
    frame = join(I.frame, v.frame, "coriolis")
    if isinstance(I, PlanarInertia):
        return _planar(I, v, frame)
    assert isinstance(I, Inertia)
    w, u = v.entries[:3], v.entries[3:]
    h = scale(2.0, I.h)
    m = 2.0 * I.mass
    l = add(tuple(m * x for x in u), cross3(w, h))
    xx, xy, xz, yy, yz, zz = I.I
    trace = xx + yy + zz
    sigma = full((trace - 2.0 * xx, *neg(scale(2.0, (xy, xz))), trace - 2.0 * yy,
                  *neg(scale(2.0, (yz,))), trace - 2.0 * zz))  # fmt: skip
    turning, s = matmul(skew(neg(w)), sigma), dot(h, u)
    N = tuple(
        tuple(turning[i][j] - u[i] * h[j] + (s if i == j else 0.0) for j in range(3))
        for i in range(3)
    )
    return Coriolis(N, l, frame)


def couple(I: Any, psi: Any, s: Any, U: Any) -> Any:
    """coriolis(I, psi)^T s, with U = I s, in fewer operations: the couple
    2 Sigma (w x a) + 2 u x U_f + 2 (w x h) x b of psi = (w, u) and s = (a, b)."""
    if isinstance(I, PlanarInertia):
        return coriolis(I, psi).T @ s
    w, u = psi.entries[:3], psi.entries[3:]
    a, b = s.entries[:3], s.entries[3:]
    trace = I.I[0] + I.I[3] + I.I[5]
    turned = cross3(w, a)
    half = add(cross3(u, U.entries[3:]), cross3(cross3(w, I.h), b))
    low = zip(turned, symvec(I.I, turned), half, strict=True)
    moment = tuple(trace * x + 2.0 * (z - y) for x, y, z in low)
    frame = join(join(I.frame, psi.frame, "couple"), s.frame, "couple")
    return Force(moment, (0.0, 0.0, 0.0), frame)


def _planar(I: PlanarInertia, v: Any, frame: Frame) -> PlanarCoriolis:
    w, ux, uy = v.entries
    hx, hy, m = 2.0 * I.hx, 2.0 * I.hy, 2.0 * I.mass
    lx, ly = m * ux - w * hy, m * uy + w * hx
    return PlanarCoriolis(hx * ux + hy * uy, lx, ly, frame=frame)
