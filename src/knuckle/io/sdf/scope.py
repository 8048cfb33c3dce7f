"""Scopes of SDF: what a <model> or <world> names, and where its frames are.

All poses are those of the file's initial state, which the joints' zero keeps. A frame
is found from its base (`relative_to`), that from its own, up to the outermost scope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from knuckle.io.sdf.values import flag, pose, word
from knuckle.io.xml import Element
from knuckle.model.errors import near
from knuckle.spatial import SE3

MODEL = "__model__"
WORLD = "world"
MAX_NESTED = 50
KINDS = ("link", "joint", "frame")
Place: TypeAlias = tuple["Scope", str]
"""A frame: the scope that names it, and its name there."""
Expand: TypeAlias = Callable[["Scope"], Iterator["Scope"]]


class Scope:
    """A <model> or <world> (or the <sdf> itself, where models stand alone)."""

    def __init__(
        self,
        element: Element,
        name: str,
        outer: Scope | None,
        version: tuple[int, ...],
        expand: Expand,
        include: Element | None = None,
    ) -> None:
        self.element, self.name, self.outer = element, name, outer
        self.version, self.merged = version, False
        self.depth: int = 0 if outer is None else outer.depth + 1
        if self.depth > MAX_NESTED:
            raise element.error(
                f"at most {MAX_NESTED} nested models", "more", "merge them"
            )
        self.entries: dict[str, tuple[str, Element]] = {}
        self.models: dict[str, Scope] = {}
        self.placement: tuple[SE3, str] = (SE3(), "")
        self.anchor, self.fast = "", False
        if outer is not None:
            self._place(element if include is None else include)
        self._world: dict[str, SE3] = {}
        for child in element.all(*KINDS):
            self._enter(child.required("name"), child.tag, child)
        for model in expand(self):
            self._enter(model.name, "model", model.element)
            self.models[model.name] = model

    def _place(self, teller: Element) -> None:
        """The pose, and whether it moves: what an <include> says goes before."""
        own = self.element
        self.merged = teller is not own and bool(teller.boolean("merge", False))
        placed = teller if teller.child("pose") is not None else own
        self.placement = pose(placed)
        if teller is not own and teller.child("placement_frame") is not None:
            self.anchor = word(teller, "placement_frame", "")
        elif placed is own:
            self.anchor = own.get("placement_frame", "")
        self.fast = flag(teller if teller.child("static") else own, "static", False)

    @property
    def static(self) -> bool:
        """Whether nothing in it moves."""
        return self.fast or (self.outer is not None and self.outer.static)

    def _enter(self, name: str, kind: str, element: Element) -> None:
        if name in self.entries:
            other = self.entries[name][1]
            raise element.error(
                "a name that occurs once in its scope",
                f"{name!r}, which line {other.line} has too",
                "rename one of them",
            )
        self.entries[name] = kind, element

    @property
    def prefix(self) -> str:
        """What stands before the names of this scope: 'arm::hand::'."""
        if self.outer is None:
            return ""
        own = "" if self.merged or not self.name else f"{self.name}::"
        return self.outer.prefix + own

    @property
    def outermost(self) -> Scope:
        """The scope of the world."""
        scope = self
        while scope.outer is not None:
            scope = scope.outer
        return scope

    def all(self, kind: str) -> Iterator[tuple[str, Element]]:
        """The links, joints or frames of this scope by name."""
        for name, (what, element) in self.entries.items():
            if what == kind:
                yield name, element

    def walk(self) -> Iterator[Scope]:
        """This scope and all inside it, in the order of the file."""
        yield self
        for model in self.models.values():
            yield from model.walk()

    # -- names -------------------------------------------------------------------

    def find(self, path: str, element: Element) -> Place:
        """The frame that `path` means in this scope: 'link', 'model::link'."""
        place = self._search(path)
        if place is None:
            known = [*self.entries, MODEL, *(WORLD,) * (self.outer is None)]
            raise element.error(
                "the name of a frame", repr(path), near(path, known, "frames")
            )
        return place

    def _search(self, path: str) -> Place | None:
        if path in self.entries or path == MODEL:
            return self, path
        if path == WORLD and self.outer is None:
            return self, MODEL
        head, _, rest = path.partition("::")
        if rest and head in self.models:
            return self.models[head]._search(rest)
        if self.merged and path == f"_merged__{self.name}__model__":
            return self, MODEL
        for model in self.models.values():
            found = model._search(path) if model.merged else None
            if found is not None:
                return found
        return None

    # -- poses -------------------------------------------------------------------

    def pose(self, name: str) -> SE3:
        """The pose of a frame in the world."""
        return _along((self, name), None)

    def step(self, name: str) -> tuple[SE3, Place]:
        """The pose of a frame in its base, and the base."""
        if name == MODEL:
            assert self.outer is not None
            raw, base = self.placement
            if self.anchor:
                inner = _along(self.find(self.anchor, self.element), self)
                raw = raw * inner.inverse()
            return raw, self.outer.find(base or MODEL, self.element)
        kind, element = self.entries[name]
        if kind == "model":
            return SE3(), (self.models[name], MODEL)
        raw, base = pose(element)
        if not base and kind == "joint":
            base = word(element, "child")
        elif not base and kind == "frame":
            base = element.get("attached_to", "")
        return raw, self.find(base or MODEL, element)

    # -- what carries a frame ----------------------------------------------------

    def carrier(self, name: str) -> str | None:
        """The full name of the link that a frame moves with; None for the world."""
        place, seen = (self, name), set()
        while place not in seen:
            seen.add(place)
            scope, local = place
            kind = "model" if local == MODEL else scope.entries[local][0]
            if kind == "link":
                return scope.prefix + local
            following = scope._attached(local, kind)
            if following is None:
                return None
            place = following
        raise self.element.error(
            "frames attached to links", f"a cycle at {name!r}", "attach one to a link"
        )

    def _attached(self, name: str, kind: str) -> Place | None:
        if kind == "model":
            return (self.models[name] if name != MODEL else self)._canonical()
        element = self.entries[name][1]
        if kind == "joint":
            return self.find(word(element, "child"), element)
        return self.find(element.get("attached_to", "") or MODEL, element)

    def _canonical(self) -> Place | None:
        """The canonical link; None where the model is the world or does not move."""
        if self.outer is None or self.static:
            return None
        chosen = self.element.get("canonical_link", "")
        if chosen:
            return self.find(chosen, self.element)
        for name, _ in self.all("link"):
            return self, name
        for model in self.models.values():
            return model, MODEL
        raise self.element.error("a model with a <link>", "none", "add a link")


def _along(place: Place, stop: Scope | None) -> SE3:
    """The pose of a frame in a scope's own frame, or in the world."""
    steps: list[tuple[Place, SE3]] = []
    seen: set[Place] = set()
    start = SE3()
    while True:
        scope, name = place
        if stop is None and name in scope._world:
            start = scope._world[name]
            break
        if name == MODEL and (scope.outer is None if stop is None else scope is stop):
            break
        if place in seen:
            raise scope.element.error(
                "poses relative to one another without a cycle",
                f"one at {name!r}",
                "mend relative_to",
            )
        seen.add(place)
        raw, base = scope.step(name)
        steps.append((place, raw))
        place = base
    for (scope, name), raw in reversed(steps):
        start = SE3((start * raw).R, (start * raw).p)
        if stop is None:
            scope._world[name] = start
    return start


def between(A: SE3, B: SE3) -> SE3:
    """A^-1 B = (R_A^T R_B, R_A^T (p_B - p_A)), sums that cancel made exactly 0."""
    apart = [_difference(b, a) for a, b in zip(A.p, B.p, strict=True)]
    turned = SE3(A.R).inverse()
    size = max(map(abs, (*apart, 0.0)))
    p = [x if abs(x) > 4e-16 * size else 0.0 for x in turned @ apart]
    return SE3((turned * SE3(B.R)).R, p)


def _difference(b: float, a: float) -> float:
    return b - a if abs(b - a) > 8.9e-16 * max(abs(a), abs(b)) else 0.0
