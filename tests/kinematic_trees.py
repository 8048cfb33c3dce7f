"""Random trees with welded bodies, offsets and frames; rates along a motion."""

from __future__ import annotations

import functools

import numpy as np

import knuckle as kn
from knuckle.joints.registry import REGISTRY
from oracles import robots

FRAMES = ("body", "world", "aligned")
GROUPS = [tuple(REGISTRY)[k::6] for k in range(6)]
STENCIL = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
H = 1e-3


def pose(rng):
    return kn.SE3.exp(tuple(rng.normal(size=6)))


@functools.cache
def tree(names, seed):
    """A random tree on these joints, with welded bodies, offsets and two frames."""
    rng = np.random.default_rng(seed)
    bodies = []
    for k, name in enumerate(names):
        parent = None if k < 1 else f"b{rng.integers(max(0, k - 3), k)}"
        inertia = robots.random_inertia(rng)
        joint = REGISTRY[name](rng)
        bodies.append(kn.Body(f"b{k}", parent, joint, pose(rng), inertia, pose(rng)))
    middle, inertia = f"b{len(names) // 2}", robots.random_inertia(rng)
    bodies[1:1] = [
        kn.Body("welded", middle, kn.joints.Fixed(), pose(rng), inertia, pose(rng)),
        kn.Body("foot", "welded", kn.joints.Fixed(), pose(rng), inertia, pose(rng)),
        kn.Body("bench", None, kn.joints.Fixed(), pose(rng), inertia, pose(rng)),
    ]
    frames = [kn.Frame("tool", "foot", pose(rng)), kn.Frame("mark", None, pose(rng))]
    return kn.Model(bodies, frames, gravity=(0.3, -0.4, -9.81))


def state(model, seed=0):
    rng = np.random.default_rng(seed)
    return (model.random(rng), *rng.normal(size=(2, model.nv)))


def plain(alg, model, *args, **options):
    """The algorithm's text on floats: nothing is compiled for a single call."""
    return kn.interpret(alg, model)(*args, **options)


def along(model, q, v, function):
    """d/ds function(q exp(v s), s) at s = 0, by central differences of fourth order."""
    steps = STENCIL.items()
    return sum(w * function(model.integrate(q, v, k * H), k * H) for k, w in steps) / H


def compiled(alg, model, *args, **options):
    return alg(model, *args, **options)
