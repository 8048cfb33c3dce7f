"""Loops in machine code: functions that run their step on a block of state.

The block holds the counter, or in a loop with a condition whether it goes on; what the
loop carries; what it captures; and the slots of its step.
"""

from __future__ import annotations

import math

from knuckle.codegen.body import Body, chunks
from knuckle.codegen.plan import Plan
from knuckle.codegen.primitive import Shape
from knuckle.codegen.transpose import Names
from knuckle.scalar.loops import AnyLoop, While


def loop_function(loop: AnyLoop, plan: Plan, shape: Shape, body: Body) -> str:
    """The name of a function that runs the loop on its block."""
    name = f"@loop{body.loops}"
    body.loops += 1
    slots = 1 + len(loop.body.inputs) - loop.lead
    parts = chunks(loop.body, plan, shape, body, f"{name[1:]}.step", 1 - loop.lead)
    calls = "\n".join(f"call void {f}(ptr %block, ptr %area, ptr null)" for f in parts)
    run = _until_done if isinstance(loop, While) else _counted
    body.text.append(
        f"define internal void {name}(ptr %block) #0 {{\nentry:\n"
        f"%area = getelementptr i8, ptr %block, i64 {slots * shape.bytes}\n"
        f"{run(loop, calls, shape)}\n}}\n"
    )
    return name


def _counted(loop: AnyLoop, calls: str, shape: Shape) -> str:
    """As many steps as the loop is long; the counter is a vector of numbers."""
    v, align = shape.vector, shape.bytes
    return (
        f"store {v} {shape.literal(0.0)}, ptr %block, align {align}\n"
        f"br label %step\nstep:\n%i = phi i64 [0, %entry], [%next, %step]\n{calls}\n"
        f"%k = load {v}, ptr %block, align {align}\n"
        f"%later = fadd {v} %k, {shape.literal(1.0)}\n"
        f"store {v} %later, ptr %block, align {align}\n"
        f"%next = add i64 %i, 1\n%more = icmp ult i64 %next, {loop.length}\n"
        "br i1 %more, label %step, label %done\ndone:\nret void"
    )


def _until_done(loop: AnyLoop, calls: str, shape: Shape) -> str:
    """Steps until no lane goes on. One step more than allowed tells which lanes are
    done; the others become NaN."""
    v, lanes, zero = shape.vector, shape.lanes, shape.literal(0.0)
    return (
        f"br label %step\nstep:\n%i = phi i64 [0, %entry], [%next, %step]\n{calls}\n"
        f"%going = load {v}, ptr %block, align {shape.bytes}\n"
        f"%on = fcmp ogt {v} %going, {zero}\n"
        f"%bits = bitcast <{lanes} x i1> %on to i{lanes}\n"
        f"%any = icmp ne i{lanes} %bits, 0\n%next = add i64 %i, 1\n"
        f"%left = icmp ule i64 %next, {loop.length}\n%more = and i1 %any, %left\n"
        f"br i1 %more, label %step, label %done\ndone:\n"
        f"%final = fcmp oeq {v} %going, {zero}\n{_spoiled(loop, shape)}\nret void"
    )


def _spoiled(loop: AnyLoop, shape: Shape) -> str:
    """NaN for every carried value in the lanes that are not final."""
    names, v, nan = Names("w"), shape.vector, shape.literal(math.nan)
    for slot in range(1, 1 + loop.carried):
        offset = slot * shape.bytes
        place = names.let(f"getelementptr i8, ptr %block, i64 {offset}")
        x = names.let(f"load {v}, ptr {place}, align {shape.bytes}")
        kept = names.let(f"select <{shape.lanes} x i1> %final, {v} {x}, {v} {nan}")
        names.do(f"store {v} {kept}, ptr {place}, align {shape.bytes}")
    return "\n".join(names.lines)
