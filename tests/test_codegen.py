"""Machine code against the interpreter: every primitive, cut anywhere, in threads."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from engines import DOUBLE, SINGLE, Engine, narrower
from knuckle.codegen import Kernel, Operand, host, plan
from knuckle.scalar import Program, Trace, scan, sin
from knuckle.scalar.passes import finished
from programs import every_primitive, random_program

ENGINES = pytest.mark.parametrize(
    "engine", [DOUBLE, SINGLE, *narrower()], ids=lambda e: e.name
)
ROWS = 21


def kernel(program: Program, engine: Engine) -> Kernel:
    isa = None if engine.target == "cpu" else engine.target
    sizes = len(program.inputs), len(program.outputs)
    ends = (Operand("x", (sizes[0],)),), (Operand("y", (sizes[1],)),)
    return Kernel("program", program, *ends, engine.dtype, host(isa))


def rows(program: Program, engine: Engine, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.uniform(-1.5, 1.5, (ROWS, len(program.inputs))).astype(engine.dtype)


def interpreted(program: Program, x: np.ndarray) -> np.ndarray:
    return np.array([program(*row) for row in x.astype(float).tolist()], float)


def close(got: np.ndarray, expected: np.ndarray, engine: Engine, units: float) -> None:
    scale = np.maximum(np.abs(expected), 1.0)
    off = (np.abs(got - expected) / scale).max() / engine.eps
    assert off < units, f"{engine}: off by {off:.3g} eps"


@ENGINES
def test_every_primitive(engine: Engine) -> None:
    program = every_primitive()
    x = rows(program, engine)
    close(kernel(program, engine)(x), interpreted(program, x), engine, 300)


@ENGINES
@pytest.mark.parametrize("seed", range(3))
def test_random_programs(engine: Engine, seed: int) -> None:
    program = random_program(seed, 80)
    x = rows(program, engine, seed)
    close(kernel(program, engine)(x), interpreted(program, x), engine, 3e4)


def long_program(size: int = 3000) -> Program:
    """Far more operations than one function holds, with values that live for long."""
    leaves = Trace().inputs("x", 6)
    values = list(leaves)
    for k in range(size // 3):
        a, b = values[-1], values[(7 * k) % max(1, len(values) - 3)]
        values.append(0.6 * a + 0.3 * sin(b) * leaves[k % 6])
    loop = scan(lambda i, p, q: (0.5 * p + q * leaves[0], q - 0.1 * p), values[-2:], 5)
    return Program.of(
        [*values[-9:], *loop, *values[100:110]], [x.value for x in leaves]
    )


@ENGINES
def test_long_programs_are_cut_and_give_the_same_bits(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = long_program()
    x = rows(program, engine)
    whole = kernel(program, engine)
    close(whole(x), interpreted(program, x), engine, 300)
    assert (
        len(plan.Plan.of(finished(program, True), [len(program.outputs)], 8).chunks) > 1
    )
    expected = whole(x).tobytes()
    for size in (150, 100_000):
        monkeypatch.setattr(plan, "CHUNK", size)
        assert kernel(program, engine)(x).tobytes() == expected, size


def test_threads_do_not_meet() -> None:
    """One kernel called from many threads: no state is shared, no bit differs."""
    model = mechanisms.hand(0)
    run = kn.compile(kn.forward_dynamics, model)
    arrays = mechanisms.state(model, 0, (4000,))
    whole = run(*arrays)
    parts = [slice(k, k + 250) for k in range(0, 4000, 250)] * 4

    def part(where: slice) -> bool:
        found = run(*(x[where] for x in arrays))
        return found.tobytes() == whole[where].tobytes()

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(part, parts))


def test_concurrent_first_calls_compile_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    honest = kn.CompiledAlgorithm.__init__

    def counted(self: Any, *arguments: Any) -> None:
        made.append(self)
        honest(self, *arguments)

    monkeypatch.setattr(kn.CompiledAlgorithm, "__init__", counted)
    model = mechanisms.chain(17, 5)
    state = mechanisms.state(model, 0)
    gate, found = threading.Barrier(6), []

    def call() -> None:
        gate.wait()
        found.append(kn.inverse_dynamics(model, *state).tobytes())

    threads = [threading.Thread(target=call) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1 and len(found) == 6 and len(set(found)) == 1


def test_the_floating_point_status_is_left_alone() -> None:
    """What a kernel raises inside it keeps; what was raised before stays."""
    model = mechanisms.chain(0, 3)
    q, v, a = mechanisms.state(model, 0, (9,))
    q[3] = np.nan
    v[5] = 1e300
    with np.errstate(all="raise"):
        kn.inverse_dynamics(model, q, v, a)
        assert np.add(1.0, 2.0) == 3.0
        with pytest.raises(FloatingPointError):
            np.divide(1.0, np.zeros(1))


def test_sizes_that_do_not_fit_are_refused() -> None:
    program = every_primitive()
    with pytest.raises(
        ValueError, match="the program has 6 inputs and .* arrays hold 5"
    ):
        Kernel("short", program, [Operand("x", (5,))], [Operand("y", (1,))])


@ENGINES
def test_operations_are_those_of_the_finished_program(engine: Engine) -> None:
    program = long_program(300)
    found = kernel(program, engine)
    assert found.operations == finished(program, found.target.fma).operations()
    assert ("fma" in found.operations) == found.target.fma
    assert "define" in found.show("llvm") and "knuckle.program" in found.show("asm")
    assert "input x[0]" in found.show("trace")


@pytest.mark.parametrize("engine", [DOUBLE, SINGLE], ids=str)
@pytest.mark.parametrize("rows", [1, 3, 100])
def test_many_zeros_are_written(engine: Engine, rows: int) -> None:
    """Whole blocks of zeros go by a loop; other constants, -0.0 too, are kept."""
    (x,) = Trace().inputs("x", 1)
    numbers: list[Any] = [0.0] * 5003
    numbers[7], numbers[900], numbers[4000], numbers[5001] = x, 2.5, -0.0, 2.0 * x
    sizes = [Operand("a", (2001,)), Operand("b", (3002,))]
    program = Program.of(numbers, ["x[0]"])
    ends = [Operand("x", (1,))], sizes
    found = Kernel("zeros", program, *ends, engine.dtype, host())
    given = np.arange(1.0, rows + 1.0, dtype=engine.dtype)[:, None]
    out = tuple(np.ones((rows, *o.core), engine.dtype) for o in sizes)
    got = np.concatenate(found.ufunc(given, out=out), axis=1)
    expected = np.zeros((rows, 5003), engine.dtype)
    expected[:, 7], expected[:, 900] = given[:, 0], 2.5
    expected[:, 4000], expected[:, 5001] = -0.0, 2.0 * given[:, 0]
    assert (got == expected).all()
    assert (np.signbit(got) == np.signbit(expected)).all()
    assert "@zeros0.places" in found.show("llvm")
