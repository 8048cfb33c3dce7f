"""XML as it is written: nodes of any depth, numbers that come back bit by bit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

from knuckle.spatial import SE3, quaternion


@dataclass
class Node:
    """An element with its attributes, in order, and the elements inside."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)

    def add(self, tag: str, **attributes: str) -> Node:
        """A new element inside."""
        self.children.append(Node(tag, attributes))
        return self.children[-1]

    def text(self) -> str:
        """The element as indented XML; trees may have any depth."""
        lines: list[str] = []
        stack: list[tuple[Node | str, int]] = [(self, 0)]
        while stack:
            item, depth = stack.pop()
            pad = "  " * min(depth, 40)
            if isinstance(item, str):
                lines.append(f"{pad}{item}")
                continue
            said = "".join(f" {k}={quoteattr(v)}" for k, v in item.attributes.items())
            if not item.children:
                lines.append(f"{pad}<{item.tag}{said}/>")
                continue
            lines.append(f"{pad}<{item.tag}{said}>")
            stack.append((f"</{item.tag}>", depth))
            stack.extend((child, depth + 1) for child in reversed(item.children))
        return "\n".join(lines) + "\n"


def number(x: float) -> str:
    """The shortest text of these bits."""
    text = repr(float(x) + 0.0)
    return text.removesuffix(".0")


def numbers(values: Iterable[float]) -> str:
    """Numbers with spaces between."""
    return " ".join(number(x) for x in values)


def place(pose: SE3) -> dict[str, str]:
    """pos and quat, where they are not those of the identity."""
    said = {}
    if any(pose.p):
        said["pos"] = numbers(pose.p)
    turn = quaternion.from_rotation(pose.R)
    if tuple(turn) != (1.0, 0.0, 0.0, 0.0):
        said["quat"] = numbers(turn)
    return said
