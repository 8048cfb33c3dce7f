"""The mechanism as an algorithm sees it: moving bodies, parents first.

Bodies on fixed joints are merged into what carries them, and every body gets the frame
in which its joint is simplest: its joint's successor frame, moved along the axis to
where constants vanish (`reframe`). Both are undone where results are handed out, so
nothing of it shows. What joints feel of a body is `felt`; `inertia` is all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from knuckle.model.bodies import BodyView, World
from knuckle.model.coupled import Lifting
from knuckle.model.layout import (
    JointBlocks,
    JointMatrix,
    PerBody,
    Velocity,
    Wrenches,
)
from knuckle.scalar import Number
from knuckle.spatial import SE3, Force, Inertia, Motion, Transform, planar
from knuckle.spatial.acceleration import Acceleration
from knuckle.spatial.linear import is_plain
from knuckle.spatial.quaternion import to_rotation

Values = Mapping[str, Any]
_EPS = 4 * 2.0**-52


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
        for i in self.bodies:
            i.felt = i.inertia
        if reduced:
            self._reduce()
        for i in self.bodies:
            i.felt = self.project(i.felt)
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

    def _reduce(self) -> None:
        """Frames and inertias of our own, which the model keeps where it alone decides
        them."""
        plain = not self._parameters and self._number is float
        kept = self.model._kernels.get("frames") if plain else None
        if kept is None:
            self._reframe()
        else:
            for i, found in zip(self.bodies, kept[0], strict=True):
                i.joint.lead, i.joint.offset, i.inertia, i.felt = found
            self._homes.update(
                {name: (self.bodies[k], pose) for name, (k, pose) in kept[1].items()}
            )
        if plain and kept is None:
            bodies = [(i.joint.lead, i.joint.offset, i.inertia, i.felt)
                      for i in self.bodies]  # fmt: skip
            homes = {name: (carrier.index, pose)
                     for name, (carrier, pose) in self._homes.items()
                     if carrier is not self.world}  # fmt: skip
            self.model._kernels["frames"] = bodies, homes

    def _reframe(self) -> None:
        """Frames of our own, where nothing is traced."""
        from knuckle.model.felt import felt_by, known
        from knuckle.model.reframe import reframe

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
        for i, inertia in felt_by(self.bodies).items():
            i.felt = inertia

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
