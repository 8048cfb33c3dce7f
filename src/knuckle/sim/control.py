"""What drives the joints: nothing, constant forces, a sequence, a function.

A function (q, v, t) -> tau of one configuration is tried on scalars. If it traces, it
becomes a part of the compiled steps; if it does not, it is called with arrays of the
whole batch, and its forces are held between calls.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from knuckle.joints.tracing import coordinates, names, number
from knuckle.model.arrays import evaluate
from knuckle.scalar import Program, Scalar, Trace
from knuckle.sim.errors import SimulationError
from knuckle.sim.grid import Grid

Function = Callable[[Any, Any, Any], Any]
Array = np.ndarray


@dataclass(frozen=True)
class callback:
    """A controller that is called and never traced: one with a state, or with noise.

    It gets q (..., nq), v (..., nv) and t [s], and returns tau (..., nv), which acts
    until the next call, `control_dt` later.
    """

    function: Function


class Control(ABC):
    """Joint forces in time."""

    program: Program | None
    """(*q, *v, t) -> tau, where it can run inside the compiled steps."""
    period: int
    """The steps for which a force is held; 0 where it does not change."""

    @property
    def lead(self) -> tuple[int, ...]:
        """The shape of the batch that the forces themselves have."""
        return ()

    @abstractmethod
    def force(self, n: int, q: Array, v: Array, t: float) -> Array:
        """tau from step n on, (..., nv); q and v have the shape of the batch."""


@dataclass(frozen=True)
class Constant(Control):
    """The same force at all times."""

    tau: Array
    period: int = 0
    program: Program | None = None

    @property
    def lead(self) -> tuple[int, ...]:
        return self.tau.shape[:-1]

    def force(self, n: int, q: Array, v: Array, t: float) -> Array:
        return self.tau

    def __str__(self) -> str:
        return "constant" if self.tau.any() else "none"


@dataclass(frozen=True)
class Sequence(Control):
    """A force for every period, (..., periods, nv)."""

    tau: Array
    period: int
    program: Program | None = None

    @property
    def lead(self) -> tuple[int, ...]:
        return self.tau.shape[:-2]

    def force(self, n: int, q: Array, v: Array, t: float) -> Array:
        return self.tau[..., n // self.period, :]

    def __str__(self) -> str:
        return f"a sequence, each held for {_steps(self.period)}"


@dataclass(frozen=True)
class Traced(Control):
    """A function that became a program."""

    program: Program
    period: int

    def force(self, n: int, q: Array, v: Array, t: float) -> Array:
        return self.along(q, v, np.float64(t))

    def along(self, q: Array, v: Array, t: Any) -> Array:
        """tau at arrays of states and times, (..., nv)."""
        columns = [*np.moveaxis(q, -1, 0), *np.moveaxis(v, -1, 0)]
        out = np.empty(v.shape, v.dtype)
        for k, x in enumerate(evaluate(self.program, *columns, t)):
            out[..., k] = x
        return out

    def __str__(self) -> str:
        return f"traced, held for {_steps(self.period)}" if self.period else "compiled"


@dataclass(frozen=True)
class Called(Control):
    """A function of arrays that is called once in every period."""

    function: Function
    reason: str
    period: int
    program: Program | None = None

    def force(self, n: int, q: Array, v: Array, t: float) -> Array:
        tau = np.asarray(self.function(q, v, t))
        if tau.dtype == object and any(isinstance(x, Scalar) for x in tau.flat):
            raise _stateful("returned a traced value that it kept from its trial")
        if tau.shape != v.shape or tau.dtype.kind not in "fiub":
            raise SimulationError(
                f"simulate: at t = {t:.6g} s the controller returned {tau.dtype} of "
                f"shape {tau.shape}, expected real numbers of shape {v.shape}"
            )
        return tau

    def __str__(self) -> str:
        return f"called every {_steps(self.period)} ({self.reason})"


def _steps(count: int) -> str:
    return "step" if count == 1 else f"{count} steps"


def control(model: Any, tau: Any, grid: Grid) -> Control:
    """What the argument `tau` of `simulate` means."""
    if isinstance(tau, callback):
        return Called(tau.function, "a callback", grid.period or 1)
    if callable(tau):
        return _of_function(model, tau, grid)
    if tau is None:
        return Constant(np.zeros(model.nv))
    array = np.asarray(tau)
    if array.dtype.kind not in "fiub":
        raise SimulationError(
            f"simulate: tau is {type(tau).__name__} of dtype {array.dtype}, expected "
            "None, an array of real numbers or a function (q, v, t) -> tau"
        )
    return _of_array(model, array, grid)


def _of_array(model: Any, tau: Array, grid: Grid) -> Control:
    periods = -(-grid.steps // grid.period) if grid.period else 0
    core = (periods, model.nv) if periods else (model.nv,)
    if tau.ndim < len(core) or tau.shape[tau.ndim - len(core) :] != core:
        wanted = ", ".join(["...", *map(str, core)])
        hint = "one row for each control_dt" if periods else ""
        repair = hint or "for a force that changes give control_dt, e.g. control_dt=dt"
        raise SimulationError(
            f"simulate: tau has shape {tau.shape}, expected ({wanted}); {repair}"
        )
    if periods:
        return Sequence(tau, grid.period)
    return Constant(tau)


def _of_function(model: Any, function: Function, grid: Grid) -> Control:
    try:
        program = traced(function, model)
    except SimulationError:
        raise
    # whatever a trial on scalars ends in says only that the function wants arrays; an
    # error of its own comes again, and is raised, when it gets them
    except Exception as error:
        told = str(error).partition("\n")[0]
        reason = f"its trial on scalars ended in {type(error).__name__}: {told}"
        return Called(function, reason, grid.period or 1)
    return Traced(program, grid.period)


def traced(function: Function, model: Any) -> Program:
    """The function as a program; traced twice, so that a hidden state is found."""
    first, second = (_trace(function, model) for _ in range(2))
    if first != second:
        raise _stateful("computes something else when it is called again")
    return first


def _trace(function: Function, model: Any) -> Program:
    trace = Trace()
    q, v = trace.inputs("q", model.nq), trace.inputs("v", model.nv)
    result = function(coordinates(q), coordinates(v), trace.input("t"))
    tau = np.asarray(list(result), object)
    if tau.shape != (model.nv,):
        raise SimulationError(
            f"simulate: for one configuration the controller returned shape "
            f"{tau.shape}, expected ({model.nv},): {', '.join(model.v_names)}"
        )
    inputs = [*names("q", model.nq), *names("v", model.nv), "t"]
    return Program.of([number(x) for x in tau], inputs)


def _stateful(what: str) -> SimulationError:
    return SimulationError(
        f"simulate: the controller {what}: it has a state, or noise; pass "
        "tau=kn.sim.callback(controller)"
    )
