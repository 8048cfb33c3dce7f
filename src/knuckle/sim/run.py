"""A checked simulation, and its run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from knuckle.edge import compile
from knuckle.model.coordinates import normalize
from knuckle.sim.adaptive import solve
from knuckle.sim.batch import Batch
from knuckle.sim.control import Constant, Control, Traced
from knuckle.sim.errors import SimulationError
from knuckle.sim.grid import Grid
from knuckle.sim.integrators import Adaptive, Integrator
from knuckle.sim.record import Record
from knuckle.sim.stepping import rates, steps


@dataclass(frozen=True)
class Task:
    """Everything that a run needs."""

    model: Any
    method: Integrator
    limits: bool
    friction_speed: float
    grid: Grid
    batch: Batch
    drive: Control

    def run(self, progress: bool) -> Record:
        """The kept states."""
        constant = self.drive.tau if isinstance(self.drive, Constant) else None
        record = Record.of(self.grid, self.batch, constant)
        with _bar(progress, self.grid.steps) as bar:
            advance = bar.update if bar else lambda count: None
            if isinstance(self.method, Adaptive):
                code = self._compiled(rates)
                solve(code, self.method, record, self.batch, self.drive, advance)
                record.q[...] = normalize(self.model, record.q)
            else:
                self._march(record, advance)
        if isinstance(self.drive, Traced) and not self.drive.period:
            record.tau[...] = self.drive.along(record.q, record.v, self.grid.times)
        return record

    def _compiled(self, alg: Any, **options: Any) -> Any:
        return compile(
            alg, self.model, str(self.batch.q.dtype), limits=self.limits,
            friction_speed=self.friction_speed,
            controller=None if self.drive.period else self.drive.program,
            **self.batch.forces, **options,
        )  # fmt: skip

    def _march(self, record: Record, advance: Callable[[int], Any]) -> None:
        """Calls of `stride` steps; between them the control changes and states are
        kept."""
        grid, batch, kind = self.grid, self.batch, self.batch.q.dtype.type
        stride = grid.stride
        code = self._compiled(steps, integrator=self.method, count=stride)
        names = [x.name for x in code.kernel.inputs]
        known = {**batch.extra, "dt": kind(grid.dt), "start": kind(grid.t0)}
        known |= {"q": batch.q, "v": batch.v, "t": kind(grid.t0)}
        held = self.drive.period or grid.steps
        for n in range(0, grid.steps, stride):
            if n % held == 0:
                tau = self._force(n, known["q"], known["v"])
                record.drive(n, min(n + held, grid.steps), tau)
            known.update(first=kind(n), tau=tau)
            q, v, rest = code.ufunc(*[known[name] for name in names])
            known.update(q=q, v=v)
            np.fmax(record.residual, rest, out=record.residual)
            record.put(n + stride, q, v)
            advance(stride)

    def _force(self, n: int, q: Any, v: Any) -> Any:
        """tau from step n on, as rows of the batch."""
        batch = self.batch
        tau = self.drive.force(n, batch.shaped(q), batch.shaped(v), self.grid.time(n))
        return batch.flat(np.asarray(tau, batch.q.dtype), 1)


def _bar(wanted: bool, steps: int) -> AbstractContextManager[Any]:
    if not wanted:
        return nullcontext()
    try:
        from tqdm import tqdm
    except ImportError:
        raise SimulationError(
            "simulate: progress=True needs tqdm: pip install tqdm"
        ) from None
    bar: AbstractContextManager[Any] = tqdm(total=steps, unit=" steps", unit_scale=True)
    return bar
