"""The store of machine code: what comes out is what went in, or nothing."""

from __future__ import annotations

import errno
import os
import random
import signal
import stat
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from knuckle.codegen import entry as entries
from knuckle.codegen import files, store
from knuckle.codegen.entry import Entry, packed, unpacked
from knuckle.codegen.store import Store

KEY, OTHER = bytes(range(32)), bytes(range(1, 33))
ENTRY = Entry({"name": "f", "inputs": [["q", [7]]]}, bytes(range(256)) * 8)
POSIX = pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")


@pytest.fixture
def kept(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache")


def only_file(kept: Store) -> Path:
    (path,) = kept.folder.iterdir()
    return path


def test_what_is_saved_is_loaded(kept: Store) -> None:
    assert kept.load(KEY) is None
    kept.save(KEY, ENTRY)
    assert kept.load(KEY) == ENTRY
    assert kept.load(OTHER) is None
    assert kept.usage() == (1, only_file(kept).stat().st_size)


@pytest.mark.parametrize(
    "facts", [{}, {"name": "Glied \u00e4 \ud800", "n": [1.5, None]}]
)
def test_entries_of_any_facts_and_code(facts: dict) -> None:
    for code in (b"", b"\0" * 100):
        entry = Entry(facts, code)
        assert unpacked(KEY, packed(KEY, entry)) == entry


def test_every_flipped_bit_is_found() -> None:
    """All of the header and facts, and a sample of the code."""
    file = packed(KEY, ENTRY)
    places = [*range(200), *range(200, len(file), 37), len(file) - 1]
    for place in places:
        for bit in range(8):
            damaged = bytearray(file)
            damaged[place] ^= 1 << bit
            assert unpacked(KEY, bytes(damaged)) is None, (place, bit)


def test_files_of_any_other_length_are_refused() -> None:
    file = packed(KEY, ENTRY)
    for length in range(len(file)):
        assert unpacked(KEY, file[:length]) is None
    assert unpacked(KEY, file + b"\0") is None
    assert unpacked(KEY, b"") is None


def test_a_file_of_another_key_or_format_is_refused(
    kept: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if a file of another processor had been given this one's name."""
    kept.save(OTHER, ENTRY)
    only_file(kept).rename(kept.folder / f"{KEY.hex()}.kernel")
    assert kept.load(KEY) is None
    monkeypatch.setattr(entries, "MAGIC", b"KNUCKLE\x02")
    kept.save(KEY, ENTRY)
    monkeypatch.undo()
    assert kept.load(KEY) is None


def test_damage_is_silent_and_written_over(kept: Store) -> None:
    kept.save(KEY, ENTRY)
    path = only_file(kept)
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kept.load(KEY) is None
        kept.save(KEY, ENTRY)
        assert kept.load(KEY) == ENTRY


@POSIX
def test_folder_and_files_are_private(kept: Store) -> None:
    before = os.umask(0)
    try:
        kept.save(KEY, ENTRY)
    finally:
        os.umask(before)
    assert stat.S_IMODE(kept.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(only_file(kept).stat().st_mode) == 0o600


@POSIX
@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770])
def test_a_folder_that_others_may_write_is_refused(kept: Store, mode: int) -> None:
    kept.save(KEY, ENTRY)
    kept.folder.chmod(mode)
    with pytest.warns(RuntimeWarning, match="others may write there") as told:
        assert kept.load(KEY) is None
        kept.save(OTHER, ENTRY)
        assert kept.load(KEY) is None
    assert len(told) == 1
    assert "\n" not in str(told[0].message)
    assert kept.usage().files == 1


@POSIX
def test_a_folder_of_another_user_is_refused(
    kept: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.save(KEY, ENTRY)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.warns(RuntimeWarning, match="belongs to another user"):
        assert kept.load(KEY) is None


@POSIX
def test_links_and_pipes_are_not_read(kept: Store) -> None:
    kept.save(OTHER, ENTRY)
    path, link = only_file(kept), kept.folder / f"{KEY.hex()}.kernel"
    link.symlink_to(path)
    with pytest.warns(RuntimeWarning, match="kernel: "):
        assert kept.load(KEY) is None
    kept.save(KEY, ENTRY)
    assert not link.is_symlink() and kept.load(KEY) == ENTRY
    link.unlink()
    os.mkfifo(link)
    assert kept.load(KEY) is None


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder nobody writes")
@pytest.mark.parametrize("folder", ["/proc/knuckle", "/proc/self/task"])
def test_a_folder_that_cannot_be_written(folder: str) -> None:
    kept = Store(Path(folder))
    with pytest.warns(RuntimeWarning, match="^no cache in /proc/") as told:
        for _ in range(3):
            kept.save(KEY, ENTRY)
            assert kept.load(KEY) is None
    assert len(told) == 1


def test_a_file_in_the_way_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "cache"):
        kept = Store(folder)
        with pytest.warns(RuntimeWarning) as told:
            assert kept.load(KEY) is None
            kept.save(KEY, ENTRY)
        assert len(told) == 1


def test_a_full_disk(kept: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, nothing left behind, and no second attempt."""
    kept.save(OTHER, ENTRY)
    attempts = []

    def full(source: str, target: str) -> None:
        attempts.append(source)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(RuntimeWarning, match="No space left on device") as told:
        kept.save(KEY, ENTRY)
        kept.save(KEY, ENTRY)
    assert len(told) == len(attempts) == 1
    assert kept.load(OTHER) == ENTRY
    assert [path.suffix for path in kept.folder.iterdir()] == [".kernel"]


@POSIX
def test_a_write_that_stops_in_the_middle(kept: Store) -> None:
    """The system's own limit on the size of a file, in a process of its own."""
    code = (
        "import resource, sys; from pathlib import Path\n"
        "from knuckle.codegen.entry import Entry\n"
        "from knuckle.codegen.store import Store\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "Store(Path(sys.argv[1])).save(bytes(32), Entry({}, bytes(100_000)))\n"
    )
    command = [sys.executable, "-c", code, str(kept.folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (
        done.stderr.count("\n") == 1 and "cannot write: File too large" in done.stderr
    )
    assert list(kept.folder.iterdir()) == []


def test_the_oldest_make_room(tmp_path: Path) -> None:
    size = len(packed(KEY, ENTRY))
    kept = Store(tmp_path, limit=3 * size)
    keys = [bytes([k]) * 32 for k in range(4)]
    for age, key in enumerate(keys[:3]):
        kept.save(key, ENTRY)
        path, then = kept.folder / f"{key.hex()}.kernel", time.time() - 9e6 + age
        os.utime(path, (then, then))
    assert kept.load(keys[0]) == ENTRY  # used again: now the second is the oldest
    kept.save(keys[3], ENTRY)
    assert kept.usage().bytes <= kept.limit
    assert [kept.load(key) == ENTRY for key in keys] == [True, False, True, True]


def test_what_is_larger_than_the_limit_is_not_kept(tmp_path: Path) -> None:
    kept = Store(tmp_path, limit=1000)
    kept.save(KEY, ENTRY)
    assert kept.usage() == (0, 0)


def test_clear_removes_our_files_alone(kept: Store) -> None:
    kept.save(KEY, ENTRY)
    strangers = [kept.folder / name for name in ("notes.txt", "a.kernel", "b.part")]
    for path in strangers:
        path.write_text("mine")
    part = kept.folder / f"{KEY.hex()}-0123.part"
    part.write_bytes(b"half")
    assert kept.clear().files == 1
    assert sorted(kept.folder.iterdir()) == sorted(strangers)


def test_parts_that_nobody_finishes_are_removed(kept: Store) -> None:
    kept.save(KEY, ENTRY)
    old, new = (kept.folder / f"{KEY.hex()}-{name}.part" for name in ("0", "1"))
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (0.0, time.time() - 7200.0))
    kept.save(OTHER, ENTRY)
    assert not old.exists() and new.exists()


WRITER = """
import os, sys
from pathlib import Path
from knuckle.codegen.entry import Entry
from knuckle.codegen.store import Store
kept = Store(Path(sys.argv[1]))
print("ready", flush=True)
while True:
    for k in range(3):
        kept.save(bytes([k]) * 32, Entry({"k": k}, bytes([k]) * 2_000_000))
"""


@POSIX
def test_killed_writers_leave_whole_files_or_none(kept: Store) -> None:
    """kill -9 at any moment, two writers at once, ten times."""
    source, met = random.Random(4), 0
    for _ in range(5):
        command = [sys.executable, "-c", WRITER, str(kept.folder)]
        writers = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in "ab"]
        for writer in writers:
            assert writer.stdout and writer.stdout.readline() == b"ready\n"
        time.sleep(source.uniform(0.005, 0.05))
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
            writer.communicate()
        for k in range(3):
            found = kept.load(bytes([k]) * 32)
            met += found is not None
            assert found in (None, Entry({"k": k}, bytes([k]) * 2_000_000))
    assert met
    kept.save(KEY, ENTRY)
    assert kept.load(KEY) == ENTRY


def test_where_the_folder_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def folder() -> Path:
        found = store.opened()
        assert found is not None
        return found.folder

    monkeypatch.setenv("KNUCKLE_CACHE", str(tmp_path / "here"))
    assert folder() == tmp_path / "here"
    monkeypatch.chdir(tmp_path)
    for relative in ("here", "~nobody at all/here"):
        monkeypatch.setenv("KNUCKLE_CACHE", relative)
        assert folder() == tmp_path / relative
    for off in ("off", "OFF", " off "):
        monkeypatch.setenv("KNUCKLE_CACHE", off)
        assert store.opened() is None
    monkeypatch.delenv("KNUCKLE_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert folder() == tmp_path / "xdg" / "knuckle"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/ignored")
    assert folder() == tmp_path / ".cache" / "knuckle"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert folder() == tmp_path / "Library" / "Caches" / "knuckle"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert folder() == tmp_path / "local" / "knuckle" / "Cache"


def test_switched_off_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    for before in (None, "/somewhere"):
        if before:
            monkeypatch.setenv("KNUCKLE_CACHE", before)
        else:
            monkeypatch.delenv("KNUCKLE_CACHE")
        with store.switched_off():
            assert store.opened() is None
        assert os.environ.get("KNUCKLE_CACHE") == before


def test_the_digest_of_source_files(tmp_path: Path) -> None:
    """Every name and every character counts, and nothing but Python files does."""
    assert files.digest(tmp_path) is None
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "a.py").write_text("a = 1")
    (tmp_path / "b.py").write_text("b = 2")
    first = files.digest(tmp_path)
    assert first and abs(first.newest - time.time()) < 60.0
    (tmp_path / "notes.txt").write_text("nothing")
    assert files.digest(tmp_path) == first
    contents = {first.content}
    (inner / "a.py").write_text("a = 2")
    contents.add(files.digest(tmp_path).content)  # type: ignore[union-attr]
    (inner / "a.py").rename(inner / "c.py")
    contents.add(files.digest(tmp_path).content)  # type: ignore[union-attr]
    assert len(contents) == 3
