"""Steps in time as an algorithm: a loop that runs in compiled code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from knuckle.edge import algorithm
from knuckle.model.layout import Array, Position, Velocity, Wrenches
from knuckle.scalar import Number, Program, maximum, scan
from knuckle.sim.dynamics import accelerations
from knuckle.sim.integrators import FixedStep
from knuckle.sim.resistance import Laws, Stage


class Stepped(NamedTuple):
    """Positions and velocities after some steps, and the largest rest of an
    iteration."""

    q: Any
    v: Any
    residual: Any


class Rates(NamedTuple):
    """dq/dt and dv/dt."""

    q: Any
    v: Any


@dataclass(frozen=True)
class System:
    """A mechanism with everything that drives it, as integrators see it."""

    view: Any
    tau: Velocity
    f_ext: Any
    laws: Laws
    controller: Program | None = None

    def acceleration(
        self,
        q: Position,
        v: Velocity,
        t: Number,
        start: tuple[Position, Velocity] | None = None,
        ahead: Number = 0.0,
        springs_ahead: Number = 0.0,
    ) -> Velocity:
        """a at (q, v, t), its resistances looking ahead from the start of the step."""
        tau, view, f_ext = self.tau, self.view, self.f_ext
        if self.controller is not None:
            tau = Velocity(self.controller(*q, *v, t))
        if view.timed:
            view = view.at(t)
            f_ext = view.wrenches(f_ext.by_name)
        q0, v0 = start or (q, v)
        stage = Stage(q, v, q0, v0, ahead, springs_ahead)
        return accelerations(view, stage, tau, f_ext, self.laws)

    def moved(self, q: Position, v: Velocity, h: Number) -> Position:
        """q exp(h v), rounded back onto the manifold."""
        flat: list[Number] = [0.0] * self.view.nq
        for place in self.view.model.independent:
            joint, here, rate = place.joint, q[place.q], v[place.v]
            flat[place.q] = joint.normalize(joint.integrate(here, rate, h))
        return Position(flat)

    def charted(self, q: Position, v: Velocity) -> tuple[Position, Velocity]:
        """The same state in coordinates that keep away from where they are singular."""
        places, speeds = list(q), list(v)
        for place in self.view.model.independent:
            if place.joint.changes_chart:
                changed = place.joint.reparameterize(q[place.q], v[place.v])
                places[place.q], speeds[place.v] = changed
        return Position(places), Velocity(speeds)


@algorithm
def steps(
    model: Any,
    q: Position,
    v: Velocity,
    tau: Velocity,
    dt: Array[()],
    start: Array[()],
    first: Array[()],
    f_ext: Wrenches | None = None,
    *,
    count: int,
    integrator: FixedStep,
    limits: bool = True,
    friction_speed: float = 1e-3,
    controller: Program | None = None,
) -> Any:
    """The state after `count` steps of dt [s], the first of them at start + first dt.

    `controller` is a program (*q, *v, t) -> tau that takes the place of `tau`. Times
    are counted from `start`, so the bits do not depend on how a run is cut into calls.
    """
    system = System(model, tau, f_ext, Laws(dt, limits, friction_speed), controller)
    nq, end = model.nq, model.nq + model.nv

    def step(k: Number, *state: Number) -> tuple[Number, ...]:
        q, v, worst = Position(state[:nq]), Velocity(state[nq:end]), state[end]
        t = start + (first + k) * dt
        q, v, change = integrator.step(system, q, v, t, dt)
        q, v = system.charted(q, v)
        return (*q, *v, maximum(worst, change))

    state = scan(step, (*q, *v, 0.0), count)
    return Stepped(Position(state[:nq]), Velocity(state[nq:end]), state[end])


@algorithm
def rates(
    model: Any,
    q: Position,
    v: Velocity,
    tau: Velocity,
    dt: Array[()],
    time: Array[()],
    f_ext: Wrenches | None = None,
    *,
    limits: bool = True,
    friction_speed: float = 1e-3,
    controller: Program | None = None,
) -> Any:
    """dq/dt and dv/dt at the manifold's point nearest to q, as solvers want them.

    dt is the time scale of limits.
    """
    system = System(model, tau, f_ext, Laws(dt, limits, friction_speed), controller)
    q, flat = system.moved(q, Velocity((0.0,) * model.nv), 0.0), [0.0] * model.nq
    for place in model.model.independent:
        flat[place.q] = place.joint.qdot(q[place.q], v[place.v])
    return Rates(Position(flat), system.acceleration(q, v, time))
