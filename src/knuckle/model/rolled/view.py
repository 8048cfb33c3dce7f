"""A model as an algorithm sees it when its loops are to stay loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from knuckle.model.layout import (
    JointBlocks,
    JointMatrix,
    Layout,
    Position,
    Velocity,
    Wrenches,
)
from knuckle.model.rolled import constants
from knuckle.model.rolled.shapes import Leaves, Names
from knuckle.model.rolled.tracer import Entry, Table, Tracer
from knuckle.model.view import BodyView, JointView, Values, View, World
from knuckle.scalar import Number
from knuckle.scalar.segments import INPUT
from knuckle.spatial import SE3, Force, Inertia, Transform
from knuckle.spatial.planar import PlanarInertia

REDUCED = 2000
"""Bodies up to which frames of our own are chosen: it takes most of a millisecond each,
and saves a quarter of the operations."""
PHYSICAL = ("armature", "damping", "friction", "stiffness", "rest")


class RolledWorld(World):
    """What does not move."""

    label, parent = "world", None


class RolledBody:
    """A moving body, whose data come out of tables.

    Whatever else is asked of it - its name, its place in a vector, its ancestors - is
    its own, and its step is then like no other.
    """

    def __init__(self, view: RolledView, body: BodyView, parent: Any) -> None:
        self.view, self.own = view, body
        self.parent, self.label = parent, body.name

    @property
    def joint(self) -> JointView:
        return self.view.joint_table[self]  # type: ignore[no-any-return]

    @property
    def inertia(self) -> Any:
        return self.view.inertia_table[self]

    @property
    def felt(self) -> Any:
        return self.view.felt_table[self]

    @property
    def no_force(self) -> Any:
        return self.view.project(Force.zero(self.label))

    @property
    def dof(self) -> int:
        return len(self.joint.armature)

    @property
    def ancestors(self) -> tuple[Any, ...]:
        self._stiffen()
        found, body = [], self.parent
        while body.parent is not None:
            found.append(body)
            body = body.parent
        return tuple(found)

    def support(self) -> tuple[Any, ...]:
        return (self, *self.ancestors)

    @property
    def children(self) -> list[Any]:
        self._stiffen()
        return [self.view.rolled[child] for child in self.own.children]

    def __getattr__(self, name: str) -> Any:
        self._stiffen()
        return getattr(self.own, name)

    def _stiffen(self) -> None:
        self.view.tracer.stiffen()

    def __repr__(self) -> str:
        return f"<body {self.label}>"


class RolledLayout(Layout):
    """A vector over the joints whose parts are taken one body at a time."""

    __slots__ = ("_elsewhere", "table", "view")

    def __init__(self, table: Table, view: RolledView) -> None:
        self.table, self.view = table, view
        self._elsewhere: dict[Any, Table] = {}

    @property
    def values(self) -> tuple[Number, ...]:  # type: ignore[override]
        flat: list[Number] = [0.0] * len(self)
        for body in self.view.bodies:
            flat[getattr(body.own, self.slices)] = self.table[body]
        return tuple(flat)

    def __getitem__(self, i: Any) -> Any:
        if not isinstance(i, RolledBody):
            return self.values[i]
        table = self.table if i.view is self.view else self._seen_from(i.view)
        return table[i]

    def _seen_from(self, view: RolledView) -> Table:
        """The same for the bodies of another view of the model."""
        if view not in self._elsewhere:
            table = self._elsewhere[view] = Table(self.view.tracer)
            pairs = zip(view.bodies, self.view.bodies, strict=True)
            table.entries = {a: self.table.entries[b] for a, b in pairs}
        return self._elsewhere[view]


class RolledPosition(RolledLayout, Position):
    """q, of which a step reads the part of its body."""

    __slots__ = ()

    def __len__(self) -> int:
        return self.view.nq


class RolledVelocity(RolledLayout, Velocity):
    """v, a or tau, of which a step reads the part of its body."""

    __slots__ = ()

    def __len__(self) -> int:
        return self.view.nv


class Pairs(Table):
    """The blocks of a matrix, which cross from step to step."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        if not self.tracer.frames:
            self.tracer.close()
        return iter(list(self.entries))

    def items(self) -> Iterator[tuple[Any, Any]]:
        return ((pair, self[pair]) for pair in self)


class RolledBlocks(JointBlocks):
    """A matrix over the joints in such blocks."""

    __slots__ = ()

    def __init__(self, tracer: Tracer) -> None:
        self._blocks = Pairs(tracer)  # type: ignore[assignment]


class RolledMatrix(JointMatrix):
    """A symmetric one."""

    __slots__ = ()

    def __init__(self, tracer: Tracer) -> None:
        self._blocks = Pairs(tracer)  # type: ignore[assignment]


class RolledWrenches(Wrenches):
    """External wrenches in a table over the bodies that carry them."""

    __slots__ = ("table",)

    def __init__(self, table: Table, by_name: Mapping[str, Any]) -> None:
        super().__init__(None, by_name)
        self.table = table

    def __getitem__(self, i: Any) -> Force:
        return self.table.tracer.read(self.table, i, i.no_force)  # type: ignore[no-any-return]


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

    def wrenches(self, by_name: Mapping[str, Any]) -> Wrenches:
        table = Table(self.tracer)
        for name, entries in by_name.items():
            carrier, pose = self.frame(name)
            if carrier is not self.world:
                X = Transform.from_pose(pose, carrier.label, name)
                f = self.project(X.T @ Force.of(tuple(entries), name))
                table[carrier] = table[carrier] + f
        return RolledWrenches(table, by_name)

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
