"""Trees put together and taken apart by halves (Featherstone Sec. 7.5)."""

from __future__ import annotations

from typing import Any

from knuckle.algorithms.articulated_bodies import (
    Articulated,
    across,
    assembled,
    free,
    seen,
)
from knuckle.algorithms.forward_dynamics_variant import constraint, massive
from knuckle.algorithms.two_handles import TwoHandles, joined
from knuckle.model.assembly import Beside, Joined
from knuckle.spatial import articulated, cross
from knuckle.spatial.inverse_inertia import inverse_inertia
from knuckle.spatial.ldl import Yielding
from knuckle.spatial.linear import add
from knuckle.spatial.newton_euler import bias_force
from knuckle.spatial.subspace import forces


class Divided:
    """The bodies of a tree and how they move; how they accelerate is what differs."""

    def __init__(self, model: Any, q: Any, v: Any) -> None:
        self.X, self.S, self.vJ, self.cJ, self.V, self.c = model.per_body(6)
        self.tau, self.body = model.per_body(2)
        self.model = model
        for i in model.bodies:
            self.X[i], self.S[i], self.vJ[i], self.cJ[i] = i.joint.motion(q[i], v[i])

    def drive(self, i: Any, tau: Any, external: Any) -> None:
        """c, I and p of a body that moves at V, and tau of its joint."""
        self.tau[i], self.c[i] = tau, self.cJ[i] + cross(self.V[i], self.vJ[i])
        p = bias_force(i.inertia, self.V[i]) - external
        self.body[i] = articulated(i.inertia), p

    def span(self, part: Any) -> tuple[Any, Any]:
        """X and v_J from the carrier of a part to the last body of it."""
        if isinstance(part, Joined):
            (X1, v1), (X2, v2) = self.span(part.upper), self.span(part.lower)
            return X2 * X1, X2 @ v1 + v2
        X, vJ = self.X[part.bodies[0]], self.vJ[part.bodies[0]]
        for i in part.bodies[1:]:
            X, vJ = self.X[i] * X, self.X[i] @ vJ + self.vJ[i]
        return X, vJ

    def move(self, part: Any, V: Any) -> None:
        """The velocities of all bodies of a part on a carrier that moves at V."""
        if isinstance(part, Beside):
            self.move(part.one, V)
            self.move(part.other, V)
        elif isinstance(part, Joined):
            X, vJ = self.span(part.upper)
            self.move(part.upper, V)
            self.move(part.lower, X @ V + vJ)
        else:
            for i, side in zip(part.bodies, part.sides, strict=True):
                V = self.V[i] = self.X[i] @ V + self.vJ[i]
                if side:
                    self.move(side, V)


class ByInertias(Divided):
    """Parts as articulated bodies whose first handle is solved for its force."""

    def __init__(self, model: Any, q: Any, v: Any) -> None:
        super().__init__(model, q, v)
        self.joint, self.a = model.per_body(2)
        self.meeting: dict[Any, Any] = {}

    def solve(self, part: Any, ground: Any) -> None:
        """All of a part that stands on the world."""
        self.assemble(part, last=True)
        self.accelerate(part, ground, ())

    def accelerations(self) -> Any:
        """What the joints were found to do."""
        return self.a

    def assemble(self, part: Any, last: bool) -> Articulated:
        """The articulated body of a part; the last of a path has no second handle."""
        if isinstance(part, Beside):
            return self.assemble(part.one, True).beside(self.assemble(part.other, True))
        if isinstance(part, Joined):
            halves = self.assemble(part.upper, False), self.assemble(part.lower, last)
            whole, self.meeting[part] = assembled(*halves)
            return whole
        below = None
        for i, side in zip(part.bodies[::-1], part.sides[::-1], strict=True):
            B = forces(self.S[i], every=not last and below is None)
            at = free(self.body[i][0], self.body[i][1], B)
            for x in (side and self.assemble(side, True), below):
                at = at.beside(x) if x else at
            at, self.joint[i] = across(i, self.S[i], self.c[i], self.tau[i], at)
            below = seen(self.X[i], at)
        return below  # type: ignore[return-value]

    def accelerate(self, part: Any, a: Any, phi: Any) -> None:
        """The joints of a part: its carrier accelerates by a, phi acts behind it."""
        if isinstance(part, Beside):
            self.accelerate(part.one, a, phi)
            self.accelerate(part.other, a, phi)
        elif isinstance(part, Joined):
            force, there = self.meeting[part].solved(a, phi)
            self.accelerate(part.upper, a, force)
            self.accelerate(part.lower, there, phi)
        else:
            for i, side in zip(part.bodies, part.sides, strict=True):
                a = self.X[i] @ a + self.c[i]
                self.a[i] = self.joint[i].acceleration(a, phi)
                a = a + self.S[i] @ self.a[i]
                if side:
                    self.accelerate(side, a, ())


class ByInverseInertias(Divided):
    """Parts as bodies with two handles (7.57); what hangs at a side as an inertia."""

    def __init__(self, model: Any, q: Any, v: Any) -> None:
        super().__init__(model, q, v)
        massive(model)
        self.joint, self.Phi, self.b, self.A = model.per_body(4)
        self.meeting, self.hung = model.per_body(2)

    def drive(self, i: Any, tau: Any, external: Any) -> None:
        """T and T_a tau of the joint too."""
        super().drive(i, tau, external)
        self.joint[i] = constraint(i, self.S[i], tau)

    def solve(self, part: Any, ground: Any) -> None:
        """All of a part that stands on the world."""
        self.A[self.model.world] = ground
        self.hang(part)
        self.carry(part, ground)

    def accelerations(self) -> Any:
        """qdd = T_a^T (a - a_parent - c) (footnote of Sec. 7.4)."""
        a = self.model.per_body()
        for i in self.model.bodies:
            relative = self.A[i] - self.X[i] @ self.A[i.parent] - self.c[i]
            a[i] = self.joint[i].Ta.T @ relative
        return a

    def hang(self, part: Any) -> tuple[Any, Any]:
        """I^a and p^a of a part for the body that carries it (variant 2)."""
        if isinstance(part, Beside):
            (I1, p1), (I2, p2) = self.hang(part.one), self.hang(part.other)
            return I1 + I2, p1 + p2
        i, at = first(part), self.assemble(part, last=True)
        T, _, drive, rotors, _, _ = self.joint[i]
        Y = Yielding(T.T @ (at.Phi1 @ T), rotors)
        z = T.T @ (self.c[i] - at.b1 - at.Phi1 @ drive)
        self.hung[i] = Y, z
        Ia = -(type(self.body[i][0]).zero(i.name) - T @ Y.inv @ T.T)
        return self.X[i].T @ Ia, self.X[i].T @ (drive + T @ (Y.inv @ z))

    def assemble(self, part: Any, last: bool) -> TwoHandles:
        """The two-handle body of a part; the last of a path has one handle."""
        if isinstance(part, Joined):
            upper = self.assemble(part.upper, False)
            return self.join(
                first(part.lower), upper, self.assemble(part.lower, last), last
            )
        bodies = list(zip(part.bodies, part.sides, strict=True))
        whole = self.alone(*bodies[-1], last)
        for (i, side), below in zip(bodies[-2::-1], part.bodies[:0:-1], strict=True):
            whole = self.join(below, self.alone(i, side, False), whole, last)
        return whole

    def join(
        self, i: Any, upper: TwoHandles, lower: TwoHandles, last: bool
    ) -> TwoHandles:
        """Both across joint i."""
        whole, self.meeting[i] = joined(
            self.X[i], self.c[i], self.joint[i], upper, lower, last
        )
        return whole

    def alone(self, i: Any, side: Any, last: bool) -> TwoHandles:
        """One body with what hangs on it, both handles in the same place."""
        IA, pA = self.body[i]
        if side:
            Ia, pa = self.hang(side)
            IA, pA = IA + Ia, pA + pa
        Phi = self.Phi[i] = inverse_inertia(IA)
        b = self.b[i] = -(Phi @ pA)
        return TwoHandles(Phi, b, Phi @ forces(self.S[i], every=not last), Phi, b)

    def carry(self, part: Any, A: Any) -> None:
        """The forces within a part on a carrier that accelerates by A."""
        if isinstance(part, Beside):
            self.carry(part.one, A)
            self.carry(part.other, A)
        else:
            i = first(part)
            (T, _, drive, *_), (Y, z) = self.joint[i], self.hung[i]
            self.press(part, T @ (Y.inv @ add(z, T.T @ (self.X[i] @ A))) + drive, None)

    def press(self, part: Any, f1: Any, f4: Any) -> None:
        """A part between the forces f1 at its head and f4 (or none) at its end."""
        if isinstance(part, Joined):
            i = first(part.lower)
            f3 = self.meeting[i].force(f1, f4)
            self.press(part.upper, f1, -(self.X[i].T @ f3))
            self.press(part.lower, f3, f4)
            return
        for i, below, side in zip(
            part.bodies, (*part.bodies[1:], None), part.sides, strict=True
        ):
            f3 = self.meeting[below].force(f1, f4) if below else None
            f2 = -(self.X[below].T @ f3) if below else f4
            total = f1 if f2 is None else f1 + f2
            self.A[i], f1 = self.Phi[i] @ total + self.b[i], f3
            if side:
                self.carry(side, self.A[i])


def first(part: Any) -> Any:
    """The body at the head of a part."""
    while isinstance(part, Joined):
        part = part.upper
    return part.bodies[0]
