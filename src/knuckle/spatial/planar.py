"""Planar transforms and inertias on 3-vectors (Featherstone Sec. 2.16, 2.77, 2.78).

They are rows and columns 3, 4, 5 of the spatial ones under the same operators, so
the text of an algorithm runs unchanged in the plane.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from knuckle.scalar import Number
from knuckle.spatial.frames import Frame, entering, join
from knuckle.spatial.linear import Matrix, Vector, neg
from knuckle.spatial.planar_acceleration import PlanarAcceleration
from knuckle.spatial.subspace import Dyadic, PlanarForceSubspace, PlanarSubspace
from knuckle.spatial.vectors import PlanarForce, PlanarMotion


class PlanarTransform:
    """X for a shift (x, y) [m] and then a rotation with cosine c and sine s (2.77)."""

    __slots__ = ("c", "s", "source", "target", "x", "y")

    def __init__(
        self,
        c: Number,
        s: Number,
        x: Number,
        y: Number,
        source: Frame = None,
        target: Frame = None,
    ) -> None:
        self.c, self.s, self.x, self.y = c, s, x, y
        self.source = source
        self.target = target

    @classmethod
    def identity(cls, frame: Frame = None) -> PlanarTransform:
        """The transform that changes nothing."""
        return cls(1.0, 0.0, 0.0, 0.0, frame, frame)

    def __matmul__(self, m: Any) -> Any:
        """X m = (w, E (v - r x w)), 6m + 4a."""
        if isinstance(m, PlanarSubspace):
            return PlanarSubspace(tuple(self @ c for c in m.columns), self.target)
        if not isinstance(m, PlanarMotion):
            raise TypeError(
                f"PlanarTransform @ {type(m).__name__}: X acts on planar motions; for "
                "a force use X.dual @ f (same direction) or X.T @ f (back)"
            )
        frame = entering(self.source, m.frame, "PlanarTransform @ m", self.target)
        if isinstance(m, PlanarAcceleration):
            return m.carried(self, self @ m.velocity, frame)
        w, vx, vy = m.entries
        a, b = vx - self.y * w, vy + self.x * w
        c, s = self.c, self.s
        return PlanarMotion(w, c * a + s * b, c * b - s * a, frame)

    def __mul__(self, other: PlanarTransform) -> PlanarTransform:
        """X1 X2, 8m + 6a: first X2, then X1."""
        join(self.source, other.target, "PlanarTransform * PlanarTransform")
        c, s = other.c, other.s
        return PlanarTransform(
            self.c * c - self.s * s,
            self.s * c + self.c * s,
            other.x + (c * self.x - s * self.y),
            other.y + (s * self.x + c * self.y),
            other.source,
            self.target,
        )

    def inverse(self) -> PlanarTransform:
        """X^-1, 4m + 2a."""
        c, s = self.c, self.s
        x, y = neg((c * self.x + s * self.y, c * self.y - s * self.x))
        return PlanarTransform(c, -s, x, y, self.target, self.source)

    @property
    def T(self) -> PlanarTransposed:
        """X^T: forces and inertias back from the target to the source."""
        return PlanarTransposed(self)

    @property
    def dual(self) -> PlanarTransposed:
        """X* = (X^-1)^T: forces from the source to the target."""
        return self.inverse().T

    def matrix(self) -> Matrix:
        """The 3x3 matrix (2.77)."""
        c, s, x, y = self.c, self.s, self.x, self.y
        return (1.0, 0.0, 0.0), (s * x - c * y, c, s), (c * x + s * y, -s, c)

    def __repr__(self) -> str:
        return f"PlanarTransform({self.c!r}, {self.s!r}, {self.x!r}, {self.y!r})"


class PlanarTransposed:
    """X^T: ``X.T @ f`` is a force of the source; ``X.T @ I`` means X^T I X."""

    __slots__ = ("X",)

    def __init__(self, X: PlanarTransform) -> None:
        self.X = X

    def __matmul__(self, y: Any) -> Any:
        X = self.X
        if isinstance(y, PlanarForceSubspace):
            return PlanarForceSubspace(tuple(self @ c for c in y.columns), X.source)
        if not isinstance(y, PlanarForce) and not hasattr(y, "pulled"):
            raise TypeError(
                f"X.T @ {type(y).__name__}: X.T acts on planar forces and inertias; "
                "for a motion use X.inverse() @ m"
            )
        what = f"X.T @ {type(y).__name__}"
        frame = entering(X.target, y.frame, what, X.source)
        if not isinstance(y, PlanarForce):
            return y.pulled(X, frame)
        n, fx, fy = y.entries
        fx, fy = X.c * fx - X.s * fy, X.s * fx + X.c * fy
        return PlanarForce(n + (X.x * fy - X.y * fx), fx, fy, frame)


class PlanarInertia:
    """Planar rigid inertia [[I_O, -h_y, h_x], [-h_y, m, 0], [h_x, 0, m]] (2.78)."""

    __slots__ = ("Io", "frame", "hx", "hy", "mass")

    def __init__(
        self, mass: Number, hx: Number, hy: Number, Io: Number, frame: Frame = None
    ) -> None:
        self.mass, self.hx, self.hy, self.Io = mass, hx, hy, Io
        self.frame = frame

    @classmethod
    def zero(cls, frame: Frame = None) -> Self:
        """The inertia of no body."""
        return cls(0.0, 0.0, 0.0, 0.0, frame)

    @property
    def entries(self) -> Vector:
        """The 4 parameters (m, h_x, h_y, I_O)."""
        return self.mass, self.hx, self.hy, self.Io

    @classmethod
    def of_entries(cls, e: Sequence[Number], frame: Frame = None) -> Self:
        """The inverse of ``entries``."""
        mass, hx, hy, Io = e
        return cls(mass, hx, hy, Io, frame)

    def __matmul__(self, m: Any) -> Any:
        """I v, 7m + 4a."""
        if isinstance(m, PlanarSubspace):
            return PlanarForceSubspace(tuple(self @ c for c in m.columns), self.frame)
        w, vx, vy = m.entries
        return PlanarForce(
            self.Io * w + (self.hx * vy - self.hy * vx),
            self.mass * vx - self.hy * w,
            self.mass * vy + self.hx * w,
            join(self.frame, m.frame, "PlanarInertia @ PlanarMotion"),
        )

    def __add__(self, other: Any) -> Any:
        if isinstance(other, PlanarArticulatedInertia):
            return other + self
        frame = join(self.frame, other.frame, "PlanarInertia + PlanarInertia")
        pairs = zip(self.entries, other.entries, strict=True)
        return self.of_entries(tuple(a + b for a, b in pairs), frame)

    def __neg__(self) -> Self:
        return self.of_entries(neg(self.entries), self.frame)

    def __sub__(self, other: Self) -> Self:
        return self + (-other)

    def rate(self, s: Any) -> Self:
        """s x* I - I s x, the change as the body moves by s."""
        w, x, y = s.entries
        hx, hy = self.mass * x - w * self.hy, self.mass * y + w * self.hx
        Io = 2.0 * (x * self.hx + y * self.hy)
        return type(self)(0.0, hx, hy, Io, self.frame)

    def pulled(self, X: PlanarTransform, frame: Frame) -> Self:
        """X^T I X, 8m + 8a."""
        gx, gy = X.c * self.hx - X.s * self.hy, X.s * self.hx + X.c * self.hy
        hx, hy = gx + self.mass * X.x, gy + self.mass * X.y
        Io = self.Io + (X.x * (gx + hx) + X.y * (gy + hy))
        return type(self)(self.mass, hx, hy, Io, frame)

    def matrix(self) -> Matrix:
        """The 3x3 matrix (2.78)."""
        return planar_articulated(self).matrix()

    def __repr__(self) -> str:
        return f"PlanarInertia({self.mass!r}, {self.hx!r}, {self.hy!r}, {self.Io!r})"


class PlanarArticulatedInertia:
    """[[I, a, b], [a, Mxx, Mxy], [b, Mxy, Myy]], 6 numbers in the order of rows."""

    __slots__ = ("entries", "frame")

    def __init__(self, *entries: Number, frame: Frame = None) -> None:
        self.entries: Vector = entries
        self.frame = frame

    @classmethod
    def zero(cls, frame: Frame = None) -> Self:
        """No inertia, structurally zero."""
        return cls(*(0.0,) * 6, frame=frame)

    @classmethod
    def of_entries(cls, e: Sequence[Number], frame: Frame = None) -> Self:
        """The inverse of ``entries``."""
        return cls(*e, frame=frame)

    @classmethod
    def of_matrix(cls, rows: Sequence[Sequence[Number]], frame: Frame = None) -> Self:
        """The inverse of ``matrix``, from the upper triangle."""
        (I, a, b), (_, xx, xy), (_, _, yy) = rows
        return cls(I, a, b, xx, xy, yy, frame=frame)

    def __matmul__(self, m: Any) -> Any:
        """I^A a, 9m + 6a."""
        if isinstance(m, PlanarSubspace):
            return PlanarForceSubspace(tuple(self @ c for c in m.columns), self.frame)
        w, x, y = m.entries
        rows = self.matrix()
        frame = join(self.frame, m.frame, "PlanarArticulatedInertia @ PlanarMotion")
        return PlanarForce.of([r[0] * w + r[1] * x + r[2] * y for r in rows], frame)

    def __add__(self, other: Any) -> PlanarArticulatedInertia:
        if isinstance(other, PlanarInertia):
            other = planar_articulated(other)
        frame = join(self.frame, other.frame, "PlanarArticulatedInertia + inertia")
        pairs = zip(self.entries, other.entries, strict=True)
        return self.of_entries(tuple(a + b for a, b in pairs), frame)

    __radd__ = __add__

    def __neg__(self) -> PlanarArticulatedInertia:
        return self.of_entries(neg(self.entries), self.frame)

    def __sub__(self, other: Any) -> PlanarArticulatedInertia:
        """I^A - U D^-1 U^T, or minus another inertia."""
        if not isinstance(other, Dyadic):
            return self + (-other)
        places = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
        pairs = zip(self.entries, places, strict=True)
        frame = join(self.frame, other.frame, "PlanarArticulatedInertia - dyadic")
        entries = [other.taken_from(e, i, j) for e, (i, j) in pairs]
        return self.of_entries(entries, frame)

    def pulled(self, X: PlanarTransform, frame: Frame) -> PlanarArticulatedInertia:
        """X^T I^A X, 16m + 15a and 3m + 1a once per angle."""
        I, a, b, xx, xy, yy = self.entries
        c, s = X.c, X.s
        cc, cs = c * c, c * s
        difference = xx - yy
        t = cc * difference - 2.0 * cs * xy
        mxx, myy = yy + t, xx - t
        mxy = cs * difference + (2.0 * cc - 1.0) * xy
        ha, hb = c * a - s * b, s * a + c * b
        ka = ha + (X.x * mxy - X.y * mxx)
        kb = hb + (X.x * myy - X.y * mxy)
        moment = I + (X.x * (hb + kb) - X.y * (ha + ka))
        return PlanarArticulatedInertia(moment, ka, kb, mxx, mxy, myy, frame=frame)

    def matrix(self) -> Matrix:
        """The 3x3 matrix."""
        I, a, b, xx, xy, yy = self.entries
        return (I, a, b), (a, xx, xy), (b, xy, yy)

    def __repr__(self) -> str:
        return f"PlanarArticulatedInertia{self.entries!r}"


def planar_articulated(I: PlanarInertia) -> PlanarArticulatedInertia:
    """A planar rigid inertia in the 6-number form, free."""
    m, hx, hy, Io = I.entries
    my = neg((hy,))[0]
    return PlanarArticulatedInertia(Io, my, hx, m, 0.0, m, frame=I.frame)
