"""Objects taken apart into a shape and scalars, and put together again.

The shape of a value is all of it but its scalars: types, structural zeros and other
plain numbers, which scalars are the same one or its negative, and the frames by their
relation to the body that the value belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from knuckle.scalar import Scalar
from knuckle.scalar.choice import compare, select
from knuckle.scalar.node import CONDITIONS

Names = tuple[Any, Any]
"""Of a body and of its parent: the frames that a value of this body may be in."""
Leaves = Sequence[Scalar]


class Shape:
    """One of the shapes that values have, each a single object."""

    __slots__ = ("_variants", "build", "count")

    def __init__(self, build: Callable[[Leaves, Names], Any], count: int) -> None:
        self.build, self.count = build, count
        self._variants: dict[Hashable, Shape] = {}

    def of_kinds(self, kinds: Hashable) -> Shape:
        """The same where the scalars come from places of these kinds."""
        if kinds not in self._variants:
            self._variants[kinds] = Shape(self.build, self.count)
        return self._variants[kinds]


class Shapes:
    """The shapes that were met so far, by what they are."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Shape] = {}

    def of(
        self, key: Hashable, build: Callable[[Leaves, Names], Any], count: int
    ) -> Shape:
        """The shape known by a key."""
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Shape(build, count)
        return found

    def taken_apart(self, x: Any, names: Names) -> tuple[Shape, list[Scalar]]:
        """The shape of an object and its scalars, each once."""
        parts = _Parts(names)
        key = parts.key(x)
        build = lambda leaves, names: _Built(leaves, names).of(key)  # noqa: E731
        return self.of(key, build, len(parts.leaves)), list(parts.leaves)


class _Plain:
    """An object without scalars: the same if equal and of one type, or identical."""

    def __init__(self, x: Any) -> None:
        self.x = x
        self._key = (type(x), x) if isinstance(x, Hashable) else id(x)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Plain) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


class _Parts:
    """Walks an object; what is met again is named by its number."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.leaves: dict[Scalar, int] = {}
        self._seen: dict[int, tuple[int, Any]] = {}

    def key(self, x: Any) -> Any:
        if isinstance(x, Scalar):
            return self._scalar(x)
        if isinstance(x, float):
            return "number", x.hex()
        if isinstance(x, str):
            place = self.names.index(x) if x in self.names else None
            return ("frame", place) if place is not None else ("as it is", _Plain(x))
        if not _is_composite(x):
            return "as it is", _Plain(x)
        if id(x) in self._seen:
            return "again", self._seen[id(x)][0]
        self._seen[id(x)] = len(self._seen), x
        if isinstance(x, np.ndarray):
            return "array", x.shape, tuple(map(self.key, x.ravel().tolist()))
        if isinstance(x, tuple | list):
            return "row", type(x), tuple(map(self.key, x))
        fields = _fields(x)
        return "object", type(x), tuple((n, self.key(getattr(x, n))) for n in fields)

    def _scalar(self, x: Scalar) -> Any:
        negative = x.op == "neg"
        if negative:
            x = x.args[0]
        if x.op == "const":
            return "number", float(-x.value if negative else x.value).hex()
        if x.op in CONDITIONS:  # what crosses is a number
            place = self.leaves.setdefault(select(x, 1.0, 0.0), len(self.leaves))
            return "condition", place
        place = self.leaves.setdefault(x, len(self.leaves))
        return ("minus" if negative else "plus"), place


def _is_composite(x: Any) -> bool:
    if isinstance(x, tuple | list):
        return True
    if isinstance(x, np.ndarray):
        return x.dtype == object
    return type(x).__module__.startswith("knuckle.spatial") and not callable(x)


def _fields(x: Any) -> list[str]:
    """The attributes of an object that are set; a property may stand before a slot."""
    kind = type(x)
    slots = [s for c in kind.__mro__ for s in getattr(c, "__slots__", ())]
    slots = [n for n in slots if not isinstance(getattr(kind, n), property)]
    return [n for n in [*slots, *getattr(x, "__dict__", ())] if hasattr(x, n)]


class _Built:
    """Makes the object of a shape on new scalars."""

    def __init__(self, leaves: Leaves, names: Names) -> None:
        self.leaves, self.names = leaves, names
        self._made: list[Any] = []

    def of(self, key: Any) -> Any:
        kind, *rest = key
        return getattr(self, "_" + kind.replace(" ", "_"))(*rest)

    def _plus(self, place: int) -> Any:
        return self.leaves[place]

    def _minus(self, place: int) -> Any:
        return -self.leaves[place]

    def _condition(self, place: int) -> Any:
        return compare("ne", self.leaves[place], 0.0)

    def _number(self, text: str) -> float:
        return float.fromhex(text)

    def _frame(self, place: int) -> Any:
        return self.names[place]

    def _as_it_is(self, plain: _Plain) -> Any:
        return plain.x

    def _again(self, place: int) -> Any:
        return self._made[place]

    def _array(self, shape: tuple[int, ...], keys: Sequence[Any]) -> Any:
        made = np.empty(len(keys), object)
        self._made.append(made.reshape(shape))
        made[:] = [self.of(k) for k in keys]
        return made.reshape(shape)

    def _row(self, kind: type, keys: Sequence[Any]) -> Any:
        place = len(self._made)
        self._made.append(None)
        values = [self.of(k) for k in keys]
        made = kind(*values) if hasattr(kind, "_fields") else kind(values)
        self._made[place] = made
        return made

    def _object(self, kind: type, fields: Sequence[tuple[str, Any]]) -> Any:
        made: Any = object.__new__(kind)
        self._made.append(made)
        for name, key in fields:
            object.__setattr__(made, name, self.of(key))
        return made
