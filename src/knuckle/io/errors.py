"""The one error of loading, and the remarks that gather while a file is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from knuckle.model.data import Remark

if TYPE_CHECKING:
    from knuckle.io.xml import Element


class LoadError(ValueError):
    """A file that cannot be loaded: where, what was expected, got, and the repair."""

    def __init__(
        self, file: str, line: int, element: str, expected: str, got: str, repair: str
    ) -> None:
        self.file, self.line, self.element = file, line, element
        where = f"{file}:{line}" if line else file
        place = f"{where}: {element}" if element else where
        super().__init__(f"{place}: expected {expected}, got {got}; {repair}")


class Remarks(list[Remark]):
    """What a loader left out, changed or doubted, in the order of the file."""

    def add(self, severity: str, element: Element, reason: str) -> None:
        """One remark about an element of the file."""
        where = element.file, element.line, element.path()
        self.append(Remark(severity, *where, reason))

    def sorted(self) -> tuple[Remark, ...]:
        """Each remark once, by file and line."""
        order = dict.fromkeys(self)
        return tuple(sorted(order, key=lambda r: (r.file, r.line)))
