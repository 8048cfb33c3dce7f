"""Mutations of real files: bytes, numbers, tags, whole elements."""

from __future__ import annotations

import re

from hypothesis import strategies as st

NUMBER = re.compile(rb"-?\d+\.?\d*(?:[eE][-+]?\d+)?")
WORD = re.compile(rb"[A-Za-z_]\w+")
ELEMENT = re.compile(rb"<(\w+)[^<>]*/>|<(\w+)[^<>]*>[^<>]*</\2>")
ODD = (b"nan", b"inf", b"-1", b"0", b"1e308", b"-1e-320", b"0,5", b"", b"9" * 400,
       b"1 2 3", b"x", b"&amp;", b"&none;", b"\xff", b"\0", b"<", b'"')  # fmt: skip
KINDS = ("number", "word", "drop", "twice", "move", "cut", "bytes")

steps = st.lists(
    st.tuples(
        st.sampled_from(KINDS),
        st.floats(0.0, 1.0, exclude_max=True),
        st.floats(0.0, 1.0, exclude_max=True),
        st.sampled_from(ODD),
    ),
    min_size=1,
    max_size=6,
)


def mutated(data: bytes, script: list[tuple[str, float, float, bytes]]) -> bytes:
    """The data after these steps; places are fractions of what there is."""
    for kind, a, b, odd in script:
        data = _step(data, kind, a, b, odd)
    return data


def _step(data: bytes, kind: str, a: float, b: float, odd: bytes) -> bytes:
    if kind == "cut":
        return data[: int(a * len(data))]
    if kind == "bytes":
        at = int(a * len(data))
        return data[:at] + odd + data[at + int(4 * b) :]
    pattern = {"number": NUMBER, "word": WORD}.get(kind, ELEMENT)
    found = list(pattern.finditer(data))
    if not found:
        return data
    one, other = found[int(a * len(found))], found[int(b * len(found))]
    piece = {"number": odd, "word": other[0], "drop": b"", "twice": 2 * one[0]}
    new = piece.get(kind, other[0])
    return data[: one.start()] + new + data[one.end() :]
