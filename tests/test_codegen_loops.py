"""Compiled loops: against the interpreter, however they are nested and cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from knuckle.codegen import Kernel, Operand, plan
from knuckle.scalar import Program, Trace, cos, scan, sin, where
from programs import random_program

INPUTS = 5
X = np.random.default_rng(0).uniform(-1.0, 1.0, (19, INPUTS))


def program(make: Callable[..., Any]) -> Program:
    leaves = Trace().inputs("x", INPUTS)
    return Program.of(make(*leaves), [x.value for x in leaves])


def run(made: Program, dtype: str = "float64") -> np.ndarray:
    shapes = [Operand("x", (INPUTS,))], [Operand("y", (len(made.outputs),))]
    return Kernel("loop", made, *shapes, dtype)(X.astype(dtype))


def agrees(made: Program) -> None:
    expected = [made(*row) for row in X.tolist()]
    assert run(made) == pytest.approx(np.array(expected), rel=1e-12, abs=1e-13)


def long(seed: int, length: int = 7) -> Program:
    """A loop whose step is some 200 operations, all carried values mixed."""
    body = random_program(seed, size=80, inputs=INPUTS, outputs=INPUTS - 1)

    def step(k: Any, *carry: Any) -> Any:
        return [0.3 * y + 0.1 * k for y in body(*carry, cos(k * carry[0]))]

    return program(lambda *x: (*scan(step, x[:-1], length), x[-1]))


def nested(*x: Any) -> Any:
    def inner(j: Any, a: Any, b: Any) -> Any:
        return 0.5 * sin(a + x[2] * j), where(a < b, b - 0.1 * a, x[3] * b)

    def outer(k: Any, a: Any, b: Any, c: Any) -> Any:
        a, b = scan(inner, (a * c, b + k), 4)
        (c,) = scan(lambda j, s: (0.5 * s + a * j,), (c,), 3)
        return a, b + c, c

    return (*scan(outer, x[:3], 5), *scan(inner, x[3:], 2))


@pytest.mark.parametrize("seed", range(6))
def test_a_long_step(seed: int) -> None:
    agrees(long(seed))


def test_loops_in_loops_and_one_after_the_other() -> None:
    agrees(program(nested))


def test_carried_values_change_places() -> None:
    def turned(k: Any, *carry: Any) -> Any:
        return (*carry[1:], carry[0])

    agrees(program(lambda *x: scan(turned, x, 3)))


def test_a_loop_that_carries_constants_and_what_it_captures() -> None:
    agrees(program(lambda *x: scan(lambda k, a, b: (x[4], 2.0), x[:2], 2)))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("size", [1, 3, 40])
@pytest.mark.parametrize("kind", ["long", "nested"])
def test_bits_do_not_depend_on_the_cuts(
    kind: str, size: int, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = long(3) if kind == "long" else program(nested)
    whole = run(made, dtype)
    monkeypatch.setattr(plan, "CHUNK", size)
    assert size == 40 or len(plan.Plan.of_step(_loop(made)).chunks) > 1
    assert run(made, dtype).tobytes() == whole.tobytes()


def _loop(made: Program) -> Any:
    return next(v for op, v in zip(made.ops, made.values) if op == "scan")


def test_rows_and_their_place_do_not_matter() -> None:
    made = long(1)
    shapes = [Operand("x", (INPUTS,))], [Operand("y", (INPUTS,))]
    kernel = Kernel("loop", made, *shapes)
    whole = kernel(X)
    assert all(kernel(x).tobytes() == y.tobytes() for x, y in zip(X, whole))


def test_a_step_is_cut_where_few_values_live() -> None:
    big = random_program(0, size=1500, inputs=INPUTS, outputs=INPUTS)
    made = program(
        lambda *x: scan(lambda k, *c: [0.1 * y for y in big(*c)], x, 3),
    )
    step = plan.Plan.of_step(_loop(made))
    assert len(step.chunks) > 2 and step.slots < 400
    agrees(made)
