"""The motion of a mechanism in time."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from knuckle.algorithms import kinetic_energy, potential_energy
from knuckle.model import Model
from knuckle.model.errors import near
from knuckle.sim.batch import Batch, batch
from knuckle.sim.control import control
from knuckle.sim.errors import SimulationError
from knuckle.sim.grid import grid, positive
from knuckle.sim.integrators import INTEGRATORS, FixedStep, Integrator
from knuckle.sim.record import Record
from knuckle.sim.refusal import check_limits, ignored
from knuckle.sim.resistance import BANDWIDTH, limited
from knuckle.sim.run import Task
from knuckle.sim.trajectory import Energies, Settings, Trajectory

LIMITS = ("spring", "off")
UNFINISHED = 0.25
"""A rest of an implicit step above eps to this power is told [rad/s, m/s]."""


def simulate(
    model: Any,
    q0: Any,
    v0: Any = None,
    tau: Any = None,
    duration: float = 1.0,
    dt: float = 1e-3,
    integrator: str | Integrator = "implicit_midpoint",
    *,
    keep_every: int = 1,
    control_dt: float | None = None,
    limits: str = "spring",
    friction_speed: float = 1e-3,
    ignore: Iterable[str] = (),
    f_ext: Any = None,
    t0: float = 0.0,
    parameters: Mapping[str, Any] | None = None,
    progress: bool = False,
) -> Trajectory:
    """The motion from (q0, v0) over `duration` [s] in steps of `dt` [s].

    q0 (..., nq), v0 (..., nv; default at rest), tau, `f_ext` and `parameters` broadcast
    to one batch; a row that is not finite leaves the others alone. Every `keep_every`
    steps a state is kept. There is no contact.

    `tau` is None, a constant (..., nv), with `control_dt` a sequence (..., periods, nv)
    of forces each held for control_dt, or a function (q, v, t) -> tau. A function of
    one configuration that traces - NumPy's functions and `kn.where` on q (nq,) and
    v (nv,), knuckle's algorithms - runs inside the compiled steps, at every stage; with
    `control_dt` its value is held. Any other is called with the arrays of the whole
    batch, every control_dt (default dt), and must return (..., nv). One that keeps a
    state between calls, or draws random numbers, is to be wrapped: kn.sim.callback(f).

    `integrator` is "implicit_midpoint" (no drift of the energy), or
    "semi_implicit_euler" (ten times as fast, of first order; it gains energy where
    bodies spin faster than some 0.05 / dt), "rk4", "adaptive" (SciPy), or one of
    `kn.sim`'s classes with options. The first two solve dampers, dry friction and
    limits with the step, however stiff they are. Dry friction -f sign(v) acts as
    -f v / max(|v|, friction_speed), so a joint that sticks creeps below that speed.

    `limits="spring"`: beyond lower or upper a joint is pushed back by a critically
    damped spring of bandwidth z = 0.1 / dt, D (z^2 y + 2 z v), never pulled; D is the
    inertia the joint feels with its parent held; where couplings make joints follow
    others, what it feels with the other independent joints held. Velocity and effort
    limits stay data.

    The trap: loops, constraints and actuators of the model do not act; it is
    an error unless `ignore` names them, by kind or one by one.
    """
    if not isinstance(model, Model):
        raise TypeError(
            f"simulate: the first argument is a knuckle Model, got "
            f"{type(model).__name__}"
        )
    left_out = ignored(model, ignore)
    method = _integrator(integrator)
    if limits not in LIMITS:
        hint = near(limits, LIMITS, "choices")
        raise SimulationError(f"simulate: limits={limits!r}; {hint}")
    if limits == "spring":
        check_limits(model)
    instants = grid(duration, dt, keep_every, t0, control_dt)
    drive = control(model, tau, instants)
    rows = batch(model, q0, v0, drive.lead, f_ext, parameters)
    speed = positive("friction_speed", friction_speed)
    task = Task(model, method, limits == "spring", speed, instants, rows, drive)
    record = task.run(progress)
    _warn(record, rows)
    return _trajectory(task, record, _settings(task, record, left_out))


def _integrator(given: str | Integrator) -> Integrator:
    if isinstance(given, Integrator):
        return given
    if given not in INTEGRATORS:
        hint = near(given, INTEGRATORS, "integrators")
        raise SimulationError(f"simulate: integrator={given!r}; {hint}")
    return INTEGRATORS[given]()


def _warn(record: Record, rows: Batch) -> None:
    """Tell of rows that stopped being finite, and of iterations that did not end."""
    finite = [np.isfinite(x).all(-1) for x in (record.q, record.v)]
    good = finite[0] & finite[1]
    lost = np.flatnonzero(good[:, 0] & ~good[:, -1])
    if lost.size:
        instant = record.grid.times[int(np.argmin(good[lost[0]]))]
        warnings.warn(
            f"simulate: {lost.size} of {len(good)} rows stopped being finite, row "
            f"{_row(lost[0], rows)} by t = {instant:.6g} s; take a smaller dt, or look "
            "at the forces",
            RuntimeWarning,
            stacklevel=3,
        )
    allowed = float(np.finfo(record.q.dtype).eps) ** UNFINISHED
    slow = np.flatnonzero(record.residual > allowed)
    if slow.size:
        worst = int(np.argmax(record.residual))
        warnings.warn(
            f"simulate: the implicit steps of {slow.size} of {len(good)} rows did not "
            f"converge, row {_row(worst, rows)} up to {record.residual[worst]:.2g} "
            "rad/s or m/s; take a smaller dt or more iterations",
            RuntimeWarning,
            stacklevel=3,
        )


def _row(k: int, rows: Batch) -> tuple[int, ...]:
    return tuple(int(x) for x in np.unravel_index(k, rows.lead)) if rows.lead else ()


def _settings(task: Task, record: Record, left_out: tuple[str, ...]) -> Settings:
    dt = task.grid.dt
    friction = f"-f v / max(|v|, {task.friction_speed:g})"
    return Settings(
        integrator=str(task.method),
        order=task.method.order if isinstance(task.method, FixedStep) else None,
        dt=dt,
        keep_every=task.grid.keep_every,
        limits=_limits(task),
        friction=friction if np.any(task.model.friction) else "none",
        control=str(task.drive),
        ignored=left_out,
        residual=float(np.max(record.residual, initial=0.0)),
    )


def _limits(task: Task) -> str:
    if not task.limits:
        return "off"
    if not any(limited(placed.joint) for placed in task.model.joints):
        return "none"
    dt = task.grid.dt
    return (
        f"spring: critically damped, bandwidth {BANDWIDTH:g}/dt = {BANDWIDTH / dt:g} "
        "rad/s, on the inertia a joint feels with its parent held"
    )


def _trajectory(task: Task, record: Record, settings: Settings) -> Trajectory:
    rows, model, t = task.batch, task.model, record.grid.times
    options: dict[str, Any] = {}
    given = {name: x for name, x in rows.extra.items() if name in model.parameters}
    if given:
        one_time = {
            name: x[:, None] if x.ndim > rows.cores[name] else x
            for name, x in given.items()
        }
        options["parameters"] = one_time
    if any(placed.joint.timed for placed in model.joints):
        options["t"] = t
    kinetic = rows.shaped(kinetic_energy(model, record.q, record.v, **options))
    potential = rows.shaped(potential_energy(model, record.q, **options))
    energies = Energies(kinetic, potential, kinetic + potential)
    q, v, tau = (rows.shaped(x) for x in (record.q, record.v, record.tau))
    kept = {
        name: rows.shaped(x) if x.ndim > rows.cores[name] else x
        for name, x in given.items()
    }
    return Trajectory(model, t, q, v, tau, energies, settings, kept)
