"""The arrays of a simulation: one leading shape, flattened to rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from knuckle.model.coordinates import given
from knuckle.model.errors import ModelError, near
from knuckle.sim.errors import SimulationError

Array = np.ndarray
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Batch:
    """The start of every row, and what else differs between rows.

    `lead` is the shape of the batch, and q (rows, nq), v (rows, nv) its rows; `extra`
    are wrenches and parameters by the name of the kernel's input, `cores` how many
    dimensions each has in one row, `forces` how `kn.compile` is told of the wrenches.
    """

    lead: Shape
    q: Array
    v: Array
    extra: dict[str, Array]
    cores: dict[str, int]
    forces: dict[str, Any]

    def shaped(self, rows: Array) -> Array:
        """Rows as the user's batch."""
        return rows.reshape(self.lead + rows.shape[1:])

    def flat(self, x: Array, core: int) -> Array:
        """An array (..., core dimensions) as rows; unchanged where it has no batch."""
        if x.ndim == core:
            return x
        shape = x.shape[x.ndim - core :]
        return np.broadcast_to(x, self.lead + shape).reshape(len(self.q), *shape)

    def extra_of(self, row: int) -> dict[str, Array]:
        """The wrenches and parameters of one row."""
        return {
            name: x[row] if x.ndim > self.cores[name] else x
            for name, x in self.extra.items()
        }


def batch(
    model: Any, q0: Any, v0: Any, tau_lead: Shape, f_ext: Any, parameters: Any
) -> Batch:
    """The checked start, everything broadcast to one leading shape."""
    v0 = np.zeros(model.nv, np.asarray(q0).dtype) if v0 is None else v0
    q, v = _state("q0", q0, model.nq), _state("v0", v0, model.nv)
    extra, forces = _wrenches(model, f_ext)
    cores = {name: 2 if name == "f_ext" else 1 for name in extra}
    extra |= _parameters(model, parameters)
    cores |= {name: len(p.shape) for name, p in model.parameters.items()}
    leads = {"q0": q.shape[:-1], "v0": v.shape[:-1], "tau": tau_lead}
    leads |= {name: x.shape[: x.ndim - cores[name]] for name, x in extra.items()}
    lead = _common(leads)
    _refuse_off_manifold(model, q)
    dtype = np.float32 if q.dtype == v.dtype == np.float32 else np.float64
    rows = [np.broadcast_to(x, lead + x.shape[-1:]).astype(dtype) for x in (q, v)]
    q, v = (x.reshape(prod(lead), x.shape[-1]) for x in rows)
    plain = Batch(lead, q, v, {}, cores, forces)
    flat = {k: plain.flat(x.astype(dtype), cores[k]) for k, x in extra.items()}
    return replace(plain, extra=flat)


def _state(name: str, x: Any, size: int) -> Array:
    try:
        return given(name, x, size)
    except (ModelError, ValueError) as error:
        raise SimulationError(f"simulate: {error}") from None


def _common(leads: Mapping[str, Shape]) -> Shape:
    try:
        return np.broadcast_shapes(*leads.values())
    except ValueError:
        shown = ", ".join(f"{name}: {s}" for name, s in leads.items() if s)
        raise SimulationError(
            f"simulate: the leading dimensions do not broadcast ({shown})"
        ) from None


def _refuse_off_manifold(model: Any, q: Array) -> None:
    """Rows of NaN pass: they stay in their row."""
    finite = np.isfinite(q).all(-1, keepdims=True)
    try:
        model.validate(np.where(finite, q, model.neutral()))
    except ModelError as error:
        raise SimulationError(f"simulate: q0: {error}") from None


def _wrenches(model: Any, f_ext: Any) -> tuple[dict[str, Array], dict[str, Any]]:
    if f_ext is None:
        return {}, {}
    if isinstance(f_ext, Mapping):
        arrays = {f"f_ext[{k!r}]": np.asarray(x, float) for k, x in f_ext.items()}
        for name in f_ext:
            model.frame(name)
        for key, x in arrays.items():
            _check_tail(key, x, (6,))
        return arrays, {"f_ext": list(f_ext)}
    array = np.asarray(f_ext, float)
    _check_tail("f_ext", array, (len(model.bodies), 6))
    return {"f_ext": array}, {"f_ext": True}


def _parameters(model: Any, values: Any) -> dict[str, Array]:
    for name in values or {}:
        if name not in model.parameters:
            hint = near(name, model.parameters, "declared parameters")
            raise SimulationError(f"simulate: parameters: {name!r}: {hint}")
    found = {**model.parameter_defaults(), **(values or {})}
    arrays = {name: np.asarray(x, float) for name, x in found.items()}
    for name, x in arrays.items():
        _check_tail(f"parameter {name!r}", x, model.parameters[name].shape)
    return arrays


def _check_tail(name: str, x: Array, core: Shape) -> None:
    if x.ndim < len(core) or x.shape[x.ndim - len(core) :] != core:
        wanted = ", ".join(["...", *map(str, core)])
        raise SimulationError(
            f"simulate: {name} has shape {x.shape}, expected ({wanted})"
        )
