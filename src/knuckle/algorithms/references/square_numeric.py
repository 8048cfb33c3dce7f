"""Si & Guenter's Method II: recursions 1 to 3 compiled, 4 to 6 in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from knuckle.algorithms.forward_dynamics_square import square_parts
from knuckle.model.view import View


def forward_dynamics_method_two(
    model: Any, q: Any, v: Any, tau: Any, **options: Any
) -> np.ndarray:
    """a = FD(q, v, tau) (..., nv).  Si & Guenter (27)-(35) on matrices.

    The values of `forward_dynamics_square`; what they measured to be some fifty times
    slower, and what needs no code for the inverses of large models.
    """
    parts = square_parts(model, q, v, tau, **options)
    bodies = View(model).bodies
    lead = parts.tau.shape[:-1]
    J = np.broadcast_to(parts.I, (*lead, *parts.I.shape[-3:])).copy()
    z, U, c = np.zeros((*lead, len(bodies), 6)), {}, {}
    Omega, S = {}, {}
    for k, i in reversed(list(enumerate(bodies))):
        S[k] = np.swapaxes(parts.S[..., i.v, :], -1, -2)
        U[k] = J[..., k, :, :] @ S[k]
        Omega[k] = np.swapaxes(S[k], -1, -2) @ U[k] + np.diag(i.joint.armature)
        left = parts.tau[..., i.v] - _times(np.swapaxes(S[k], -1, -2), z[..., k, :])
        c[k] = np.linalg.solve(Omega[k], left[..., None])[..., 0]
        if i.parent.name != "world":
            p, X = i.parent.index, parts.X[..., k, :, :]
            Xt = np.swapaxes(X, -1, -2)
            Ja = J[..., k, :, :] - U[k] @ np.linalg.solve(
                Omega[k], np.swapaxes(U[k], -1, -2)
            )
            J[..., p, :, :] += Xt @ Ja @ X
            z[..., p, :] += _times(Xt, z[..., k, :] + _times(U[k], c[k]))
    return _outward(bodies, parts.X, S, U, Omega, c, np.zeros((*lead, model.nv)))


def _outward(
    bodies: Any, X: Any, S: Any, U: Any, Omega: Any, c: Any, a: np.ndarray
) -> np.ndarray:
    """(34), (35)."""
    eta: dict[Any, Any] = {}
    for k, i in enumerate(bodies):
        still = np.zeros((*a.shape[:-1], 6))
        eta[k] = _times(X[..., k, :, :], eta.get(getattr(i.parent, "index", -1), still))
        pull = _times(np.swapaxes(U[k], -1, -2), eta[k])
        a[..., i.v] = c[k] - np.linalg.solve(Omega[k], pull[..., None])[..., 0]
        eta[k] = eta[k] + _times(S[k], a[..., i.v])
    return a


def _times(A: Any, x: Any) -> Any:
    return (A @ x[..., None])[..., 0]
