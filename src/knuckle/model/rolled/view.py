"""A model as an algorithm sees it when its loops are to stay loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from knuckle.model.bodies import BodyView, JointView
from knuckle.model.layout import (
    JointBlocks,
    JointMatrix,
    Position,
    Velocity,
    Wrenches,
)
from knuckle.model.rolled import constants
from knuckle.model.rolled.bodies import RolledBody, RolledWorld
from knuckle.model.rolled.layouts import (
    RolledBlocks,
    RolledLayout,
    RolledMatrix,
    RolledPosition,
    RolledVelocity,
    RolledWrenches,
)
from knuckle.model.rolled.parts import Entry
from knuckle.model.rolled.shapes import Leaves, Names
from knuckle.model.rolled.tracer import Table, Tracer
from knuckle.model.view import Values, View
from knuckle.scalar import Number
from knuckle.scalar.segments import INPUT
from knuckle.spatial import SE3, Force, Inertia, Transform
from knuckle.spatial.planar import PlanarInertia

REDUCED = 2000
"""Bodies up to which frames of our own are chosen: it takes most of a millisecond each,
and saves a quarter of the operations."""
PHYSICAL = ("armature", "damping", "friction", "stiffness", "rest")


def _rootward(body: RolledBody) -> Iterator[RolledBody]:
    while body.parent.parent is not None:
        yield body
        body = body.parent


class RolledView(View):
    """The view of a model whose steps are recorded by a tracer."""

    bodies: Any

    def __init__(
        self,
        model: Any,
        tracer: Tracer,
        parameters: Values | None = None,
        t: Number | None = None,
        flat: bool | None = None,
        reduced: bool = True,
    ) -> None:
        reduced = reduced and len(model.bodies) <= REDUCED
        super().__init__(model, parameters, t, flat=flat, reduced=reduced)
        self.tracer = tracer
        self.world = RolledWorld()
        self.rolled: dict[Any, Any] = {}
        for body in self.bodies:
            parent = self.rolled.get(body.parent, self.world)
            self.rolled[body] = RolledBody(self, body, parent)
        self._homes = {name: (self.rolled.get(home, self.world), pose)
                       for name, (home, pose) in self._homes.items()}  # fmt: skip
        placed, self.bodies = self.bodies, list(self.rolled.values())
        self.joint_table = constants.table(
            tracer, ("joint", self), map(self._joint_row, placed), _joint, self.flat
        )
        self.inertia_table = self._inertias("inertia", placed)
        self.felt_table = self._inertias("felt", placed)

    def _inertias(self, name: str, placed: list[BodyView]) -> Table:
        kind = PlanarInertia if self.flat else Inertia
        rows = ((self.rolled[b], kind, getattr(b, name).entries) for b in placed)
        return constants.table(self.tracer, (name, self), rows, _inertia, self.flat)

    def _joint_row(self, body: BodyView) -> constants.Row:
        joint = body.joint
        lead = joint.lead
        numbers = [*lead.p, *(x for row in lead.R for x in row), joint.offset]
        numbers += [x for name in PHYSICAL for x in getattr(joint, name)]
        return self.rolled[body], joint.model.motion_digest, numbers

    def outward(self) -> Iterator[Any]:
        return self.tracer.steps(self.bodies)

    def inward(self) -> Iterator[Any]:
        return self.tracer.steps(self.bodies[::-1])

    def each(self, bodies: Iterable[Any]) -> Iterator[Any]:
        return self.tracer.steps(bodies)

    def per_body(self, count: int = 1) -> Any:
        tables = tuple(Table(self.tracer) for _ in range(count))
        return tables[0] if count == 1 else tables

    def rootward(self, body: Any) -> Iterator[Any]:
        return self.tracer.inner(body, _rootward)

    def still(self) -> Velocity:
        sizes = [len(b.own.joint.armature) for b in self.bodies]
        rows = ((b, n, (0.0,) * n) for b, n in zip(self.bodies, sizes, strict=True))
        table = constants.table(self.tracer, ("still", self), rows, _row, True)
        return RolledVelocity(table, self)

    def joint_blocks(self) -> JointBlocks:
        return RolledBlocks(self.tracer)

    def joint_matrix(self) -> JointMatrix:
        return RolledMatrix(self.tracer)

    def in_space(self) -> View:
        if not self.flat and not self.reduced:
            return self
        known = self.model, self.tracer, self._parameters, self.t
        return RolledView(*known, flat=False, reduced=False)

    def at(self, t: Number) -> View:
        known = self.model, self.tracer, self._parameters, t
        return RolledView(*known, flat=self.flat, reduced=self.reduced)

    def velocity(self, per_body: Any) -> Velocity:
        if isinstance(per_body, Table):
            return RolledVelocity(per_body, self)
        return super().velocity(per_body)

    def frame(self, name: str) -> tuple[Any, SE3]:
        carrier, pose = super().frame(name)
        self.tracer.named.add(carrier)
        return carrier, pose

    def wrenches(self, by_name: Mapping[str, Any]) -> Wrenches:
        table = Table(self.tracer)
        for name, entries in by_name.items():
            carrier, pose = super().frame(name)
            if carrier is not self.world:
                X = Transform.from_pose(pose, carrier.label, name)
                f = self.project(X.T @ Force.of(tuple(entries), name))
                table[carrier] = table[carrier] + f
        return RolledWrenches(table, by_name, self)

    def argument(self, kind: type, first: int) -> RolledLayout:
        """An argument of the algorithm, whose first number is this input."""
        table = Table(self.tracer)
        for body in self.bodies:
            place = getattr(body.own, kind.slices)  # type: ignore[attr-defined]
            start, stop = 4 * (first + place.start), 4 * (first + place.stop)
            values = range(start + INPUT, stop + INPUT, 4)
            shape = self.tracer.shapes.of(("row", len(values)), _tuple, len(values))
            table.entries[body] = Entry.of(shape, values)
        laid_out = RolledPosition if kind is Position else RolledVelocity
        return laid_out(table, self)


def _tuple(leaves: Leaves, names: Names) -> tuple[Number, ...]:
    return tuple(leaves)


def _row(body: Any, numbers: constants.Numbers, names: Names) -> tuple[Number, ...]:
    return tuple(numbers)


def _joint(body: RolledBody, numbers: Sequence[Number], names: Names) -> JointView:
    """The joint of a body on new numbers."""
    own = body.own.joint
    made = JointView.__new__(JointView)
    made._view, made.model = body.view, own.model
    made._target, made._source = names
    made.lead = SE3([numbers[k : k + 3] for k in (3, 6, 9)], numbers[:3])
    made.offset, place = numbers[12], 13
    for name in PHYSICAL:
        size = len(getattr(own, name))
        setattr(made, name, tuple(numbers[place : place + size]))
        place += size
    return made


def _inertia(body: RolledBody, numbers: Sequence[Number], names: Names) -> Any:
    """The inertia of a body on new numbers."""
    own = body.own.inertia
    if isinstance(own, PlanarInertia):
        return PlanarInertia.of_entries(numbers, names[0])
    return Inertia.of_entries(numbers, names[0])
