"""What a unit change of q, v or a at a joint does to everything that it carries.

All vectors are written in the axes of the body that carries the tree: nothing has to
travel, and the axes of a floating base are unit vectors.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from knuckle.spatial import coriolis, cross
from knuckle.spatial.newton_euler import newton_euler


class Change(NamedTuple):
    """The change of one entry of q, v or a, number `place` of its joint's.

    It moves what the joint carries by s, its velocity by nu, its acceleration by
    phi - V x nu, and S of the joint by `turn`; G is the force that this takes, `rates`
    are the changes of the inertia and Coriolis matrices of what is carried.
    """

    kind: str
    body: Any
    place: int
    s: Any
    nu: Any
    phi: Any
    turn: Any = None
    G: Any = None
    rates: Any = None

    @property
    def column(self) -> int:
        """Its place among all velocities."""
        return self.body.v.start + self.place  # type: ignore[no-any-return]


class Changes:
    """The motion of the tree, the forces on it, and the changes of every joint."""

    def __init__(self, model: Any, q: Any, v: Any, a: Any, f_ext: Any) -> None:
        self.V, self.A, self.F, self.I, self.B, self.S = model.per_body(6)
        self.X, self.U, self.R, self.every, self.subtree = model.per_body(5)
        self.second, self.first, self.before = model.per_body(3)
        self.model = model
        for i in model.outward():
            self._move(i, q[i], v[i], a[i], f_ext[i])
            self.subtree[i] = [i]

    def _move(self, i: Any, q: Any, v: Any, a: Any, f_ext: Any) -> None:
        """Velocity, acceleration and force of body i, as in inverse dynamics."""
        X, S, vJ, cJ = i.joint.motion(q, v)
        rates, second = i.joint.motion_rates(q, v, a), i.joint.second_rates(q, v, a)
        if i.parent is self.model.world:
            still, falling = X @ self.model.rest, X @ -self.model.gravity
            self.before[i] = still, falling.kind.of(falling.entries, i.name)
            self.X[i], inertia, force = None, i.felt, f_ext
        else:
            root = self.X[i.parent]
            X = X if root is None else X * root
            here = X.inverse()
            self.X[i], self.before[i] = X, (self.V[i.parent], self.A[i.parent])
            S, vJ, cJ = here @ S, here @ vJ, here @ cJ
            rates = tuple(_seen(here, x) for x in rates)
            second = type(second)(*(_seen(here, x) for x in second))
            inertia, force = X.T @ i.felt, X.T @ f_ext
        before, carried = self.before[i]
        V = before + vJ
        A = carried + S @ a + cJ + cross(V, vJ)
        self.S[i], self.V[i], self.A[i], self.I[i] = S, V, A, inertia
        self.F[i] = newton_euler(inertia, V, A) - force
        self.B[i] = coriolis(inertia, V)
        self.first[i], self.second[i] = rates, second
        self.every[i] = self._changes(i)

    def complete(self, j: Any) -> None:
        """Body j with all that it carries: what its rows and changes need of it."""
        I, B = self.I[j], self.B[j]
        self.U[j] = [I @ S for S in self.S[j]]
        self.R[j] = [B.T @ S for S in self.S[j]]
        self.every[j] = [
            x._replace(
                G=I @ x.phi + B @ x.nu + cross(x.s, self.F[j]),
                rates=(I.rate(x.s), B.rate(x.s) + coriolis(I, x.nu)),
            )
            for x in self.every[j]
        ]
        if j.parent is not self.model.world:
            self.I[j.parent] += I
            self.B[j.parent] += B
            self.F[j.parent] += self.F[j]
            self.subtree[j.parent] += self.subtree[j]

    def _changes(self, j: Any) -> list[Change]:
        """By q, v and a, as in the first derivatives."""
        (before, carried), V, S = self.before[j], self.V[j], self.S[j]
        dS, dvJ, daJ, dcJ = self.first[j]
        zero = V.kind.zero(V.frame)
        found = []
        for r, s in enumerate(S):
            nu = cross(before, s) + dvJ[r]
            phi = cross(carried, s) + daJ[r] + cross(V, dvJ[r]) + cross(before, nu)
            chi = cross(before + V, s) + dcJ[r]
            found += [
                Change("q", j, r, s, nu, phi, dS[r]),
                Change("v", j, r, zero, s, chi),
                Change("a", j, r, zero, zero, s),
            ]
        return found

    def pull(self, j: Any, x: Change) -> Any:
        """The change of the force that body j with all that it carries needs, in its
        own axes."""
        return self.I[j] @ x.phi + self.B[j] @ x.nu

    def moved(self, x: Change, y: Change) -> tuple[Any, Any, Any]:
        """How s, nu and phi of y change with x at the same joint."""
        j, r, s = y.body, y.place, x.place
        (before, carried), V, second = self.before[j], self.V[j], self.second[j]
        dS, dvJ, _, _ = self.first[j]
        zero = V.kind.zero(V.frame)
        if y.kind == "v":
            return zero, zero, cross(x.nu, y.nu) + second.vv[r][s]
        turned = dS[r][s]
        if x.kind == "a":
            return zero, zero, turned
        if x.kind == "v":
            dphi = second.qv[r][s] + cross(x.nu, dvJ[r]) + cross(before + V, turned)
            return zero, turned, dphi
        ds, swung = dS[s][r], cross(before, x.s)
        dnu = cross(swung, y.s) + cross(before, ds) + second.vJ[r][s]
        dphi = cross(cross(carried, x.s), y.s) + cross(carried, ds) + second.aJ[r][s]
        dphi = dphi + cross(x.nu, dvJ[r]) + cross(V, second.vJ[r][s])
        return ds, dnu, dphi + cross(swung, y.nu) + cross(before, dnu)


def _seen(X: Any, x: Any) -> Any:
    """Vectors, spans and lists of them through X."""
    return [_seen(X, y) for y in x] if isinstance(x, list | tuple) else X @ x
