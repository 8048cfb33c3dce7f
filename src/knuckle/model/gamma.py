"""gamma and G on NumPy arrays, for what need not be fast."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from knuckle.model.arrays import traced
from knuckle.model.coupled import Lift

if TYPE_CHECKING:
    from knuckle.model.model import Model

Array = np.ndarray


def all_positions(model: Model, q: Any) -> Array:
    """gamma(q): the coordinates of all joints, those that follow others included."""
    q = np.asarray(q, float)
    if not model.ties:
        return q
    columns = _coupled(model).positions(q)
    return stacked(columns, q.shape[:-1])


def slopes(model: Model, q: Any) -> Array:
    """G(q), (..., velocities of all joints, nv)."""
    q = np.asarray(q, float)
    columns = _coupled(model).slopes(q)
    return stacked(columns, q.shape[:-1]).reshape(*q.shape[:-1], -1, model.nv)


def _coupled(model: Model) -> Any:
    """gamma and G of the model on arrays, made once."""
    if "gamma" not in model._kernels:
        constants = [tie.coupling.constants for tie in model.ties]

        def slope(q: Any) -> list[Any]:
            rows = Lift(model, q, constants).rows()
            return [row.get(k, 0.0) for row in rows for k in range(model.nv)]

        positions = traced(lambda q: Lift(model, q, constants).q, q=model.nq)
        made = SimpleNamespace(positions=positions, slopes=traced(slope, q=model.nq))
        model._kernels["gamma"] = made
    return model._kernels["gamma"]


def stacked(columns: tuple[Array, ...], shape: tuple[int, ...]) -> Array:
    """Columns, some of them constants, side by side."""
    return np.stack([np.broadcast_to(x, shape) for x in columns], -1)
