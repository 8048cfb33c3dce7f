"""What a kernel is known by.

Where only the library's own code is involved, that is the algorithm, the options and
the content of the model, and nothing is traced. Otherwise it is the canonical hash of
the trace, so whatever changes what is computed changes the key.
"""

from __future__ import annotations

import functools
import sys
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from knuckle.codegen import Target, files
from knuckle.codegen.target import initialise
from knuckle.edge.signature import Given
from knuckle.edge.tracing import Traced
from knuckle.model.content import digest
from knuckle.scalar import Program

ABOVE = ("cli", "io", "view")
"""Folders of the library that no code can come from: the layers above all others."""


class Request(NamedTuple):
    """What decides which kernel it is; `extra` are the time and parameters."""

    algorithm: Any
    model: Any
    given: Given
    extra: tuple[str, ...]
    dtype: str
    target: Target
    rolled: bool | None = None

    def traced(self) -> Traced:
        """The program of the request: rolled or straight, as asked for; else rolled
        where steps are alike. Results that are all zero take no step."""
        algorithm, given = self.algorithm, (self.model, self.given, self.extra)
        if self.rolled or (self.rolled is None and algorithm.rolls(self.model)):
            found: Traced = algorithm.rolled(*given)
            if found.program.kinds and (self.rolled or found.program.repeats):
                return found
        return algorithm.traced(*given)  # type: ignore[no-any-return]

    @property
    def doc(self) -> str:
        """What the kernel's ufunc says of itself."""
        return self.algorithm.function.__doc__ or ""


@functools.cache
def surroundings() -> str | None:
    """A hash of what every kernel depends on; None where that is not certain.

    It is not where the library has no source files, or where one of them has changed
    since it was imported.
    """
    found = first_sources()
    if found is None or found.newest > import_module("knuckle")._imported:
        return None
    import llvmlite

    versions = (np.__version__, llvmlite.__version__, initialise().llvm_version_info)
    return digest(found.content, sys.version_info[:2], *versions)


def sources() -> files.Content | None:
    """The library's files as they are now."""
    return files.digest(Path(__file__).parent.parent, ABOVE)


first_sources = functools.cache(sources)
"""The library as it was when the first kernel was asked for."""


def request_key(request: Request) -> bytes | None:
    """The key of a kernel where only the library's own code is involved."""
    algorithm, model = _named(request.algorithm), request.model
    if algorithm is None or not _plain(model):
        return None
    if not all(map(_known, request.given.options.values())):
        return None
    call = request.given.key, request.extra, request.rolled
    return _key("request", request, algorithm, call, model.digest)


def trace_key(request: Request, traced: Traced) -> bytes:
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
        return (module, form) if ours(module, form, x) else None
    kind, parts = form
    if not ours(kind.__module__, kind.__qualname__, kind):
        return None
    inner = [_base(y) if hasattr(y, "derivative") else y for y in parts]
    if any(y is None or not _known(y) for y in inner):
        return None
    return kind.__qualname__, inner


def _base(x: Any) -> Any:
    """As `_named`, with the rules by which it may be differentiated."""
    second = [rule for rule, _ in x.second_rules.values()]
    parts = [_named(rule) for rule in (x, *x.rules.values(), *second)]
    return None if None in parts else (parts, list(x.rules), list(x.second_rules))


def _plain(model: Any) -> bool:
    """Are the model and its parts of the library's own types?

    What a user's joint computes is in the model's digest: it was traced when the joint
    was built.
    """
    parts = [model, *model.bodies, *model.frames, *model.loops, *model.couplings]
    parts += [x for body in model.bodies for x in (body.joint, body.rigid)]
    return all(ours(t.__module__, t.__qualname__, t) for t in {type(x) for x in parts})


def _known(x: Any) -> bool:
    """Is this option content, without code of the user's?"""
    if isinstance(x, tuple | list):
        return all(map(_known, x))
    if x is None or isinstance(x, Program) or type(x) in (str, bool, int, float):
        return True
    kind = type(x)
    if not is_dataclass(x) or not ours(kind.__module__, kind.__qualname__, kind):
        return False
    return all(_known(getattr(x, f.name)) for f in fields(x))


def ours(module: str, name: str, x: Any) -> bool:
    """Is this what the library has under that name?"""
    if module.partition(".")[0] != "knuckle":
        return False
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is x
