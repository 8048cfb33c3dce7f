"""Vectorised elementary functions within 2 ulp, as LLVM IR text."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from . import explog, inverse, order, payne_hanek, reduction, stumpff, trig
from .emit import Formula, Module
from .formats import FORMATS
from .tables import STUMPFF_LIMIT

FORMULAS: dict[str, tuple[int, Formula]] = {
    "sin": (1, trig.sin),
    "cos": (1, trig.cos),
    "sincos": (1, trig.sincos),
    "tan": (1, trig.tan),
    "asin": (1, inverse.asin),
    "acos": (1, inverse.acos),
    "atan2": (2, inverse.atan2),
    "exp": (1, explog.exp),
    "log": (1, explog.log),
    "tanh": (1, explog.tanh),
    "min": (2, order.minimum),
    "max": (2, order.maximum),
    **{f"stumpff{k}": (1, stumpff.series(k)) for k in STUMPFF_LIMIT},
}
INTERNAL: dict[str, tuple[int, Formula]] = {
    "reduce.single": (1, reduction.long_single),
    **{f"stumpff{k}.far": (1, stumpff.recursion(k)) for k in STUMPFF_LIMIT},
}
TEXTS: dict[str, Callable[[Module], str]] = {"reduce.pair": payne_hanek.text}


def library(names: Iterable[str], lanes: int, dtype: str, fma: bool) -> str:
    """LLVM IR text that defines @kn.NAME for every name, and what they call, once.

    A lane's result depends on that lane alone: its bits are the same for any number
    of lanes. With fma=False nothing needs a fused multiply-add.
    """
    if dtype not in FORMATS:
        raise ValueError(f"dtype: expected 'double' or 'float', got {dtype!r}")
    module = Module(lanes, FORMATS[dtype], fma, FORMULAS | INTERNAL, TEXTS)
    for name in names:
        if name not in FORMULAS:
            raise ValueError(
                f"elementary function {name!r} is unknown; there are "
                f"{', '.join(FORMULAS)}"
            )
        module.require(name)
    return module.text()
