"""E A E^T for rotations E, by the cheapest formula (Featherstone Sec. A.5)."""

from __future__ import annotations

from knuckle.scalar import Number
from knuckle.spatial.cheapest import Formula, cheapest
from knuckle.spatial.linear import (
    Matrix,
    Symmetric,
    dot,
    full,
    is_plain,
    is_unit,
    is_zero,
    matmul,
    symmetric,
    transpose,
)


def rotate_symmetric(E: Matrix, A: Symmetric) -> Symmetric:
    """E A E^T of a symmetric matrix, at most 28m + 29a (8m + 7a about an axis)."""
    about = _axis_formulas(E, _SYMMETRIC_AXIS)
    return cheapest((symmetric_plain, *(about or _SYMMETRIC_DENSE)), E, A)


def turn_symmetric(E: Matrix, A: Symmetric) -> Symmetric:
    """E A E^T where E acts on nothing else: 10m + 9a about an axis, all told."""
    if is_plain(E):
        return symmetric_plain(E, A) if is_plain(A) else rotate_symmetric(E, A)
    about = _axis_formulas(E, _SYMMETRIC_TURN)
    return cheapest((symmetric_plain, *(about or _SYMMETRIC_DENSE)), E, A)


def rotate_general(E: Matrix, A: Matrix) -> Matrix:
    """E A E^T of a general matrix, at most 40m + 39a (12m + 12a about an axis)."""
    about = _axis_formulas(E, _GENERAL_AXIS)
    return cheapest((general_plain, *(about or _GENERAL_DENSE)), E, A)


def symmetric_plain(E: Matrix, A: Symmetric) -> Symmetric:
    """E A E^T by two products, 45m + 30a; keeps structural zeros."""
    Y = matmul(E, full(A))
    a, b, c = E
    return (
        dot(Y[0], a), dot(Y[0], b), dot(Y[0], c),
        dot(Y[1], b), dot(Y[1], c), dot(Y[2], c),
    )  # fmt: skip


def symmetric_dense(E: Matrix, A: Symmetric) -> Symmetric:
    """E A E^T from A = L + a_zz 1 + v x and the trace, 28m + 29a."""
    xx, xy, xz, yy, yz, zz = A
    a, b, c, d = xx - zz, yy - zz, xz + xz, yz + yz
    (p, q), (s, t) = (
        (e[0] * a + e[1] * xy + e[2] * c, e[0] * xy + e[1] * b + e[2] * d)
        for e in E[1:]
    )
    z10, z11 = (p * e[0] + q * e[1] for e in E[:2])
    z20, z21, z22 = (s * e[0] + t * e[1] for e in E)
    ux, uy, uz = (e[1] * xz - e[0] * yz for e in E)
    return (
        ((a + b) - z11 - z22) + zz, z10 + uz, z20 - uy,
        z11 + zz, z21 + ux, z22 + zz,
    )  # fmt: skip


def general_plain(E: Matrix, A: Matrix) -> Matrix:
    """E A E^T by two products, 54m + 36a; keeps structural zeros."""
    return matmul(matmul(E, A), transpose(E))


def general_dense(E: Matrix, A: Matrix) -> Matrix:
    """E A E^T from A = L + a_zz 1 + v x and the trace, 40m + 39a."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = A
    a, b, c, d = xx - zz, yy - zz, zx + xz, zy + yz
    (f, g), (p, q), (s, t) = (
        (e[0] * a + e[1] * yx + e[2] * c, e[0] * xy + e[1] * b + e[2] * d) for e in E
    )
    z01, z02 = (f * e[0] + g * e[1] for e in E[1:])
    z10, z11, z12 = (p * e[0] + q * e[1] for e in E)
    z20, z21, z22 = (s * e[0] + t * e[1] for e in E)
    ux, uy, uz = (e[1] * xz - e[0] * yz for e in E)
    return (
        (((a + b) - z11 - z22) + zz, z01 - uz, z02 + uy),
        (z10 + uz, z11 + zz, z12 - ux),
        (z20 - uy, z21 + ux, z22 + zz),
    )


def _turn(A: Matrix, rows: int, columns: int) -> Matrix:
    """A with its rows and columns numbered from another one, cyclically."""
    return tuple(
        tuple(A[(i + rows) % 3][(j + columns) % 3] for j in range(3)) for i in range(3)
    )


def _symmetric_turned(row: int, column: int) -> Formula:
    def formula(E: Matrix, A: Symmetric) -> Symmetric:
        turned = symmetric(_turn(full(A), column, column))
        B = symmetric_dense(_turn(E, row, column), turned)
        return symmetric(_turn(full(B), -row, -row))

    return formula


def _general_turned(row: int, column: int) -> Formula:
    def formula(E: Matrix, A: Matrix) -> Matrix:
        B = general_dense(_turn(E, row, column), _turn(A, column, column))
        return _turn(B, -row, -row)

    return formula


def _symmetric_axis(row: int, column: int) -> Formula:
    """E about one axis: row ``row`` of E is +-e_column; 8m + 7a, once 2m + 3a."""

    def formula(E: Matrix, A: Symmetric) -> Symmetric:
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = _turn(full(A), column, column)
        sign, a, b, c, d = _axis(E, row, column)
        aa, ab = a * a, a * b
        difference = yy - zz
        t = aa * difference + 2.0 * ab * yz
        u = sign * ((2.0 * aa - 1.0) * yz - ab * difference)
        p, q = sign * (a * xy + b * xz), sign * (c * xy + d * xz)
        B = (xx, p, q), (p, zz + t, u), (q, u, yy - t)
        return symmetric(_turn(B, -row, -row))

    return formula


def _symmetric_turn(row: int, column: int) -> Formula:
    """E about one axis: row ``row`` of E is +-e_column; 10m + 9a, nothing to share."""

    def formula(E: Matrix, A: Symmetric) -> Symmetric:
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = _turn(full(A), column, column)
        sign, a, b, c, d = _axis(E, row, column)
        difference, twice = yy - zz, yz + yz
        t = a * (a * difference + b * twice)
        u = a * (a * twice - b * difference) - yz
        p, q = sign * (a * xy + b * xz), sign * (c * xy + d * xz)
        B = (xx, p, q), (p, zz + t, sign * u), (q, sign * u, yy - t)
        return symmetric(_turn(B, -row, -row))

    return formula


def _general_axis(row: int, column: int) -> Formula:
    """E about one axis: row ``row`` of E is +-e_column; 12m + 12a, once 2m."""

    def formula(E: Matrix, A: Matrix) -> Matrix:
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = _turn(A, column, column)
        sign, a, b, c, d = _axis(E, row, column)
        aa, ab = a * a, a * b
        difference, total = yy - zz, yz + zy
        t = aa * difference + ab * total
        u = aa * total - ab * difference
        B = (
            (xx, sign * (a * xy + b * xz), sign * (c * xy + d * xz)),
            (sign * (a * yx + b * zx), zz + t, sign * (u - zy)),
            (sign * (c * yx + d * zx), sign * (u - yz), yy - t),
        )
        return _turn(B, -row, -row)

    return formula


def _axis(E: Matrix, row: int, column: int) -> tuple[Number, ...]:
    (sign, _, _), (_, a, b), (_, c, d) = _turn(E, row, column)
    return sign, a, b, c, d


def _axis_formulas(
    E: Matrix, table: dict[tuple[int, int], Formula]
) -> tuple[Formula, ...]:
    """The formulas for the rows of E that are a coordinate axis."""
    found = []
    for i, row in enumerate(E):
        units = [j for j, x in enumerate(row) if is_unit(x)]
        if len(units) == 1 and sum(map(is_zero, row)) == 2:
            found.append(table[i, units[0]])
    return tuple(found)


_PLACES = [(i, j) for i in range(3) for j in range(3)]
_SYMMETRIC_DENSE = tuple(_symmetric_turned(0, j) for j in range(3))
_GENERAL_DENSE = tuple(_general_turned(0, j) for j in range(3))
_SYMMETRIC_AXIS = {p: _symmetric_axis(*p) for p in _PLACES}
_SYMMETRIC_TURN = {p: _symmetric_turn(*p) for p in _PLACES}
_GENERAL_AXIS = {p: _general_axis(*p) for p in _PLACES}
