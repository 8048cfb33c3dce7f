"""Spans of motion or force vectors: S with S @ a, S.T @ f, and U D^-1 U^T."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from knuckle.scalar import Number
from knuckle.spatial.frames import Frame, join
from knuckle.spatial.ldl import LDL, Inverse, over
from knuckle.spatial.linear import settled
from knuckle.spatial.vectors import (
    Force,
    Motion,
    PlanarForce,
    PlanarMotion,
    SpatialVector,
)


class Span:
    """A matrix whose columns are spatial vectors of one kind; it may be empty."""

    __slots__ = ("columns", "frame")
    kind: ClassVar[type[SpatialVector]]

    def __init__(self, columns: Sequence[Any], frame: Frame = None) -> None:
        for c in columns:
            if getattr(c, "kind", None) is not self.kind:
                raise TypeError(
                    f"{type(self).__name__}: column is a {type(c).__name__}, "
                    f"expected {self.kind.__name__}"
                )
            frame = join(frame, c.frame, "columns of a subspace")
        self.columns = tuple(columns)
        self.frame = frame

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.columns)

    def __getitem__(self, k: int) -> Any:
        return self.columns[k]

    def __matmul__(self, a: Any) -> Any:
        """S a, a vector of this kind; ``U @ D.inv`` waits for ``@ U.T`` or ``@ b``."""
        if isinstance(a, Inverse):
            return Weighted(self, a.factor)
        total = self.kind.zero(self.frame)
        for column, x in zip(self.columns, a, strict=True):
            total = total + column * x
        return total

    def __add__(self, other: Span) -> Span:
        """Column by column."""
        pairs = zip(self.columns, other.columns, strict=True)
        return type(self)(tuple(a + b for a, b in pairs), self.frame)

    def crossed(self, v: Any) -> Span:
        """v x S (or v x* U), column by column."""
        return type(self)(tuple(v.cross(c) for c in self.columns), self.frame)

    def crossing(self, x: Any) -> Span:
        """S x m or S x* f: column by column, of the kind of x."""
        return _span_of(tuple(c.cross(x) for c in self.columns), x)

    @property
    def T(self) -> SpanTransposed:
        """S^T, which maps the dual vectors to numbers."""
        return SpanTransposed(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.columns!r})"


class SpanTransposed:
    """S^T: ``S.T @ f`` is a tuple of numbers, ``S.T @ U`` an n x n matrix."""

    __slots__ = ("span",)

    def __init__(self, span: Span) -> None:
        self.span = span

    def __matmul__(self, x: Any) -> Any:
        if isinstance(x, Span):
            return tuple(tuple(c.dot(u) for u in x.columns) for c in self.span.columns)
        return tuple(c.dot(x) for c in self.span.columns)


class Subspace(Span):
    """A motion subspace S, 6 x n: the columns are Motions (Sec. 3.3)."""

    __slots__ = ()
    kind = Motion


class ForceSubspace(Span):
    """A 6 x n matrix of Forces: U = I^A S, or constraint forces T."""

    __slots__ = ()
    kind = Force


class PlanarSubspace(Span):
    """A planar motion subspace, 3 x n."""

    __slots__ = ()
    kind = PlanarMotion


class PlanarForceSubspace(Span):
    """A 3 x n matrix of planar forces."""

    __slots__ = ()
    kind = PlanarForce


def forces(S: Any, every: bool = True) -> Any:
    """The unit forces on the body whose motions S spans; or none of them."""
    span = ForceSubspace if isinstance(S, Subspace) else PlanarForceSubspace
    n = span.kind.size if every else 0
    units = [[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)]
    return span([span.kind.of(unit, S.frame) for unit in units], S.frame)


def _span_of(columns: tuple[Any, ...], like: Any) -> Span:
    """The columns as a span of the kind of this vector."""
    kinds = (Subspace, ForceSubspace, PlanarSubspace, PlanarForceSubspace)
    kind = next(k for k in kinds if isinstance(like, k.kind))
    return kind(columns, like.frame)


class Weighted:
    """U D^-1: ``@ b`` gives a vector, ``@ U.T`` the symmetric dyadic U D^-1 U^T."""

    __slots__ = ("factor", "span")

    def __init__(self, span: Span, factor: LDL) -> None:
        self.span = span
        self.factor = factor

    def __matmul__(self, x: Any) -> Any:
        if not isinstance(x, SpanTransposed):
            return self.span @ self.factor.solve(x)
        if x.span is not self.span:
            raise ValueError("U @ D.inv @ V.T: V must be U, the dyadic is symmetric")
        return Dyadic(self.span, self.factor)


class Dyadic:
    """U D^-1 U^T = sum_k y_k y_k^T / d_k, with Y = U L^-T.

    In I^A - U D^-1 U^T the rows along S cancel exactly while tracing: I^a S = 0
    becomes structural (Featherstone Sec. 7.1, A.4).
    """

    __slots__ = ("frame", "r", "rows")

    def __init__(self, span: Span, factor: LDL) -> None:
        self.frame = span.frame
        self.r = factor.r
        self.rows = tuple(
            factor.forward(tuple(c.entries[i] for c in span.columns))
            for i in range(span.kind.size)
        )

    def taken_from(self, total: Number, i: int, j: int) -> Number:
        """total - (U D^-1 U^T)_ij; what is left of constants by rounding is zero."""
        for a, b, r in zip(self.rows[i], self.rows[j], self.r, strict=True):
            total = settled(total, total - over(a, b, r))
        return total
