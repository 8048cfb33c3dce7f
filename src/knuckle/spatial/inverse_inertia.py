"""Inverse inertia Phi, forces to motions: a = Phi f + b (Featherstone 2.72, 7.3)."""

from __future__ import annotations

from typing import Any

from knuckle.spatial.frames import Frame, join
from knuckle.spatial.ldl import LDL
from knuckle.spatial.linear import Matrix, matadd, matvec
from knuckle.spatial.subspace import (
    Dyadic,
    ForceSubspace,
    PlanarForceSubspace,
    PlanarSubspace,
    Subspace,
)
from knuckle.spatial.vectors import Force, Motion, PlanarForce, PlanarMotion


class InverseInertia:
    """Phi of a handle: symmetric, positive semidefinite, spatial or planar by its size.

    It exists where an inertia need not: its rank counts the handle's freedoms.
    """

    __slots__ = ("frame", "rows")
    __array_ufunc__ = None

    def __init__(self, rows: Matrix, frame: Frame = None) -> None:
        self.rows = tuple(map(tuple, rows))
        self.frame = frame

    def __matmul__(self, f: Any) -> Any:
        """Phi f."""
        if isinstance(f, ForceSubspace | PlanarForceSubspace):
            kind = Subspace if len(self.rows) == 6 else PlanarSubspace
            return kind(tuple(self @ c for c in f.columns), self.frame)
        if not isinstance(f, Force | PlanarForce):
            name = type(f).__name__
            raise TypeError(f"InverseInertia @ {name}: an inverse inertia maps a Force")
        frame = join(self.frame, f.frame, "InverseInertia @ Force")
        kind_of = Motion if len(self.rows) == 6 else PlanarMotion
        return kind_of.of(matvec(self.rows, f.entries), frame)

    def __add__(self, other: InverseInertia) -> InverseInertia:
        frame = join(self.frame, other.frame, "InverseInertia + InverseInertia")
        return InverseInertia(matadd(self.rows, other.rows), frame)

    def __sub__(self, other: Dyadic) -> InverseInertia:
        """Phi - G Y^-1 G^T."""
        frame = join(self.frame, other.frame, "InverseInertia - dyadic")
        n = range(len(self.rows))
        lower = [
            [other.taken_from(self.rows[i][j], i, j) for j in n[: i + 1]] for i in n
        ]
        rows = [[lower[max(i, j)][min(i, j)] for j in n] for i in n]
        return InverseInertia(tuple(map(tuple, rows)), frame)

    def matrix(self) -> Matrix:
        """The 6x6 or 3x3 matrix."""
        return self.rows

    def __repr__(self) -> str:
        return f"InverseInertia({self.rows!r})"


def inverse_inertia(I: Any) -> InverseInertia:
    """I^-1 of a rigid or articulated inertia that is positive definite."""
    return InverseInertia(LDL(I.matrix()).inverse(), I.frame)
