"""XML parsed with care: lines, bounds on size and depth, no entities."""

from __future__ import annotations

from typing import Any
from xml.parsers import expat

from knuckle.io.element import Element
from knuckle.io.errors import LoadError

__all__ = ["MAX_BYTES", "MAX_DEPTH", "MAX_ELEMENTS", "Element", "parse"]

MAX_BYTES = 64 << 20
MAX_DEPTH = 1000
MAX_ELEMENTS = 1_000_000


def parse(data: bytes | str, file: str) -> Element:
    """The root element of a document; entities and what exceeds the bounds is refused.

    `file` is the name that errors and remarks carry.
    """
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    _check_size(raw, file)
    builder = _Builder(file, "utf-8" if isinstance(data, str) else None)
    try:
        builder.parser.Parse(raw, True)
    except LoadError:
        raise
    except expat.ExpatError as error:
        line, what = error.lineno, expat.ErrorString(error.code)
    except (LookupError, ValueError) as error:  # an encoding that is not known
        line, what = 1, str(error)
    else:
        assert builder.root is not None
        return builder.root
    raise LoadError(
        file, line, builder.place(), "well-formed XML", what,
        "mend the XML there, or check the path",
    )  # fmt: skip


def _check_size(raw: bytes, file: str) -> None:
    if len(raw) > MAX_BYTES:
        raise LoadError(
            file, 0, "", f"at most {MAX_BYTES >> 20} MB", f"{len(raw) >> 20} MB",
            "check that this is a robot's XML file",
        )  # fmt: skip
    if b"\0" in raw[:4096]:
        raise LoadError(file, 0, "", "an XML file", "binary data", "check the path")


class _Builder:
    """Builds elements from the parser's events."""

    def __init__(self, file: str, encoding: str | None) -> None:
        self.file, self.count = file, 0
        self.root: Element | None = None
        self.open: list[Element] = []
        self.text: list[list[str]] = []
        self.parser = expat.ParserCreate(encoding)
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.data
        self.parser.EntityDeclHandler = self.entity
        self.parser.StartDoctypeDeclHandler = self.doctype

    def place(self) -> str:
        return self.open[-1].path() if self.open else ""

    def refuse(self, expected: str, got: str, repair: str) -> LoadError:
        line = self.parser.CurrentLineNumber
        return LoadError(self.file, line, self.place(), expected, got, repair)

    def entity(self, name: str, *rest: Any) -> None:
        raise self.refuse(
            "no entity declarations", f"the entity {name!r}", "write its text in place"
        )

    def doctype(self, name: str, system: str | None, *rest: Any) -> None:
        if system is not None:
            raise self.refuse(
                "no external document type", repr(system), "remove the <!DOCTYPE>"
            )

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if len(self.open) >= MAX_DEPTH or self.count > MAX_ELEMENTS:
            raise self.refuse(
                f"at most {MAX_DEPTH} levels and {MAX_ELEMENTS} elements", "more",
                "split the file, or build the Model in Python",
            )  # fmt: skip
        parent = self.open[-1] if self.open else None
        line = self.parser.CurrentLineNumber
        element = Element(tag, attributes, self.file, line, parent)
        if parent is None:
            self.root = element
        else:
            parent._children.append(element)
        self.open.append(element)
        self.text.append([])

    def end(self, tag: str) -> None:
        self.open.pop().text = "".join(self.text.pop()).strip()

    def data(self, text: str) -> None:
        self.text[-1].append(text)
