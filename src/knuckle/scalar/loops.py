"""Structured control flow: a loop is one node with a program as its body."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from knuckle.scalar.bodies import Step, any_scalar, innermost, items, step_of, traced
from knuckle.scalar.choice import compare, logic, select
from knuckle.scalar.node import CONDITIONS, Number, Scalar, Trace, TraceError
from knuckle.scalar.program import STATIC, Program


@dataclass(frozen=True)
class Loop:
    """What a scan node carries: body(k, *carried, *captured) -> carried, `length`
    times."""

    body: Program
    carried: int
    length: int

    op: ClassVar[str] = "scan"
    lead: ClassVar[int] = 1
    """Inputs of the body before the carried values: the index k."""
    tail: ClassVar[int] = 0
    """Results of the body after the carried values."""

    def digest(self) -> str:
        """A hash of what the loop computes."""
        return f"{self.body.digest()} {self.carried} {self.length}"

    def span(self) -> str:
        """How long it runs, to read."""
        return f"for {self.length} steps"

    def run(self, *args: Number) -> tuple[Number, ...]:
        """The carried values after the last step, on numbers of any kind."""
        carry, captured = args[: self.carried], args[self.carried :]
        for k in range(self.length):
            carry = self.body(float(k), *carry, *captured)
        return carry


@dataclass(frozen=True)
class While:
    """What a while node carries: body(*carried, *captured) -> (*carried, going).

    `going` is 1.0 where another step follows, 0.0 where the values are final and NaN
    where the condition compared a NaN. It depends on the carried values alone, so a
    lane that stands still stays finished.
    """

    body: Program
    carried: int
    length: int
    fixed_point: bool = False

    op: ClassVar[str] = "while"
    lead: ClassVar[int] = 0
    tail: ClassVar[int] = 1

    def digest(self) -> str:
        """A hash of what the loop computes."""
        return f"{self.body.digest()} {self.carried} {self.length} {self.fixed_point}"

    def span(self) -> str:
        """How long it runs, to read."""
        return f"while going, at most {self.length} steps"

    @cached_property
    def going(self) -> Program:
        """The last result of the body alone, which may be safe where a step is not."""
        trace = Trace()
        inputs = [trace.input(name) for name in self.body.inputs]
        return Program.of(self.body(*inputs)[-1:], self.body.inputs)

    def run(self, *args: Number) -> tuple[Number, ...]:
        """The final values; NaN where the last step allowed was not the last needed."""
        carry, captured = args[: self.carried], args[self.carried :]
        for _ in range(self.length):
            if self.going(*carry, *captured)[0] != 1.0:
                break
            carry = self.body(*carry, *captured)[:-1]
        done = self.going(*carry, *captured)[0] == 0.0
        return carry if done else (math.nan,) * self.carried


AnyLoop = Loop | While


def scan(body: Step, init: Sequence[Number], length: int) -> tuple[Number, ...]:
    """carry_{k+1} = body(k, *carry_k) for k = 0 ... length - 1, from carry_0 = init.

    The body is traced once and runs as a loop; it may use any value of the outer trace.
    The trap: `k` is a number, not an index of Python containers.
    """
    _check_bound("scan", "length", length)
    numbers = _scan_numbers(body, tuple(init), length)
    if numbers is not None:
        return numbers
    made = traced("scan", body, ("k",), init)
    loop = Loop(made.body, len(init), length)
    return apply_loop(loop, *init, *made.captured)


def repeat(body: Step, init: Sequence[Number], times: int) -> tuple[Number, ...]:
    """carry_{k+1} = body(*carry_k), `times` times from carry_0 = init: a scan that does
    not look at its index."""
    _check_bound("repeat", "times", times)
    return scan(lambda k, *carry: body(*carry), init, times)


def while_loop(
    cond: Callable[..., Number],
    body: Step,
    init: Sequence[Number],
    max_steps: int,
    fixed_point: bool = False,
) -> tuple[Number, ...]:
    """carry_{k+1} = body(*carry_k) while cond(*carry_k), from carry_0 = init.

    A row that needs more than `max_steps` steps, or whose condition compares a NaN,
    gives NaN; no row shows in another. Derivatives go through the steps that were
    taken, forward only. `fixed_point` declares that body leaves the final values as
    they are, all of them, whatever init was: then derivatives come from the implicit
    function theorem at the solution, in both directions, and none from init. The trap:
    cond and body see every row until the slowest is done, so the final values of a row
    must not harm them.
    """
    _check_bound("while_loop", "max_steps", max_steps)

    def step(*carry: Number) -> tuple[Number, ...]:
        going = _going(cond(*carry))
        return (*step_of("while_loop", body, carry, len(carry)), going)

    numbers = _run_numbers(cond, body, tuple(init), max_steps)
    if numbers is not None:
        return numbers
    made = traced("while_loop", step, (), init)
    loop = While(made.body, len(init), max_steps, fixed_point)
    return apply_loop(loop, *init, *made.captured)


def _check_bound(name: str, what: str, value: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TraceError(f"{name}: {what} is expected to be 0, 1, ...; got {value!r}")


def _scan_numbers(
    body: Step, carry: tuple[Number, ...], length: int
) -> tuple[Number, ...] | None:
    """The final values on numbers alone; None once a scalar turns up, or a step fails
    that a scalar would take, such as 1 / 0."""
    for k in range(length):
        if any_scalar(carry):
            return None
        try:
            carry = step_of("scan", body, (float(k), *carry), len(carry))
        except ArithmeticError:
            return None
    return None if any_scalar(carry) else carry


def _run_numbers(
    cond: Callable[..., Number], body: Step, carry: tuple[Number, ...], most: int
) -> tuple[Number, ...] | None:
    """As `_scan_numbers`, while the condition holds."""
    for k in range(most + 1):
        going = None if any_scalar(carry) else cond(*carry)
        if going is None or isinstance(going, Scalar):
            return None
        if not going:
            unordered = any(x != x for x in carry)
            return (math.nan,) * len(carry) if unordered else carry
        if k < most:
            try:
                carry = step_of("while_loop", body, carry, len(carry))
            except ArithmeticError:
                return None
    return (math.nan,) * len(carry)


def _going(condition: Number) -> Number:
    """1.0 where the condition holds, 0.0 where not, NaN where it compares a NaN."""
    if not isinstance(condition, Scalar):
        return 1.0 if condition else 0.0
    if condition.op not in CONDITIONS:
        raise TraceError(
            "while_loop: cond returned a number, expected a condition such as "
            "absolute(error) > 1e-12"
        )
    ordered: Number = True
    for x in _compared(condition):
        ordered = logic("and", ordered, compare("eq", x, x))
    return select(ordered, select(condition, 1.0, 0.0), math.nan)


def _compared(condition: Scalar) -> list[Scalar]:
    """The numbers that a condition compares, each once."""
    found: dict[Scalar, None] = {}
    stack = [condition]
    while stack:
        node = stack.pop()
        if node.op in ("and", "or", "not"):
            stack.extend(node.args)
        else:
            found.update(dict.fromkeys(x for x in node.args if x.op != "const"))
    return list(found)


def apply_loop(loop: AnyLoop, *args: Number) -> tuple[Number, ...]:
    """The loop on numbers, or its node and the items of it on scalars."""
    if loop.length == 0 and loop.op == "scan":
        return args[: loop.carried]
    trace = innermost(args)
    if trace is None:
        return loop.run(*args)
    node = trace.apply_with(loop.op, tuple(trace.lift(x) for x in args), loop)
    return items(node, loop.carried)


STATIC["scan"] = STATIC["while"] = apply_loop
STATIC["item"] = lambda k, results: results[k]
