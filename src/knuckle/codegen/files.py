"""What the source files of a folder hold, and when the last of them changed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple


class Content(NamedTuple):
    """SHA-256 of names and texts, and the latest modification [s since 1970]."""

    content: str
    newest: float


def digest(folder: Path, without: Sequence[str] = ()) -> Content | None:
    """The Python files below a folder, `without` some of its own folders; None if there
    are none."""
    total, newest, root = hashlib.sha256(), 0.0, len(str(folder))
    for path in sorted(_sources(str(folder), without)):
        changed, text = _read(path)
        newest = max(newest, changed)
        total.update(f"{path[root:]} {len(text)}\n".encode() + text)
    return Content(total.hexdigest(), newest) if newest else None


def _read(path: str) -> tuple[float, bytes]:
    """When a file changed, and its text; by system calls, as there are hundreds."""
    number = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        info = os.fstat(number)
        return info.st_mtime, os.read(number, info.st_size)
    finally:
        os.close(number)


def _sources(folder: str, without: Sequence[str] = ()) -> Iterator[str]:
    try:
        with os.scandir(folder) as found:
            inside = list(found)
    except OSError:  # an archive, say
        return
    for file in inside:
        if file.name in without:
            continue
        if file.is_dir():
            yield from _sources(file.path)
        elif file.name.endswith(".py"):
            yield file.path
