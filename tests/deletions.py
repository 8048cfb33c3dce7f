"""The deletion law: what a file says shows in the Model's hash or in its report."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

import knuckle as kn
from knuckle.io.load import read
from knuckle.io.source import Source
from knuckle.io.xml import Element, parse

NOTHING = (None, None)


def silent(text: str, source: Source | None = None) -> list[str]:
    """What can be deleted from a document without a trace, but for stated defaults."""
    source = source or Source.of_text()
    whole = parse(_written(parse(text, source.name), NOTHING), source.name)
    before = _told(read(whole, source))
    found = []
    for element, name in _parts(whole):
        if _states_default(element, name):
            continue
        if _seen(_written(whole, (element, name)), source) == before:
            found.append(f"{element.path()}{f'@{name}' if name else ''} {element.line}")
    return found


def _seen(text: str, source: Source) -> object:
    try:
        return _told(read(parse(text, source.name), source))
    except (kn.LoadError, kn.ModelError) as error:
        return str(error)


def _told(model: kn.Model) -> object:
    return hash(model), [(r.severity, r.element, r.reason) for r in model.report]


def _parts(whole: Element) -> Iterator[tuple[Element, str | None]]:
    for element in whole.walk():
        if element is not whole:
            yield element, None
        yield from ((element, name) for name in element.attributes)


def _states_default(element: Element, name: str | None) -> bool:
    """Whether it is a default that is stated; of an element: nothing but defaults."""
    if name is not None:
        return element.states_default(name)
    inner = list(element.walk())
    return all(
        (not e.text or e.states_default(""))
        and all(e.states_default(a) for a in e.attributes)
        for e in inner
    ) and any(e.attributes or e.text for e in inner)


def _written(element: Element, leave: tuple[Element | None, str | None]) -> str:
    """The element as XML, without one element or attribute."""
    if leave == (element, None):
        return ""
    given = element.attributes.items()
    stated = [f" {n}={quoteattr(x)}" for n, x in given if leave != (element, n)]
    inner = "".join(_written(child, leave) for child in element.children)
    start = f"<{element.tag}{''.join(stated)}>{escape(element.text)}"
    return f"{start}\n{inner}</{element.tag}>"  # lines tell what is alike apart
