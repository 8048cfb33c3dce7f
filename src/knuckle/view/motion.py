"""What moves: the states over time, as they come from a trajectory or a position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from knuckle.model import Model, ModelError
from knuckle.model.data import Remark

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Motion:
    """q (steps, nq), v and a (steps, nv) at the times t [s].

    `f_ext` holds what acts from outside by the name of a body or frame, (steps, 6);
    `parameters` are values of the model's declared parameters.
    """

    t: Array
    q: Array
    v: Array
    a: Array
    f_ext: Mapping[str, Array] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    remarks: tuple[Remark, ...] = ()

    def at(self, k: Any) -> Motion:
        """Some of the states, by a slice or their numbers."""
        f_ext = {name: f[k] for name, f in self.f_ext.items()}
        return replace(
            self, t=self.t[k], q=self.q[k], v=self.v[k], a=self.a[k], f_ext=f_ext
        )

    def options(self, model: Model) -> dict[str, Any]:
        """The keywords of algorithms for joints in time and declared parameters."""
        timed = any(p.joint.timed for p in model.joints)
        known = {"parameters": dict(self.parameters)} if model.parameters else {}
        return known | ({"t": self.t} if timed else {})

    def thinned(self, fps: float) -> Motion:
        """At most so many states a second, each one of those given, and the last."""
        wanted = np.arange(self.t[0], self.t[-1], 1.0 / fps)
        k = np.searchsorted(self.t, wanted - 1e-9)
        return self.at(np.unique([*k, len(self.t) - 1]))


def motion(
    model: Model, trajectory: Any = None, q: Any = None, f_ext: Any = None
) -> Motion:
    """From an object with t and q, from a pair (t, q), or at rest at one q (nq,)."""
    if trajectory is not None and q is not None:
        raise ModelError("expected trajectory or q, got both; leave one out")
    if trajectory is None:
        t, q, v, a = np.zeros(1), _position(model, q)[None], None, None
    else:
        t, q, v, a = _trajectory(model, trajectory)
    forces = _forces(model, f_ext, len(t))
    stop, remarks = _finite(model, t, q)
    t, q, forces = t[:stop], q[:stop], {name: f[:stop] for name, f in forces.items()}
    v = velocities(model, t, q) if v is None else v[:stop]
    a = accelerations(t, v) if a is None else a[:stop]
    values = getattr(trajectory, "parameters", {})
    return Motion(t, q, v, a, forces, values, remarks)


def velocities(model: Model, t: Array, q: Array) -> Array:
    """v by differences on the joints' groups; zero for one state."""
    if len(t) < 2:
        return np.zeros((len(t), model.nv))
    v = model.difference(q[:-1], q[1:]) / np.diff(t)[:, None]
    return np.concatenate([v[:1], 0.5 * (v[1:] + v[:-1]), v[-1:]])


def accelerations(t: Array, v: Array) -> Array:
    """dv/dt by differences; zero for one state."""
    return np.gradient(v, t, axis=0) if len(t) > 1 else np.zeros_like(v)


def start(model: Model) -> Array:
    """The neutral position, brought within the limits of joints that have some."""
    q = model.neutral()
    for placed in model.independent:
        if placed.joint.nq == placed.joint.nv:
            low, high = model.lower[placed.v], model.upper[placed.v]
            q[placed.q] = np.clip(q[placed.q], low, high)
    return q


def _position(model: Model, q: Any) -> Array:
    q = start(model) if q is None else np.asarray(q, float)
    if q.shape != (model.nq,):
        raise ModelError(
            f"q: expected one position of shape ({model.nq},), got {q.shape}; "
            "pass positions over time as trajectory=(t, q)"
        )
    return q


def _trajectory(model: Model, given: Any) -> tuple[Array, Array, Any, Any]:
    if hasattr(given, "t") and hasattr(given, "q"):
        columns = [getattr(given, name, None) for name in ("t", "q", "v", "a")]
    elif isinstance(given, tuple | list) and 2 <= len(given) <= 4:
        columns = [*given, None, None][:4]
    else:
        raise ModelError(
            f"trajectory: expected an object with t and q or a pair (t, q), got "
            f"{type(given).__name__}; write trajectory=(t, q)"
        )
    t, q, v, a = (None if x is None else np.asarray(x, float) for x in columns)
    assert t is not None and q is not None
    _check_positions(model, q)
    _check_times(t, len(q))
    for name, x in (("v", v), ("a", a)):
        if x is not None and x.shape != (len(q), model.nv):
            raise ModelError(
                f"trajectory: expected {name} of shape ({len(q)}, {model.nv}), got "
                f"{x.shape}; leave it out to have it from q"
            )
    return t, q, v, a


def _check_positions(model: Model, q: Array) -> None:
    if q.ndim > 2:
        raise ModelError(
            f"trajectory: expected one motion, q of shape (steps, {model.nq}), got a "
            f"batch {q.shape}; choose one, such as trajectory=(t, q[0])"
        )
    if q.ndim != 2 or q.shape[-1] != model.nq:
        raise ModelError(
            f"trajectory: expected q of shape (steps, {model.nq}), got {q.shape}; "
            "show it with the model that made it"
        )


def _check_times(t: Array, steps: int) -> None:
    if t.shape != (steps,) or not steps:
        raise ModelError(
            f"trajectory: expected one time for each of the {steps} rows of q, got t "
            f"of shape {t.shape}; write trajectory=(t, q)"
        )
    bad = np.argwhere(~(np.diff(t) > 0.0))
    if not np.all(np.isfinite(t)) or len(bad):
        k = int(bad[0, 0]) if len(bad) else 0
        raise ModelError(
            f"trajectory: expected finite times that increase, got {t[k]} s and then "
            f"{t[min(k + 1, steps - 1)]} s at step {k}; sort the rows by time"
        )


def _finite(model: Model, t: Array, q: Array) -> tuple[int, tuple[Remark, ...]]:
    """How many states come before the first that is not finite, and the remark."""
    bad = np.argwhere(~np.isfinite(q))
    if not len(bad):
        return len(q), ()
    step, k = map(int, bad[0])
    what = f"{model.q_names[k]!r} is {q[step, k]} at step {step}, t = {t[step]:g} s"
    if step == 0:
        raise ModelError(f"q: expected finite numbers, got a first state where {what}")
    note = Remark("error", "trajectory", 0, "q", f"{what}; shown up to there")
    return step, (note,)


def _forces(model: Model, f_ext: Any, steps: int) -> dict[str, Array]:
    """External wrenches by name, a row for every step."""
    if f_ext is None:
        return {}
    if not isinstance(f_ext, Mapping):
        table = np.asarray(f_ext, float)
        f_ext = {b.name: table[..., i, :] for i, b in enumerate(model.bodies)}
    found = {}
    for name, wrench in f_ext.items():
        frame, wrench = model.frame(name), np.asarray(wrench, float)
        if frame.body is None:
            raise ModelError(f"f_ext: {name!r} is fixed to the world; name a body")
        if wrench.shape not in ((6,), (steps, 6)):
            raise ModelError(
                f"f_ext: {name!r}: expected (moment, force) of shape (6,) or "
                f"({steps}, 6), got {wrench.shape}; see kn.wrench"
            )
        found[name] = np.broadcast_to(wrench, (steps, 6))
    return found
