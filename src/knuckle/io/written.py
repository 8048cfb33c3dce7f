"""Text that a format made of a Model, and what it had to leave out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET

from knuckle.model import ModelError


class Written(str):
    """The text of a robot's file; `losses` says what the format could not say."""

    losses: tuple[str, ...]

    def __new__(cls, text: str, losses: Iterable[str] = ()) -> Written:
        self = super().__new__(cls, text)
        self.losses = tuple(losses)
        return self


class Losses(list[str]):
    """What a format cannot say, as it is found."""

    def __init__(self, form: str) -> None:
        super().__init__()
        self.form = form

    def add(self, what: str) -> None:
        """One loss, once."""
        if what not in self:
            self.append(what)

    def note(self, what: str, why: str) -> None:
        """A loss of one thing, for a reason."""
        self.add(f"{what}: {why}")

    def check(self, allow_loss: bool) -> None:
        """Refuse losses where they are not allowed."""
        if self and not allow_loss:
            more = f" (and {len(self) - 1} more)" if len(self) > 1 else ""
            raise ModelError(
                f"{self.form} cannot say: {self[0]}{more}; take allow_loss=True, which "
                "leaves it out and lists it in .losses"
            )

    @property
    def comments(self) -> list[str]:
        """The losses as comments of XML say them."""
        return [f" left out: {loss.replace('--', '- -')} " for loss in self]

    def written(self, root: ET.Element, allow_loss: bool) -> Written:
        """The text, its losses in comments; refused where they are not allowed."""
        self.check(allow_loss)
        for told in self.comments:
            root.insert(0, ET.Comment(told))
        ET.indent(root)
        text = ET.tostring(root, encoding="unicode")
        return Written(f'<?xml version="1.0"?>\n{text}\n', self)


def numbers(values: Iterable[float]) -> str:
    """Numbers as XML has them, to the last bit."""
    return " ".join(repr(float(x) + 0.0) for x in values)


def rpy(R: tuple[tuple[float, ...], ...]) -> tuple[float, float, float]:
    """(roll, pitch, yaw) with R = Rz(yaw) Ry(pitch) Rx(roll) [rad].

    Pitch and roll are read from Rz(-yaw) R, whose entries do not vanish: near a pitch
    of 90 degrees, where yaw may be anything, they make up for it.
    """
    yaw = math.atan2(R[1][0], R[0][0])
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-R[2][0], c * R[0][0] + s * R[1][0])
    roll = math.atan2(s * R[0][2] - c * R[1][2], c * R[1][1] - s * R[0][1])
    return roll, pitch, yaw


def unfold(element: ET.Element, pairs: Sequence[tuple[str, object]]) -> None:
    """The inverse of `flat`."""
    for name, value in pairs:
        if not name:
            element.text = str(value)
        elif name.startswith("@"):
            element.set(name[1:], str(value))
        elif isinstance(value, str):
            ET.SubElement(element, name).text = value
        else:
            unfold(ET.SubElement(element, name), value)  # type: ignore[arg-type]
