"""Machine code on disk: a private folder that many processes share.

KNUCKLE_CACHE names the folder, or is "off". Whatever is wrong with the folder or a
file, compilation goes on without it, and says so once.
"""

from __future__ import annotations

import functools
import os
import stat
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from knuckle.codegen.entry import Entry, packed, unpacked

VARIABLE = "KNUCKLE_CACHE"
OFF = "off"
LIMIT = 500_000_000
"""Bytes that all files together may have."""
_SUFFIX, _PART = ".kernel", ".part"
_HOUR, _DAY = 3600.0, 86400.0


class Usage(NamedTuple):
    """How many files there are, and their bytes."""

    files: int
    bytes: int


class Store:
    """A folder of entries by key. Files come into being whole, by renaming."""

    def __init__(self, folder: Path, limit: int = LIMIT) -> None:
        self.folder, self.limit = folder, limit
        self._writable, self._told = True, False

    def load(self, key: bytes) -> Entry | None:
        """The entry of this key, verified; None where there is none that is whole."""
        path = self._path(key)
        try:
            if not self._trusted():
                return None
            with open(path, "rb", opener=_plainly) as file:
                info = os.fstat(file.fileno())
                entry = unpacked(key, file.read()) if _plain(info) else None
        except FileNotFoundError:
            return None
        except OSError as error:
            self._tell(f"{path.name}: {error.strerror or error}")
            return None
        if entry and time.time() - info.st_mtime > _DAY:
            with suppress(OSError):  # it only counts as unused for longer
                os.utime(path)
        return entry

    def save(self, key: bytes, entry: Entry) -> None:
        """Keeps an entry, in place of the one with its key; the oldest make room."""
        file = packed(key, entry)
        if not self._writable or len(file) > self.limit:
            return
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._writable = self._trusted()
            if self._writable:
                self._write(self._path(key), file)
                self._make_room()
        except OSError as error:
            self._writable = False
            self._tell(f"cannot write: {error.strerror or error}")

    def usage(self) -> Usage:
        """What the folder holds."""
        sizes = [info.st_size for _, info in self._files(_SUFFIX)]
        return Usage(len(sizes), sum(sizes))

    def clear(self) -> Usage:
        """Removes every file of the store, and tells what it held."""
        held = self.usage()
        for suffix in (_SUFFIX, _PART):
            for path, _ in self._files(suffix):
                path.unlink(missing_ok=True)
        return held

    def flaw(self) -> str | None:
        """Why the folder is not to be trusted; None if it is private, or not there."""
        try:
            info = self.folder.stat()
        except FileNotFoundError:
            return None
        if not stat.S_ISDIR(info.st_mode):
            return "it is no folder"
        if hasattr(os, "geteuid") and info.st_uid != os.geteuid():
            return "it belongs to another user"
        if os.name == "posix" and info.st_mode & 0o022:
            return "others may write there; name a folder of your own, or chmod go-w"
        return None

    def _trusted(self) -> bool:
        flaw = self.flaw()
        if flaw:
            self._tell(flaw)
        return flaw is None

    def _path(self, key: bytes) -> Path:
        return self.folder / (key.hex() + _SUFFIX)

    def _write(self, path: Path, file: bytes) -> None:
        part = path.with_name(f"{path.stem}-{os.urandom(8).hex()}{_PART}")
        try:
            with open(part, "xb", opener=_privately) as stream:
                stream.write(file)
            os.replace(part, path)
        except OSError:
            with suppress(OSError):  # what went wrong is told already
                part.unlink()
            raise

    def _make_room(self) -> None:
        """Removes the files unused for longest, and parts that nobody finishes."""
        for path, info in self._files(_PART):
            if time.time() - info.st_mtime > _HOUR:
                path.unlink(missing_ok=True)
        files = sorted(self._files(_SUFFIX), key=lambda x: x[1].st_mtime)
        total = sum(info.st_size for _, info in files)
        for path, info in files:
            if total <= self.limit:
                break
            path.unlink(missing_ok=True)
            total -= info.st_size

    def _files(self, suffix: str) -> Iterator[tuple[Path, os.stat_result]]:
        if not self.folder.is_dir():
            return
        with os.scandir(self.folder) as found:
            for file in found:
                stem = file.name.removesuffix(suffix).partition("-")[0]
                if file.name.endswith(suffix) and _is_key(stem):
                    with suppress(FileNotFoundError):  # another process was faster
                        yield Path(file.path), file.stat(follow_symlinks=False)

    def _tell(self, what: str) -> None:
        """One line for a process, without a source that it would be the fault of."""
        if not self._told:
            self._told = True
            text = f"no cache in {self.folder}: {what}; {VARIABLE}=off is silent"
            warnings.warn_explicit(text, RuntimeWarning, "knuckle", 0)


def opened() -> Store | None:
    """The store that the environment names; None where it is switched off."""
    named = os.environ.get(VARIABLE, "")
    if named.strip().lower() == OFF:
        return None
    folder = Path(os.path.expanduser(named)) if named else _folder()
    return _store(folder.absolute())


@contextmanager
def switched_off() -> Iterator[None]:
    """Every kernel is compiled meanwhile, in this process and those it starts."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = OFF
    try:
        yield
    finally:
        os.environ.pop(VARIABLE)
        if before is not None:
            os.environ[VARIABLE] = before


@functools.cache
def _store(folder: Path) -> Store:
    return Store(folder)


def _folder() -> Path:
    """Where this platform keeps what can be made again."""
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else _home() / "AppData/Local") / "knuckle/Cache"
    if sys.platform == "darwin":
        return _home() / "Library/Caches/knuckle"
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (named if named.is_absolute() else _home() / ".cache") / "knuckle"


def _home() -> Path:
    return Path(os.path.expanduser("~"))


def _is_key(text: str) -> bool:
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


def _plain(info: os.stat_result) -> bool:
    """Is it a file of our own?"""
    ours = not hasattr(os, "geteuid") or info.st_uid == os.geteuid()
    return stat.S_ISREG(info.st_mode) and ours


_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def _plainly(path: str, flags: int) -> int:
    """No link is followed, and no pipe is waited for."""
    return os.open(path, flags | _SAFE)


def _privately(path: str, flags: int) -> int:
    return os.open(path, flags | _SAFE, 0o600)
