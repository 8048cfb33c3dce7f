"""The instants of a simulation: steps, kept states, changes of control."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from knuckle.sim.errors import SimulationError

CLOSE = 1e-9
"""How far a ratio of times may be from a whole number, relatively."""
LONG = 1000
"""Steps in one call of compiled code, where they divide so: calls cannot be
interrupted."""


@dataclass(frozen=True)
class Grid:
    """`steps` steps of dt [s] from t0; state n is kept where keep_every divides n.

    `period` is the number of steps for which a sampled control is held, or 0.
    """

    t0: float
    dt: float
    steps: int
    keep_every: int
    period: int = 0

    @property
    def times(self) -> np.ndarray:
        """The instants of the kept states [s]."""
        count = self.steps // self.keep_every + 1
        return self.t0 + self.dt * (self.keep_every * np.arange(count))

    @property
    def stride(self) -> int:
        """The steps of one call: a divisor of everything that happens between calls."""
        whole = math.gcd(self.keep_every, self.period)
        usable = (n for n in range(LONG, 0, -1) if whole % n == 0)
        short = next(usable)
        return short if short * 10 >= min(LONG, whole) else whole

    def time(self, n: int) -> float:
        """The instant of state n [s]."""
        return self.t0 + self.dt * n


def grid(duration: Any, dt: Any, keep_every: Any, t0: Any, control_dt: Any) -> Grid:
    """The checked instants; every time is a multiple of dt."""
    dt, duration = positive("dt", dt), positive("duration", duration)
    if not _real(t0):
        raise SimulationError(f"simulate: t0 is {t0!r}, expected a time in seconds")
    steps = multiple("duration", duration, dt)
    every = _kept(keep_every, steps)
    period = 0
    if control_dt is not None:
        period = multiple("control_dt", positive("control_dt", control_dt), dt)
    return Grid(float(t0), dt, steps, every, period)


def positive(name: str, x: Any) -> float:
    """A time above zero [s]."""
    if not _real(x) or x <= 0:
        raise SimulationError(
            f"simulate: {name} is {x!r}, expected a number of seconds above 0"
        )
    return float(x)


def _real(x: Any) -> bool:
    plain = isinstance(x, int | float | np.integer | np.floating)
    return plain and not isinstance(x, bool) and math.isfinite(x)


def multiple(name: str, span: float, dt: float) -> int:
    """How many steps of dt make the span."""
    count = round(span / dt)
    if count < 1 or abs(count * dt - span) > CLOSE * span:
        below = math.floor(span / dt)
        near = [f"{n} steps take {n * dt:.9g} s" for n in (below, below + 1) if n]
        raise SimulationError(
            f"simulate: {name} = {span:.9g} s is no multiple of dt = {dt:.9g} s; "
            + ", ".join(near)
        )
    return count


def _kept(keep_every: Any, steps: int) -> int:
    whole = isinstance(keep_every, int | np.integer) and keep_every >= 1
    if not whole:
        raise SimulationError(
            f"simulate: keep_every is {keep_every!r}, expected a whole number of steps"
        )
    if steps % keep_every:
        below = next(n for n in range(keep_every, 0, -1) if steps % n == 0)
        above = next((n for n in range(keep_every, steps) if steps % n == 0), steps)
        raise SimulationError(
            f"simulate: keep_every = {keep_every} does not divide the {steps} steps, "
            f"and the last state would be lost; take {below} or {above}"
        )
    return int(keep_every)
