"""What drives the joints in `knuckle simulate`: a user's script."""

from __future__ import annotations

import importlib.util
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from knuckle.cli.errors import UserError

Controller = Callable[[Any, Any, Any], Any]


def script(text: str) -> Controller:
    """The function of 'file.py:function'."""
    path, mark, name = text.rpartition(":")
    if not mark or not path.endswith(".py") or not name.isidentifier():
        raise UserError(f"--controller: expected FILE.py:FUNCTION, got {text!r}")
    if not Path(path).is_file():
        raise UserError(f"--controller: no file {path!r}")
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    assert spec is not None and spec.loader is not None  # it ends in .py
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UserError(_told(error, path)) from error
    function = getattr(module, name, None)
    if not callable(function):
        known = [n for n, x in vars(module).items()
                 if getattr(x, "__module__", "") == module.__name__]  # fmt: skip
        there = ", ".join(known) or "no function"
        raise UserError(
            f"--controller: {path} has no function {name!r}; it has {there}"
        )
    return function  # type: ignore[no-any-return]


@contextmanager
def sources(controller: Any) -> Iterator[None]:
    """Tells an error that comes from inside a user's controller by its line there."""
    code = getattr(controller, "__code__", None)
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        path = code.co_filename if code else ""
        if path.startswith(str(Path(__file__).parent)) or not _line(error, path):
            raise
        raise UserError(_told(error, path)) from error


def _told(error: Exception, path: str) -> str:
    line = getattr(error, "lineno", None) or _line(error, path) or "?"
    return f"{path}:{line}: {type(error).__name__}: {error}"


def _line(error: BaseException, path: str) -> int | None:
    """The last line of the file that was running when the error was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f.lineno for f in frames if path and Path(f.filename) == Path(path)]
    return lines[-1] if lines else None
