"""Articulated bodies with several handles, and how they are put together.

The first handle is the body that carries the rest: its acceleration a is given and the
force f on it is asked for. At the other handles forces phi are given and accelerations
asked for:

    f = I^A a + p^A - B phi,    a_h = B^T a + Phi phi + b.

This is (7.4) solved for f. It exists for every tree, bodies without mass included,
where the inverse inertias of (7.4) do not.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from knuckle.scalar import Number
from knuckle.spatial import LDL
from knuckle.spatial.elimination import in_series
from knuckle.spatial.linear import (
    Matrix,
    Vector,
    add,
    identity,
    matmul,
    matsub,
    matvec,
    sub,
    transpose,
)


class Articulated(NamedTuple):
    """I^A, p^A of the first handle; B, Phi, b of those that phi acts on."""

    IA: Any
    pA: Any
    B: Any
    Phi: Matrix
    b: Vector

    def beside(self, other: Articulated) -> Articulated:
        """Both with the same first handle (7.21), (7.22)."""
        after, before = ((0.0,) * len(x.b) for x in (other, self))
        Phi = [row + after for row in self.Phi] + [before + row for row in other.Phi]
        B = type(self.B)((*self.B, *other.B), self.B.frame)
        IA, pA = self.IA + other.IA, self.pA + other.pA
        return Articulated(IA, pA, B, tuple(Phi), self.b + other.b)


class Crossing(NamedTuple):
    """What a joint's acceleration follows from: D qdd = u - U^T a' + E phi."""

    U: Any
    D: LDL
    u: Vector
    E: Matrix

    def acceleration(self, a: Any, phi: Vector) -> Vector:
        """qdd of (7.19), where the body would accelerate by a' without it."""
        force = sub(self.u, self.U.T @ a)
        for column, x in zip(self.E, phi, strict=True):
            force = add(force, [e * x for e in column])
        return self.D.inv @ force


def free(IA: Any, pA: Any, B: Any) -> Articulated:
    """A body by itself, with forces B phi on it."""
    m = len(B)
    return Articulated(IA, pA, B, ((0.0,) * m,) * m, (0.0,) * m)


def across(i: Any, S: Any, c: Any, tau: Any, at: Articulated) -> Any:
    """The same behind joint i (7.23) - (7.25), and what qdd follows from."""
    U = at.IA @ S
    D = LDL(i.joint.with_rotor(S.T @ U))
    u = sub(tau, S.T @ at.pA)
    E = tuple(S.T @ f for f in at.B)
    moved = [D.inv @ e for e in E]
    Ia = at.IA - U @ D.inv @ U.T
    pa = at.pA + Ia @ c + U @ (D.inv @ u)
    Ba = type(at.B)([f - U @ x for f, x in zip(at.B, moved, strict=True)], at.B.frame)
    Phi = _plus_gram(at.Phi, E, moved)
    rest = sub(u, U.T @ c)
    drift = [_sum(x, rest) for x in moved]
    b = add(at.b, add(at.B.T @ c, drift))
    return Articulated(Ia, pa, Ba, Phi, b), Crossing(U, D, u, E)


def seen(X: Any, at: Articulated) -> Articulated:
    """From a body to its parent: the first handle in the parent's frame."""
    return at._replace(IA=X.T @ at.IA, pA=X.T @ at.pA, B=X.T @ at.B)


class Meeting(NamedTuple):
    """The force and the acceleration where two articulated bodies meet."""

    K: Matrix
    kept: Matrix
    force: Vector
    upper: Articulated
    lower: Articulated

    def solved(self, a: Any, phi: Vector) -> tuple[Vector, Any]:
        """(-f, a_h) there, of the acceleration above and the forces below."""
        f = add(self.force, matvec(self.K, self.upper.B.T @ a))
        if phi:
            below = self.lower.B @ phi
            f = sub(f, matvec(self.kept, below.entries))
        back = tuple(0.0 - x for x in f)
        moved = add(add(self.upper.B.T @ a, self.upper.b), matvec(self.upper.Phi, back))
        return back, self.lower.pA.dual.of(moved, self.lower.pA.frame)


def assembled(upper: Articulated, lower: Articulated) -> tuple[Articulated, Meeting]:
    """Two in a row: the upper one's handle carries the lower one.  (7.57) - (7.63).

    (7.63) for handles of which one is solved for its force: the Y of the book, an
    inverse inertia, is here the inertia K = (I^A^-1 + Phi)^-1, regular in any case.
    """
    K = in_series(lower.IA.matrix(), upper.Phi)
    kept = matsub(identity(len(K)), matmul(K, upper.Phi))
    p = lower.pA.entries
    force = add(p, matvec(K, sub(upper.b, matvec(upper.Phi, p))))
    BK = type(upper.B)([upper.B @ row for row in K], upper.B.frame)
    IA = upper.IA + type(upper.IA).of_matrix(_product(BK, upper.B), upper.IA.frame)
    pA = upper.pA + upper.B @ force
    passed = [matvec(kept, f.entries) for f in lower.B]
    B = type(upper.B)([upper.B @ f for f in passed], upper.B.frame)
    columns = [matvec(upper.Phi, f) for f in passed]
    Phi = _plus_gram(lower.Phi, [f.entries for f in lower.B], columns)
    handle = lower.pA.dual.of(sub(upper.b, matvec(upper.Phi, force)), lower.pA.frame)
    b = add(lower.b, lower.B.T @ handle)
    return Articulated(IA, pA, B, Phi, b), Meeting(K, kept, force, upper, lower)


def _product(A: Any, B: Any) -> Matrix:
    """A B^T of two spans."""
    rows = [transpose(tuple(f.entries for f in span)) for span in (A, B)]
    return matmul(rows[0], transpose(rows[1]))


def _plus_gram(Phi: Matrix, E: Any, moved: Any) -> Matrix:
    """Phi + E^T D^-1 E, both triangles from one."""
    rows: list[list[Number]] = [list(row) for row in Phi]
    for k, e in enumerate(E):
        for j in range(k + 1):
            rows[k][j] = rows[j][k] = rows[k][j] + _sum(e, moved[j])
    return tuple(map(tuple, rows))


def _sum(x: Any, y: Any) -> Number:
    return sum((a * b for a, b in zip(x, y, strict=True)), 0.0)
