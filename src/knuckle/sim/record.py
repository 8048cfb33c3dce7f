"""The states that a run keeps, as they come."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knuckle.sim.batch import Batch
from knuckle.sim.grid import Grid

Array = np.ndarray


@dataclass
class Record:
    """q (rows, times, nq), v and tau (rows, times, nv) of a run, and the largest
    residual of each row. A constant tau takes no room."""

    grid: Grid
    q: Array
    v: Array
    tau: Array
    residual: Array

    @staticmethod
    def of(grid: Grid, batch: Batch, constant: Array | None) -> Record:
        """Room for a run, its first state filled in."""
        (rows, nq), nv = batch.q.shape, batch.v.shape[1]
        times, dtype = len(grid.times), batch.q.dtype
        q, v = (np.empty((rows, times, n), dtype) for n in (nq, nv))
        if constant is None:
            tau = np.empty((rows, times, nv), dtype)
        else:
            held = batch.flat(constant.astype(dtype), 1)
            tau = np.broadcast_to(held[..., None, :], v.shape)
        record = Record(grid, q, v, tau, np.zeros(rows, dtype))
        record.put(0, batch.q, batch.v)
        return record

    def put(self, n: int, q: Array, v: Array) -> None:
        """State n, if it is one to keep."""
        k, rest = divmod(n, self.grid.keep_every)
        if not rest:
            self.q[:, k], self.v[:, k] = q, v

    def drive(self, first: int, last: int, tau: Array) -> None:
        """tau acts from step `first` to `last`; at the very end, what acted last."""
        if not self.tau.flags.writeable:
            return
        every = self.grid.keep_every
        end = last + (last == self.grid.steps)
        self.tau[:, -(-first // every) : -(-end // every)] = tau[..., None, :]
