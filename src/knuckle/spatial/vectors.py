"""Motion and force vectors, spatial (6) and planar (3), and the spaces they span.

The spatial vectors carry the angular part first.  Planar vectors are coordinates
3, 4, 5 of the spatial ones (Featherstone Sec. 2.16) under the same operators.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from knuckle.scalar import Number
from knuckle.spatial.frames import Frame, join
from knuckle.spatial.linear import Vector, cross3, dot, is_zero

RULE = "the scalar product pairs a motion with a force (Featherstone 2.12)"


class SpatialVector:
    """What motions and forces share: + - neg, scaling, the pairing m . f."""

    __slots__ = ("entries", "frame")
    __array_ufunc__ = None
    size: ClassVar[int]
    kind: ClassVar[type[SpatialVector]]
    dual: ClassVar[type[SpatialVector]]

    entries: Vector
    frame: Frame

    @classmethod
    def of(cls, entries: Sequence[Number], frame: Frame = None) -> Self:
        """The vector with these coordinates, angular first."""
        self = cls.__new__(cls)
        self.entries = tuple(entries)
        self.frame = frame
        return self

    @classmethod
    def zero(cls, frame: Frame = None) -> Self:
        """The zero vector, structurally zero."""
        return cls.of((0.0,) * cls.size, frame)

    def _like(self, other: Any, sign: str) -> Frame:
        if getattr(other, "kind", None) is not self.kind:
            raise TypeError(
                f"{type(self).__name__} {sign} {type(other).__name__}: only vectors "
                "of the same kind add"
            )
        name = type(self).__name__
        return join(self.frame, other.frame, f"{name} {sign} {name}")

    def __add__(self, other: Self) -> Self:
        frame = self._like(other, "+")
        pairs = zip(self.entries, other.entries, strict=True)
        return self.kind.of(tuple(a + b for a, b in pairs), frame)  # type: ignore[return-value]

    def __sub__(self, other: Self) -> Self:
        frame = self._like(other, "-")
        pairs = zip(self.entries, other.entries, strict=True)
        return self.kind.of(tuple(a - b for a, b in pairs), frame)  # type: ignore[return-value]

    def __neg__(self) -> Self:
        negated = tuple(0.0 if is_zero(a) else -a for a in self.entries)
        return self.kind.of(negated, self.frame)  # type: ignore[return-value]

    def __mul__(self, s: Number) -> Self:
        if isinstance(s, SpatialVector):
            raise TypeError(f"vector * vector has no meaning; use m.dot(f): {RULE}")
        scaled = tuple(s * a for a in self.entries)
        return self.kind.of(scaled, self.frame)  # type: ignore[return-value]

    __rmul__ = __mul__

    def dot(self, other: SpatialVector) -> Number:
        """m . f [W for a velocity and a force], 6m + 5a (2.12)."""
        if getattr(other, "kind", None) is not self.dual:
            raise TypeError(
                f"{type(self).__name__}.dot({type(other).__name__}): {RULE}"
            )
        name = f"{type(self).__name__} . {type(other).__name__}"
        join(self.frame, other.frame, name)
        return dot(self.entries, other.entries)

    def __iter__(self) -> Any:
        return iter(self.entries)

    def __len__(self) -> int:
        return self.size

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and isinstance(other, SpatialVector)
            and self.entries == other.entries
            and self.frame == other.frame
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        tag = "" if self.frame is None else f", frame={self.frame!r}"
        return f"{type(self).__name__}.of({self.entries!r}{tag})"


class Motion(SpatialVector):
    """A spatial motion [angular; linear], linear at the frame's origin (2.4).

    Velocities, accelerations, joint axes.  An acceleration is the spatial one:
    its linear part is not that of a body-fixed point (2.46).
    """

    __slots__ = ()
    size = 6

    def __init__(
        self, angular: Sequence[Number], linear: Sequence[Number], frame: Frame = None
    ) -> None:
        self.entries = (*angular, *linear)
        self.frame = frame

    @property
    def angular(self) -> Vector:
        """The angular part [rad/s for a velocity]."""
        return self.entries[:3]

    @property
    def linear(self) -> Vector:
        """The linear part, at the origin of the frame [m/s for a velocity]."""
        return self.entries[3:]

    def cross(self, x: Any) -> Any:
        """v x m (2.31) or v x* f (2.32), by the type of x; 18m + 12a."""
        w, v = self.entries[:3], self.entries[3:]
        a, b = x.entries[:3], x.entries[3:]
        frame = join(self.frame, x.frame, f"Motion x {type(x).__name__}")
        if isinstance(x, Motion):
            p, q = cross3(w, b), cross3(v, a)
            product = Product.of((*cross3(w, a), *(y + z for y, z in zip(p, q))), frame)
            product.factors = (self, x)
            return product
        elif isinstance(x, Force):
            p, q = cross3(w, a), cross3(v, b)
            top, bottom = (p[0] + q[0], p[1] + q[1], p[2] + q[2]), cross3(w, b)
        else:
            raise TypeError(f"Motion x {type(x).__name__}: needs a Motion or a Force")
        return Force.of(top + bottom, frame)


class Product(Motion):
    """v x m, which remembers v and m: an acceleration may know a shorter way to add
    it."""

    __slots__ = ("factors",)
    factors: tuple[Motion, Motion]


class Force(SpatialVector):
    """A spatial force [moment; force], moment about the frame's origin (2.9)."""

    __slots__ = ()
    size = 6

    def __init__(
        self, moment: Sequence[Number], force: Sequence[Number], frame: Frame = None
    ) -> None:
        self.entries = (*moment, *force)
        self.frame = frame

    @property
    def moment(self) -> Vector:
        """The moment about the frame's origin [N m]."""
        return self.entries[:3]

    @property
    def force(self) -> Vector:
        """The linear force [N]."""
        return self.entries[3:]


class PlanarMotion(SpatialVector):
    """A planar motion (w, vx, vy) at the frame's origin (Sec. 2.16)."""

    __slots__ = ()
    size = 3

    def __init__(self, w: Number, vx: Number, vy: Number, frame: Frame = None) -> None:
        self.entries = (w, vx, vy)
        self.frame = frame

    def cross(self, x: Any) -> Any:
        """v x m (2.75) or v x* f = -(v x)^T f (2.76), by the type of x."""
        name = type(x).__name__
        if not isinstance(x, (PlanarMotion, PlanarForce)):
            raise TypeError(f"PlanarMotion x {name}: needs a planar motion or force")
        w, vx, vy = self.entries
        a, bx, by = x.entries
        frame = join(self.frame, x.frame, f"PlanarMotion x {name}")
        if isinstance(x, PlanarMotion):
            found = PlanarProduct(0.0, vy * a - w * by, w * bx - vx * a, frame)
            found.factors = (self, x)
            return found
        return PlanarForce(vx * by - vy * bx, -(w * by), w * bx, frame)


class PlanarProduct(PlanarMotion):
    """v x m in the plane, which remembers v and m."""

    __slots__ = ("factors",)
    factors: tuple[PlanarMotion, PlanarMotion]


class PlanarForce(SpatialVector):
    """A planar force (n, fx, fy), moment about the frame's origin (Sec. 2.16)."""

    __slots__ = ()
    size = 3

    def __init__(self, n: Number, fx: Number, fy: Number, frame: Frame = None) -> None:
        self.entries = (n, fx, fy)
        self.frame = frame


Motion.kind, Force.kind, PlanarMotion.kind, PlanarForce.kind = (
    Motion, Force, PlanarMotion, PlanarForce,
)  # fmt: skip
Motion.dual, Force.dual = Force, Motion
PlanarMotion.dual, PlanarForce.dual = PlanarForce, PlanarMotion


def cross(v: Any, x: Any) -> Any:
    """v x m for a motion m, v x* f for a force f (2.31, 2.32).

    Where v or x is a span, column by column.
    """
    if not isinstance(v, SpatialVector):
        return v.crossing(x)
    by: Any = v
    return by.cross(x) if isinstance(x, SpatialVector) else x.crossed(by)
