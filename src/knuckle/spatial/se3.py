"""Poses: the group SE(3) as a lazy product of elementary factors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knuckle.scalar import Number, cos, sin, stumpff
from knuckle.spatial.linear import (
    EYE3,
    ZERO3,
    ZERO33,
    Matrix,
    Vector,
    add,
    cross3,
    dot,
    is_identity,
    is_plain,
    is_zero,
    matadd,
    matmul,
    matscale,
    matTvec,
    matvec,
    mul_rotations,
    neg,
    scale,
    shown,
    skew,
    transpose,
)
from knuckle.spatial.so3 import (
    exp_so3,
    half_cot,
    left_jacobian_inverse_so3,
    left_jacobian_so3,
    log_so3,
)
from knuckle.spatial.vectors import Motion, SpatialVector

Factor = tuple[str, Any]


class SE3:
    """The pose (R, p) of B in A: x_A = R x_B + p, p in [m].

    ``*`` composes, ``@`` acts on points.  A product of elementary factors is kept
    as a list (``factors``) and multiplied out only when R or p is asked for.
    """

    __slots__ = ("_R", "_p", "factors")
    __array_ufunc__ = None
    factors: tuple[Factor, ...]

    def __init__(
        self, R: Sequence[Sequence[Number]] = EYE3, p: Sequence[Number] = ZERO3
    ) -> None:
        self._R: Matrix | None
        self._p: Vector | None
        self._R, self._p = _rows(R, p)
        entries = [*self._p, *(x for row in self._R for x in row)]
        known = all(isinstance(x, (float, int)) for x in entries)
        pair = (self._R, self._p)
        unit = known and pair == (EYE3, ZERO3)
        self.factors = () if unit else (("const" if known else "matrix", pair),)

    @classmethod
    def of_factors(cls, factors: Sequence[Factor]) -> SE3:
        """The product of (kind, value), kind 'Rx' ... 'Tz', 'const' or 'matrix'."""
        self = cls.__new__(cls)
        self._R = self._p = None
        self.factors = tuple(factors)
        return self

    @classmethod
    def from_any(cls, value: Any) -> SE3:
        """An SE3, a pair (R, p), or a 4x4 matrix, nested or as an array."""
        if isinstance(value, SE3):
            return value
        if len(value) == 2:
            return cls(*value)
        if len(value) == 4 and all(len(row) == 4 for row in value):
            return cls([row[:3] for row in value[:3]], [row[3] for row in value[:3]])
        raise ValueError(
            f"a pose is an SE3, a pair (R, p) or a 4x4 matrix; got {len(value)} items"
        )

    @classmethod
    def rotation(cls, axis: Sequence[Number], angle: Number) -> SE3:
        """A rotation by ``angle`` [rad] about the unit vector ``axis``."""
        for k, kind in enumerate(("Rx", "Ry", "Rz")):
            if is_zero(axis[k - 1]) and is_zero(axis[k - 2]):
                return cls.of_factors(((kind, angle * axis[k]),))
        return cls(rodrigues(axis, angle), ZERO3)

    @classmethod
    def translation(cls, v: Sequence[Number]) -> SE3:
        """A translation by v [m]."""
        kinds = zip(("Tx", "Ty", "Tz"), v, strict=True)
        return cls.of_factors(tuple((k, x) for k, x in kinds if not is_zero(x)))

    @classmethod
    def exp(cls, m: Sequence[Number]) -> SE3:
        """exp of a twist, angular first: R = exp(w x), p = J_left(w) v (Sueda 1.10)."""
        w, v = tuple(m)[:3], tuple(m)[3:]
        t = dot(w, w)
        first = cross3(w, v)
        p = add(
            v, add(scale(stumpff(2, t), first), scale(stumpff(3, t), cross3(w, first)))
        )
        return cls(exp_so3(w), p)

    def log(self) -> Motion:
        """The twist m with exp(m) = self and |angular| <= pi."""
        w, p = log_so3(self.R), self.p
        first = cross3(w, p)
        second = scale(half_cot(dot(w, w)), cross3(w, first))
        return Motion(w, add(p, add(scale(-0.5, first), second)))

    @property
    def R(self) -> Matrix:
        """The rotation matrix, B to A coordinates."""
        return self._multiplied()[0]

    @property
    def p(self) -> Vector:
        """The origin of B in A [m]."""
        return self._multiplied()[1]

    def _multiplied(self) -> tuple[Matrix, Vector]:
        if self._R is None or self._p is None:
            R, p = EYE3, ZERO3
            for factor in self.factors:
                S, s = factor_pose(*factor)
                p = add(p, matvec(R, s))
                R = S if R is EYE3 else mul_rotations(R, S)
            self._R, self._p = R, p
        return self._R, self._p

    def __mul__(self, other: SE3) -> SE3:
        if not isinstance(other, SE3):
            return NotImplemented
        return SE3.of_factors(self.factors + other.factors)

    def __matmul__(self, x: Sequence[Number]) -> Vector:
        """R x + p, the point x of B in the coordinates of A."""
        if isinstance(x, (SE3, SpatialVector)):
            raise TypeError(
                f"SE3 @ {type(x).__name__}: @ acts on points; compose with *, and "
                "carry motions with Transform.from_pose(T).inverse() @ m"
            )
        return add(matvec(self.R, x), self.p)

    def inverse(self) -> SE3:
        """The pose of A in B; elementary factors stay elementary."""
        return SE3.of_factors(tuple(_inverse(*f) for f in reversed(self.factors)))

    def matrix(self) -> Matrix:
        """The 4x4 homogeneous matrix [[R, p], [0, 1]]."""
        rows = zip(self.R, self.p, strict=True)
        return tuple((*row, x) for row, x in rows) + ((0.0, 0.0, 0.0, 1.0),)

    def Ad(self) -> Matrix:
        """[[R, 0], [p x R, R]], twists of B to twists of A (Sueda 1.14)."""
        low = matmul(skew(self.p), self.R)
        return blocks(self.R, ZERO33, low, self.R)

    def __repr__(self) -> str:
        if not is_plain((self.R, self.p)):
            return f"SE3.of_factors({self.factors!r})"
        turned = "" if is_identity(self.R) else f"R = {shown(self.R)}, "
        return f"<SE3: {turned}p = {shown(self.p)} m>"


def Rx(angle: Number) -> SE3:
    """Rotation about x [rad]."""
    return SE3.of_factors((("Rx", angle),))


def Ry(angle: Number) -> SE3:
    """Rotation about y [rad]."""
    return SE3.of_factors((("Ry", angle),))


def Rz(angle: Number) -> SE3:
    """Rotation about z [rad]."""
    return SE3.of_factors((("Rz", angle),))


def Tx(x: Number) -> SE3:
    """Translation along x [m]."""
    return SE3.of_factors((("Tx", x),))


def Ty(y: Number) -> SE3:
    """Translation along y [m]."""
    return SE3.of_factors((("Ty", y),))


def Tz(z: Number) -> SE3:
    """Translation along z [m]."""
    return SE3.of_factors((("Tz", z),))


def factor_pose(kind: str, value: Any) -> tuple[Matrix, Vector]:
    """(R, p) of one factor."""
    if kind in ("const", "matrix"):
        return value
    k = "xyz".index(kind[1])
    if kind[0] == "T":
        return EYE3, tuple(value if i == k else 0.0 for i in range(3))
    c, s = cos(value), sin(value)
    i, j = (k + 1) % 3, (k + 2) % 3
    R = [[1.0 if a == b else 0.0 for b in range(3)] for a in range(3)]
    R[i][i], R[i][j], R[j][i], R[j][j] = c, -s, s, c
    return tuple(map(tuple, R)), ZERO3


def _inverse(kind: str, value: Any) -> Factor:
    if kind not in ("const", "matrix"):
        return kind, -value
    R, p = value
    return kind, (transpose(R), neg(matTvec(R, p)))


def rodrigues(axis: Sequence[Number], angle: Number) -> Matrix:
    """1 + sin a u x + (1 - cos a) (u x)^2 for a unit axis u."""
    U = skew(axis)
    half = matscale(1.0 - cos(angle), matmul(U, U))
    return matadd(EYE3, matadd(matscale(sin(angle), U), half))


def ad(m: Sequence[Number]) -> Matrix:
    """[[w x, 0], [v x, w x]]: ad(m) n = m x n (2.31)."""
    w, v = tuple(m)[:3], tuple(m)[3:]
    return blocks(skew(w), ZERO33, skew(v), skew(w))


def left_jacobian_se3(m: Sequence[Number]) -> Matrix:
    """J with dT T^-1 = ad-matrix of (J dm) for T = exp(m): [[J, 0], [Q, J]].

    SE(3) is SO(3) over dual numbers, so Q is the derivative of the SO(3) Jacobian:
    Q = c2 V + c3 (W V + V W) + (w . v) ((2 c4 - c3) W + (3 c5 - c4) W^2).
    """
    w, v = tuple(m)[:3], tuple(m)[3:]
    t, s = dot(w, w), dot(w, v)
    c2, c3, c4, c5 = (stumpff(k, t) for k in (2, 3, 4, 5))
    Q = _dual_part(w, v, c2, c3, s * (2.0 * c4 - c3), s * (3.0 * c5 - c4))
    J = left_jacobian_so3(w)
    return blocks(J, ZERO33, Q, J)


def left_jacobian_inverse_se3(m: Sequence[Number]) -> Matrix:
    """The inverse of ``left_jacobian_se3``; singular at |w| = 2 pi."""
    w, v = tuple(m)[:3], tuple(m)[3:]
    t = dot(w, w)
    e = half_cot(t)
    c2, c4, c5, c6 = (stumpff(k, t) for k in (2, 4, 5, 6))
    de = (2.5 * c5 - 0.5 * c4 - 4.0 * c6) / (2.0 * c2) + e * e
    Q = _dual_part(w, v, -0.5, e, 0.0, 2.0 * dot(w, v) * de)
    J = left_jacobian_inverse_so3(w)
    return blocks(J, ZERO33, Q, J)


def right_jacobian_se3(m: Sequence[Number]) -> Matrix:
    """J with T^-1 dT = the body twist J dm for T = exp(m)."""
    return left_jacobian_se3(neg(tuple(m)))


def right_jacobian_inverse_se3(m: Sequence[Number]) -> Matrix:
    """The inverse of ``right_jacobian_se3``; singular at |w| = 2 pi."""
    return left_jacobian_inverse_se3(neg(tuple(m)))


def _dual_part(
    w: Vector, v: Vector, a: Number, b: Number, da: Number, db: Number
) -> Matrix:
    """a V + b (W V + V W) + da W + db W^2."""
    W, V = skew(w), skew(v)
    mixed = matadd(matmul(W, V), matmul(V, W))
    first = matadd(matscale(a, V), matscale(b, mixed))
    return matadd(first, matadd(matscale(da, W), matscale(db, matmul(W, W))))


def blocks(A: Matrix, B: Matrix, C: Matrix, D: Matrix) -> Matrix:
    """[[A, B], [C, D]]."""
    top = tuple(a + b for a, b in zip(A, B, strict=True))
    return top + tuple(c + d for c, d in zip(C, D, strict=True))


def _rows(R: Any, p: Any) -> tuple[Matrix, Vector]:
    """R and p as tuples, if they are 3x3 and 3."""
    try:
        rows = tuple(tuple(_number(x) for x in row) for row in R)
        place = tuple(_number(x) for x in p)
    except TypeError:
        rows, place = (), ()
    if len(place) != 3 or [len(row) for row in rows] != [3, 3, 3]:
        raise ValueError(
            f"SE3: expected R 3x3 and p 3, got {_shape(R)} and {_shape(p)}; write "
            "SE3(R, p), SE3(p=(x, y, z)) or, from a 4x4 matrix, SE3.from_any(matrix)"
        )
    return rows, place


def _shape(x: Any) -> str:
    """The shape of nested sequences, for an error."""
    sizes = []
    while hasattr(x, "__len__") and not isinstance(x, str) and len(x):
        sizes.append(str(len(x)))
        x = x[0]
    return " x ".join(sizes) or f"{x!r}"


def _number(x: Any) -> Number:
    return float(x) if type(x) is not float and hasattr(x, "dtype") else x
