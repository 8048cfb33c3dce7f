"""What drives the joints in `knuckle simulate`: a servo, or a user's script."""

from __future__ import annotations

import argparse
import importlib.util
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from knuckle.cli.errors import UserError

if TYPE_CHECKING:
    from knuckle.model import Model

Controller = Callable[[Any, Any, Any], Any]


def pair(text: str) -> tuple[float, float]:
    """'200,20' as two numbers from 0."""
    try:
        stiffness, damping = (float(x) for x in text.split(","))
    except ValueError:
        stiffness = damping = -1.0
    if not (0.0 <= stiffness < np.inf and 0.0 <= damping < np.inf):
        raise argparse.ArgumentTypeError(
            f"expected two numbers from 0, such as 200,20, got {text!r}"
        )
    return stiffness, damping


def proportional(
    model: Model, stiffness: float, damping: float, target: np.ndarray
) -> Controller:
    """tau = kp difference(q, target) - kd v on what is actuated [N m, N]."""
    goals = [tuple(target[placed.q].tolist()) for placed in model.joints]
    actuated = model.actuated

    def servo(q: Any, v: Any, t: Any) -> Any:
        tau = [0.0 * x for x in v]
        for placed, goal in zip(model.joints, goals, strict=True):
            here = tuple(q[placed.q])
            ways = placed.joint.difference(here, goal) if placed.joint.nv else ()
            for k, way in zip(range(placed.v.start, placed.v.stop), ways, strict=True):
                if actuated[k]:
                    tau[k] = stiffness * way - damping * v[k]
        return tau

    return servo


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
