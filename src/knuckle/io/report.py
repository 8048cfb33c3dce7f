"""Remarks on whatever a loader did not read (shared by all formats)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from knuckle.io.errors import Remarks
from knuckle.io.xml import Element

Verdict: TypeAlias = tuple[str, str]
"""(severity, reason)."""
Judge: TypeAlias = Callable[[Element], Verdict]

NAMESPACE: Verdict = ("note", "a namespace, which has no meaning here")


def leftovers(
    root: Element,
    remarks: Remarks,
    elements: Mapping[str, Verdict | Judge],
    attributes: Mapping[str, Verdict],
    inside: Mapping[str, str],
) -> None:
    """A remark on every element and attribute that nobody read.

    `elements` and `attributes` tell of known ones by tag and by 'tag@attribute'.
    `inside` gives the severity of unknown ones in an element of this tag, itself or
    the nearest around; else it is a warning.
    """
    for element, name in root.unread():
        if name is None:
            verdict = elements.get(element.tag)
            if callable(verdict):
                verdict = verdict(element)
            severity, reason = verdict or (
                _around(element.parent or element, inside),
                f"unknown in <{element.parent.tag if element.parent else ''}>, ignored",
            )
            remarks.add(severity, element, reason + extent(element))
        else:
            known = attributes.get(f"{element.tag}@{name}")
            if name.startswith("xmlns"):
                known = NAMESPACE
            severity, reason = known or (_around(element, inside), "unknown, ignored")
            value = element.attributes[name]
            shown = value if len(value) <= 40 else value[:37] + "..."
            remarks.add(severity, element, f'{name}="{shown}": {reason}')


def _around(element: Element, inside: Mapping[str, str]) -> str:
    while element.tag not in inside and element.parent is not None:
        element = element.parent
    return inside.get(element.tag, "warning")


def extent(element: Element) -> str:
    """How much goes with it, so that the remark changes with what it holds."""
    elements = attributes = 0
    for each in element.walk():
        elements += 1
        attributes += len(each.attributes)
    if elements == 1 and not attributes:
        return ""
    return f" ({elements - 1} elements and {attributes} attributes in it)"
