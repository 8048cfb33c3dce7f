"""What a kernel takes and gives."""

from __future__ import annotations

from math import prod
from typing import NamedTuple


class Operand(NamedTuple):
    """One array argument: its core shape, flattened in C order."""

    name: str
    core: tuple[int, ...]

    @property
    def size(self) -> int:
        return prod(self.core)
