"""Large batches on several cores: rows are split, the bits are those of one thread."""

from __future__ import annotations

import math
import os
import threading
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

T = TypeVar("T")
MOST = 1024
"""More threads than this are a mistake."""
ENOUGH = 2_000_000
"""Operations on rows that are worth a thread: some 60 microseconds."""
WAKING = 1_200_000
"""Operations in the time that a thread takes to wake."""
VARIABLES = ("KNUCKLE_NUM_THREADS", "OMP_NUM_THREADS")
QUOTA = Path("/sys/fs/cgroup/cpu.max")


class _Pool:
    """The threads beside the caller's, made when first needed."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.wanted: int | None = None
        self.workers: ThreadPoolExecutor | None = None
        self.size = 0

    def executor(self, count: int) -> ThreadPoolExecutor:
        """Workers for so many parts at once; there are never fewer than before."""
        from concurrent.futures import ThreadPoolExecutor

        with self.lock:
            if self.workers is None or self.size < count:
                self.workers = ThreadPoolExecutor(count, "knuckle")
                self.size = count
            return self.workers


_pool = _Pool()


def _after_fork() -> None:
    """A child has none of its parent's threads."""
    global _pool
    wanted, _pool = _pool.wanted, _Pool()
    _pool.wanted = wanted


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def set_threads(count: int | None = None) -> None:
    """How many threads a large batch may use; None stands for all cores.

    All cores are those that the process may run on, within the quota of its container
    and KNUCKLE_NUM_THREADS or OMP_NUM_THREADS. Results have the same bits for any
    number.
    """
    whole = isinstance(count, int) and not isinstance(count, bool)
    if count is not None and not (whole and 1 <= count <= MOST):
        raise ValueError(
            f"set_threads: expected None or a whole number from 1 to {MOST}, got "
            f"{count!r}"
        )
    _pool.wanted = count


def threads() -> int:
    """How many threads a large batch uses."""
    if _pool.wanted is None:
        _pool.wanted = available()
    return _pool.wanted


def available() -> int:
    """The cores that this process may keep busy."""
    for variable in VARIABLES:
        text = os.environ.get(variable, "").split(",")[0].strip()
        if text.isdigit() and 1 <= int(text) <= MOST:
            return int(text)
        if text:
            warnings.warn(
                f"{variable}={text!r}: expected a whole number from 1, ignored",
                RuntimeWarning,
                stacklevel=2,
            )
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(1, min(cores, _quota(), MOST))


def _quota() -> int:
    """The whole cores that the container grants, rounded up."""
    try:
        quota, period = QUOTA.read_text().split()
        return math.ceil(int(quota) / int(period))
    except (OSError, ValueError):  # no such file, or "max"
        return MOST


def shares(rows: int, work: int) -> int:
    """Into how many parts so many rows of `work` operations each are split."""
    if rows * work < 2 * ENOUGH:
        return 1
    return max(1, min(threads(), rows * work // ENOUGH, rows))


def run(task: Callable[[T], object], parts: Iterable[T]) -> None:
    """task(part) for every part at once, the last one by the caller."""
    first: Sequence[T]
    *first, last = parts
    if not first:
        task(last)
        return
    waiting = [_pool.executor(len(first)).submit(task, part) for part in first]
    try:
        task(last)
    finally:
        for future in waiting:
            future.result()
