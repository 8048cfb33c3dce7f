"""Vectors, matrices and wrenches that steps of a rolled loop read and write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from knuckle.model.layout import (
    JointBlocks,
    JointMatrix,
    Layout,
    Position,
    Velocity,
    Wrenches,
)
from knuckle.model.rolled.bodies import RolledBody
from knuckle.model.rolled.tracer import Table, Tracer
from knuckle.scalar import Number
from knuckle.spatial import Force

if TYPE_CHECKING:
    from knuckle.model.rolled.view import RolledView


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

    def __init__(self, table: Table, by_name: Mapping[str, Any], view: Any) -> None:
        super().__init__(None, by_name, view)
        self.table = table

    def __getitem__(self, i: Any) -> Force:
        """What acts on a body; it may be one of another view of the model."""
        if self.by_name and i.view is not self.view:
            self.table, self.view = i.view.wrenches(self.by_name).table, i.view
        return self.table.tracer.read(self.table, i, i.no_force)  # type: ignore[no-any-return]
