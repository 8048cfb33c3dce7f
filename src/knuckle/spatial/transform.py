"""Pluecker transforms X = rot(E) xlt(r) and their duals (Featherstone Sec. 2.8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knuckle.scalar import Number
from knuckle.spatial.acceleration import Acceleration
from knuckle.spatial.articulated import ArticulatedInertia
from knuckle.spatial.coriolis import Coriolis
from knuckle.spatial.frames import Frame, entering, join
from knuckle.spatial.inertia import Inertia, Step
from knuckle.spatial.linear import (
    EYE3,
    ZERO3,
    Matrix,
    Vector,
    add,
    cross3,
    is_identity,
    is_plain,
    is_unit,
    is_zero,
    matmul,
    matTvec,
    matvec,
    mul_rotations,
    neg,
    skew,
    sub,
    transpose,
)
from knuckle.spatial.se3 import SE3, factor_pose
from knuckle.spatial.subspace import ForceSubspace, Subspace
from knuckle.spatial.vectors import Force, Motion

STEPS = 4
"""Parts of a product that may be cheaper for an inertia than the whole."""


class Transform:
    """^B X_A = [[E, 0], [-E r x, E]]: motions from frame A to frame B (2.24).

    E rotates A coordinates to B coordinates, r is the position of B's origin in A
    [m].  It is the inverse of the pose: the pose (R, p) of B in A has E = R^T, r = p.
    ``source`` and ``target`` name A and B; None matches every frame.  A product
    remembers its ``parts``, nearest A first: inertias may be cheaper in steps.
    """

    __slots__ = ("E", "parts", "r", "source", "target", "turns")
    __array_ufunc__ = None
    turns: tuple[Matrix, ...]

    def __init__(
        self,
        E: Matrix,
        r: Sequence[Number],
        source: Frame = None,
        target: Frame = None,
    ) -> None:
        self.E: Matrix = tuple(map(tuple, E))
        self.r: Vector = tuple(r)
        self.parts: tuple[Step, ...] = ((self.E, self.r),)
        self.turns = (self.E,)
        self.source = source
        self.target = target

    @classmethod
    def identity(cls, frame: Frame = None) -> Transform:
        """The transform that changes nothing."""
        return cls(EYE3, ZERO3, frame, frame)

    @classmethod
    def from_pose(
        cls, pose: SE3, source: Frame = None, target: Frame = None
    ) -> Transform:
        """^i X_parent of the pose of i in its parent: E = R^T, r = p."""
        X = cls(transpose(pose.R), pose.p, source, target)
        steps = [factor_pose(*factor) for factor in pose.factors]
        X.parts = merged([(transpose(R), p) for R, p in steps])
        X.turns = turns_of(X.E, X.parts)
        return X

    def __matmul__(self, m: Any) -> Any:
        """X m = (E w, E (v - r x w)), 24m + 18a."""
        if isinstance(m, Subspace):
            return Subspace(tuple(self @ c for c in m.columns), self.target)
        if not isinstance(m, Motion):
            raise TypeError(
                f"Transform @ {type(m).__name__}: X acts on motions; for a force use "
                "X.dual @ f (same direction) or X.T @ f (back)"
            )
        frame = entering(self.source, m.frame, "Transform @ Motion", self.target)
        if isinstance(m, Acceleration):
            return m.carried(self.turned, self.r, self @ m.velocity, frame)
        w = m.angular
        v = sub(m.linear, cross3(self.r, w))
        return Motion.of(self.turned(w) + self.turned(v), frame)

    def turned(self, v: Vector) -> Vector:
        """E v, 9m + 6a; by two turns about axes 8m + 4a, and E is not needed."""
        for E in self.turns:
            v = matvec(E, v)
        return v

    def turned_back(self, v: Vector) -> Vector:
        """E^T v."""
        for E in reversed(self.turns):
            v = matTvec(E, v)
        return v

    def __mul__(self, other: Transform) -> Transform:
        """X1 X2 = (E1 E2, r2 + E2^T r1), 33m + 24a or less: first X2, then X1."""
        join(self.source, other.target, "Transform * Transform")
        E = mul_rotations(self.E, other.E)
        r = add(other.r, matTvec(other.E, self.r))
        X = Transform(E, r, other.source, self.target)
        parts = merged([*other.parts, *self.parts])
        X.parts = parts if len(parts) <= STEPS else ((E, X.r),)
        X.turns = turns_of(X.E, X.parts)
        return X

    def inverse(self) -> Transform:
        """X^-1 = (E^T, -E r), 9m + 6a (2.26)."""
        r = neg(matvec(self.E, self.r))
        return Transform(transpose(self.E), r, self.target, self.source)

    @property
    def T(self) -> Transposed:
        """X^T, the dual: forces and inertias from B back to A."""
        return Transposed(self)

    @property
    def dual(self) -> Dual:
        """X* = X^-T: forces from A to B (2.25)."""
        return Dual(self)

    def pose(self) -> SE3:
        """The pose (E^T, r) of B in A."""
        return SE3(transpose(self.E), self.r)

    def matrix(self) -> Matrix:
        """The 6x6 matrix (2.24)."""
        zero = (0.0, 0.0, 0.0)
        low = matmul(self.E, skew(neg(self.r)))
        top = tuple(row + zero for row in self.E)
        return top + tuple(a + b for a, b in zip(low, self.E, strict=True))

    def __repr__(self) -> str:
        return f"Transform({self.E!r}, {self.r!r}, {self.source!r}, {self.target!r})"


class Transposed:
    """X^T: ``X.T @ f`` is a force of A; ``X.T @ I`` the congruence X^T I X."""

    __slots__ = ("X",)

    def __init__(self, X: Transform) -> None:
        self.X = X

    def __matmul__(self, y: Any) -> Any:
        """X^T f = (E^T n + r x E^T f, E^T f), 24m + 18a; X^T I X by Table A.4."""
        X = self.X
        if isinstance(y, ForceSubspace):
            return ForceSubspace(tuple(self @ c for c in y.columns), X.source)
        if not isinstance(y, (Force, Inertia, ArticulatedInertia, Coriolis)):
            raise TypeError(
                f"X.T @ {type(y).__name__}: X.T acts on forces and inertias; "
                "for a motion use X.inverse() @ m"
            )
        what = f"X.T @ {type(y).__name__}"
        frame = entering(X.target, y.frame, what, X.source)
        if not isinstance(y, Force):
            return y.pulled((X.E, X.r), X.parts, frame)
        f = X.turned_back(y.force)
        n = add(X.turned_back(y.moment), cross3(X.r, f))
        return Force.of(n + f, frame)


class Dual:
    """X*: ``X.dual @ f`` is the force of A seen from B."""

    __slots__ = ("X",)

    def __init__(self, X: Transform) -> None:
        self.X = X

    def __matmul__(self, f: Any) -> Any:
        """X* f = (E (n - r x f), E f), 24m + 18a."""
        X = self.X
        if isinstance(f, ForceSubspace):
            return ForceSubspace(tuple(self @ c for c in f.columns), X.target)
        if not isinstance(f, Force):
            raise TypeError(f"X.dual @ {type(f).__name__}: X* acts on forces")
        frame = entering(X.source, f.frame, "X.dual @ Force", X.target)
        n = sub(f.moment, cross3(X.r, f.force))
        return Force.of(X.turned(n) + X.turned(f.force), frame)

    def matrix(self) -> Matrix:
        """The 6x6 matrix [[E, -E r x], [0, E]] (2.25)."""
        M = self.X.matrix()
        top = tuple(M[i][:3] + M[i + 3][:3] for i in range(3))
        return top + tuple((0.0, 0.0, 0.0) + M[i][:3] for i in range(3))


def merged(parts: Sequence[Step]) -> tuple[Step, ...]:
    """The same product in fewer steps: a shift is taken into the step after it."""
    steps: list[Step] = []
    for E, r in parts:
        if steps and is_identity(steps[-1][0]):
            r = add(steps.pop()[1], r)
        steps.append((E, r))
    return tuple(steps)


def turns_of(E: Matrix, parts: Sequence[Step]) -> tuple[Matrix, ...]:
    """The rotations that make up E, nearest A first, if that is less arithmetic."""
    turns = tuple(part[0] for part in parts)
    if is_plain(E) or sum(map(_entries, turns)) > _entries(E):
        return (E,)
    return turns


def _entries(E: Matrix) -> int:
    """How many entries are neither 0 nor +-1."""
    return sum(not (is_zero(x) or is_unit(x)) for row in E for x in row)
