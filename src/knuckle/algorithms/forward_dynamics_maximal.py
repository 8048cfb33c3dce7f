"""Forward dynamics in maximal coordinates: all bodies and all constraints at once."""

from __future__ import annotations

from typing import Any, NamedTuple

from knuckle.algorithms.joint_wrenches import pieces
from knuckle.algorithms.sparse_symmetric import Pivot, Sparse, solved
from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.scalar import Number
from knuckle.spatial import Motion, Subspace, Transform, cross
from knuckle.spatial.complement import Complement, complement
from knuckle.spatial.linear import add
from knuckle.spatial.newton_euler import bias_force


class Maximal(NamedTuple):
    """a, (nv,), and the wrenches through the joints, (n_bodies, 6), as `joint_wrenches`
    has them."""

    a: Any
    wrenches: Any


@algorithm
def forward_dynamics_maximal(
    model: Any,
    q: Position,
    v: Velocity,
    tau: Velocity,
    f_ext: Wrenches | None = None,
    *,
    passive: bool = True,
) -> Any:
    """Accelerations and joint wrenches of all bodies at once, O(n).  (8.64), (3.74).

    The sparse matrix [I, P T; T^T P^T, 0] of [a; -lambda] is factorized leaves first,
    without fill-in.  The values of `forward_dynamics` and of `joint_wrenches`, fixed
    joints included.  The trap: twice the operations of the former.
    """
    model = model.in_space()
    V, motion = model.per_body(2)
    V[model.world] = model.rest
    for i in model.bodies:
        X, S, vJ, cJ = i.joint.motion(q[i], v[i])
        V[i] = X @ V[i.parent] + vJ
        own = i.joint.passive_force(q[i], v[i]) if passive else (0.0,) * i.dof
        motion[i] = X, S, cJ + cross(V[i], vJ), add(tau[i], own)
    equations = Equations(model)
    for body in pieces(model, f_ext):
        equations.place(linked(body, motion, equations.size), V[body.carrier])
    return equations.solution()


class Link(NamedTuple):
    """A body and its joint; its unknowns are x in a = N x, N = [Y S], and -lambda.

    So T^T a are the first of x. Each makes a pair of pivots with its force -lambda,
    whatever the inertia is; what is left for the others is S^T I^A S.
    """

    body: Any
    start: int
    X: Any
    S: Any
    c: Any
    tau: Any
    joint: Complement
    N: tuple[Motion, ...]

    @property
    def constraints(self) -> list[tuple[int, Any]]:
        """The unknown -lambda_k and the force T_k of each."""
        return list(enumerate(self.joint.T, self.start + 6))

    @property
    def pivots(self) -> list[Pivot]:
        """The constrained directions with their forces, then the free ones."""
        first, m = self.start, len(self.joint.T)
        pairs: list[Pivot] = [(first + k, first + 6 + k) for k in range(m)]
        return [*pairs, *((first + k,) for k in range(m, 6))]

    def rotors(self) -> list[tuple[int, Any, Number]]:
        """The free coordinate, T_a and armature of each velocity of the joint."""
        armature = () if self.body.welded else self.body.carrier.joint.armature
        free = range(self.start + len(self.joint.T), self.start + 6)
        return list(zip(free, self.joint.Ta, armature, strict=True))


def linked(body: Any, motion: Any, start: int) -> Link:
    """The body with its joint, or with one that has no freedom."""
    i = body.carrier
    if body.welded:
        X, S = Transform.identity(i.name), Subspace((), i.name)
        c, tau = Motion.zero(i.name), ()
    else:
        X, S, c, tau = motion[i]
    joint = complement(S)
    return Link(body, start, X, S, c, tau, joint, (*joint.Y, *S))


class Equations:
    """The matrix and the right-hand side of (8.64), body by body, parents first."""

    def __init__(self, model: Any) -> None:
        self.model, self.H, self.size = model, Sparse(), 0
        self.links: dict[str, Link] = {}
        self.b: list[Number] = []

    def place(self, link: Link, V: Any) -> None:
        """I a - T lambda = T_a tau - v x* I v + f, T^T (a - X a_parent) = T^T c."""
        self.links[link.body.name] = link
        self.size = link.start + 6 + len(link.joint.T)
        self.b += [0.0] * (self.size - link.start)
        I, drive = link.body.inertia, link.joint.Ta @ link.tau
        force = link.body.external - bias_force(I, V) + drive
        for r, row in enumerate(link.N):
            self.b[link.start + r] += row.dot(force)
            for k, column in enumerate(link.N[: r + 1]):
                self.H.add(link.start + r, link.start + k, row.dot(I @ column))
        carried, c = self.carried(link)
        for k, (u, f) in enumerate(link.constraints):
            self.H.add(u, link.start + k, 1.0)
            self.b[u] += f.dot(c)
            for p, m in carried:
                self.H.add(u, p, -f.dot(m))
        for p, m in carried:
            self.b[p] -= m.dot(drive)
        for x, f, rotor in link.rotors():
            self.turn(
                [(x, 1.0), *((p, -f.dot(m)) for p, m in carried)], f.dot(c), rotor
            )

    def carried(self, link: Link) -> tuple[list[tuple[int, Any]], Any]:
        """The parent's coordinates with X N of it; and c, the world's part taken in."""
        if link.body.parent == self.model.world.name:
            return [], link.c + link.X @ (self.model.gravity * -1.0)
        above = self.links[link.body.parent]
        return [(above.start + r, link.X @ m) for r, m in enumerate(above.N)], link.c

    def turn(self, g: list[tuple[int, Number]], offset: Number, rotor: Number) -> None:
        """The armature: what has 1/2 rotor (g x - offset)^2 for its gradient."""
        for n, (r, a) in enumerate(g):
            self.b[r] += rotor * a * offset
            for k, b in g[: n + 1]:
                self.H.add(r, k, rotor * a * b)

    def solution(self) -> Maximal:
        """qdd = T_a^T (a - X a_parent - c), f = T lambda + T_a (tau - armature qdd)."""
        order = [p for link in reversed(self.links.values()) for p in link.pivots]
        x = solved(self.H.factorized(order), self.b)
        a, wrench = self.model.per_body(2)
        for name, link in self.links.items():
            carried, c = self.carried(link)
            rates, drive = [], []
            for tau, (free, f, rotor) in zip(link.tau, link.rotors(), strict=True):
                known = sum((f.dot(m) * x[p] for p, m in carried), f.dot(c))
                rates.append(x[free] - known)
                drive.append(tau - rotor * rates[-1])
            if not link.body.welded:
                a[link.body.carrier] = tuple(rates)
            f_J = link.joint.Ta @ drive
            for u, f in link.constraints:
                f_J = f_J - f * x[u]
            wrench[name] = link.body.X_joint.dual @ f_J
        return Maximal(
            self.model.velocity(a),
            tuple(wrench[body.name] for body in self.model.model.bodies),
        )
