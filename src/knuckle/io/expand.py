"""xacro files, expanded by the xacro package.

The trap: xacro evaluates expressions and opens what a file includes, wherever that is;
expand only files that you trust. Packages in $(find ...) are looked for as elsewhere.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from threading import Lock
from typing import Any

from knuckle.io.errors import LoadError
from knuckle.io.source import Missing, Source, read_bytes
from knuckle.io.xml import Element, parse

_ONE_AT_A_TIME = Lock()
"""xacro keeps its state in globals."""


def is_xacro(element: Element, source: Source) -> bool:
    """Whether the document has xacro elements; a mere namespace does not count."""
    if source.path is not None and source.path.suffix == ".xacro":
        return True
    return any(e.tag.startswith("xacro:") for e in element.walk())


def expanded(element: Element, source: Source, arguments: Mapping[str, str]) -> Element:
    """The document without macros; its lines are those of the expanded text."""
    try:
        xacro: Any = import_module("xacro")
    except ImportError:
        raise element.error(
            "the xacro package, which expands this file", "none", "pip install xacro"
        ) from None
    given = {key: str(value) for key, value in arguments.items()}
    told = io.StringIO()
    with _ONE_AT_A_TIME, _packages(xacro, source), contextlib.redirect_stderr(told):
        try:
            text = _run(xacro, source, given)
        except Exception as error:  # whatever an expression of the file raises
            what = " ".join(f"{type(error).__name__}: {error}".split())
            raise LoadError(
                source.name, 0, "", "a xacro file that expands", what[:200],
                "mend the file, or pass its arguments in xacro={...}",
            ) from None  # fmt: skip
    return parse(text, f"{source.name} (expanded)")


def _run(xacro: Any, source: Source, given: dict[str, str]) -> str:
    if source.path is None:
        xacro.init_stacks(None)
        document = xacro.parse(source.text)
        xacro.process_doc(document, mappings=given)
    else:
        read_bytes(source.path, source.name)
        document = xacro.process_file(str(source.path), mappings=given)
    text: str = document.toprettyxml(indent="  ")
    return text


@contextlib.contextmanager
def _packages(xacro: Any, source: Source) -> Iterator[None]:
    """$(find package) by our own search, which needs no ROS."""
    module = import_module("xacro.substitution_args")
    before: Callable[[str], str] = module._eval_find  # type: ignore[attr-defined]

    def find(package: str) -> str:
        try:
            return str(source.find(f"package://{package}"))
        except Missing as reason:
            raise module.SubstitutionException(str(reason)) from None

    table: dict[str, Any] = module._eval_dict  # type: ignore[attr-defined]
    module._eval_find = table["find"] = find  # type: ignore[attr-defined]
    try:
        yield
    finally:
        module._eval_find = table["find"] = before  # type: ignore[attr-defined]
