"""The mechanism as an algorithm sees it: moving bodies, parents first.

Bodies on fixed joints are merged into what carries them, and every body gets the frame
in which its joint is simplest: its joint's successor frame, moved along the axis to
where constants vanish (`reframe`). Both are undone where results are handed out, so
nothing of it shows. What joints feel of a body is `felt`; `inertia` is all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from knuckle.joints.second import (
    SecondRates,
    second_difference_rates,
    second_motion_rates,
)
from knuckle.model.coupled import Lifting
from knuckle.model.felt import felt_by, known
from knuckle.model.layout import (
    JointBlocks,
    JointMatrix,
    PerBody,
    Velocity,
    Wrenches,
)
from knuckle.model.reframe import reframe
from knuckle.scalar import Number, where
from knuckle.spatial import SE3, Force, Inertia, Motion, Subspace, Transform, planar
from knuckle.spatial.acceleration import Acceleration
from knuckle.spatial.linear import is_plain, is_zero
from knuckle.spatial.quaternion import to_rotation

Values = Mapping[str, Any]
_EPS = 4 * 2.0**-52


class World:
    """The one body that does not move."""

    name = "world"
    ancestors: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return "world"


class JointView:
    """A joint between two moving bodies, with its placement folded in."""

    def __init__(
        self, view: View, body: Any, lead: SE3, target: str, source: str
    ) -> None:
        self._view, self.lead, self.offset = view, lead, 0.0
        self._target, self._source = target, source
        self.model = body.joint
        constant = view.values
        name = body.joint_name or body.name
        for kind in ("armature", "damping", "friction", "stiffness", "rest"):
            value = constant(f"{name}.{kind}", getattr(self.model, kind))
            setattr(self, kind, value)

    armature: tuple[Number, ...]
    damping: tuple[Number, ...]
    friction: tuple[Number, ...]
    stiffness: tuple[Number, ...]
    rest: tuple[Number, ...]

    def motion(self, q: Any, v: Any) -> tuple[Any, Any, Any, Any]:
        """X from the parent, S, v_J and c_J (Featherstone 3.31 - 3.42), at q and v."""
        R, p, S, vJ, cJ = self.model.motion(self._turned(q), v, self._view.t)
        named = (self._vector(vJ), self._vector(cJ))
        return self._transform(R, p), self._subspace(S), *named

    def motion_rates(self, q: Any, v: Any, a: Any) -> tuple[Any, Any, Any, Any]:
        """dS, dv_J, d(S a + c_J) by each direction of q, and dc_J by each of v."""
        dS, *rates = self.model.motion_rates(self._turned(q), v, a, self._view.t)
        spans = tuple(map(self._subspace, rates))
        return tuple(map(self._subspace, dS)), *spans

    def transform(self, q: Any) -> Any:
        """X from the parent at q."""
        return self._transform(*self.model.core_pose(self._turned(q), self._view.t))

    def subspace(self, q: Any) -> Any:
        """S at q, in the frame of the body."""
        return self._subspace(self.model.subspace(self._turned(q), self._view.t))

    def rotor_force(self, a: Any) -> tuple[Number, ...]:
        """armature a [N m or N], what it takes to turn the joint's rotors."""
        return tuple(m * x for m, x in zip(self.armature, a, strict=True))

    def with_rotor(self, D: Any) -> Any:
        """D + diag(armature)."""
        return tuple(
            tuple(x + self.armature[r] if r == c else x for c, x in enumerate(row))
            for r, row in enumerate(D)
        )

    def passive_force(self, q: Any, v: Any) -> tuple[Number, ...]:
        """-damping v - friction sign(v) - stiffness difference(rest, q) [N m or N]."""
        total = tuple(
            0.0 - d * x - (f * _sign(x) if not is_zero(f) else 0.0)
            for d, f, x in zip(self.damping, self.friction, v, strict=True)
        )
        if all(is_zero(k) for k in self.stiffness):
            return total
        stretch = self.model.difference(self.rest, q)
        return tuple(
            x - k * d for x, k, d in zip(total, self.stiffness, stretch, strict=True)
        )

    def passive_rates(self, q: Any, v: Any) -> tuple[Any, Any]:
        """d(passive force) by q and by v [N m/rad ..., N m s/rad ...]."""
        rows = range(len(v))
        by_v = tuple(
            tuple(0.0 - self.damping[r] if r == c else 0.0 for c in rows) for r in rows
        )
        if all(is_zero(k) for k in self.stiffness):
            return tuple((0.0,) * len(v) for _ in rows), by_v
        slope = self.model.difference_rate(self.rest, q)
        by_q = tuple(
            tuple(0.0 - k * x for x in row)
            for k, row in zip(self.stiffness, slope, strict=True)
        )
        return by_q, by_v

    def second_rates(self, q: Any, v: Any, a: Any) -> Any:
        """How `motion_rates` change in turn: see `joints.second.SecondRates`."""
        S, *moves = second_motion_rates(self.model, q, v, a, self._view.t)
        spans = [[self._subspace(x) for x in row] for row in S]
        vectors = ([[self._vector(x) for x in row] for row in rows] for rows in moves)
        return SecondRates(spans, *vectors)

    def passive_second_rates(self, q: Any) -> Any:
        """D_s D_r of the passive forces: [force][r][s]."""
        n = len(self.stiffness)
        if all(is_zero(k) for k in self.stiffness):
            return [[[0.0] * n for _ in range(n)] for _ in range(n)]
        slopes = second_difference_rates(self.model, self.rest, q)
        return [
            [[0.0 - k * slopes[s][i][r] for s in range(n)] for r in range(n)]
            for i, k in enumerate(self.stiffness)
        ]

    def spring_energy(self, q: Any) -> Number:
        """1/2 stiffness difference(rest, q)^2 [J]."""
        if all(is_zero(k) for k in self.stiffness):
            return 0.0
        stretch = self.model.difference(self.rest, q)
        terms = (0.5 * k * d * d for k, d in zip(self.stiffness, stretch, strict=True))
        return sum(terms, 0.0)

    def _turned(self, q: Any) -> Any:
        """q from the common normal with the parent's axis."""
        return q if is_zero(self.offset) else (q[0] + self.offset,)

    def _transform(self, R: Any, p: Any) -> Any:
        pose = self.lead * SE3(R, p)
        X = Transform.from_pose(pose, self._source, self._target)
        return self._view.project(X)

    def _subspace(self, S: Any) -> Any:
        columns = tuple(Motion.of(c.entries, self._target) for c in S)
        return self._view.project(Subspace(columns, self._target))

    def _vector(self, m: Any) -> Any:
        return self._view.project(Motion.of(tuple(m), self._target))


def _sign(x: Number) -> Number:
    return where(x > 0.0, 1.0, where(x < 0.0, -1.0, 0.0))


class BodyView:
    """A moving body and all that is fixed to it."""

    def __init__(
        self, view: View, index: int, body: Any, parent: Any, lead: SE3
    ) -> None:
        self.view, self.index, self.name = view, index, body.name
        self.parent = parent
        self.joint = JointView(view, body, lead, body.name, parent.name)
        place = view.model.tree_joints[view.model.index(body.name)]
        self.q, self.v = place.q, place.v
        self.coupled = bool(view.model.ties)
        self.no_force = view.project(Force.zero(self.name))
        self.children: list[BodyView] = []
        self.ancestors: tuple[BodyView, ...] = (
            () if isinstance(parent, World) else (parent, *parent.ancestors)
        )
        self.inertia: Any = Inertia.zero(self.name)
        self.felt: Any = self.inertia

    @property
    def dof(self) -> int:
        """How many velocities the joint has."""
        return self.v.stop - self.v.start  # type: ignore[no-any-return]

    def support(self) -> tuple[BodyView, ...]:
        """The joints that move this body: itself, its parent, ... (kappa)."""
        return (self, *self.ancestors)

    def __repr__(self) -> str:
        return f"<body {self.name}>"


class View(Lifting):
    """A model with its constants at hand as numbers or as traced parameters."""

    def __init__(
        self,
        model: Any,
        parameters: Values | None = None,
        t: Number | None = None,
        number: Callable[[float], Number] = float,
        flat: bool | None = None,
        reduced: bool = True,
    ) -> None:
        self.model, self.t, self.reduced = model, t, reduced
        self.flat = model.planar if flat is None else flat
        self._parameters, self._number = parameters or {}, number
        self.nq, self.nv = model.nq, model.nv
        self.freedoms = sum(body.joint.nv for body in model.bodies)
        self.world = World()
        self.bodies: list[BodyView] = []
        self._homes: dict[str | None, tuple[Any, SE3]] = {
            None: (self.world, SE3()),
            "world": (self.world, SE3()),
        }
        self.project = planar if self.flat else lambda x: x
        gravity = self.values("gravity", model.gravity)
        still = Motion.zero("world")
        self.rest = self.project(still)
        self.gravity = self.project(
            Acceleration(still.angular, tuple(gravity), still, "world")
        )
        for k in model.order:
            self._place(model.bodies[k])
        if reduced:
            self._reframe()
        felt = felt_by(self.bodies) if reduced else {}
        for i in self.bodies:
            i.felt = self.project(felt.get(i, i.inertia))
            i.inertia = self.project(i.inertia)

    @property
    def inputs(self) -> Values:
        """The time and the declared parameters, by name."""
        return self._parameters

    def in_space(self) -> View:
        """The same on spatial vectors, in the frames of the joints: for results that
        are spatial."""
        if not self.flat and not self.reduced:
            return self
        return View(self.model, self._parameters, self.t, self._number, False, False)

    @property
    def timed(self) -> bool:
        """Whether a joint's pose depends on time."""
        return any(body.joint.timed for body in self.model.bodies)

    def at(self, t: Number) -> View:
        """The same at another time."""
        return View(
            self.model, self._parameters, t, self._number, self.flat, self.reduced
        )

    def values(self, name: str, default: Any) -> Any:
        """A constant of the model, or the parameter declared in its place."""
        if name in self._parameters:
            return self._parameters[name]
        return _mapped(self._number, default)

    def outward(self) -> Iterator[BodyView]:
        """The moving bodies, parents before children."""
        return iter(self.bodies)

    def inward(self) -> Iterator[BodyView]:
        """The moving bodies, children before parents."""
        return reversed(self.bodies)

    def each(self, bodies: Iterable[Any]) -> Iterator[Any]:
        """These bodies, in their order."""
        return iter(bodies)

    def rootward(self, body: Any) -> Iterator[Any]:
        """The body, its parent, ... as far as the parent moves."""
        while body.parent is not self.world:
            yield body
            body = body.parent

    def still(self) -> Velocity:
        """No velocity, or no acceleration."""
        return Velocity((0.0,) * self.nv)

    def per_body(self, count: int = 1) -> Any:
        """One or several empty tables over the bodies."""
        return PerBody() if count == 1 else tuple(PerBody() for _ in range(count))

    def joint_blocks(self) -> JointBlocks:
        """An empty matrix over the joints."""
        return JointBlocks()

    def joint_matrix(self) -> JointMatrix:
        """An empty symmetric matrix over the joints."""
        return JointMatrix()

    def frame(self, name: str) -> tuple[Any, SE3]:
        """The moving body (or the world) that carries a body or frame, and its pose
        there."""
        if name in self._homes:
            return self._homes[name]
        frame = self.model.frame(name)
        carrier, pose = self._homes[frame.body]
        return carrier, pose * self._pose(f"{name}.placement", frame.placement)

    def wrenches(self, by_name: Mapping[str, Any]) -> Wrenches:
        """Wrenches at the user's frames, summed on the moving bodies that carry
        them."""
        forces: dict[Any, Any] = {}
        for name, entries in by_name.items():
            carrier, pose = self.frame(name)
            if carrier is not self.world:
                X = Transform.from_pose(pose, carrier.name, name)
                f = self.project(X.T @ Force.of(tuple(entries), name))
                forces[carrier] = forces[carrier] + f if carrier in forces else f
        return Wrenches(forces, by_name, self)

    def velocity(self, per_body: Any) -> Velocity:
        """Values per body, as one vector laid out as the velocities of all joints."""
        flat: list[Number] = [0.0] * self.freedoms
        for i in self.bodies:
            flat[i.v] = per_body[i]
        return Velocity(flat)

    def _pose(self, name: str, pose: SE3) -> SE3:
        if name in self._parameters:
            x, y, z, *quaternion = self._parameters[name]
            return SE3(to_rotation(quaternion), (x, y, z))
        if self._number is float:
            return pose
        return SE3(_mapped(self._number, pose.R), _mapped(self._number, pose.p))

    def _place(self, body: Any) -> None:
        carrier, tail = self._homes[body.parent]
        joint = body.joint
        lead = (
            tail * self._pose(f"{body.name}.placement", body.placement) * joint.before
        )
        end = joint.after * body.offset.inverse()
        if joint.nv == 0 and not joint.timed:
            home = (carrier, _exact(lead * end))
        else:
            parent = carrier
            carrier = BodyView(self, len(self.bodies), body, parent, _exact(lead))
            self.bodies.append(carrier)
            if parent is not self.world:
                parent.children.append(carrier)
            home = (carrier, _exact(end))
        self._homes[body.name] = home
        if carrier is not self.world:
            X = Transform.from_pose(home[1], carrier.name, body.name)
            carrier.inertia = carrier.inertia + X.T @ self.inertia_of(body)

    def _reframe(self) -> None:
        """Frames of our own, where nothing is traced."""
        held = {carrier for carrier, pose in self._homes.values() if not known(pose)}
        for i in self.bodies:
            if not known(i.joint.lead):
                held |= {i, i.parent}
            if not is_plain(i.inertia.entries):
                held.add(i)
        back = reframe(self.bodies, held)
        for name, (carrier, pose) in self._homes.items():
            if carrier in back:
                self._homes[name] = (carrier, _exact(back[carrier] * pose))

    def inertia_of(self, body: Any) -> Inertia:
        """The inertia of one body by itself, in its own frame."""
        names = [f"{body.name}.{kind}" for kind in ("mass", "com", "inertia")]
        if not any(name in self._parameters for name in names):
            entries = () if body.inertia is None else body.inertia.entries
            if not entries:
                return Inertia.zero(body.name)
            return Inertia.of_entries(_mapped(self._number, entries), body.name)
        given = body.inertia or Inertia.zero()
        mass = self.values(names[0], given.mass)
        com = self.values(names[1], given.com if given.mass else (0.0, 0.0, 0.0))
        about = self._parameters.get(names[2])
        own = given.I_com if given.mass else given.I
        rotational = own if about is None else _symmetric(about)
        return Inertia(mass, com, rotational, frame=body.name)


def _symmetric(entries: Any) -> Any:
    """(xx, yy, zz, xy, xz, yz) as a matrix."""
    xx, yy, zz, xy, xz, yz = entries
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def _mapped(number: Callable[[float], Number], x: Any) -> Any:
    if isinstance(x, tuple | list):
        return tuple(_mapped(number, y) for y in x)
    return number(x) if isinstance(x, float | int) else x


def _exact(pose: SE3) -> SE3:
    """The product multiplied out, with rotation entries that are nearly 0 or +-1 made
    so."""
    return SE3([[_snapped(x) for x in row] for row in pose.R], pose.p)


def _snapped(x: Number) -> Number:
    if isinstance(x, float):
        for exact in (0.0, 1.0, -1.0):
            if abs(x - exact) <= _EPS:
                return exact
    return x
