"""What a Model keeps as data until an algorithm makes physics of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

Properties: TypeAlias = tuple[tuple[str, Any], ...]
"""What a file says of a thing and a later algorithm may need: (name, value)."""


@dataclass(frozen=True)
class Actuator:
    """A motor, servo, muscle ... of a file, on joints, tendons or frames by name."""

    name: str
    kind: str
    targets: tuple[str, ...]
    properties: Properties = ()


@dataclass(frozen=True)
class Constraint:
    """An equality of a file: a connection, a weld, a mimic joint, a gear.

    `between` names the bodies, joints or frames that it ties together.
    """

    name: str
    kind: str
    between: tuple[str, ...]
    properties: Properties = ()


@dataclass(frozen=True)
class Remark:
    """One thing that a loader left out, changed or doubted.

    'error': the motion will differ from what the file means; 'warning': it may;
    'note': it has no effect on the dynamics.
    """

    severity: str
    file: str
    line: int
    element: str
    reason: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{self.severity}: {where}: {self.element}: {self.reason}"
