"""Derivatives through loops, tables and derivatives, compiled; a robot to each row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fifty
import knuckle as kn
import mechanisms
from knuckle.codegen import Kernel, Operand
from knuckle.model.layout import Array, Position, Velocity
from knuckle.scalar import (
    Program,
    Trace,
    exp,
    lookup,
    repeat,
    scan,
    sin,
    sqrt,
    while_loop,
)

CLOSE = {"float64": 1e-10, "float32": 2e-4}
GOAL = np.array([0.3, 0.7, -0.2])


@kn.algorithm
def scanned(model: Any, q: Position, v: Velocity, goal: Array[3]) -> Any:
    E = kn.kinetic_energy(model, q, v)
    step = lambda k, x, y: (0.5 * (x + E / x), y + x * goal[0])  # noqa: E731
    return scan(step, (2.0, goal[1]), 6)


@kn.algorithm
def repeated(model: Any, q: Position, v: Velocity, goal: Array[3]) -> Any:
    a, b, _ = kn.center_of_mass(model, q)
    step = lambda x, y: (sin(x + a) * goal[2], y * b + x)  # noqa: E731
    return repeat(step, (v[0], goal[0]), 5)


@kn.algorithm
def awaited(model: Any, q: Position, v: Velocity, goal: Array[3]) -> Any:
    """A square root by Newton's steps, until it is one."""
    E = 1.0 + kn.kinetic_energy(model, q, v)
    wrong = lambda x: (x * x - E) * (x * x - E) > 1e-3  # noqa: E731
    (x,) = while_loop(wrong, lambda x: (0.5 * (x + E / x),), (1.0 + E,), 40)
    return x * goal[0] + exp(goal[1] * x)


@kn.algorithm
def tabled(model: Any, q: Position, v: Velocity, goal: Array[3]) -> Any:
    E = kn.kinetic_energy(model, q, v)
    low, high = lookup([(0.5, 1.5), (goal[0], 0.25), (2.0, goal[1])], goal[2] + 1.2)
    return low * E + sqrt(1.0 + high * high * E)


THROUGH = [scanned, repeated, awaited, tabled]


def place(dtype: str) -> tuple[kn.Model, dict[str, np.ndarray]]:
    model = mechanisms.chain(2, 3)
    q, v, _ = mechanisms.state(model, 2, (11,))
    goal = GOAL * np.linspace(0.8, 1.2, 11)[:, None]
    at = {"q": q, "v": np.where(v == 0.0, 0.4, v), "goal": goal}
    return model, {name: x.astype(dtype) for name, x in at.items()}


def along_slopes(alg: Any, derived: Any, names: Any, dtype: str) -> None:
    """A compiled batch, row by row against fifty digits."""
    model, at = place(dtype)
    found = derived(model, **at)
    rng = np.random.default_rng(1)
    assert found.dtype == dtype
    for row in (0, 7, 10):
        here = {name: x[row].astype(float) for name, x in at.items()}
        moves = [fifty.direction(alg, model, here, name, rng) for name in names]
        if len(names) == 1:
            (expected,) = fifty.slope(alg, model, here, names[0], moves[0])
        else:
            (expected,) = fifty.second_slope(alg, model, here, names, tuple(moves))
        got = found[row].astype(float)
        for move in reversed(moves):
            got = np.tensordot(got, move, move.ndim)
        size = np.abs(found[row]).max()
        assert mechanisms.error(got, expected, size) < CLOSE[dtype], (alg, names, row)


@pytest.mark.parametrize("dtype", CLOSE)
@pytest.mark.parametrize("alg", THROUGH, ids=lambda alg: alg.__name__)
def test_once_and_twice_through_control_flow(alg: Any, dtype: str) -> None:
    for name in ("q", "v", "goal"):
        along_slopes(alg, kn.jacobian(alg, name), [name], dtype)
    for pair in (("q", "q"), ("v", "goal"), ("goal", "goal")):
        along_slopes(alg, kn.hessian(alg, pair), pair, dtype)


@pytest.mark.parametrize("alg", THROUGH, ids=lambda alg: alg.__name__)
def test_products_are_those_of_the_jacobian(alg: Any) -> None:
    model, at = place("float64")
    rng = np.random.default_rng(4)
    J = kn.jacobian(alg, ("q", "goal"))(model, **at)
    dq, dgoal = rng.normal(size=(11, model.nv)), rng.normal(size=(11, 3))
    pushed = kn.jvp(alg, ("q", "goal"))(model, **at, dq=dq, dgoal=dgoal)
    columns = "...ik,...k->...i" if J.q.ndim == 3 else "...k,...k->..."
    expected = np.einsum(columns, J.q, dq) + np.einsum(columns, J.goal, dgoal)
    assert mechanisms.error(pushed, expected) < 1e-11


def varied(model: kn.Model, rows: int) -> dict[str, np.ndarray]:
    """Every row another robot: masses, centres of mass, gravity."""
    rng = np.random.default_rng(3)
    return {
        name: x * rng.uniform(0.7, 1.3, (rows, *x.shape))
        for name, x in model.parameter_defaults().items()
    }


def test_a_batch_of_robots_is_differentiated_row_by_row() -> None:
    model = mechanisms.chain(4, 3, mixed=True).with_parameters(
        "*.mass", "*.com", "gravity"
    )
    q, v, a = mechanisms.state(model, 4, (6,))
    values = varied(model, 6)
    names = ("q", "body1.mass", "gravity")
    together = kn.jacobian(kn.inverse_dynamics, names)(
        model, q, v, a, parameters=values
    )
    twice = kn.hessian(kn.inverse_dynamics, ("body1.mass", "q"))
    mixed = twice(model, q, v, a, parameters=values)
    for row in range(6):
        at = {"q": q[row], "v": v[row], "a": a[row]}
        at |= {name: x[row] for name, x in values.items()}
        alone = fifty.evaluated(kn.jacobian(kn.inverse_dynamics, names), model, at)
        for x, y in zip(together, alone, strict=True):
            assert mechanisms.error(x[row], y) < 1e-12
        (alone,) = fifty.evaluated(twice, model, at)
        assert mechanisms.error(mixed[row], alone) < 1e-12
    assert mechanisms.error(together.q[1], together.q[0]) > 1e-2


def test_a_scalar_parameter_moves_all_that_depends_on_it() -> None:
    """Kim's Tables 5 to 7: dtau/dp = ID_q dq + ID_v dv + ID_a da + ID_pi dpi, and the
    dual relation M da/dp = dtau/dp - that."""
    usual = mechanisms.hand(1)
    constants = ("body5.mass", "body6.com", "body6.placement", "gravity")
    model = usual.with_parameters(*constants)
    q, v, a = mechanisms.state(model, 1)
    v = np.where(v == 0.0, 0.3, v)
    rng = np.random.default_rng(6)
    names = ("q", "v", "a", *constants)
    at = {"q": q, "v": v, "a": a, **model.parameter_defaults()}
    moves = [fifty.direction(kn.inverse_dynamics, model, at, n, rng) for n in names]
    blocks = kn.interpret(kn.jacobian(kn.inverse_dynamics, names), model)(q, v, a)
    total = sum(np.tensordot(J, d, d.ndim) for J, d in zip(blocks, moves, strict=True))
    pushed = kn.interpret(kn.jvp(kn.inverse_dynamics, names), model)
    assert mechanisms.error(pushed(q, v, a, *moves), total) < 1e-12

    tau = kn.interpret(kn.inverse_dynamics, model)(q, v, a)
    dtau = rng.normal(size=model.nv)
    pushed = kn.interpret(
        kn.jvp(kn.forward_dynamics, ("q", "v", "tau", *constants)), model
    )
    da = pushed(q, v, tau, moves[0], moves[1], dtau, *moves[3:])
    M = kn.interpret(kn.mass_matrix, model)(q)
    rest = total - np.tensordot(blocks[2], moves[2], 1)
    assert mechanisms.error(M @ da, dtau - rest, np.abs(M) @ np.abs(da)) < 1e-9


def test_thousands_of_constant_outputs_are_cut_into_functions() -> None:
    x = Trace().input("x")
    numbers = [float(k % 3) for k in range(4000)] + [2.0 * x]
    program = Program.of(numbers, ["x"])
    kernel = Kernel("wide", program, [Operand("x", ())], [Operand("y", (4001,))])
    sizes = [part.count("\n") for part in kernel.show("llvm").split("define ")]
    assert max(sizes) < 5000
    found = kernel(np.array([1.0, np.nan, 3.0]))
    assert np.array_equal(found[:, :-1], np.tile(numbers[:-1], (3, 1)))
    assert found[0, -1] == 2.0 and found[2, -1] == 6.0 and np.isnan(found[1, -1])
