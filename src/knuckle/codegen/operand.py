"""What a kernel takes and gives."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod


@dataclass(frozen=True)
class Operand:
    """One array argument: its core shape, flattened in C order."""

    name: str
    core: tuple[int, ...]

    @property
    def size(self) -> int:
        return prod(self.core)
