"""Kernels that an earlier process made, and their making."""

from __future__ import annotations

import functools
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from knuckle.codegen import store
from knuckle.edge.keys import (
    Request,
    first_sources,
    ours,
    request_key,
    sources,
    surroundings,
    trace_key,
)
from knuckle.edge.tracing import Traced, record_of
from knuckle.scalar import Program

if TYPE_CHECKING:
    from knuckle.codegen import Kernel
    from knuckle.codegen.entry import Entry


class Made(NamedTuple):
    """A kernel, the named tuple of its results, and how long it took to trace."""

    kernel: Kernel
    record: Any
    trace_seconds: float


def made(request: Request) -> Made:
    """The kernel of a request: from the store, or traced and compiled for it."""
    kept = store.opened()
    kept = kept if kept and surroundings() else None
    key = request_key(request) if kept else None
    if kept and key:
        known = _restored(kept.load(key), request)
        if known:
            return known
    started = time.perf_counter()
    traced = request.traced()
    seconds = time.perf_counter() - started
    if kept and not key:
        key = trace_key(request, traced)
        known = _restored(kept.load(key), request, traced)
        if known:
            return Made(known.kernel, traced.record, seconds)
    kernel = _compiled(request, traced)
    if kept and key and sources() == first_sources():
        kept.save(key, kernel.entry.knowing(record=_written(traced.record)))
    return Made(kernel, traced.record, seconds)


def _compiled(request: Request, traced: Traced) -> Kernel:
    from knuckle.codegen import Kernel

    return Kernel(
        request.algorithm.__name__, traced.program, traced.inputs, traced.outputs,
        request.dtype, request.target, request.doc,
    )  # fmt: skip


def _restored(
    entry: Entry | None, request: Request, traced: Traced | None = None
) -> Made | None:
    """What an entry holds; None where there is none or it does not link."""
    if entry is None:
        return None
    from knuckle.codegen import Kernel

    def program() -> Program:
        return (traced or request.traced()).program

    try:
        kernel = Kernel.restored(entry, program, request.target, request.doc)
    except RuntimeError:
        return None
    return Made(kernel, _read(entry.facts["record"]), 0.0)


def _written(record: Any) -> list[Any] | None:
    """A named tuple as its place in the library, or as its fields."""
    if record is None:
        return None
    place = record.__module__, record.__qualname__
    if ours(*place, record):
        return list(place)
    return [None, record.__name__, list(record._fields)]


def _read(written: list[Any] | None) -> Any:
    if written is None:
        return None
    module, name, *names = written
    if names:
        return record_of(name, tuple(names[0]))
    return functools.reduce(getattr, name.split("."), import_module(module))
