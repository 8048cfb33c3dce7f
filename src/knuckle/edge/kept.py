"""Kernels that an earlier process made: what they are known by, and where from.

Where only the library's own code is involved, a kernel is known by the algorithm, the
options and the content of the model, and nothing is traced. Otherwise it is known by
the canonical hash of its trace, so whatever changes what is computed changes the key.
"""

from __future__ import annotations

import functools
import sys
import time
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from knuckle.codegen import Target, files, store
from knuckle.codegen.target import initialise
from knuckle.edge.signature import Given
from knuckle.edge.tracing import Traced, record_of
from knuckle.model.content import digest
from knuckle.scalar import Program

if TYPE_CHECKING:
    from knuckle.codegen import Kernel
    from knuckle.codegen.entry import Entry


ABOVE = ("cli", "io", "view")
"""Folders of the library that no code can come from: the layers above all others."""


class Made(NamedTuple):
    """A kernel, the named tuple of its results, and how long it took to trace."""

    kernel: Kernel
    record: Any
    trace_seconds: float


class Request(NamedTuple):
    """What decides which kernel it is; `extra` are the time and parameters."""

    algorithm: Any
    model: Any
    given: Given
    extra: tuple[str, ...]
    dtype: str
    target: Target

    def traced(self) -> Traced:
        """The program of the request."""
        return self.algorithm.traced(self.model, self.given, self.extra)

    @property
    def doc(self) -> str:
        return self.algorithm.function.__doc__ or ""


def made(request: Request) -> Made:
    """The kernel of a request: from the store, or traced and compiled for it."""
    kept = store.opened()
    kept = kept if kept and surroundings() else None
    key = _request_key(request) if kept else None
    if kept and key:
        known = _restored(kept.load(key), request)
        if known:
            return known
    started = time.perf_counter()
    traced = request.traced()
    seconds = time.perf_counter() - started
    if kept and not key:
        key = _trace_key(request, traced)
        known = _restored(kept.load(key), request, traced)
        if known:
            return Made(known.kernel, traced.record, seconds)
    kernel = _compiled(request, traced)
    if kept and key and _sources() == _first_sources():
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


@functools.cache
def surroundings() -> str | None:
    """A hash of what every kernel depends on; None where that is not certain.

    It is not where the library has no source files, or where one of them has changed
    since it was imported.
    """
    found = _first_sources()
    if found is None or found.newest > import_module("knuckle")._imported:
        return None
    import llvmlite

    versions = (np.__version__, llvmlite.__version__, initialise().llvm_version_info)
    return digest(found.content, sys.version_info[:2], *versions)


def _sources() -> files.Content | None:
    return files.digest(Path(__file__).parent.parent, ABOVE)


_first_sources = functools.cache(_sources)
"""The library as it was when the first kernel was asked for."""


def _request_key(request: Request) -> bytes | None:
    """The key of a kernel where only the library's own code is involved."""
    algorithm, model = _named(request.algorithm), request.model
    if algorithm is None or not _plain(model):
        return None
    if not all(map(_known, request.given.options.values())):
        return None
    call = request.given.key, request.extra
    return _key("request", request, algorithm, call, model.digest)


def _trace_key(request: Request, traced: Traced) -> bytes:
    """The key of a kernel by what was traced."""
    ends = [
        [(x.name, x.core) for x in side] for side in (traced.inputs, traced.outputs)
    ]
    return _key("trace", request, request.algorithm.__name__, ends, traced.program)


def _key(kind: str, request: Request, *parts: Any) -> bytes:
    return bytes.fromhex(
        digest(kind, surroundings(), request.target, request.dtype, *parts)
    )


def _named(x: Any) -> Any:
    """An algorithm of the library by name, with those that it is made of; else None."""
    form = x.__reduce__()
    if isinstance(form, str):
        module = x.function.__module__
        return (module, form) if _ours(module, form, x) else None
    kind, parts = form
    if not _ours(kind.__module__, kind.__qualname__, kind):
        return None
    inner = [_base(y) if hasattr(y, "derivative") else y for y in parts]
    if any(y is None or not _known(y) for y in inner):
        return None
    return kind.__qualname__, inner


def _base(x: Any) -> Any:
    """As `_named`, with the rules by which it may be differentiated."""
    parts = [_named(x), *(_named(rule) for rule in x.rules.values())]
    return None if None in parts else (parts, list(x.rules))


def _plain(model: Any) -> bool:
    """Are the model and its parts of the library's own types?

    What a user's joint computes is in the model's digest: it was traced when the joint
    was built.
    """
    parts = [model, *model.bodies, *model.frames, *model.loops, *model.couplings]
    parts += [x for body in model.bodies for x in (body.joint, body.rigid)]
    return all(_ours(t.__module__, t.__qualname__, t) for t in {type(x) for x in parts})


def _known(x: Any) -> bool:
    """Is this option content, without code of the user's?"""
    if isinstance(x, tuple | list):
        return all(map(_known, x))
    if x is None or isinstance(x, Program) or type(x) in (str, bool, int, float):
        return True
    kind = type(x)
    if not is_dataclass(x) or not _ours(kind.__module__, kind.__qualname__, kind):
        return False
    return all(_known(getattr(x, f.name)) for f in fields(x))


def _ours(module: str, name: str, x: Any) -> bool:
    """Is this what the library has under that name?"""
    if module.partition(".")[0] != "knuckle":
        return False
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is x


def _written(record: Any) -> list[Any] | None:
    """A named tuple as its place in the library, or as its fields."""
    if record is None:
        return None
    place = record.__module__, record.__qualname__
    if _ours(*place, record):
        return list(place)
    return [None, record.__name__, list(record._fields)]


def _read(written: list[Any] | None) -> Any:
    if written is None:
        return None
    module, name, *names = written
    if names:
        return record_of(name, tuple(names[0]))
    return functools.reduce(getattr, name.split("."), import_module(module))
