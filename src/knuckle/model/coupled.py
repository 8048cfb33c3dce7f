"""What couplings make of positions, velocities, accelerations, forces and matrices.

q = gamma(y), v = G dy/dt, a = G d2y/dt2 + g, and by virtual work the forces G^T tau and
the matrix G^T H G (Featherstone 8.56 - 8.60, 9.26). Here and nowhere else: algorithms
read joints that follow others as if they were free.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from knuckle.model.layout import Position, Velocity
from knuckle.model.ties import Tie, rates
from knuckle.scalar import Number
from knuckle.spatial.linear import is_zero

Numbers = tuple[Number, ...]
Row = dict[int, Number]
Matrix = Sequence[Sequence[Number]]


class Lift:
    """gamma and its rates at one y; `constants` are ratio and offset of each tie."""

    def __init__(
        self, model: Any, y: Sequence[Number], constants: Sequence[Numbers]
    ) -> None:
        self.model, self.ties, self.constants = model, model.ties, constants
        self.slots = model.tree_joints
        self.nq, self.nv = self.slots[-1].q.stop, self.slots[-1].v.stop
        self.q = self._positions(y)
        self.slopes = [self._slope(k) for k in range(len(self.ties))]

    def _positions(self, y: Sequence[Number]) -> Numbers:
        """q = gamma(y)."""
        q: list[Any] = [None] * self.nq
        for own in self.model.independent:
            q[self.slots[own.index].q] = y[own.q]
        for tie, constants in zip(self.ties, self.constants, strict=True):
            law = rates(tie.coupling, self._joints(tie), tie.places).value
            q[self.slots[tie.follower].q] = law(*constants, *self._of(tie, q, "q"))
        return tuple(q)

    def _slope(self, k: int) -> tuple[Numbers, ...]:
        """The rows of G of a follower, over the velocities of its sources."""
        tie = self.ties[k]
        law = rates(tie.coupling, self._joints(tie), tie.places).slope
        flat = law(*self.constants[k], *self._of(tie, self.q, "q"))
        count = sum(joint.nv for joint in self._joints(tie)) or 1
        rows = tuple(flat[j : j + count] for j in range(0, len(flat), count))
        return rows or ((),) * self.slots[tie.follower].joint.nv

    def _joints(self, tie: Tie) -> tuple[Any, ...]:
        return tuple(self.slots[j].joint for j in tie.joints)

    def _of(self, tie: Tie, x: Sequence[Any], kind: str) -> list[Any]:
        """The part of a tie's sources of a vector over all joints."""
        return [y for j in tie.joints for y in x[getattr(self.slots[j], kind)]]

    def velocity(self, x: Sequence[Number]) -> Numbers:
        """G x, over all joints."""
        return self._followed(x, lambda k, own: own)

    def drift(self, x: Sequence[Number], w: Sequence[Number]) -> Numbers:
        """(dG/dt) x while y moves at w, over all joints; g for x = w = dy/dt."""
        x, w = self.velocity(x), self.velocity(w)

        def added(k: int, own: Sequence[Number]) -> list[Number]:
            tie = self.ties[k]
            law = rates(tie.coupling, self._joints(tie), tie.places).drift
            parts = (
                self._of(tie, self.q, "q"),
                *(self._of(tie, m, "v") for m in (x, w)),
            )
            turned = law(*self.constants[k], *(y for part in parts for y in part))
            return [a + b for a, b in zip(own, turned, strict=True)]

        return self._followed((0.0,) * self.model.nv, added)

    def acceleration(self, v: Sequence[Number], a: Sequence[Number]) -> Numbers:
        """G a + g, over all joints."""
        return tuple(
            x + g for x, g in zip(self.velocity(a), self.drift(v, v), strict=True)
        )

    def _followed(
        self, x: Sequence[Number], last: Callable[[int, list[Number]], list[Number]]
    ) -> Numbers:
        """x of the independent joints; of the others slope times their sources'."""
        full: list[Any] = [0.0] * self.nv
        for own in self.model.independent:
            full[self.slots[own.index].v] = x[own.v]
        for k, tie in enumerate(self.ties):
            sources = self._of(tie, full, "v")
            own = [_dot(row, sources) for row in self.slopes[k]]
            full[self.slots[tie.follower].v] = last(k, own)
        return tuple(full)

    def forces(self, tau: Sequence[Number]) -> Numbers:
        """G^T tau: what forces on all joints are to the independent ones."""
        return tuple(self.columns(tau))

    def columns(self, J: Sequence[Any]) -> list[Any]:
        """J G, of columns (or of numbers) over all joints."""
        total = list(J)
        for tie, slope in zip(reversed(self.ties), reversed(self.slopes), strict=True):
            places = [k for j in tie.joints for k in _range(self.slots[j].v)]
            here = _range(self.slots[tie.follower].v)
            for own, row in zip(here, slope, strict=True):
                for k, ratio in zip(places, row, strict=True):
                    if not is_zero(ratio):
                        total[k] = total[k] + total[own] * ratio
        return [
            total[k]
            for p in self.model.independent
            for k in _range(self.slots[p.index].v)
        ]

    def rows(self) -> list[Row]:
        """G, a row for each velocity of all joints: {number of y: entry}, no zeros."""
        G: list[Row] = [{} for _ in range(self.nv)]
        for own in self.model.independent:
            tree = _range(self.slots[own.index].v)
            for k, y in zip(tree, _range(own.v), strict=True):
                G[k] = {y: 1.0}
        for tie, slope in zip(self.ties, self.slopes, strict=True):
            places = [k for j in tie.joints for k in _range(self.slots[j].v)]
            here = _range(self.slots[tie.follower].v)
            for own_row, row in zip(here, slope, strict=True):
                for k, ratio in zip(places, row, strict=True):
                    for y, entry in G[k].items() if not is_zero(ratio) else ():
                        term = ratio * entry
                        found = G[own_row]
                        found[y] = found[y] + term if y in found else term
        return G


class Lifting:
    """What a view of a model knows of joints that follow others."""

    model: Any
    nv: int
    values: Callable[[str, Any], Any]

    @property
    def coupled(self) -> bool:
        """Whether joints follow others, so that q and v are not those of all joints."""
        return bool(self.model.ties)

    def lift(self, q: Any) -> Lift:
        """What leads from the independent joints at q to all joints."""
        found = getattr(q, "lift", None)
        if found is None:
            ties = [tie.coupling for tie in self.model.ties]
            found = Lift(self.model, tuple(q), [self.law(c) for c in ties])
        return found  # type: ignore[no-any-return]

    def law(self, coupling: Any) -> tuple[Number, ...]:
        """The constants of a coupling: ratios, then the offset."""
        if coupling.ratio is None:
            return ()
        ratio = self.values(f"{coupling.joint}.ratio", coupling.ratio)
        return (*ratio, self.values(f"{coupling.joint}.offset", coupling.offset))

    def lifted(self, q: Any, v: Any) -> tuple[Position, Velocity]:
        """q and v as bodies read them: themselves where no joint follows another."""
        if not self.coupled:
            return q, v
        lift = self.lift(q)
        return Position(tuple(q), lift), Velocity(tuple(v), lift.velocity(tuple(v)))

    def drift(self, q: Any, v: Any, x: Any) -> Velocity:
        """(dG/dt) x: what joints that follow others add to accelerations (8.60)."""
        if not self.coupled:
            return Velocity((0.0,) * self.nv)
        return Velocity((0.0,) * self.nv, self.lift(q).drift(tuple(x), tuple(v)))

    def columns(self, q: Any, J: Any) -> Any:
        """J G: columns over the velocities of all joints as those over v."""
        return self.lift(q).columns(J) if self.coupled else J


def congruence(G: Sequence[Row], H: Matrix, n: int, symmetric: bool) -> Rows:
    """G^T H G of (nv, nv), zeros left out.  Featherstone (9.27).

    Of a symmetric H one triangle is computed: of dense 4 x 2 matrices 44
    multiplications and 33 additions, of the geared arm's 5 and 3.
    """
    touched: list[list[tuple[int, Number]]] = [[] for _ in range(n)]
    for k, row in enumerate(G):
        for y, entry in row.items():
            touched[y].append((k, entry))
    known: dict[tuple[int, int], Number] = {}

    def HG(k: int, y: int) -> Number:
        if (k, y) not in known:
            known[k, y] = _sum((H[k][j], entry) for j, entry in touched[y])
        return known[k, y]

    full: list[list[Number]] = [[0.0] * n for _ in range(n)]
    for y in range(n):
        for x in range(n):
            if x >= y or not symmetric:
                full[x][y] = _sum((HG(k, y), entry) for k, entry in touched[x])
            if symmetric:
                full[y][x] = full[x][y]
    return Rows(map(tuple, full))


class Rows(tuple[tuple[Number, ...], ...]):
    """A matrix by rows, read like those that algorithms make."""

    __slots__ = ()

    def rows(self, nv: int) -> Rows:
        """The whole matrix."""
        return self


def _sum(terms: Any) -> Number:
    """The sum of products; factors of one and terms of zero cost nothing."""
    total: Number | None = None
    for x, factor in terms:
        if is_zero(x) or is_zero(factor):
            continue
        term = x if _is_one(factor) else factor * x
        total = term if total is None else total + term
    return 0.0 if total is None else total


def _dot(row: Sequence[Number], x: Sequence[Number]) -> Number:
    return _sum((y, entry) for entry, y in zip(row, x, strict=True))


def _is_one(x: Any) -> bool:
    return isinstance(x, float) and x == 1.0


def _range(part: slice) -> range:
    return range(part.start, part.stop)
