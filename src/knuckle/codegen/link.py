"""From machine code to the address of a function."""

from __future__ import annotations

import ctypes
import functools
import itertools
import re
import threading
from collections.abc import Sequence
from typing import Any

from knuckle.codegen.target import Target, initialise


def symbol(name: str) -> str:
    """What the function of this name is called in machine code: any name is legal."""
    return "knuckle." + re.sub("[^A-Za-z0-9_]", "_", name)


@functools.cache
def _engine(windows: bool) -> Any:
    """LLVM's linker; the older one, which takes twice as long, where the newer one does
    not know all of the format."""
    return initialise().create_lljit_compiler(use_jit_link=not windows)


_linking = threading.Lock()


def imports(target: Target) -> dict[str, str | None]:
    """What machine code may call, and the library that has it (None: the process)."""
    if not target.windows:
        return {"malloc": None, "free": None}
    return {"malloc": "msvcrt", "free": "msvcrt", "__chkstk": "ntdll"}


_number = itertools.count()


def linked(code: bytes, names: Sequence[str], windows: bool = False) -> Any:
    """The addresses of functions in object code that calls nothing, by their names."""
    builder = initialise().JITLibraryBuilder().add_object_img(code)
    for name in names:
        builder.export_symbol(name)
    with _linking:
        return builder.link(_engine(windows), f"knuckle.{next(_number)}")


def load(code: bytes, name: str, target: Target) -> tuple[int, Any]:
    """The address of a function in object code, and what keeps it loaded."""
    name = symbol(name)
    builder = initialise().JITLibraryBuilder().add_object_img(code).export_symbol(name)
    for wanted, home in imports(target).items():
        function = getattr(ctypes.CDLL(home), wanted)
        builder.import_symbol(wanted, ctypes.cast(function, ctypes.c_void_p).value)
    with _linking:
        keeper = builder.link(_engine(target.windows), f"knuckle.{next(_number)}")
    return keeper[name], keeper
