"""The symbolic scalar: nodes, rules, programs, derivatives, loops."""

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
from knuckle.scalar.loops import repeat, scan, while_loop
from knuckle.scalar.node import Number, Scalar, Trace, TraceError
from knuckle.scalar.program import Program
from knuckle.scalar.rules import reciprocal
from knuckle.scalar.tables import lookup
from knuckle.scalar.verify import verify

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
