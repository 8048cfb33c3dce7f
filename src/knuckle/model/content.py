"""Content hashes: the same in every process, floats by their bits."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from knuckle.model.errors import ModelError


def digest(*parts: Any) -> str:
    """SHA-256 in hexadecimal over numbers, strings, containers, dataclasses and arrays.

    Every item goes in with its type and length, so that no two contents share a text.
    An object of another kind counts by its own `digest`, a string or a method.
    """
    total = hashlib.sha256()
    for piece in _pieces(parts):
        total.update(piece)
    return total.hexdigest()


def _pieces(x: Any) -> Iterator[bytes]:
    stack = [x]
    while stack:
        item = stack.pop()
        head, inner = _opened(item)
        yield struct.pack("<q", len(head)) + head + struct.pack("<q", len(inner))
        stack.extend(reversed(inner))


def _opened(x: Any) -> tuple[bytes, list[Any]]:
    """The bytes of an item itself, and the items inside it."""
    if type(x) is str:
        return b"s " + x.encode("utf-8", "surrogatepass"), []
    if type(x) is bytes:
        return b"b " + x, []
    if isinstance(x, bool | np.bool_) or x is None:
        return f"= {x}".encode(), []
    if isinstance(x, Enum):
        return f"enum {type(x).__qualname__}.{x.name}".encode(), []
    if isinstance(x, int | np.integer):
        return f"i {int(x)}".encode(), []
    if isinstance(x, float | np.floating):
        return b"f " + struct.pack("<d", float(x)), []
    if isinstance(x, tuple | list):
        return b"tuple", list(x)
    if isinstance(x, dict):
        return b"dict", [v for pair in x.items() for v in pair]
    if isinstance(x, np.ndarray) and not x.dtype.hasobject:
        plain = np.ascontiguousarray(x, x.dtype.newbyteorder("<"))
        return f"array {plain.dtype.str} {x.shape} ".encode() + plain.tobytes(), []
    return _opened_object(x)


def _opened_object(x: Any) -> tuple[bytes, list[Any]]:
    own = getattr(x, "digest", None)
    if own is not None and not isinstance(x, type):
        return b"digest", [own() if callable(own) else own]
    if is_dataclass(x) and not isinstance(x, type):
        name = f"dataclass {type(x).__module__}.{type(x).__qualname__}"
        return name.encode(), [getattr(x, f.name) for f in fields(x)]
    raise ModelError(
        f"{type(x).__name__} object: expected content that can be hashed, got {x!r}; "
        "make it a frozen dataclass of numbers, strings, tuples and arrays, or give it "
        "a `digest` string"
    )
