"""The symbolic scalar: nodes, rules, programs, derivatives, loops."""

from knuckle.scalar.derive import tangents
from knuckle.scalar.functions import (
    absolute,
    acos,
    asin,
    atan2,
    cos,
    exp,
    floor,
    log,
    maximum,
    minimum,
    sin,
    sinc,
    sqrt,
    stumpff,
    tan,
    tanh,
    where,
)
from knuckle.scalar.fuse import fuse
from knuckle.scalar.loops import scan
from knuckle.scalar.node import Number, Scalar, Trace, TraceError
from knuckle.scalar.program import Program, verify
from knuckle.scalar.rules import reciprocal

__all__ = [
    "Number",
    "Program",
    "Scalar",
    "Trace",
    "TraceError",
    "absolute",
    "acos",
    "asin",
    "atan2",
    "cos",
    "exp",
    "floor",
    "fuse",
    "log",
    "maximum",
    "minimum",
    "reciprocal",
    "scan",
    "sin",
    "sinc",
    "sqrt",
    "stumpff",
    "tan",
    "tangents",
    "tanh",
    "verify",
    "where",
]
