"""Factorization D = L d L^T of a small symmetric matrix (joint-space, n <= 6)."""

from __future__ import annotations

from collections.abc import Sequence

from knuckle.scalar import Number, Scalar, reciprocal
from knuckle.spatial.linear import Matrix, Vector


class LDL:
    """D = C d^-1 C^T, with C = L d lower triangular and d its diagonal.

    For D = S^T I^A S (Featherstone Sec. 7.1).  A 1x1 matrix costs one reciprocal.
    There is no pivoting: D is positive definite.
    """

    __slots__ = ("C", "r")
    C: Matrix
    r: Vector

    def __init__(self, D: Sequence[Sequence[Number]]) -> None:
        C: list[list[Number]] = []
        r: list[Number] = []
        for k in range(len(D)):
            row = list(D[k][: k + 1])
            for j in range(k):
                for i in range(j + 1, k):
                    row[i] = row[i] - over(C[i][j], row[j], r[j])
                row[k] = row[k] - over(row[j], row[j], r[j])
            C.append(row)
            r.append(self.pivot(k, row[k]))
        self.C = tuple(map(tuple, C))
        self.r = tuple(r)

    def pivot(self, k: int, d: Number) -> Number:
        """What divides row k."""
        return reciprocal(d)

    def __len__(self) -> int:
        return len(self.r)

    def forward(self, b: Sequence[Number]) -> Vector:
        """y with L y = b."""
        y: list[Number] = []
        for k, row in enumerate(self.C):
            t = b[k]
            for j in range(k):
                t = t - over(row[j], y[j], self.r[j])
            y.append(t)
        return tuple(y)

    def solve(self, b: Sequence[Number]) -> Vector:
        """x with D x = b."""
        x = [y * r for y, r in zip(self.forward(b), self.r, strict=True)]
        n = len(x)
        for k in reversed(range(n)):
            for i in range(k + 1, n):
                x[k] = x[k] - (self.C[i][k] * self.r[k]) * x[i]
        return tuple(x)

    def solve_columns(self, B: Matrix) -> Matrix:
        """X with D X = B."""
        return tuple(zip(*(self.solve(b) for b in zip(*B, strict=True)), strict=True))

    def inverse(self) -> Matrix:
        """D^-1, both triangles filled from one."""
        n = len(self)
        columns = [
            self.solve([1.0 if i == j else 0.0 for i in range(n)]) for j in range(n)
        ]
        return tuple(
            tuple(columns[min(i, j)][max(i, j)] for j in range(n)) for i in range(n)
        )

    @property
    def inv(self) -> Inverse:
        """D^-1 as an operator: ``D.inv @ b`` and ``U @ D.inv @ U.T``."""
        return Inverse(self)


class Yielding(LDL):
    """D + diag(1 / R), where R is None for nothing; R may be zero or a parameter.

    For T^T Phi T of a joint with rotors: a rotor R holds its direction, but gives way.
    """

    __slots__ = ("R",)

    def __init__(
        self, D: Sequence[Sequence[Number]], R: Sequence[Number | None]
    ) -> None:
        self.R = tuple(R)
        super().__init__(D)

    def pivot(self, k: int, d: Number) -> Number:
        """1 / (d + 1 / R) = R / (1 + d R)."""
        R = self.R[k]
        return reciprocal(d) if R is None else R * reciprocal(1.0 + d * R)


class Inverse:
    """The operator D^-1 of a factorization; acts without forming the inverse."""

    __slots__ = ("factor",)

    def __init__(self, factor: LDL) -> None:
        self.factor = factor

    def __matmul__(self, b: Sequence[Number]) -> Vector:
        return self.factor.solve(b)


def over(a: Number, b: Number, r: Number) -> Number:
    """a b r with r = 1 / d, grouped alike for (a, b) and (b, a).

    A traced symmetric matrix then has equal nodes in both triangles, and a = d
    cancels: the rows of I^A - U D^-1 U^T along S become structural zeros.
    """
    if isinstance(a, Scalar) and isinstance(b, Scalar) and a.index > b.index:
        a, b = b, a
    return a * (b * r)
