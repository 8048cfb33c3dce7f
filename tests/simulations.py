"""Mechanisms for the tests of the simulation: without jumps of force, and small."""

from __future__ import annotations

import functools

import numpy as np

import knuckle as kn
import mechanisms
from knuckle.joints.registry import REGISTRY

MOVING = [kind for kind in REGISTRY if not kind.endswith("Fixed")]


def smooth(joint: kn.Joint, rng: np.random.Generator) -> kn.Joint:
    """The joint with armature, damping and springs; no dry friction."""
    values = mechanisms.physical(joint, rng)
    values["friction"] = (0.0,) * joint.nv
    return kn.joints.Composite(joint, name=joint.name, **values)


@functools.cache
def mechanism(*kinds: str, seed: int = 0, passive: bool = True) -> kn.Model:
    """A random tree of joints of these kinds, gravity in a random direction."""
    rng = np.random.default_rng([seed, len(kinds)])
    bodies = []
    for k, kind in enumerate(kinds):
        joint = REGISTRY[kind](rng)
        if passive and joint.nv:
            joint = smooth(joint, rng)
        parent = f"body{rng.integers(k)}" if k else None
        ends = mechanisms.placement(rng), mechanisms.inertia(rng)
        bodies.append(kn.Body(f"body{k}", parent, joint, *ends))
    return kn.Model(bodies, gravity=tuple(rng.uniform(-6.0, 6.0, 3)))


def state(
    model: kn.Model, shape: tuple[int, ...] = (), seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """A random start away from singular positions."""
    rng = np.random.default_rng([seed, 9])
    q = mechanisms.positions(model, rng, shape)
    return q, rng.normal(size=(*shape, model.nv))


def pendulum(**physical: object) -> kn.Model:
    """A rod of 1 kg and 1 m about its end, hanging at q = 0."""
    rod = kn.Inertia(1.0, (0.0, 0.0, -0.5), (1 / 12, 1 / 12, 1e-3))
    joint = kn.joints.Revolute("y", **physical)
    return kn.Model([kn.Body("rod", None, joint, inertia=rod, joint_name="hinge")])


def double_pendulum(**physical: object) -> kn.Model:
    """Two such rods."""
    rod = kn.Inertia(1.0, (0.0, 0.0, -0.5), (1 / 12, 1 / 12, 1e-3))
    joints = [kn.joints.Revolute("y", **physical) for _ in range(2)]
    return kn.Model([
        kn.Body("upper", None, joints[0], inertia=rod),
        kn.Body("lower", "upper", joints[1], kn.SE3(p=(0, 0, -1)), rod),
    ])  # fmt: skip


def slider(mass: float = 2.0, **physical: object) -> kn.Model:
    """A mass on a rail along x; gravity does not act on it."""
    body = kn.Inertia(mass, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1))
    return kn.Model([
        kn.Body("cart", None, kn.joints.Prismatic("x", **physical), inertia=body)
    ])  # fmt: skip


def free_body(moments: tuple[float, ...] = (1.0, 2.0, 3.0), **options) -> kn.Model:
    """A body in space without gravity, its frame at its centre of mass."""
    body = kn.Inertia(1.0, (0.0, 0.0, 0.0), moments)
    floating = kn.Body("body", None, kn.joints.Free(), inertia=body)
    return kn.Model([floating], gravity=options.get("gravity", (0.0, 0.0, 0.0)))


def floating_arm() -> kn.Model:
    """A free body with two links, no gravity: momentum stays."""
    base = mechanism("Free", "Revolute", "Spherical", seed=3, passive=False)
    return base.replace(gravity=(0.0, 0.0, 0.0))


def apart(model: kn.Model, a: tuple, b: tuple) -> float:
    """The largest deviation of two states (q, v), positions on the manifold."""
    turned = np.abs(model.difference(a[0], b[0])).max()
    return float(max(turned, np.abs(a[1] - b[1]).max()))
