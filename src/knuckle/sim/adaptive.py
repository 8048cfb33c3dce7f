"""SciPy's solvers with step-size control, row by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from knuckle.sim.batch import Batch
from knuckle.sim.control import Control
from knuckle.sim.errors import SimulationError
from knuckle.sim.integrators import Adaptive
from knuckle.sim.record import Record

Array = np.ndarray
Slope = Callable[[float, Array], Array]


def solve(
    code: Any,
    method: Adaptive,
    record: Record,
    batch: Batch,
    drive: Control,
    advance: Callable[[int], Any],
) -> None:
    """Fills the record; a row whose solver gives up is NaN from there on."""
    solver, grid, nq = _solver(), record.grid, batch.q.shape[-1]
    state = np.concatenate([batch.q, batch.v], axis=-1).astype(float)
    length = grid.period or grid.steps
    for first in range(0, grid.steps, length):
        last = min(first + length, grid.steps)
        q, v = batch.shaped(state[:, :nq]), batch.shaped(state[:, nq:])
        tau = batch.flat(drive.force(first, q, v, grid.time(first)), 1)
        every = grid.keep_every
        kept = range(first - first % every + every, last, every)
        instants = np.array([grid.time(n) for n in (first, *kept, last)])
        rows = [
            _row(solver, method, _slope(code, batch, tau, grid.dt, k), instants, x)
            for k, x in enumerate(state)
        ]
        for n, x in zip((*kept, last), np.swapaxes(rows, 0, 1), strict=True):
            record.put(n, x[:, :nq], x[:, nq:])
            state = x
        record.drive(first, last, tau)
        advance(last - first)


def _solver() -> Callable[..., Any]:
    try:
        from scipy.integrate import solve_ivp
    except ImportError:
        raise SimulationError(
            "simulate: the adaptive integrator needs SciPy: pip install "
            "'knuckle[scipy]'"
        ) from None
    return solve_ivp  # type: ignore[no-any-return]


def _slope(code: Any, batch: Batch, tau: Array, dt: float, row: int) -> Slope:
    """d(q, v)/dt of one row."""
    nq = batch.q.shape[-1]
    known = {**batch.extra_of(row), "tau": tau[row] if tau.ndim > 1 else tau, "dt": dt}
    names = [x.name for x in code.kernel.inputs]

    def slope(t: float, state: Array) -> Array:
        known.update(q=state[:nq], v=state[nq:], time=t, t=t)
        return np.concatenate(code.ufunc(*[known[name] for name in names]))

    return slope


def _row(
    solver: Callable[..., Any],
    method: Adaptive,
    slope: Slope,
    instants: Array,
    start: Array,
) -> Array:
    """The states at the instants after the first, (instants - 1, nq + nv)."""
    found = np.full((len(instants) - 1, len(start)), np.nan)
    if np.isfinite(start).all():
        done = solver(
            slope, (instants[0], instants[-1]), start, method.method,
            t_eval=instants[1:], rtol=method.rtol, atol=method.atol,
        )  # fmt: skip
        found[: len(done.t)] = done.y.T
    return found
