"""The two floating-point formats."""

from __future__ import annotations

import struct
from dataclasses import dataclass


@dataclass(frozen=True)
class Format:
    """What a formula has to know of its floating-point type."""

    dtype: str
    bits: int
    mantissa: int
    """Stored fraction bits: 52 or 23."""
    bias: int

    @property
    def sign(self) -> int:
        return 1 << (self.bits - 1)

    @property
    def magic(self) -> float:
        """1.5 * 2^mantissa: adding it rounds to an integer kept in the low bits."""
        return 1.5 * 2.0**self.mantissa

    def literal(self, value: float) -> str:
        """The constant in LLVM's notation (floats too are written as doubles)."""
        if self.dtype == "float":
            value = struct.unpack("<f", struct.pack("<f", value))[0]
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


FORMATS = {
    "double": Format("double", 64, 52, 1023),
    "float": Format("float", 32, 23, 127),
}
