"""Articulated-body inertia, 21 numbers (Featherstone Sec. 7.1, Tables A.3, A.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from knuckle.scalar import Number
from knuckle.spatial.cheapest import cheapest
from knuckle.spatial.congruence import rotate_general, rotate_symmetric
from knuckle.spatial.frames import Frame, join
from knuckle.spatial.inertia import Inertia, Step, symmetric_entries
from knuckle.spatial.linear import (
    ZERO33,
    ZERO_SYMMETRIC,
    Matrix,
    Symmetric,
    Vector,
    add,
    full,
    matadd,
    matTvec,
    matvec,
    neg,
    skew,
    symvec,
    transpose,
)
from knuckle.spatial.planar import PlanarInertia, planar_articulated
from knuckle.spatial.se3 import blocks
from knuckle.spatial.subspace import Dyadic, ForceSubspace, Subspace
from knuckle.spatial.vectors import Force, Motion

Blocks = tuple[Symmetric, Matrix, Symmetric]
UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


class ArticulatedInertia:
    """Articulated-body inertia [[I, H], [H^T, M]]: n = I w + H a, f = H^T w + M a.

    I and M are symmetric, given as 3x3 matrices or six entries.
    """

    __slots__ = ("H", "I", "M", "frame")
    __array_ufunc__ = None

    def __init__(
        self,
        M: Sequence[Any],
        H: Sequence[Sequence[Number]],
        I: Sequence[Any],
        frame: Frame = None,
    ) -> None:
        self.M: Symmetric = symmetric_entries(M)
        self.H: Matrix = tuple(map(tuple, H))
        self.I: Symmetric = symmetric_entries(I)
        self.frame = frame

    @classmethod
    def zero(cls, frame: Frame = None) -> Self:
        """No inertia, structurally zero."""
        return cls(ZERO_SYMMETRIC, ZERO33, ZERO_SYMMETRIC, frame)

    @property
    def entries(self) -> Vector:
        """The 21 numbers: M (6), H (9), I (6)."""
        return (*self.M, *self.H[0], *self.H[1], *self.H[2], *self.I)

    @classmethod
    def of_entries(cls, e: Sequence[Number], frame: Frame = None) -> Self:
        """The inverse of ``entries``."""
        return cls(e[:6], (e[6:9], e[9:12], e[12:15]), e[15:], frame)

    @classmethod
    def of_matrix(cls, rows: Sequence[Sequence[Number]], frame: Frame = None) -> Self:
        """The inverse of ``matrix``, from the upper triangle."""
        M, I = ([rows[i + k][j + k] for i, j in UPPER] for k in (3, 0))
        return cls(M, [row[3:] for row in rows[:3]], I, frame)

    def __matmul__(self, m: Any) -> Any:
        """I^A a, 36m + 30a."""
        if isinstance(m, Subspace):
            return ForceSubspace(tuple(self @ c for c in m.columns), self.frame)
        if not isinstance(m, Motion):
            name = type(m).__name__
            raise TypeError(f"ArticulatedInertia @ {name}: an inertia maps a Motion")
        w, a = m.angular, m.linear
        frame = join(self.frame, m.frame, "ArticulatedInertia @ Motion")
        top = add(symvec(self.I, w), matvec(self.H, a))
        bottom = add(matTvec(self.H, w), symvec(self.M, a))
        return Force.of(top + bottom, frame)

    def __add__(self, other: Any) -> ArticulatedInertia:
        """21a; with a rigid inertia 15a."""
        if isinstance(other, Inertia):
            other = articulated(other)
        frame = join(self.frame, other.frame, "ArticulatedInertia + inertia")
        return ArticulatedInertia(
            add(self.M, other.M),
            matadd(self.H, other.H),
            add(self.I, other.I),
            frame,
        )

    __radd__ = __add__

    def __neg__(self) -> ArticulatedInertia:
        return self.of_entries(neg(self.entries), self.frame)

    def __sub__(self, other: Any) -> ArticulatedInertia:
        """I^A - U D^-1 U^T, 21 entries; or minus another inertia."""
        if not isinstance(other, Dyadic):
            return self + (-other)
        take = other.taken_from
        M, H, I = self.M, self.H, self.I
        return ArticulatedInertia(
            tuple(take(M[k], i + 3, j + 3) for k, (i, j) in enumerate(UPPER)),
            tuple(tuple(take(H[i][j], i, j + 3) for j in range(3)) for i in range(3)),
            tuple(take(I[k], i, j) for k, (i, j) in enumerate(UPPER)),
            join(self.frame, other.frame, "ArticulatedInertia - dyadic"),
        )

    def pulled(
        self, whole: Step, parts: tuple[Step, ...], frame: Frame
    ) -> ArticulatedInertia:
        """X^T I^A X, at most 137m + 137a (Table A.4); parts multiply to the whole."""
        M, H, I = cheapest(_PULLED, whole, parts, (self.M, self.H, self.I))
        return ArticulatedInertia(M, H, I, frame)

    def matrix(self) -> Matrix:
        """The 6x6 matrix."""
        return blocks(full(self.I), self.H, transpose(self.H), full(self.M))

    def __repr__(self) -> str:
        return f"ArticulatedInertia({self.M!r}, {self.H!r}, {self.I!r})"


def articulated(I: Any) -> Any:
    """A rigid inertia in the 21-number form (6 in the plane), free."""
    if isinstance(I, PlanarInertia):
        return planar_articulated(I)
    m = I.mass
    return ArticulatedInertia((m, 0.0, 0.0, m, 0.0, m), skew(I.h), I.I, I.frame)


def _pulled_at_once(whole: Step, parts: tuple[Step, ...], inertia: Blocks) -> Blocks:
    """Rotate the three blocks, then move the origin."""
    Et = transpose(whole[0])
    M, H, I = inertia
    turned = rotate_symmetric(Et, M), rotate_general(Et, H), rotate_symmetric(Et, I)
    return shifted(whole[1], *turned)


def _pulled_in_parts(whole: Step, parts: tuple[Step, ...], inertia: Blocks) -> Blocks:
    for part in reversed(parts):
        inertia = _pulled_at_once(part, (), inertia)
    return inertia


_PULLED = (_pulled_at_once, _pulled_in_parts)


def shifted(r: Vector, M: Symmetric, H: Matrix, I: Symmetric) -> Blocks:
    """(M, K, I + r x H^T - K r x) with K = H + r x M: the origin moved by -r.

    30m + 42a.
    """
    K = matadd(H, skew_symmetric_product(r, M))
    x, y, z = r
    change = (
        y * (H[0][2] + K[0][2]) - z * (H[0][1] + K[0][1]),
        z * (K[0][0] - H[1][1]) + y * H[1][2] - x * K[0][2],
        y * (H[2][2] - K[0][0]) - z * H[2][1] + x * K[0][1],
        z * (H[1][0] + K[1][0]) - x * (H[1][2] + K[1][2]),
        x * (K[1][1] - H[2][2]) + z * H[2][0] - y * K[1][0],
        x * (H[2][1] + K[2][1]) - y * (H[2][0] + K[2][0]),
    )
    return M, K, add(I, change)


def skew_symmetric_product(r: Vector, M: Symmetric) -> Matrix:
    """r x M for symmetric M, 15m + 9a (three products are shared)."""
    x, y, z = r
    xx, xy, xz, yy, yz, zz = M
    x_yz, y_xz, z_xy = x * yz, y * xz, z * xy
    return (
        (y_xz - z_xy, y * yz - z * yy, y * zz - z * yz),
        (z * xx - x * xz, z_xy - x_yz, z * xz - x * zz),
        (x * xy - y * xx, x * yy - y * xy, x_yz - y_xz),
    )
