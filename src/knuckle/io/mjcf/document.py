"""One file of MJCF with what it includes: settings, classes, assets, its sections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from knuckle.io.errors import Remarks
from knuckle.io.mjcf.classes import Classes
from knuckle.io.mjcf.settings import Settings
from knuckle.io.source import Missing, Source
from knuckle.io.xml import Element
from knuckle.model.errors import near

REPAIR = "check the path"


class Document:
    """A model as it is written, and where it notes what it cannot say in a Model."""

    def __init__(self, root: Element, source: Source, remarks: Remarks) -> None:
        self.root, self.source, self.remarks = root, source, remarks
        self.roots = [root, *expand(root, source)]
        self.settings = Settings(root.all("compiler"), root.all("option"))
        self.settings.refuse_global()
        self._attached: dict[str, Document] = {}
        self.classes = Classes(root.all("default"))

    def section(self, name: str) -> Iterator[Element]:
        """What the sections of this name hold, in the order of the file."""
        for part in self.root.all(name):
            yield from part.all()

    def assets(self, tag: str) -> Iterator[Element]:
        """The assets of one kind."""
        for part in self.root.all("asset"):
            yield from part.all(tag)

    @cached_property
    def _models(self) -> dict[str, Element]:
        """The models that can be attached, by the name here or in their own files."""
        return {m.get("name") or self._own_name(m): m for m in self.assets("model")}

    def _own_name(self, asset: Element) -> str:
        return opened(asset, self.source, keep_folder=False)[1].get("model", "")

    def attached(self, name: str, user: Element) -> Document:
        """The model that <attach> takes."""
        if name not in self._attached:
            asset = self._models[reference(name, list(self._models), "model", user)]
            source, root = opened(asset, self.source, keep_folder=False)
            if root.tag != "mujoco":
                raise root.error("a root element <mujoco>", f"<{root.tag}>", REPAIR)
            self._attached[name] = Document(root, source, self.remarks)
        return self._attached[name]

    def remark(self, element: Element, severity: str, reason: str) -> None:
        """Note a thing that the Model lacks or has otherwise."""
        self.remarks.add(severity, element, reason)

    @property
    def all_roots(self) -> list[Element]:
        """The root elements of this file, of attached and of included ones."""
        found = [self.root]
        for other in self._attached.values():
            found += other.all_roots
        return found

    @property
    def all_included(self) -> list[Element]:
        """The root elements of included files, whose contents stand elsewhere now."""
        found = self.roots[1:]
        for other in self._attached.values():
            found += other.all_included
        return found


def expand(root: Element, source: Source) -> list[Element]:
    """Put included files in place; gives their root elements.

    Names are relative to the main file, whoever includes; no file comes in twice.
    """
    roots: list[Element] = []
    seen = {source.path}
    stack = [(root, source)]
    while stack:
        element, inside = stack.pop()
        for child in element.children:
            if child.tag != "include":
                stack.append((child, inside))
                continue
            entered, included = opened(child, inside, keep_folder=True)
            if entered.path in seen or len(seen) > 1000:
                raise child.error(
                    "each file included once", repr(child.get("file")),
                    "leave out this <include>, or take <attach>",
                )  # fmt: skip
            seen.add(entered.path)
            roots.append(included)
            element.splice(child, included.children)
            stack.append((included, entered))
    return roots


def opened(child: Element, source: Source, keep_folder: bool) -> tuple[Source, Element]:
    """The document that an element names as its `file`."""
    file = child.required("file")
    try:
        entered = source.enter(source.find(file), keep_folder)
    except Missing as missing:
        raise child.error("a file that may be read", f"{missing}", REPAIR) from None
    return entered, entered.parse()


def reference(name: str, known: Sequence[str], what: str, user: Element) -> str:
    """The name, if there is such a thing."""
    if name not in known:
        raise user.error(f"the name of a {what}", repr(name), near(name, known, what))
    return name
