"""A robot's file in knuckle and in Pinocchio: how far the dynamics differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import knuckle as kn
from oracles import required

SINGULAR = 1e12
"""Forward dynamics is compared where the condition of M is below this."""


def deviations(
    model: kn.Model, peer: Any, rng: np.random.Generator, rows: int = 2
) -> dict[str, float]:
    """Largest deviations from a pinocchio.Model at random q, v, over the largest entry.

    Joints are paired by name; FD is left out where M is singular. Every joint is on its
    own, as it is there.
    """
    pin, model = required("pinocchio", "pin"), model.uncoupled
    data, there = peer.createData(), kn.convert.pinocchio(model, peer)
    run = {name: kn.interpret(getattr(kn, name), model) for name in NAMES}
    worst: dict[str, float] = {}
    for _ in range(rows):
        q, v = model.random(rng), rng.normal(size=model.nv)
        a, tau = rng.normal(size=(2, model.nv))
        pq, pv, pa = there.to_q(q), there.to_v(q, v), there.to_a(q, v, a)
        T = there.velocity_map(q)
        M = pin.crba(peer, data, pq)
        M = T.T @ (np.triu(M) + np.triu(M, 1).T) @ T
        bias = there.from_tau(q, pin.rnea(peer, data, pq, pv, there.to_a(q, v, 0 * a)))
        torque = there.from_tau(q, pin.rnea(peer, data, pq, pv, pa))
        ours = run["mass_matrix"](q)
        pairs = {
            "forward_kinematics": (
                poses(run["forward_kinematics"](q)),
                pinocchio_poses(model, peer, data, pq),
            ),
            "mass_matrix": (ours, M),
            "bias_forces": (run["bias_forces"](q, v), bias),
            "inverse_dynamics": (
                run["inverse_dynamics"](q, v, a, passive=False),
                torque,
            ),
        }
        if regular(M):
            theirs = pin.aba(peer, data, pq, pv, there.to_tau(q, tau))
            pairs["forward_dynamics"] = (
                run["forward_dynamics"](q, v, tau, passive=False),
                there.from_a(q, v, theirs),
            )
        for name, (got, expected) in pairs.items():
            off = np.abs(got - expected).max(initial=0.0)
            size = max(1.0, float(np.abs(expected).max(initial=0.0)))
            worst[name] = max(worst.get(name, 0.0), float(off) / size)
    return worst


NAMES = (
    *("forward_kinematics", "mass_matrix", "bias_forces", "inverse_dynamics"),
    "forward_dynamics",
)


def poses(found: Any) -> np.ndarray:
    """Rotations and origins of the bodies, one row of 12 for each."""
    R, p = (np.asarray(x, float) for x in found)
    return np.concatenate([R.reshape(-1, 9), p.reshape(-1, 3)], axis=1)


def pinocchio_poses(
    model: kn.Model, peer: Any, data: Any, pq: np.ndarray
) -> np.ndarray:
    """The same of the links of these names."""
    pin = required("pinocchio", "pin")
    pin.framesForwardKinematics(peer, data, pq)
    places = [
        data.oMf[peer.getFrameId(b.name, pin.FrameType.BODY)] for b in model.bodies
    ]
    rows = [[*M.rotation.ravel(), *M.translation] for M in places]
    return np.array(rows).reshape(-1, 12)


def regular(M: np.ndarray) -> bool:
    """Whether M, its diagonal scaled to 1, has a condition that allows an inverse."""
    diagonal = np.diag(M)
    if not len(M) or diagonal.min() <= 0.0:
        return False
    scale = 1.0 / np.sqrt(diagonal)
    return bool(np.linalg.cond(scale[:, None] * M * scale) < SINGULAR)


def pinocchio_file(path: str | Path, floating: bool = False) -> Any:
    """pinocchio.buildModelFromUrdf, on a free flyer if asked for."""
    pin = required("pinocchio", "pin")
    if floating:
        return pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    return pin.buildModelFromUrdf(str(path))
