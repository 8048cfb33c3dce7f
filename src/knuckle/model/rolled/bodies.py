"""Bodies as a step of a rolled loop sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from knuckle.model.bodies import BodyView, JointView, World
from knuckle.spatial import Force

if TYPE_CHECKING:
    from knuckle.model.rolled.view import RolledView


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
