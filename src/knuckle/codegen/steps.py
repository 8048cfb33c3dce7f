"""Loops in machine code: a function that runs the step over a block of state."""

from __future__ import annotations

import math

from knuckle.codegen.body import Body, Chunk
from knuckle.codegen.plan import Plan, pairs
from knuckle.codegen.primitive import Shape
from knuckle.scalar.loops import AnyLoop, While


def loop_function(loop: AnyLoop, shape: Shape, body: Body) -> str:
    """A loop as a function over its block of state: carried values, then captured
    ones."""
    number = len(body.text)
    name = f"@loop{number}"
    body.text.append("")
    inner = Step(loop, shape, body)
    outputs = [inner.value(k) for k in inner.evaluate()]
    begin = (
        f"define internal void {name}(ptr noalias %state) #0 {{\nentry:\n"
        f"%area = alloca [{max(1, inner.extra)} x {shape.vector}], "
        f"align {shape.bytes}\nbr label %step\n"
    )
    steps = _while_steps if isinstance(loop, While) else _scan_steps
    body.text[number] = begin + "\n".join(steps(loop.length, inner, outputs)) + "\n}\n"
    return name


def _scan_steps(length: int, inner: Step, outputs: list[str]) -> list[str]:
    v, shape = inner.shape.vector, inner.shape
    head = [
        "step:",
        "%i = phi i64 [0, %entry], [%next, %step]",
        f"%k = phi {v} [{shape.literal(0.0)}, %entry], [%knext, %step]",
    ]
    for slot, value in enumerate(outputs):
        inner.put(value, "%state", slot)
    tail = [
        f"%knext = fadd {v} %k, {shape.literal(1.0)}",
        "%next = add i64 %i, 1",
        f"%more = icmp ult i64 %next, {length}",
        "br i1 %more, label %step, label %done",
        "done:",
        "ret void",
    ]
    return [*head, *inner.names.lines, *tail]


def _while_steps(length: int, inner: Step, outputs: list[str]) -> list[str]:
    """Lanes that are done keep their values; the loop ends when all are, or at once
    after its last step."""
    *outputs, going = outputs
    v, lanes, names = inner.shape.vector, inner.shape.lanes, inner.names
    head = ["step:", "%i = phi i64 [0, %entry], [%next, %go]"]
    olds = [inner.load("%state", slot) for slot in range(len(outputs))]
    names.do(f"%on = fcmp ogt {v} {going}, {inner.shape.literal(0.0)}")
    names.do(f"%bits = bitcast <{lanes} x i1> %on to i{lanes}")
    names.do(f"%any = icmp ne i{lanes} %bits, 0")
    names.do(f"%left = icmp ult i64 %i, {length}")
    names.do("%more = and i1 %any, %left")
    names.do("br i1 %more, label %go, label %stop\ngo:\n%next = add i64 %i, 1")
    for slot, (new, old) in enumerate(zip(outputs, olds, strict=True)):
        kept = names.let(f"select <{lanes} x i1> %on, {v} {new}, {v} {old}")
        inner.put(kept, "%state", slot)
    names.do(
        f"br label %step\nstop:\n%final = fcmp oeq {v} {going}, "
        f"{inner.shape.literal(0.0)}"
    )
    nan = inner.shape.literal(math.nan)
    for slot, old in enumerate(olds):
        kept = names.let(f"select <{lanes} x i1> %final, {v} {old}, {v} {nan}")
        inner.put(kept, "%state", slot)
    return [*head, *names.lines, "ret void"]


class Step(Chunk):
    """The step of a loop: inputs are k, then the slots of the block of state."""

    area = "%area"

    def __init__(self, loop: AnyLoop, shape: Shape, body: Body) -> None:
        program = loop.body
        plan = Plan([], {}, {}, 0, (), pairs(program), [])
        super().__init__(program, shape, plan, body)
        self.plan.home.update({k: 0 for k in range(len(program.ops))})
        self.extra, self.lead = 0, loop.lead

    def evaluate(self) -> tuple[int, ...]:
        for k, op in enumerate(self.program.ops):
            if op not in ("input", "const") and k not in self.known:
                self.define(k)
        return self.program.outputs

    def fetched(self, k: int) -> str:
        if self.program.ops[k] == "input":
            place = self.tile[self.program.values[k]] - self.lead
            return "%k" if place < 0 else self.load("%state", place)
        return super().fetched(k)

    def reserve(self, k: int, size: int) -> int:
        self.plan.slot[k] = base = self.extra
        self.extra += size
        return base
