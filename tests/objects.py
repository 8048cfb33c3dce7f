"""What an object file expects others to define, in the three formats there are."""

from __future__ import annotations

import struct
from collections.abc import Iterator


def undefined(code: bytes) -> set[str]:
    """The names of the undefined symbols of an ELF, Mach-O or COFF object."""
    if code[:4] == b"\x7fELF":
        return set(_elf(code))
    if code[:4] == b"\xcf\xfa\xed\xfe":
        return {name.removeprefix("_") for name in _mach_o(code)}
    return set(_coff(code))


def machine(code: bytes) -> str:
    """The format and the processor, as "ELF aarch64"."""
    if code[:4] == b"\x7fELF":
        (kind,) = struct.unpack_from("<H", code, 18)
        return "ELF " + {62: "x86_64", 183: "aarch64"}[kind]
    if code[:4] == b"\xcf\xfa\xed\xfe":
        (kind,) = struct.unpack_from("<I", code, 4)
        return "Mach-O " + {0x01000007: "x86_64", 0x0100000C: "aarch64"}[kind]
    (kind,) = struct.unpack_from("<H", code, 0)
    return "COFF " + {0x8664: "x86_64", 0xAA64: "aarch64"}[kind]


def _text(code: bytes, start: int) -> str:
    return code[start : code.index(b"\0", start)].decode()


def _elf(code: bytes) -> Iterator[str]:
    (table,) = struct.unpack_from("<Q", code, 40)
    size, count = struct.unpack_from("<HH", code, 58)
    sections = [
        struct.unpack_from("<IIQQQQIIQQ", code, table + size * k) for k in range(count)
    ]
    for _, kind, _, _, start, length, link, *_ in sections:
        if kind == 2:  # SHT_SYMTAB
            strings = sections[link][4]
            for place in range(start + 24, start + length, 24):
                name, _, _, section = struct.unpack_from("<IBBH", code, place)
                if section == 0:
                    yield _text(code, strings + name)


def _mach_o(code: bytes) -> Iterator[str]:
    (commands,) = struct.unpack_from("<I", code, 16)
    place = 32
    for _ in range(commands):
        kind, size = struct.unpack_from("<II", code, place)
        if kind == 2:  # LC_SYMTAB
            start, count, strings, _ = struct.unpack_from("<IIII", code, place + 8)
            for k in range(count):
                name, flags = struct.unpack_from("<IB", code, start + 16 * k)
                if flags & 0x0E == 0:  # N_UNDF
                    yield _text(code, strings + name)
        place += size


def _coff(code: bytes) -> Iterator[str]:
    start, count = struct.unpack_from("<II", code, 8)
    strings, k = start + 18 * count, 0
    while k < count:
        place = start + 18 * k
        _, section, _, kind, more = struct.unpack_from("<IhHBB", code, place + 8)
        if section == 0 and kind == 2:  # IMAGE_SYM_CLASS_EXTERNAL
            zero, offset = struct.unpack_from("<II", code, place)
            short = code[place : place + 8].rstrip(b"\0").decode() if zero else ""
            yield short or _text(code, strings + offset)
        k += 1 + more
