"""Rigid-body inertia (Featherstone Sec. 2.13, Table A.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from knuckle.scalar import Number
from knuckle.spatial.cheapest import cheapest
from knuckle.spatial.checks import inertia_problems, principal_axes
from knuckle.spatial.congruence import rotate_symmetric, turn_symmetric
from knuckle.spatial.frames import Frame, join
from knuckle.spatial.linear import (
    ZERO_SYMMETRIC,
    Matrix,
    Symmetric,
    Vector,
    add,
    cross3,
    dot,
    full,
    is_plain,
    neg,
    shown,
    skew,
    sub,
    symmetric,
    symvec,
    transpose,
)
from knuckle.spatial.linear import (
    matvec as mul,
)
from knuckle.spatial.se3 import SE3, blocks
from knuckle.spatial.subspace import ForceSubspace, Subspace
from knuckle.spatial.vectors import Force, Motion

Step = tuple[Matrix, Vector]


class Inertia:
    """Rigid-body inertia [[I_O, h x], [-h x, m 1]] with h = m c (2.63).

    ``mass`` [kg]; ``com`` [m] in the body frame; ``I_com`` [kg m^2] about the com, a
    3x3 matrix or 3 principal values, in body axes, or in the axes R, applied as
    R I R^T.  Products of inertia carry the sign of the matrix entries (ixy of URDF).
    Stored as mass, h and I_O, 10 numbers; ``problems()`` says what is wrong with them.
    """

    __slots__ = ("I", "frame", "h", "mass")
    __array_ufunc__ = None
    mass: Number
    h: Vector
    I: Symmetric
    frame: Frame

    def __init__(
        self,
        mass: Number,
        com: Sequence[Number],
        I_com: Sequence[Any],
        R: Sequence[Sequence[Number]] | None = None,
        frame: Frame = None,
    ) -> None:
        c = _numbers("com", com)
        (mass,) = _numbers("mass", (mass,), 1)
        I_c = symmetric_entries(I_com)
        if R is not None:
            I_c = rotate_symmetric(tuple(map(tuple, R)), I_c)
        self.mass = mass
        self.h = tuple(mass * x for x in c)
        self.I = steiner(I_c, self.h, c)
        self.frame = frame

    @classmethod
    def of(
        cls, mass: Number, h: Sequence[Number], I: Symmetric, frame: Frame = None
    ) -> Self:
        """From mass, first moment h = m c and I about the origin (6 entries)."""
        self = cls.__new__(cls)
        self.mass, self.h, self.I, self.frame = mass, tuple(h), I, frame
        return self

    @classmethod
    def zero(cls, frame: Frame = None) -> Self:
        """The inertia of no body, structurally zero."""
        return cls.of(0.0, (0.0, 0.0, 0.0), ZERO_SYMMETRIC, frame)

    @property
    def entries(self) -> Vector:
        """The 10 parameters (m, h, I_xx, I_xy, I_xz, I_yy, I_yz, I_zz)."""
        return (self.mass, *self.h, *self.I)

    @classmethod
    def of_entries(cls, entries: Sequence[Number], frame: Frame = None) -> Self:
        """The inverse of ``entries``."""
        m, hx, hy, hz, *I = entries
        return cls.of(m, (hx, hy, hz), tuple(I), frame)

    def __matmul__(self, m: Any) -> Any:
        """I v, the momentum of a velocity v (2.61); 24m + 18a."""
        if isinstance(m, Subspace):
            return ForceSubspace(tuple(self @ c for c in m.columns), self.frame)
        if not isinstance(m, Motion):
            raise TypeError(f"Inertia @ {type(m).__name__}: an inertia maps a Motion")
        w, v = m.angular, m.linear
        frame = join(self.frame, m.frame, "Inertia @ Motion")
        top = add(symvec(self.I, w), cross3(self.h, v))
        bottom = sub(tuple(self.mass * x for x in v), cross3(self.h, w))
        return Force.of(top + bottom, frame)

    def rate(self, v: Motion) -> Self:
        """dI/dt = v x* I - I v x of a body moving with velocity v (2.65)."""
        w, u, m = v.angular, v.linear, self.mass
        turning = skew(w)
        A = tuple(mul(full(self.I), row) for row in turning)  # (w x) I, I symmetric
        s = 2.0 * dot(u, self.h)
        I = tuple(
            tuple(
                A[i][j] + A[j][i] - (self.h[i] * u[j] + u[i] * self.h[j])
                + (s if i == j else 0.0)
                for j in range(3)
            )
            for i in range(3)
        )  # fmt: skip
        h = add(cross3(w, self.h), tuple(m * x for x in u))
        return self.of(0.0, h, symmetric(I), self.frame)

    def __add__(self, other: Any) -> Any:
        """The inertia of two bodies joined rigidly, 10a."""
        if not isinstance(other, Inertia):
            return NotImplemented
        frame = join(self.frame, other.frame, "Inertia + Inertia")
        pairs = zip(self.entries, other.entries, strict=True)
        return self.of_entries(tuple(a + b for a, b in pairs), frame)

    def __sub__(self, other: Self) -> Self:
        """Take a part away; the result need not be the inertia of any body."""
        return self + (-other)

    def __neg__(self) -> Self:
        return self.of_entries(neg(self.entries), self.frame)

    def __mul__(self, s: Number) -> Self:
        return self.of_entries(tuple(s * x for x in self.entries), self.frame)

    __rmul__ = __mul__

    def pulled(self, whole: Step, parts: tuple[Step, ...], frame: Frame) -> Self:
        """X^T I X, at most 52m + 56a (Table A.4); parts multiply to the whole."""
        if is_plain(whole) and is_plain(self.entries):
            entries = _pulled_at_once(whole, parts, self.entries)
        else:
            entries = cheapest(_PULLED, whole, parts, self.entries)
        return self.of_entries(entries, frame)

    @property
    def com(self) -> Vector:
        """The centre of mass [m]; undefined for a massless body."""
        r = 1.0 / self.mass
        return tuple(x * r for x in self.h)

    @property
    def I_com(self) -> Matrix:
        """The rotational inertia about the centre of mass [kg m^2], body axes."""
        return full(steiner(self.I, neg(self.h), self.com))

    def principal(self) -> tuple[SE3, Vector]:
        """(pose, moments): a right-handed frame at the com in which I_com is diagonal.

        Plain numbers only (Sueda 1.25, 1.26); the moments ascend.
        """
        R, moments = principal_axes(self.I_com)
        return SE3(R, self.com), moments

    def problems(self) -> list[str]:
        """What makes this no inertia of a rigid body, in words; empty if nothing."""
        return inertia_problems(self.mass, self.h, self.I)

    def matrix(self) -> Matrix:
        """The 6x6 matrix (2.63)."""
        m = self.mass
        M = ((m, 0.0, 0.0), (0.0, m, 0.0), (0.0, 0.0, m))
        return blocks(full(self.I), skew(self.h), skew(neg(self.h)), M)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Inertia):
            return NotImplemented
        return self.entries == other.entries and self.frame == other.frame

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if not is_plain(self.entries) or not self.mass:
            return f"Inertia.of({self.mass!r}, {self.h!r}, {self.I!r})"
        about, size = self.I_com, max(map(abs, self.I))
        off = max(abs(about[i][j]) for i, j in ((0, 1), (0, 2), (1, 2)))
        moments = tuple(about[k][k] for k in range(3)) if off < 1e-9 * size else about
        return (
            f"<Inertia: mass {self.mass:.6g} kg, com {shown(self.com)} m, "
            f"I_com {shown(moments)} kg m^2>"
        )


def _pulled_at_once(whole: Step, parts: tuple[Step, ...], entries: Vector) -> Vector:
    """(m, E^T h + m r, E^T I E - r x (E^T h) x - (E^T h + m r) x r x)."""
    Et, r = transpose(whole[0]), whole[1]
    m, hx, hy, hz, *I = entries
    g = mul(Et, (hx, hy, hz))
    y = add(g, tuple(m * x for x in r))
    xx, xy, xz, yy, yz, zz = turn_symmetric(Et, tuple(I))
    p, q, s = (a * (b + c) for a, b, c in zip(r, g, y, strict=True))
    return (
        m, *y,
        xx + (q + s), xy - (g[0] * r[1] + r[0] * y[1]),
        xz - (g[0] * r[2] + r[0] * y[2]), yy + (p + s),
        yz - (g[1] * r[2] + r[1] * y[2]), zz + (p + q),
    )  # fmt: skip


def _pulled_in_parts(whole: Step, parts: tuple[Step, ...], entries: Vector) -> Vector:
    for part in reversed(parts):
        entries = _pulled_at_once(part, (), entries)
    return entries


_PULLED = (_pulled_at_once, _pulled_in_parts)


def steiner(I: Symmetric, h: Vector, c: Vector) -> Symmetric:
    """I + (h . c) 1 - h c^T: from the com to the origin (2.63); h = m c."""
    x, y, z = (a * b for a, b in zip(h, c, strict=True))
    xx, xy, xz, yy, yz, zz = I
    return (
        xx + (y + z), xy - h[0] * c[1], xz - h[0] * c[2],
        yy + (x + z), yz - h[1] * c[2], zz + (x + y),
    )  # fmt: skip


def _numbers(what: str, values: Any, count: int = 3) -> Vector:
    """The values, if they are as many numbers."""
    found = tuple(values) if hasattr(values, "__len__") else (values,)
    if len(found) != count or not all(hasattr(x, "__float__") for x in found):
        wanted = "one number [kg]" if count == 1 else "three numbers (x, y, z) [m]"
        got = found[0] if count == 1 else values
        raise TypeError(f"Inertia: {what} is expected to be {wanted}, got {got!r}")
    return found


def _checked_symmetric(A: Sequence[Any]) -> Symmetric:
    """The six entries of three rows that are symmetric, as far as they are numbers."""
    largest = max((abs(x) for row in A for x in row if is_plain(x)), default=0.0)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        a, b = A[i][j], A[j][i]
        if is_plain(a) and is_plain(b) and abs(a - b) > 1e-9 * largest:
            raise ValueError(
                f"Inertia: I_com is expected to be symmetric, got {a!r} in row {i}, "
                f"column {j} and {b!r} in row {j}, column {i}; write both the same"
            )
    return symmetric(tuple(map(tuple, A)))


def symmetric_entries(A: Sequence[Any]) -> Symmetric:
    """Six entries of a symmetric matrix given as 6 entries, 3 rows or a diagonal."""
    if len(A) == 6:
        return tuple(A)
    if len(A) == 3 and not hasattr(A[0], "__len__"):
        x, y, z = A
        return x, 0.0, 0.0, y, 0.0, z
    if len(A) == 3 and all(len(row) == 3 for row in A):
        return _checked_symmetric(A)
    raise ValueError(
        f"a symmetric 3x3 matrix is 3 rows of 3, 3 principal values or 6 entries "
        f"(xx, xy, xz, yy, yz, zz); got {len(A)} items"
    )
