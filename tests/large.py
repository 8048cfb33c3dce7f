"""Mechanisms of many bodies: chains, trees, forests, alike and unlike."""

from __future__ import annotations

import numpy as np

import knuckle as kn
from mechanisms import inertia, placement

AXES = ("x", "y", "z")


def chain(count: int, seed: int = 0) -> kn.Model:
    """Hinges in a row, every placement and inertia another."""
    return _hinges([k - 1 for k in range(count)], seed)


def binary(count: int, seed: int = 0) -> kn.Model:
    """A binary tree of hinges, as balanced as can be."""
    return _hinges([(k - 1) // 2 if k else -1 for k in range(count)], seed)


def forest(count: int, seed: int = 0) -> kn.Model:
    """Chains of ten, each on its own."""
    return _hinges([k - 1 if k % 10 else -1 for k in range(count)], seed)


def unlike(count: int, seed: int = 0) -> kn.Model:
    """A tree of unlike bodies: nine of ten along axes, with zeros here and there."""
    rng = np.random.default_rng([seed, count])
    bodies = []
    for k in range(count):
        place, mass = placement(rng), inertia(rng)
        if rng.random() < 0.9:
            R = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)
            R[0] *= np.linalg.det(R)
            place = kn.SE3(R, rng.uniform(-0.5, 0.5, 3) * (rng.random(3) < 0.5))
            com = rng.uniform(0.1, 0.3, 3) * (rng.random(3) < 0.5)
            mass = kn.Inertia(1.0, com, rng.uniform(0.2, 0.3, 3))
        parent = f"body{rng.integers(max(0, k - 6), k)}" if k else None
        joint = kn.joints.Revolute(AXES[int(rng.integers(3))])
        bodies.append(kn.Body(f"body{k}", parent, joint, place, mass))
    return kn.Model(bodies)


def _hinges(above: list[int], seed: int) -> kn.Model:
    rng = np.random.default_rng([seed, len(above)])
    bodies = []
    for k, p in enumerate(above):
        parent = None if p < 0 else f"body{p}"
        joint = kn.joints.Revolute("z")
        ends = placement(rng), inertia(rng)
        bodies.append(kn.Body(f"body{k}", parent, joint, *ends))
    return kn.Model(bodies)
