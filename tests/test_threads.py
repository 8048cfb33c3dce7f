"""Batches split over threads: the same bits, clear limits, no trouble after a fork."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle.edge import threads

MODEL = mechanisms.chain(3, 5, mixed=True)


@pytest.fixture(autouse=True)
def small_shares(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A few rows are enough for a thread."""
    monkeypatch.setattr(threads, "ENOUGH", 2000)
    before = threads._pool.wanted
    yield
    kn.set_threads(before)


def states(*shape: int) -> tuple[np.ndarray, ...]:
    return mechanisms.state(MODEL, 3, shape)


@pytest.mark.parametrize("shape", [(1,), (7,), (64,), (1001,), (3, 50), (50, 3), (0,)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_bits_do_not_depend_on_the_number(shape: tuple[int, ...], dtype: type) -> None:
    q, v, a = (x.astype(dtype) for x in states(*shape))
    q = np.asfortranarray(q)
    found = []
    for count in (1, 2, 3, 7):
        kn.set_threads(count)
        found.append(kn.inverse_dynamics(MODEL, q, v[..., ::1], a[:1], passive=False))
    assert all(x.tobytes() == found[0].tobytes() for x in found)
    assert found[0].dtype == dtype


def test_casts_broadcasts_and_several_results() -> None:
    q, v, a = states(40)
    single = kn.set_threads(1) or kn.jacobian(kn.inverse_dynamics, ("q", "v"))(
        MODEL, q[:, None], v.astype(np.float32), a[0]
    )
    kn.set_threads(3)
    several = kn.jacobian(kn.inverse_dynamics, ("q", "v"))(
        MODEL, q[:, None], v.astype(np.float32), a[0]
    )
    for one, other in zip(single, several, strict=True):
        assert one.shape[:2] == (40, 40) and np.array_equal(one, other)


def test_work_is_really_split(monkeypatch: pytest.MonkeyPatch) -> None:
    parts: list[int] = []
    run = threads.run
    monkeypatch.setattr(
        threads, "run", lambda task, p: run(task, parts.append(len(q := list(p))) or q)
    )
    kn.set_threads(4)
    kn.inverse_dynamics(MODEL, *states(1000))
    assert parts == [4]


def test_what_overlaps_runs_on_one_thread() -> None:
    q, v, a = states(300)
    expected = kn.inverse_dynamics(MODEL, q, v, a)
    kn.set_threads(3)
    block = np.concatenate([a, np.zeros_like(a)])
    out = block[150:450]  # what is written first is read later, if rows are split
    got = kn.inverse_dynamics(MODEL, q, v, block[:300], out=out)
    assert np.array_equal(got, expected)
    assert np.array_equal(kn.inverse_dynamics(MODEL, q, v, a, out=a), expected)


def test_callers_in_many_threads_share_the_workers() -> None:
    q, v, a = states(500)
    kn.set_threads(3)
    expected = kn.inverse_dynamics(MODEL, q, v, a)
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(kn.inverse_dynamics, MODEL, q, v, a) for _ in range(40)]
    assert all(np.array_equal(job.result(), expected) for job in jobs)


def _child(queue: multiprocessing.Queue) -> None:  # type: ignore[type-arg]
    queue.put(kn.inverse_dynamics(MODEL, *states(500)).tobytes())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own() -> None:
    kn.set_threads(3)
    expected = kn.inverse_dynamics(MODEL, *states(500)).tobytes()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == expected
    child.join(60)
    assert child.exitcode == 0


@pytest.mark.parametrize("count", [0, -1, 2.0, True, "2", 5000])
def test_bad_counts(count: object) -> None:
    with pytest.raises(ValueError, match="whole number from 1 to 1024, got"):
        kn.set_threads(count)  # type: ignore[arg-type]


def test_the_default_respects_limits(
    monkeypatch: pytest.MonkeyPatch, tmp_path: os.PathLike[str]
) -> None:
    for name in threads.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    quota = tmp_path / "cpu.max"  # type: ignore[operator]
    monkeypatch.setattr(threads, "QUOTA", quota)
    cores = threads.available()
    assert cores >= 1
    quota.write_text("50000 100000\n")
    assert threads.available() == 1
    quota.write_text("max 100000\n")
    assert threads.available() == cores
    monkeypatch.setenv("OMP_NUM_THREADS", "3,2")
    assert threads.available() == 3
    monkeypatch.setenv("KNUCKLE_NUM_THREADS", "none")
    with pytest.warns(RuntimeWarning, match="KNUCKLE_NUM_THREADS='none'"):
        threads.available()
