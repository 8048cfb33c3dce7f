"""The mass matrix on NumPy arrays, for `check`: M = sum_i J_i^T I_i J_i + armature."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from knuckle.model import coordinates, gamma
from knuckle.spatial import SE3

if TYPE_CHECKING:
    from knuckle.model.model import Model

Array = np.ndarray


def world_motions(model: Model, q: Array) -> tuple[Array, list[tuple[Array, Array]]]:
    """The columns of S in world axes at the world origin, and the poses."""
    S = np.zeros((len(q), 6, model.nv))
    poses: list[tuple[Array, Array]] = [(np.eye(3), np.zeros(3))] * len(model.bodies)
    for i in model.order:
        placed, parent = model.joints[i], model.parents[i]
        R, p = poses[parent] if parent >= 0 else (np.eye(3), np.zeros(3))
        R, p = _compose(R, p, placed.body.placement)
        Rj, pj, Sj = coordinates.motion(placed.joint, q[:, placed.q])
        R, p = R @ Rj, p + np.einsum("...ij,...j->...i", R, pj)
        angular, linear = R @ Sj[:, :3], R @ Sj[:, 3:]
        linear = linear + np.cross(p[..., :, None], angular, axis=1)
        S[:, :, placed.v] = np.concatenate([angular, linear], axis=1)
        poses[i] = _compose(R, p, placed.body.offset.inverse())
    return S, poses


def mass_matrices(model: Model, q: Array) -> Array:
    """M(q) in rows (rows, nv, nv) [kg m^2, kg m, kg], by J^T I J in world axes.

    G^T M G of all joints where couplings make some follow others (9.26).
    """
    if model.ties:
        G = gamma.slopes(model, q)
        q = gamma.all_positions(model, q)
        return np.swapaxes(G, 1, 2) @ mass_matrices(model.uncoupled, q) @ G
    S, poses = world_motions(model, q)
    composite = [
        _world_inertia(body.rigid.matrix(), *pose)
        for body, pose in zip(model.bodies, poses, strict=True)
    ]
    M = np.zeros((len(q), model.nv, model.nv))
    for i in reversed(model.order):
        parent = model.parents[i]
        if parent >= 0:
            composite[parent] = composite[parent] + composite[i]
        here = model.joints[i].v
        F = composite[i] @ S[:, :, here]
        while i >= 0:
            there = model.joints[i].v
            block = np.swapaxes(S[:, :, there], 1, 2) @ F
            M[:, there, here] = block
            M[:, here, there] = np.swapaxes(block, 1, 2)
            i = model.parents[i]
    return M + np.diag(model.armature)


def _compose(R: Array, p: Array, pose: SE3) -> tuple[Array, Array]:
    return R @ np.array(pose.R, float), p + R @ np.array(pose.p, float)


def _world_inertia(I: object, R: Array, p: Array) -> Array:
    """X^T I X with X from world to body coordinates (2.66)."""
    Rt = np.swapaxes(R, -1, -2)
    zero = np.zeros_like(p[..., 0])
    x, y, z = np.moveaxis(p, -1, 0)
    cross = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], -1)
    cross = cross.reshape(*p.shape[:-1], 3, 3)
    X = np.zeros((*Rt.shape[:-2], 6, 6))
    X[..., :3, :3] = X[..., 3:, 3:] = Rt
    X[..., 3:, :3] = -Rt @ cross
    return np.swapaxes(X, -1, -2) @ np.array(I, float) @ X
