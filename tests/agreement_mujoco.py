"""A robot's file in knuckle and in MuJoCo: how far the dynamics differ."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import agreement
import knuckle as kn
from oracles import required

NAMES = (
    *("forward_kinematics", "mass_matrix", "bias_forces", "passive_forces"),
    "forward_dynamics",
)
OFF = ("ACTUATION", "CONTACT", "CONSTRAINT", "EQUALITY", "FRICTIONLOSS", "LIMIT")


BESIDE = ("keys", "sensors", "actuators", "equalities", "tendons")
"""What a file has beside its tree, in the order in which it can be deleted."""


def mujoco_file(path: Any, bare: bool = False) -> Any:
    """The mujoco.MjModel of a file or of text; `bare` without what is BESIDE the tree.

    MuJoCo would round a centre of mass within 1e-6 of the origin to it, and leave out
    what then is zero in M: here it may not.
    """
    mujoco = required("mujoco", "mujoco")
    text = str(path).lstrip().startswith("<")
    read = mujoco.MjSpec.from_string if text else mujoco.MjSpec.from_file
    spec = read(str(path))
    for kind in BESIDE if bare else ():
        for item in list(getattr(spec, kind)):
            spec.delete(item)
    for body in spec.bodies[1:]:
        body.simple = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of what is deprecated
        peer = spec.compile()
    peer.body_sameframe[1:] = 0
    return peer


def smooth(peer: Any) -> list[str]:
    """Switch off what the Model lacks; gives what was on and acted."""
    mujoco = required("mujoco", "mujoco")
    for name in OFF:
        peer.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}"))
    acting = []
    fields = {
        "fluid": ("opt.density", "opt.viscosity"),
        "gravcomp": ("body_gravcomp",),
        "tendon forces": (
            *("tendon_stiffness", "tendon_damping", "tendon_armature"),
            *("tendon_stiffnesspoly", "tendon_dampingpoly"),
        ),
        "polynomials": ("jnt_stiffnesspoly", "dof_dampingpoly"),
    }
    for what, names in fields.items():
        found = [name for name in names if _cleared(peer, name)]
        if found:
            acting.append(what)
    return acting


def _cleared(peer: Any, name: str) -> bool:
    """Set to zero what is there; whether it was another number."""
    home, _, field = name.rpartition(".")
    holder = getattr(peer, home) if home else peer
    now = getattr(holder, field, None)
    if now is None or not np.any(now):
        return False
    if isinstance(now, np.ndarray):
        now[:] = 0.0
    else:
        setattr(holder, field, 0.0)
    return True


def deviations(
    model: kn.Model, peer: Any, rng: np.random.Generator, rows: int = 2
) -> dict[str, float]:
    """Largest deviations at random q, v, over the largest entry; call `smooth` first.

    Joint friction is a constraint in MuJoCo and so left out here too, and so are the
    couplings of joints.
    """
    mujoco, model = required("mujoco", "mujoco"), model.uncoupled
    data, there = mujoco.MjData(peer), kn.convert.mujoco(model, peer)
    run = {name: kn.interpret(getattr(kn, name), model) for name in NAMES}
    worst: dict[str, float] = {}
    places = _bodies(model, peer)
    for _ in range(rows):
        q, v = model.random(rng), rng.normal(size=model.nv)
        tau = rng.normal(size=model.nv)
        data.qpos, data.qvel = there.to_q(q), there.to_v(q, v)
        data.qfrc_applied = there.to_tau(q, tau)
        mujoco.mj_forward(peer, data)
        friction = model.friction * np.sign(v)
        T = there.velocity_map(q)
        M = np.zeros((peer.nv, peer.nv))
        mujoco.mj_fullM(peer, data, M)
        M = T.T @ M @ T
        drift = M @ there.from_a(q, v, 0.0 * data.qacc_smooth)
        passive = run["passive_forces"](q, v) + friction
        pairs = {
            "forward_kinematics": (
                agreement.poses(run["forward_kinematics"](q))[places],
                mujoco_poses(peer, data),
            ),
            "mass_matrix": (run["mass_matrix"](q), M),
            "bias_forces": (
                run["bias_forces"](q, v) + drift,
                there.from_tau(q, data.qfrc_bias),
            ),
            "passive_forces": (passive, there.from_tau(q, data.qfrc_passive)),
        }
        if agreement.regular(M):
            pairs["forward_dynamics"] = (
                run["forward_dynamics"](q, v, tau + friction),
                there.from_a(q, v, data.qacc_smooth),
            )
        for name, (got, expected) in pairs.items():
            off = np.abs(got - expected).max(initial=0.0)
            size = max(1.0, float(np.abs(expected).max(initial=0.0)))
            worst[name] = max(worst.get(name, 0.0), float(off) / size)
    return worst


def _bodies(model: kn.Model, peer: Any) -> list[int]:
    """Our body for each of MuJoCo's, but the world: massless ones between are ours."""
    names = [peer.body(k).name for k in range(1, peer.nbody)]
    if all(names):
        return [model.index(name) for name in names]
    steps = np.maximum(peer.body_jntnum[1:], 1)
    first = len(model.bodies) - int(steps.sum())  # the world's own shapes come first
    found: list[int] = (first + np.cumsum(steps) - 1).tolist()
    for name, ours in zip(names, found, strict=True):
        assert name in ("", model.bodies[ours].name)
    return found


def mujoco_poses(peer: Any, data: Any) -> np.ndarray:
    """Rotations and origins of all bodies but the world, one row of 12 for each."""
    return np.concatenate([data.xmat.reshape(-1, 9)[1:], data.xpos[1:]], axis=1)
