"""A model's states in another engine's layout and variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from knuckle.convert.rotations import transposed
from knuckle.model import Model, PlacedJoint

Array = np.ndarray


@dataclass(frozen=True)
class Coordinates:
    """How one joint's coordinates and velocities appear in a peer.

    `matrix(q)` is T and its inverse, `drift(q, v)` is dT/dt v; None for T = 1.
    """

    nq: int
    to_q: Callable[[Array], Array]
    from_q: Callable[[Array], Array]
    matrix: Callable[[Array], tuple[Array, Array]] | None = None
    drift: Callable[[Array, Array], Array] | None = None


@dataclass(frozen=True)
class Place:
    """A joint with where its numbers lie, here and in the peer."""

    joint: PlacedJoint
    coordinates: Coordinates
    q: slice
    v: slice


class Convention:
    """A model's states in another engine's layout and variables.

    Every argument q, v and every result of a `from_` method is knuckle's, with any
    leading dimensions; `from_` undoes `to_`.  The trap: the peer's accelerations and
    forces mean what they mean at a state, so those methods need q and v too.
    """

    def __init__(self, model: Model, places: Sequence[Place], nq: int, nv: int) -> None:
        self.model, self.nq, self.nv = model, nq, nv
        self._places = tuple(places)

    def to_q(self, q: Any) -> Array:
        """The peer's position (..., nq')."""
        q = _real(q, "q", self.model.nq)
        out = np.zeros((*q.shape[:-1], self.nq), q.dtype)
        for x in self._places:
            out[..., x.q] = x.coordinates.to_q(q[..., x.joint.q])
        return out

    def from_q(self, q: Any) -> Array:
        """Our position (..., nq) of the peer's."""
        q = _real(q, "the peer's q", self.nq)
        out = np.zeros((*q.shape[:-1], self.model.nq), q.dtype)
        for x in self._places:
            out[..., x.joint.q] = x.coordinates.from_q(q[..., x.q])
        return out

    def to_v(self, q: Any, v: Any) -> Array:
        """T v, the peer's velocity (..., nv')."""
        return self._linear(q, v, "v", True, lambda T, inverse: T)

    def from_v(self, q: Any, v: Any) -> Array:
        """Our velocity (..., nv) of the peer's."""
        return self._linear(q, v, "the peer's v", False, lambda T, inverse: inverse)

    def to_a(self, q: Any, v: Any, a: Any) -> Array:
        """T a + dT/dt v, the peer's acceleration."""
        return self._linear(q, a, "a", True, lambda T, inverse: T) + self._drift(q, v)

    def from_a(self, q: Any, v: Any, a: Any) -> Array:
        """Our acceleration dv/dt of the peer's."""
        a = _real(a, "the peer's a", self.nv) - self._drift(q, v)
        return self._linear(q, a, "the peer's a", False, lambda T, inverse: inverse)

    def to_tau(self, q: Any, tau: Any) -> Array:
        """T^-T tau, the peer's joint forces."""
        return self._linear(q, tau, "tau", True, lambda T, inverse: transposed(inverse))

    def from_tau(self, q: Any, tau: Any) -> Array:
        """Our joint forces of the peer's."""
        return self._linear(q, tau, "the peer's tau", False, lambda T, _: transposed(T))

    def velocity_map(self, q: Any) -> Array:
        """T (..., nv', nv): the peer's Jacobian is J T^-1, its M is T^-T M T^-1."""
        q = _real(q, "q", self.model.nq)
        columns = self.to_v(q[..., None, :], np.eye(self.model.nv, dtype=q.dtype))
        return transposed(columns)

    def _linear(
        self,
        q: Any,
        x: Any,
        what: str,
        forth: bool,
        pick: Callable[[Array, Array], Array],
    ) -> Array:
        q = _real(q, "q", self.model.nq)
        x = _real(x, what, self.model.nv if forth else self.nv)
        lead = np.broadcast_shapes(q.shape[:-1], x.shape[:-1])
        size = self.nv if forth else self.model.nv
        out = np.zeros((*lead, size), np.result_type(q, x))
        for place in self._places:
            ours, theirs = place.joint.v, place.v
            source, target = (ours, theirs) if forth else (theirs, ours)
            part = x[..., source]
            if place.coordinates.matrix is not None:
                T = pick(*place.coordinates.matrix(q[..., place.joint.q]))
                part = np.einsum("...ij,...j->...i", T, part)
            out[..., target] = part
        return out

    def _drift(self, q: Any, v: Any) -> Array:
        q, v = _real(q, "q", self.model.nq), _real(v, "v", self.model.nv)
        lead = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
        out = np.zeros((*lead, self.nv), np.result_type(q, v))
        for x in self._places:
            if x.coordinates.drift is not None:
                parts = q[..., x.joint.q], v[..., x.joint.v]
                out[..., x.v] = x.coordinates.drift(*parts)
        return out


def _real(x: Any, what: str, size: int) -> Array:
    array = np.asarray(x)
    if array.dtype.kind in "iub":
        array = array.astype(float)
    if array.dtype.kind != "f" or array.ndim < 1 or array.shape[-1] != size:
        raise ValueError(
            f"convert: {what} is expected to be real, of shape (..., {size}); got "
            f"{array.dtype} of shape {array.shape}"
        )
    return array
