"""An element as nested pairs: data that the Model keeps and nobody reads yet."""

from __future__ import annotations

from typing import Any

from knuckle.io.xml import Element
from knuckle.model.data import Properties

DEPTH = 100


def flat(element: Element) -> Properties:
    """Attributes ('@name'), text ('') and children, as pairs of a name and text."""
    if element.depth > DEPTH:
        raise element.error(f"at most {DEPTH} levels", "more", "remove the inner ones")
    pairs: list[tuple[str, Any]] = []
    for name in element.attributes:
        pairs.append((f"@{name}", element.get(name)))
    if element.text:
        pairs.append(("", element.text))
    for child in element.all():
        inner = flat(child)
        only_text = [value for name, value in inner if not name]
        pairs.append(
            (child.tag, only_text[0] if len(inner) == 1 == len(only_text) else inner)
        )
    return tuple(pairs)
