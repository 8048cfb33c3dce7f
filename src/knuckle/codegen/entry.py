"""One file of the store: a header, what is known of the code, the code.

    magic, version   8 bytes
    key             32 bytes    SHA-256 of everything that the code depends on
    seal            32 bytes    SHA-256 of all other bytes of the file
    lengths         16 bytes    of the two parts that follow, little endian
    facts           a Python literal
    code            machine code

The seal finds damage, not malice: who may write into the folder may run code anyway,
which is why the folder has to be private.
"""

from __future__ import annotations

import hashlib
import struct
from ast import literal_eval
from typing import Any, NamedTuple

MAGIC = b"KNUCKLE\x01"
_LENGTHS = struct.Struct("<QQ")
_KEY, _SEAL = len(MAGIC), len(MAGIC) + 32
_START = _SEAL + 32 + _LENGTHS.size
"""Where the key, the seal and the parts begin."""


class Entry(NamedTuple):
    """Machine code, and what a kernel has to know of it."""

    facts: dict[str, Any]
    code: bytes

    def knowing(self, **facts: Any) -> Entry:
        """The entry with more facts."""
        return self._replace(facts={**self.facts, **facts})


def packed(key: bytes, entry: Entry) -> bytes:
    """The file of an entry."""
    facts = ascii(entry.facts).encode()
    lengths = _LENGTHS.pack(len(facts), len(entry.code))
    seal = _seal(key, lengths, facts, entry.code)
    return b"".join((MAGIC, key, seal, lengths, facts, entry.code))


def unpacked(key: bytes, file: bytes) -> Entry | None:
    """What the file of this key holds; None if it is damaged, foreign or another's."""
    if len(file) < _START or not file.startswith(MAGIC + key):
        return None
    lengths = file[_START - _LENGTHS.size : _START]
    facts_end = _START + _LENGTHS.unpack(lengths)[0]
    if facts_end + _LENGTHS.unpack(lengths)[1] != len(file):
        return None
    facts, code = file[_START:facts_end], file[facts_end:]
    if file[_SEAL : _SEAL + 32] != _seal(key, lengths, facts, code):
        return None
    return Entry(literal_eval(facts.decode()), code)


def _seal(*parts: bytes) -> bytes:
    total = hashlib.sha256(MAGIC)
    for part in parts:
        total.update(part)
    return total.digest()
