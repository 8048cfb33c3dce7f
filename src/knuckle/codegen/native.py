"""From a program to LLVM IR text, and from that to machine code or its text."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from knuckle.codegen import rolled, tables
from knuckle.codegen.body import compute
from knuckle.codegen.link import symbol
from knuckle.codegen.loop import gufunc_loop
from knuckle.codegen.operand import Operand
from knuckle.codegen.primitive import Shape
from knuckle.codegen.target import Target, initialise
from knuckle.codegen.vecmath import library
from knuckle.scalar.passes import finished
from knuckle.scalar.program import Program
from knuckle.scalar.rolled import RolledProgram


def ir(
    name: str,
    program: Program,
    inputs: Sequence[Operand],
    outputs: Sequence[Operand],
    dtype: str,
    target: Target,
) -> tuple[str, bytes]:
    """The module of one kernel, of a program as it was traced."""
    final = finished(program, target.fma)
    return module(name, final, inputs, outputs, dtype, target)


def module(
    name: str,
    final: Program | RolledProgram,
    inputs: Sequence[Operand],
    outputs: Sequence[Operand],
    dtype: str,
    target: Target,
) -> tuple[str, bytes]:
    """The module of one kernel, of a finished program: routines, chunks, packing and
    the gufunc's loop, which is called `symbol(name)`; and the table that it reads."""
    scalar = "double" if dtype == "float64" else "float"
    shape = Shape(target.lanes(dtype), scalar)
    if isinstance(final, RolledProgram):
        body = rolled.compute(final, inputs, outputs, shape)
    else:
        body = compute(final, [x.size for x in outputs], shape)
    loop = gufunc_loop(symbol(name), inputs, outputs, body, shape, target)
    math = library(sorted(body.routines), shape.lanes, scalar, target.fma)
    head = f'target triple = "{target.triple}"\n'
    parts = [head, _declared(shape, target, math), math, loop, _attributes(shape)]
    return "\n".join(parts), body.data


def _declared(shape: Shape, target: Target, math: str) -> str:
    v, suffix = shape.vector, shape.suffix
    lines = [
        f"declare {v} @llvm.fma.{suffix}({v}, {v}, {v})",
        f"declare {v} @llvm.sqrt.{suffix}({v})",
        f"declare {v} @llvm.fabs.{suffix}({v})",
        f"declare {v} @llvm.floor.{suffix}({v})",
        f"declare {v} @llvm.copysign.{suffix}({v}, {v})",
        tables.declaration(shape),
        "declare i64 @llvm.umin.i64(i64, i64)",
        "declare ptr @malloc(i64)",
        "declare void @free(ptr)",
        "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
    ]
    if target.x86:
        lines += [
            "declare void @llvm.x86.sse.stmxcsr(ptr)",
            "declare void @llvm.x86.sse.ldmxcsr(ptr)",
        ]
    else:
        for register in ("fpcr", "fpsr"):
            lines.append(f"declare i64 @llvm.aarch64.get.{register}()")
            lines.append(f"declare void @llvm.aarch64.set.{register}(i64)")
    if target.windows:
        lines.append(
            "@_fltused = global i32 0"
        )  # every object with floats refers to it
    return "\n".join(line for line in lines if line not in math)


def _attributes(shape: Shape) -> str:
    width = shape.bytes * 8
    return (
        f'attributes #0 = {{ nounwind "prefer-vector-width"="{width}" '
        f'"min-legal-vector-width"="{width}" }}\n'
    )


LONG = 800_000
"""Characters of a module, some 4000 operations, from which our order is final."""


def assemble(text: str, target: Target) -> bytes:
    """Object code of a module."""
    return _emitted(text, target, "emit_object")  # type: ignore[no-any-return]


def assembly(text: str, target: Target) -> str:
    """Assembler text of a module."""
    return _emitted(text, target, "emit_assembly")  # type: ignore[no-any-return]


def _emitted(text: str, target: Target, kind: str) -> Any:
    llvm = initialise()
    module = llvm.parse_assembly(text)
    with _as_ordered(llvm) if len(text) > LONG else nullcontext():
        return getattr(target.machine(), kind)(module)


_ordering = threading.Lock()


@contextmanager
def _as_ordered(llvm: Any) -> Iterator[None]:
    """Without LLVM's own scheduling, whose time grows and whose gain does not.

    The option is one of the process: others that compile meanwhile get it too.
    """
    with _ordering:
        llvm.set_option("knuckle", "-enable-misched=false")
        try:
            yield
        finally:
            llvm.set_option("knuckle", "-enable-misched=true")
