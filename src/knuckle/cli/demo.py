"""`knuckle demo`: build a mechanism, compile it, evaluate a million states, swing."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import numpy as np

import knuckle as kn
from knuckle.cli.options import count as whole

HELP = """The main job in under ten seconds.

Builds a 6-joint arm, compiles three algorithms for it, evaluates them for a million
random states, and swings a double pendulum to show what its energy does."""
BLOCK = 5_000


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `demo`."""
    parser.add_argument(
        "--rows", type=whole, default=1_000_000, help="configurations to evaluate"
    )


def run(options: argparse.Namespace) -> int:
    """Runs the demonstration."""
    demo(options.rows)
    return 0


def demo(rows: int = 1_000_000) -> None:
    """Prints what the library does on this machine; about two seconds."""
    from knuckle.codegen.store import switched_off

    model = arm()
    print(f"A 6-joint arm: {model}")
    print(
        f"{'algorithm':<20}{'compiled in':>12}{'operations':>12}{'per evaluation':>16}"
    )
    for alg in (kn.inverse_dynamics, kn.forward_dynamics, kn.mass_matrix):
        with switched_off():
            kernel = kn.compile(alg, model)
        spent = _evaluate(kernel, model, rows, alg.__name__)
        seconds = f"{kernel.compile_seconds:.2f} s"
        count = sum(kernel.operations.values())
        print(
            f"{alg.__name__:<20}{seconds:>12}{count:>12}{spent / rows * 1e9:>13.1f} ns"
        )
    swing()


def arm() -> kn.Model:
    """Six links of steel tube, their axes turned by 90 degrees one from the next."""
    tube = kn.spatial.solids.hollow_cylinder(0.05, 0.04, 0.4, mass=3.0)
    up = kn.SE3(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.0, 0.0, 0.2))
    placed = kn.spatial.Transform.from_pose(up).T @ tube
    bodies: list[kn.Body] = []
    for k in range(6):
        turn = kn.spatial.Rx(0.5 * np.pi * (-1.0) ** k)
        place = kn.spatial.Tz(0.4 if k else 0.0) * turn
        parent = f"link{k - 1}" if k else None
        bodies.append(
            kn.Body(f"link{k}", parent, kn.joints.Revolute("z"), place, placed)
        )
    return kn.Model(bodies)


def _evaluate(
    kernel: kn.CompiledAlgorithm, model: kn.Model, rows: int, name: str
) -> float:
    """Seconds in the kernel for so many random states, with a progress bar."""
    rng, spent = np.random.default_rng(0), 0.0
    shapes = [x.core for x in kernel.kernel.inputs]
    out = np.zeros((BLOCK, *kernel.kernel.outputs[0].core))
    for count in _progress(rows, name):
        arrays = [rng.uniform(-1.0, 1.0, (count, *shape)) for shape in shapes]
        started = time.perf_counter()
        kernel.ufunc(*arrays, out=out[:count])
        spent += time.perf_counter() - started
    return spent


def _progress(rows: int, name: str) -> Iterator[int]:
    """Blocks of rows, with tqdm's bar where tqdm is installed."""
    blocks = [BLOCK] * (rows // BLOCK) + ([rows % BLOCK] if rows % BLOCK else [])
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        print(f"  {name}: {rows} states (a progress bar needs: pip install tqdm)")
        yield from blocks
        return
    with tqdm(
        total=rows, desc=f"  {name}", unit="state", unit_scale=True, leave=False
    ) as bar:
        for block in blocks:
            yield block
            bar.update(block)


def swing(seconds: float = 10.0, dt: float = 2e-3) -> None:
    """A double pendulum by the classical Runge-Kutta method, and its energy drift."""
    rod = kn.Inertia(1.0, (0.0, 0.0, -0.5), (1 / 12, 1 / 12, 1e-3))
    down = kn.SE3(p=(0.0, 0.0, -1.0))
    model = kn.Model(
        [
            kn.Body("upper", None, kn.joints.Revolute("y"), inertia=rod),
            kn.Body("lower", "upper", kn.joints.Revolute("y"), down, rod),
        ]
    )
    q, v, tau = np.array([2.0, 0.5]), np.zeros(2), np.zeros(2)

    def rate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return kn.forward_dynamics(model, q, v, tau)

    def energy() -> float:
        return float(kn.kinetic_energy(model, q, v) + kn.potential_energy(model, q))

    before, drift, started = energy(), 0.0, time.perf_counter()
    steps = round(seconds / dt)
    for _ in range(steps):
        a1 = rate(q, v)
        v2 = v + 0.5 * dt * a1
        a2 = rate(q + 0.5 * dt * v, v2)
        v3 = v + 0.5 * dt * a2
        a3 = rate(q + 0.5 * dt * v2, v3)
        v4 = v + dt * a3
        a4 = rate(q + dt * v3, v4)
        q = q + dt / 6 * (v + 2 * v2 + 2 * v3 + v4)
        v = v + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        drift = max(drift, abs(energy() - before))
    spent = time.perf_counter() - started
    print(
        f"A double pendulum for {seconds:g} s, {steps} steps in {spent:.2f} s: "
        f"energy drift {drift:.1e} J of {before:.2f} J"
    )
