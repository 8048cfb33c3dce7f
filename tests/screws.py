"""The book's own CRBA (Table 10.2) on numbers that count what is done with them.

Axial screws between frames along the joints' axes, column 3 of I^c for I^c S and
element 3 for S^T F: what the formulas (10.2) - (10.12) count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import knuckle as kn
from knuckle.spatial import SE3, Rx, Rz, Tx, Tz


class Counted:
    """A number whose products and sums are counted; signs are free."""

    def __init__(self, value: float, count: Counter[str]) -> None:
        self.value, self.count = float(value), count

    def _made(self, kind: str, value: float) -> Counted:
        self.count[kind] += 1
        return Counted(value, self.count)

    def __mul__(self, other: Counted | float) -> Counted:
        return self._made("m", self.value * float(other))

    def __add__(self, other: Counted | float) -> Counted:
        return self._made("a", self.value + float(other))

    def __sub__(self, other: Counted | float) -> Counted:
        return self._made("a", self.value - float(other))

    def __neg__(self) -> Counted:
        return Counted(-self.value, self.count)

    def __float__(self) -> float:
        return self.value


Numbers = list[Counted]


@dataclass(frozen=True)
class Screw:
    """A turn about an axis and a shift along it; what the joint does not move is free.

    The products of sine and cosine cost 2m + 3a where the angle is a joint's.
    """

    axis: int
    c: Counted
    s: Counted
    d: Counted
    moving: bool

    @classmethod
    def of(
        cls, axis: int, angle: float, d: float, moving: bool, count: Counter[str]
    ) -> Screw:
        values = np.cos(angle), np.sin(angle), d
        return cls(axis, *(Counted(x, count) for x in values), moving)

    @property
    def places(self) -> tuple[int, int, int]:
        """The coordinates that are turned, and the axis."""
        return (self.axis + 1) % 3, (self.axis + 2) % 3, self.axis

    def turned(self, x: Counted, y: Counted) -> tuple[Counted, Counted]:
        """4m + 2a."""
        return self.c * x - self.s * y, self.s * x + self.c * y

    def angles(self) -> Numbers:
        """c^2, c s, 2 c s, 2 c^2 - 1."""
        count: Counter[str] = self.c.count if self.moving else Counter()
        c, s = Counted(float(self.c), count), Counted(float(self.s), count)
        cc, cs = c * c, c * s
        found = cc, cs, cs + cs, cc + cc - 1.0
        return [Counted(float(x), self.c.count) for x in found]

    def force(self, f: Numbers) -> Numbers:
        """X^T f, 10m + 6a (Table A.5)."""
        i, j, k = self.places
        n, g = list(f[:3]), list(f[3:])
        n[i], n[j] = self.turned(n[i], n[j])
        g[i], g[j] = self.turned(g[i], g[j])
        n[i], n[j] = n[i] - self.d * g[j], n[j] + self.d * g[i]
        return n + g

    def inertia(self, m: Counted, h: Numbers, I: np.ndarray, md: Counted) -> tuple:
        """X^T I X, 15m + 15a with m d at hand, and the products of the angle."""
        i, j, k = self.places
        cc, cs, cs2, cosine2 = self.angles()
        apart = I[i, i] - I[j, j]
        t = cc * apart - cs2 * I[i, j]
        A = np.empty((3, 3), object)
        A[i, i], A[j, j], A[k, k] = I[j, j] + t, I[i, i] - t, I[k, k]
        A[i, j] = cs * apart + cosine2 * I[i, j]
        A[i, k], A[j, k] = self.turned(I[i, k], I[j, k])
        g = list(h)
        g[i], g[j] = self.turned(h[i], h[j])
        g[k] = h[k] + md
        far = self.d * (h[k] + g[k])
        A[i, i], A[j, j] = A[i, i] + far, A[j, j] + far
        A[i, k], A[j, k] = A[i, k] - self.d * g[i], A[j, k] - self.d * g[j]
        for a, b in ((i, j), (i, k), (j, k)):
            A[b, a] = A[a, b]
        return m, g, A


@dataclass(frozen=True)
class Link:
    """A hinge: its parent (-1: the base), the angles and shifts of its screws about x
    and z and, where it is no Denavit-Hartenberg link, of one about z before them."""

    parent: int
    x: tuple[float, float]
    z: tuple[float, float]
    before: tuple[float, float] | None
    rigid: kn.Inertia

    def pose(self) -> SE3:
        """Of the frame in which the joint turns, in the parent."""
        (alpha, a), (beta, b) = self.x, self.before or (0.0, 0.0)
        return Rz(beta) * Tz(b) * Rx(alpha) * Tx(a) * Tz(self.z[1])

    def screws(self, count: Counter[str]) -> list[Screw]:
        """Child first."""
        found = [Screw.of(2, *self.z, True, count), Screw.of(0, *self.x, False, count)]
        before = (
            [] if self.before is None else [Screw.of(2, *self.before, False, count)]
        )
        return found + before


def model(links: Sequence[Link]) -> kn.Model:
    """The same for the library; q are the angles of the moving screws."""
    hinge = kn.joints.Revolute("z")
    return kn.Model(
        [
            kn.Body(
                f"{k}",
                None if x.parent < 0 else f"{x.parent}",
                hinge,
                x.pose(),
                x.rigid,
            )
            for k, x in enumerate(links)
        ]
    )


def mass_matrix(links: Sequence[Link]) -> tuple[np.ndarray, Counter[str]]:
    """H, and what it costs: (10.3) for a chain, (10.12) for a tree."""
    count: Counter[str] = Counter()
    free: Counter[str] = Counter()
    H = np.zeros((len(links), len(links)))
    mass = [x.rigid.mass for x in links]
    bodies = [
        (
            [Counted(y, count) for y in x.rigid.h],
            np.vectorize(lambda y: Counted(y, count))(_full(x.rigid)),
        )
        for x in links
    ]
    screws = [x.screws(count) for x in links]
    for i in reversed(range(len(links))):
        h, I = bodies[i]
        column = [I[0, 2], I[1, 2], I[2, 2], -h[1], h[0], Counted(0.0, count)]
        H[i, i] = float(column[2])
        j, p = i, links[i].parent
        if p >= 0:
            mass[p] += mass[i]
            count["a"] += 1  # the sum of the masses, which the book counts
            bodies[p] = _joined(bodies[p], _carried(screws[i], mass[i], h, I, free))
        while links[j].parent >= 0:
            column = _up(screws[j], links[j], column, count)
            j = links[j].parent
            H[i, j] = H[j, i] = float(column[2])
    return H, count


def _full(rigid: kn.Inertia) -> np.ndarray:
    return np.array([row[:3] for row in rigid.matrix()[:3]])


def _carried(
    screws: Sequence[Screw], mass: float, h: Numbers, I: np.ndarray, free: Counter[str]
) -> tuple[Numbers, np.ndarray]:
    """rx: through two screws or three; the products m d are constants."""
    m = Counted(mass, free)
    for screw in screws:
        md = Counted(mass * float(screw.d), h[0].count)
        m, h, I = screw.inertia(m, h, I, md)
    return h, I


def _joined(one: tuple, other: tuple) -> tuple[Numbers, np.ndarray]:
    """ra but for the mass: 9a."""
    (h, I), (g, J) = one, other
    sums = [x + y for x, y in zip(h, g, strict=True)]
    A = np.empty((3, 3), object)
    for i in range(3):
        for j in range(i + 1):
            A[i, j] = A[j, i] = I[i, j] + J[i, j]
    return sums, A


def _up(
    screws: Sequence[Screw], link: Link, f: Numbers, count: Counter[str]
) -> Numbers:
    """vx: 20m + 12a by two screws, or 24m + 18a by the rotation of all three."""
    if link.before is None:
        for screw in screws:
            f = screw.force(f)
        return f
    pose = link.pose() * Rz(link.z[0])
    R = [[Counted(x, count) for x in row] for row in pose.R]
    x, y, z = (Counted(p, count) for p in pose.p)
    n, g = (
        [row[0] * v[0] + row[1] * v[1] + row[2] * v[2] for row in R]
        for v in (f[:3], f[3:])
    )
    lever = [y * g[2] - z * g[1], z * g[0] - x * g[2], x * g[1] - y * g[0]]
    return [a + b for a, b in zip(n, lever, strict=True)] + g
