"""Vectors of lanes, and each primitive on them as LLVM IR text."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

from knuckle.codegen.transpose import Names

_COMPARE = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}
_BINARY = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_ROUTINES = (
    "sin", "cos", "tan", "asin", "acos", "atan2",
    "exp", "log", "tanh", "min", "max",
)  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """How values look: lanes of a scalar type."""

    lanes: int
    scalar: str

    @property
    def vector(self) -> str:
        return f"<{self.lanes} x {self.scalar}>"

    @property
    def suffix(self) -> str:
        """How intrinsics name the type: v8f64."""
        return f"v{self.lanes}f{64 if self.scalar == 'double' else 32}"

    @property
    def bytes(self) -> int:
        return self.lanes * (8 if self.scalar == "double" else 4)

    def literal(self, value: float) -> str:
        if self.scalar == "float":
            value = to_single(value)
        (bits,) = struct.unpack("Q", struct.pack("d", value))
        return f"splat ({self.scalar} 0x{bits:016X})"


def to_single(value: float) -> float:
    """The constant as the nearest float32 keeps it; what overflows becomes infinite."""
    try:
        (single,) = struct.unpack("f", struct.pack("f", value))
    except OverflowError:
        return math.copysign(math.inf, value)
    return float(single)


def instruction(
    op: str,
    value: object,
    operands: list[str],
    shape: Shape,
    names: Names,
    routines: set[str],
) -> str:
    """One primitive on vectors; `routines` collects the @kn functions that it calls."""
    v, suffix = shape.vector, shape.suffix
    if op in _BINARY:
        return names.let(f"{_BINARY[op]} {v} {operands[0]}, {operands[1]}")
    if op in ("fma", "fms", "fnma"):
        flipped = {"fms": 2, "fnma": 0}.get(op)
        if flipped is not None:
            operands[flipped] = names.let(f"fneg {v} {operands[flipped]}")
        arguments = ", ".join(f"{v} {x}" for x in operands)
        return names.let(f"call {v} @llvm.fma.{suffix}({arguments})")
    if op == "rcp":
        return names.let(f"fdiv {v} {shape.literal(1.0)}, {operands[0]}")
    if op == "neg":
        return names.let(f"fneg {v} {operands[0]}")
    if op in ("sqrt", "abs"):
        name = {"sqrt": "sqrt", "abs": "fabs"}[op]
        return names.let(f"call {v} @llvm.{name}.{suffix}({v} {operands[0]})")
    if op in _COMPARE:
        return names.let(f"fcmp {_COMPARE[op]} {v} {operands[0]}, {operands[1]}")
    condition = f"<{shape.lanes} x i1>"
    if op in ("and", "or"):
        return names.let(f"{op} {condition} {operands[0]}, {operands[1]}")
    if op == "not":
        return names.let(f"xor {condition} {operands[0]}, splat (i1 true)")
    if op == "where":
        a, b, c = operands
        return names.let(f"select {condition} {a}, {v} {b}, {v} {c}")
    if op == "floor":
        return _floor(operands[0], shape, names)
    if op == "stumpff" and value == 0:
        return _cosine_of_root(operands[0], shape, names, routines)
    routine = f"stumpff{value}" if op == "stumpff" else op
    if op != "stumpff" and op not in _ROUTINES:
        raise ValueError(f"the CPU has no row for the primitive {op!r}")
    return _call(routine, operands, shape, names, routines)


def _call(
    routine: str, operands: list[str], shape: Shape, names: Names, routines: set[str]
) -> str:
    routines.add(routine)
    arguments = ", ".join(f"{shape.vector} {x}" for x in operands)
    return names.let(f"call {shape.vector} @kn.{routine}({arguments})")


def _floor(x: str, shape: Shape, names: Names) -> str:
    """The whole number below: one instruction, or on 128-bit x86 rounding by a large
    number, which takes the fraction's bits away."""
    v, suffix = shape.vector, shape.suffix
    if shape.bytes > 16:
        return names.let(f"call {v} @llvm.floor.{suffix}({v} {x})")
    large = shape.literal(2.0**52 if shape.scalar == "double" else 2.0**23)
    size = names.let(f"call {v} @llvm.fabs.{suffix}({v} {x})")
    up = names.let(f"fadd {v} {size}, {large}")
    near = names.let(f"fsub {v} {up}, {large}")
    near = names.let(f"call {v} @llvm.copysign.{suffix}({v} {near}, {v} {x})")
    above = names.let(f"fcmp ogt {v} {near}, {x}")
    less = names.let(f"fsub {v} {near}, {shape.literal(1.0)}")
    whole = names.let(f"select <{shape.lanes} x i1> {above}, {v} {less}, {v} {near}")
    small = names.let(f"fcmp olt {v} {size}, {large}")
    return names.let(f"select <{shape.lanes} x i1> {small}, {v} {whole}, {v} {x}")


def _cosine_of_root(t: str, shape: Shape, names: Names, routines: set[str]) -> str:
    """c_0(t) = cos sqrt t, and 1 - t c_2(t), which cancels nothing, below zero."""
    v, one = shape.vector, shape.literal(1.0)
    below = names.let(f"fcmp olt {v} {t}, {shape.literal(0.0)}")
    zero = shape.literal(0.0)
    clipped = names.let(f"select <{shape.lanes} x i1> {below}, {v} {zero}, {v} {t}")
    root = names.let(f"call {v} @llvm.sqrt.{shape.suffix}({v} {clipped})")
    cosine = _call("cos", [root], shape, names, routines)
    second = _call("stumpff2", [t], shape, names, routines)
    product = names.let(f"fmul {v} {t}, {second}")
    series = names.let(f"fsub {v} {one}, {product}")
    return names.let(f"select <{shape.lanes} x i1> {below}, {v} {series}, {v} {cosine}")
