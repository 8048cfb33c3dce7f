"""The symbolic scalar: nodes, rules, programs, derivatives, loops."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from knuckle.scalar.derive import tangents
from knuckle.scalar.functions import (
    absolute,
    acos,
    asin,
    atan,
    atan2,
    cos,
    exp,
    floor,
    hypot,
    log,
    maximum,
    minimum,
    sign,
    sin,
    sinc,
    sqrt,
    stumpff,
    tan,
    tanh,
    where,
)
from knuckle.scalar.fuse import fuse
from knuckle.scalar.node import Number, Scalar, Trace, TraceError
from knuckle.scalar.program import Program
from knuckle.scalar.rules import reciprocal
from knuckle.scalar.verify import verify

if TYPE_CHECKING:
    from knuckle.scalar.loops import repeat, scan, while_loop
    from knuckle.scalar.tables import lookup

LATER = {"repeat": "loops", "scan": "loops", "while_loop": "loops", "lookup": "tables"}
"""Imported when first asked for, so that `import knuckle` stays quick."""

__all__ = [
    "Number",
    "Program",
    "Scalar",
    "Trace",
    "TraceError",
    "absolute",
    "acos",
    "asin",
    "atan",
    "atan2",
    "cos",
    "exp",
    "floor",
    "fuse",
    "hypot",
    "log",
    "lookup",
    "maximum",
    "minimum",
    "reciprocal",
    "repeat",
    "scan",
    "sign",
    "sin",
    "sinc",
    "sqrt",
    "stumpff",
    "tan",
    "tangents",
    "tanh",
    "verify",
    "where",
    "while_loop",
]


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{LATER[name]}"), name)
