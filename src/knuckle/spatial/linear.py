"""3-vectors, small matrices and symmetric matrices as plain tuples of numbers.

A vector is a tuple, a matrix a tuple of row tuples, a symmetric 3x3 matrix the six
entries ``(xx, xy, xz, yy, yz, zz)``.  Entries are floats, traced scalars, mpf or
Fraction; exact 0.0 and 1.0 cost nothing once traced.
"""

from __future__ import annotations

from collections.abc import Sequence

from knuckle.scalar import Number

Vector = tuple[Number, ...]
Matrix = tuple[tuple[Number, ...], ...]
Symmetric = tuple[Number, Number, Number, Number, Number, Number]

ZERO3: Vector = (0.0, 0.0, 0.0)
EYE3: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ZERO33: Matrix = (ZERO3, ZERO3, ZERO3)
ZERO_SYMMETRIC: Symmetric = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def is_zero(x: Number) -> bool:
    """Whether x is the structural zero: an exact constant 0, not a traced value."""
    return isinstance(x, (float, int)) and x == 0


def is_unit(x: Number) -> bool:
    """Whether x is the structural constant +1 or -1."""
    return isinstance(x, (float, int)) and (x == 1 or x == -1)


def is_identity(A: Matrix) -> bool:
    """Whether A is structurally the identity."""
    return all(
        isinstance(x, (float, int)) and x == (1 if i == j else 0)
        for i, row in enumerate(A)
        for j, x in enumerate(row)
    )


def settled(before: Number, after: Number) -> Number:
    """A difference of constants, without what rounding leaves of one that is zero."""
    known = type(before) is float and type(after) is float
    return 0.0 if known and abs(after) <= 4 * 2.0**-52 * abs(before) else after


def dot(a: Sequence[Number], b: Sequence[Number]) -> Number:
    """a . b of two Euclidean vectors."""
    total = a[0] * b[0]
    for i in range(1, len(a)):
        total = total + a[i] * b[i]
    return total


def cross3(a: Sequence[Number], b: Sequence[Number]) -> Vector:
    """a x b, 6m + 3a (Eq. 2.23)."""
    a0, a1, a2 = a
    b0, b1, b2 = b
    return a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0


def add(a: Sequence[Number], b: Sequence[Number]) -> Vector:
    """a + b."""
    return tuple(x + y for x, y in zip(a, b, strict=True))


def sub(a: Sequence[Number], b: Sequence[Number]) -> Vector:
    """a - b."""
    return tuple(x - y for x, y in zip(a, b, strict=True))


def less(a: Sequence[Number], B: Matrix, c: Sequence[Number]) -> Vector:
    """a - B^T c, where B and c may have no rows."""
    return tuple(
        x - sum((row[k] * y for row, y in zip(B, c, strict=True)), 0.0)
        for k, x in enumerate(a)
    )


def less_product(A: Matrix, B: Matrix, C: Matrix) -> Matrix:
    """A - B^T C, where B and C may have no rows."""
    return tuple(
        tuple(
            x - sum((b[r] * c[k] for b, c in zip(B, C, strict=True)), 0.0)
            for k, x in enumerate(row)
        )
        for r, row in enumerate(A)
    )


def scale(s: Number, a: Sequence[Number]) -> Vector:
    """s a."""
    return tuple(s * x for x in a)


def neg(a: Sequence[Number]) -> Vector:
    """-a, with structural zeros kept positive."""
    return tuple(0.0 if is_zero(x) else -x for x in a)


def matvec(A: Matrix, b: Sequence[Number]) -> Vector:
    """A b."""
    return tuple(dot(row, b) for row in A)


def matTvec(A: Matrix, b: Sequence[Number]) -> Vector:
    """A^T b, without forming the transpose."""
    return tuple(dot(column, b) for column in zip(*A, strict=True))


def matmul(A: Matrix, B: Matrix) -> Matrix:
    """A B."""
    columns = tuple(zip(*B, strict=True))
    return tuple(tuple(dot(row, column) for column in columns) for row in A)


def transpose(A: Matrix) -> Matrix:
    """A^T."""
    return tuple(zip(*A, strict=True))


def matadd(A: Matrix, B: Matrix) -> Matrix:
    """A + B."""
    return tuple(add(a, b) for a, b in zip(A, B, strict=True))


def matsub(A: Matrix, B: Matrix) -> Matrix:
    """A - B."""
    return tuple(sub(a, b) for a, b in zip(A, B, strict=True))


def matscale(s: Number, A: Matrix) -> Matrix:
    """s A."""
    return tuple(scale(s, row) for row in A)


def identity(n: int) -> Matrix:
    """The n x n identity with structural entries."""
    return tuple(tuple(1.0 if i == j else 0.0 for j in range(n)) for i in range(n))


def outer(a: Sequence[Number], b: Sequence[Number]) -> Matrix:
    """a b^T."""
    return tuple(scale(x, b) for x in a)


def skew(a: Sequence[Number]) -> Matrix:
    """a x, the matrix with (a x) b = a x b (Eq. 2.23)."""
    x, y, z = a
    mx, my, mz = neg(a)
    return (0.0, mz, y), (z, 0.0, mx), (my, x, 0.0)


def unskew(A: Matrix) -> Vector:
    """The vector a with a x = (A - A^T) / 2."""
    return (
        0.5 * (A[2][1] - A[1][2]),
        0.5 * (A[0][2] - A[2][0]),
        0.5 * (A[1][0] - A[0][1]),
    )


def determinant(A: Matrix) -> Number:
    """det A of a 3x3 matrix."""
    return dot(A[0], cross3(A[1], A[2]))


def symmetric(A: Matrix) -> Symmetric:
    """The six upper entries (xx, xy, xz, yy, yz, zz) of a symmetric 3x3 matrix."""
    return A[0][0], A[0][1], A[0][2], A[1][1], A[1][2], A[2][2]


def full(A: Symmetric) -> Matrix:
    """The 3x3 matrix of six entries (xx, xy, xz, yy, yz, zz)."""
    xx, xy, xz, yy, yz, zz = A
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def symvec(A: Symmetric, b: Sequence[Number]) -> Vector:
    """A b for symmetric A, 9m + 6a."""
    xx, xy, xz, yy, yz, zz = A
    x, y, z = b
    return (
        xx * x + xy * y + xz * z,
        xy * x + yy * y + yz * z,
        xz * x + yz * y + zz * z,
    )


def mul_rotations(F: Matrix, G: Matrix) -> Matrix:
    """F G of two rotations; the third column by a cross product when dense.

    24m + 15a (Sec. A.5) against 27m + 18a; with structural zeros the plain product
    is cheaper and keeps them.
    """
    if any(is_zero(x) for A in (F, G) for row in A for x in row):
        return matmul(F, G)
    left = tuple(
        tuple(dot(row, (G[0][j], G[1][j], G[2][j])) for row in F) for j in (0, 1)
    )
    return transpose((*left, cross3(*left)))


def shown(x: object) -> str:
    """Plain numbers in brackets to six digits, for people; the rest by its repr."""
    if isinstance(x, tuple):
        return "(" + ", ".join(map(shown, x)) + ")"
    return f"{x + 0.0:.6g}" if isinstance(x, (float, int)) else repr(x)


def is_plain(x: object) -> bool:
    """Whether these are numbers that are known, at any depth."""
    if isinstance(x, tuple):
        return all(map(is_plain, x))
    return isinstance(x, (float, int))
