"""One element of XML, with typed access and a record of what was read.

A loader asks an `Element` for its attributes and children by name. Whatever nobody
asked for is listed by `unread`, so that nothing of a file is dropped in silence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, overload

from knuckle.io.errors import LoadError

T = TypeVar("T")


class Element:
    """One element: `tag`, `file`, `line`, and typed access that records every read."""

    __slots__ = (
        *("tag", "file", "line", "parent", "depth", "text"),
        *("_attributes", "_children", "_read", "_stated"),
    )

    def __init__(
        self,
        tag: str,
        attributes: dict[str, str],
        file: str,
        line: int,
        parent: Element | None,
    ) -> None:
        self.tag, self.file, self.line, self.parent = tag, file, line, parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.text = ""
        self._attributes = attributes
        self._children: list[Element] = []
        self._read: set[str] = set()
        self._stated: set[str] = set()

    # -- reading -----------------------------------------------------------------

    @property
    def attributes(self) -> dict[str, str]:
        """All attributes as text, without marking them as read."""
        return dict(self._attributes)

    @property
    def children(self) -> list[Element]:
        """All elements inside, without marking them as read."""
        return list(self._children)

    @overload
    def get(self, name: str) -> str | None: ...
    @overload
    def get(self, name: str, default: str) -> str: ...
    def get(self, name: str, default: str | None = None) -> str | None:
        """The attribute as text, or the default."""
        value = self._attributes.get(name)
        if value is None:
            return default
        self._read.add(name)
        self.state(name, value.strip() == default)
        return value.strip()

    def required(self, name: str) -> str:
        """The attribute as text; an error where it is absent or empty."""
        value = self.get(name)
        if not value:
            got = "none" if value is None else "an empty one"
            raise self.error(f"an attribute {name!r}", got, f'write {name}="..."')
        return value

    def numbers(
        self, name: str, count: int | Sequence[int] | None, default: Any = None
    ) -> tuple[float, ...] | None:
        """The attribute as so many finite numbers (None: any count), or the default."""
        text = self.get(name)
        if text is None:
            return default  # type: ignore[no-any-return]
        values = self.parse_numbers(text, count, f"attribute {name}")
        self.state(name, default is not None and values == tuple(default))
        return values

    def number(self, name: str, default: float | None = None) -> float | None:
        """The attribute as one finite number, or the default."""
        values = self.numbers(name, 1, None if default is None else (default,))
        return None if values is None else values[0]

    def text_numbers(
        self,
        count: int | Sequence[int] | None,
        default: tuple[float, ...] | None = None,
        infinite: bool = False,
    ) -> tuple[float, ...]:
        """The text between the tags as so many numbers; the default where it is empty.

        Infinite ones are refused unless they are asked for.
        """
        if not self.text and default is not None:
            values = default
        else:
            values = self.parse_numbers(self.text, count, "text", infinite)
        self.state("", values == default)
        return values

    def word(self, default: str | None = None) -> str:
        """The text between the tags; an error where it is empty without a default."""
        if not self.text and default is None:
            raise self.error("text", "none", f"write <{self.tag}>...</{self.tag}>")
        self.state("", self.text == default)
        return self.text or default or ""

    def parse_numbers(
        self,
        text: str,
        count: int | Sequence[int] | None,
        what: str,
        infinite: bool = False,
    ) -> tuple[float, ...]:
        """Finite numbers separated by white space."""
        counts = (count,) if isinstance(count, int) else count
        words = text.split()
        wanted = "numbers" if counts is None else _wanted(counts)
        if counts is not None and len(words) not in counts:
            raise self.error(
                f"{wanted} in {what}", repr(_short(text)), "write them with spaces"
            )
        return tuple(self._number(word, wanted, what, infinite) for word in words)

    def _number(self, word: str, wanted: str, what: str, infinite: bool) -> float:
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        good = not math.isnan(value) if infinite else math.isfinite(value)
        if not good or "_" in word:
            comma = word.count(",") == 1 and "." not in word
            repair = "write a decimal point" if comma else "write a finite number"
            raise self.error(f"{wanted} in {what}", repr(_short(word)), repair)
        return value

    def boolean(self, name: str, default: bool | None = None) -> bool | None:
        """true, false, 1 or 0, in any case."""
        table = {"true": True, "1": True, "false": False, "0": False}
        return self._one_of(name, table, default, str.lower)

    def choice(
        self, name: str, options: Sequence[str], default: str | None = None
    ) -> str | None:
        """One of these words."""
        return self._one_of(name, {x: x for x in options}, default, str)

    def _one_of(
        self,
        name: str,
        table: dict[str, T],
        default: T | None,
        key: Callable[[str], str],
    ) -> T | None:
        text = self.get(name)
        if text is None:
            return default
        if key(text) not in table:
            known = ", ".join(map(repr, table))
            raise self.error(
                f"one of {known} in attribute {name}", repr(text), "take one of them"
            )
        self.state(name, table[key(text)] == default)
        return table[key(text)]

    def all(self, *tags: str) -> list[Element]:
        """The children of these tags (all without), in the order of the file."""
        found = [c for c in self._children if not tags or c.tag in tags]
        self._read.update(f"<{c.tag}>" for c in found)
        return found

    def child(self, tag: str) -> Element | None:
        """The one child of this tag, or None; an error where there are several."""
        found = self.all(tag)
        if len(found) > 1:
            raise found[1].error(
                f"one <{tag}> in <{self.tag}>", "several", "keep one of them"
            )
        return found[0] if found else None

    def only(self, tag: str) -> Element:
        """The one child of this tag; an error where there is none."""
        found = self.child(tag)
        if found is None:
            raise self.error(f"a <{tag}> inside", "none", f"add <{tag}>")
        return found

    def splice(self, child: Element, others: Sequence[Element]) -> None:
        """Put other elements in the place of a child; they keep their file and line."""
        k = self._children.index(child)
        self._children[k : k + 1] = others

    def state(self, name: str, is_default: bool) -> None:
        """Note whether the attribute ('': the text) states what holds without it."""
        (self._stated.add if is_default else self._stated.discard)(name)

    # -- what was read -----------------------------------------------------------

    def unread(self) -> Iterator[tuple[Element, str | None]]:
        """(element, attribute) for what nobody read; attribute None: the element.

        Of an element that was not read only the element is listed, not what it holds.
        """
        stack = [self]
        while stack:
            element = stack.pop()
            for name in element._attributes:
                if name not in element._read:
                    yield element, name
            below = []
            for child in element._children:
                if f"<{child.tag}>" in element._read:
                    below.append(child)
                else:
                    yield child, None
            stack.extend(reversed(below))

    def walk(self) -> Iterator[Element]:
        """This element and all inside it, in the order of the file; nothing is read."""
        stack = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(reversed(element._children))

    def states_default(self, name: str) -> bool:
        """Whether the attribute ('': the text) was last read as just its default."""
        return name in self._stated

    # -- speaking ----------------------------------------------------------------

    def path(self) -> str:
        """robot/link 'arm'/inertial: how messages name the element."""
        parts, element = [], self
        while True:
            name = element._attributes.get("name")
            parts.append(f"{element.tag} {name!r}" if name else element.tag)
            if element.parent is None:
                break
            element = element.parent
        shown = parts[:4] + ["..."] * (len(parts) > 5) + parts[-1:][: len(parts) > 4]
        return "/".join(reversed(shown))

    def error(self, expected: str, got: str, repair: str) -> LoadError:
        """The error that names this element."""
        return LoadError(self.file, self.line, self.path(), expected, got, repair)


def _wanted(counts: Sequence[int]) -> str:
    words = " or ".join(map(str, counts))
    return f"{words} number{'s'[: tuple(counts) != (1,)]}"


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
