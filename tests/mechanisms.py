"""Random trees for the laws: every registered joint, in the least convenient places."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

import knuckle as kn
from knuckle import algorithms
from knuckle.joints import GENERAL, REGISTRY
from knuckle.model.arrays import evaluate
from knuckle.model.gamma import all_positions
from knuckle.spatial import Rx, Rz, Tx

Random = np.random.Generator
ALL = tuple(REGISTRY)
KINDS = {**REGISTRY, **GENERAL}
STATIC = {"frame": "tool", "body": "tool", "handles": ["tool"]}
WAYS = tuple(x for x in algorithms.__all__ if x.startswith("forward_dynamics"))
"""All methods of forward dynamics: they join the laws by being registered."""
HANDS = 4
"""Into how many trees the registered joints are dealt where one would be slow."""


def rotation(rng: Random) -> np.ndarray:
    """A uniformly random rotation."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.linalg.det(q)


def placement(rng: Random) -> kn.SE3:
    """A random rotation and an offset of some 40 cm."""
    return kn.SE3(rotation(rng), rng.uniform(-0.5, 0.5, 3))


def inertia(rng: Random) -> kn.Inertia:
    """A cloud of eight points away from the origin: full, and such as bodies have."""
    points = rng.normal(0.0, 0.3, (8, 3))
    points -= points.mean(axis=0)
    I_com = np.einsum("ij,ij->", points, points) * np.eye(3) - points.T @ points
    mass = rng.uniform(0.5, 3.0)
    return kn.Inertia(mass, rng.uniform(0.1, 0.4, 3), mass / 8.0 * I_com)


def physical(joint: kn.Joint, rng: Random) -> dict[str, tuple[float, ...]]:
    """Armature, damping, friction and springs, all of them non-zero where they can be.

    -stiffness difference(rest, q) has a potential where v = dq/dt, and for equal
    springs about the axes of a ball.
    """
    ranges = {"armature": (0.01, 1.0), "damping": (0.1, 1.0), "friction": (0.1, 0.5)}
    values = {k: tuple(rng.uniform(*r, joint.nv)) for k, r in ranges.items()}
    stiffness = rng.uniform(1.0, 5.0, joint.nv)
    if joint.custom:
        ball = (joint.nq, joint.nv) == (4, 3)
        stiffness = np.full(joint.nv, 3.0 if ball else 0.0)
    return {**values, "stiffness": tuple(stiffness)}


def equipped(joint: kn.Joint, rng: Random) -> kn.Joint:
    """The joint with its physical keywords; through Composite, as a user would."""
    return kn.joints.Composite(joint, name=joint.name, **physical(joint, rng))


def parents(count: int, rng: Random) -> list[int]:
    """A random tree with at least three branch points, as numbers of parents."""
    fixed = [-1, 0, 0, 1, 1, 2, 2]
    rest = [int(rng.integers(max(0, k - 6), k)) for k in range(len(fixed), count)]
    return (fixed + rest)[:count]


def tree(seed: int, kinds: Sequence[str] = ALL, forest: bool = False) -> kn.Model:
    """A random tree holding a joint of each of these kinds, and four bodies more.

    body0 is free, body1 has no mass and moves, body2 is fixed; from body4 on two joints
    of three have armature, damping, friction and springs. Bodies are declared in random
    order. In a forest a second tree starts at body7.
    """
    rng = np.random.default_rng([seed, len(kinds)])
    names = ["Free", "Revolute", "Fixed", "Revolute", *rng.permutation(list(kinds))]
    above = parents(len(names), rng)
    if forest:
        above[7] = -1
    bodies = []
    for k, kind in enumerate(names):
        joint = KINDS[kind](rng)
        if joint.nv and k > 3 and rng.random() < 2 / 3:
            joint = equipped(joint, rng)
        mass = None if k == 1 else inertia(rng)
        parent = None if above[k] < 0 else f"body{above[k]}"
        ends = placement(rng), mass, placement(rng)
        bodies.append(kn.Body(f"body{k}", parent, joint, *ends))
    frame = kn.Frame("tool", f"body{len(names) - 1}", placement(rng))
    shuffled = [bodies[k] for k in rng.permutation(len(bodies))]
    return kn.Model(shuffled, [frame], gravity=tuple(rng.uniform(-9.0, 9.0, 3)))


@functools.cache
def big(seed: int) -> kn.Model:
    """Every registered joint in one tree."""
    return tree(seed)


@functools.cache
def hand(seed: int) -> kn.Model:
    """One of HANDS consecutive seeds; together they hold every registered joint."""
    deck = np.random.default_rng(seed // HANDS).permutation(ALL)
    return tree(seed, [str(kind) for kind in deck[seed % HANDS :: HANDS]], True)


@functools.cache
def general(seed: int) -> kn.Model:
    """One of three consecutive seeds; together they hold every general joint."""
    return tree(seed, tuple(GENERAL)[seed % 3 :: 3])


@functools.cache
def prescribed() -> kn.Model:
    """A chain with motions prescribed in time, one of them without a coordinate."""
    rng = np.random.default_rng(5)
    joints = [
        kn.joints.Spherical(stiffness=2.0, damping=0.3),
        kn.Joint(lambda q, t: Rz(q[0] + np.sin(2.0 * t)) * Tx(0.1 * t * t), 1),
        kn.joints.Universal(),
        kn.Joint(lambda q, t: Rx(0.3 * t * t) * Tx(0.2 * t), 0),
    ]
    bodies = [
        kn.Body(
            f"body{k}", f"body{k - 1}" if k else None, joint,
            placement(rng), inertia(rng),
        )
        for k, joint in enumerate(joints)
    ]  # fmt: skip
    frame = kn.Frame("tool", "body3", placement(rng))
    return kn.Model(bodies, [frame])


COUPLINGS = (
    lambda rng: {"ratio": rng.uniform(-3.0, 3.0), "offset": 0.3},
    lambda rng: {"function": lambda x: 0.7 * np.sin(x) + 0.2 * x * x},
    lambda rng: {"ratio": rng.uniform(0.5, 2.0, 2)},
    lambda rng: {"function": lambda x, y: np.arctan2(np.sin(x), 2.0 + np.cos(y))},
)
"""Laws of one and of two sources, in turn."""


@functools.cache
def coupled(seed: int) -> kn.Model:
    """`hand(seed)` with half of its joints of one coordinate following others.

    Some follow joints that follow in turn, some a coordinate of a ball or screw.
    """
    model, rng = hand(seed), np.random.default_rng([seed, 9])
    known = [p for p in model.joints if p.joint.nv]
    able = [p for p in known if p.joint.nq == 1 and not p.joint.custom]
    followers = [able[k] for k in rng.permutation(len(able))[: (len(able) + 1) // 2]]
    names = {p.name: model.q_names[p.q] for p in known}
    free = [p.name for p in known if p not in followers]
    couplings = []
    for k, follower in enumerate(followers):
        law = COUPLINGS[(k + seed) % 4](rng)
        count = 1 + (k + seed) % 4 // 2
        sources = rng.choice(free, count, replace=False)
        picked = [str(rng.choice(names[source])) for source in sources]
        couplings.append(kn.Coupling(follower.name, picked, **law))
        free.append(follower.name)
    return model.replace(couplings=couplings)


def chain(
    seed: int, length: int, planar: bool = False, mixed: bool = False
) -> kn.Model:
    """A chain in a plane: joints about z, bodies in x-y, gravity in the plane."""
    rng = np.random.default_rng([seed, length])
    bodies = []
    for k in range(length):
        angle = rng.uniform(-3.0, 3.0)
        c, s = np.cos(angle), np.sin(angle)
        R = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
        place = kn.SE3(R, (*rng.uniform(-0.5, 0.5, 2), 0.0))
        moments = np.array([0.2, 0.3, 0.4]) * rng.uniform(0.5, 1.0)
        mass = kn.Inertia(rng.uniform(1, 2), (*rng.uniform(0.1, 0.4, 2), 0.0), moments)
        joint = planar_joint(k) if mixed else kn.joints.Revolute("z")
        parent = f"body{k - 1}" if k else None
        bodies.append(kn.Body(f"body{k}", parent, joint, place, mass))
    return kn.Model(bodies, gravity=(0.3, -9.81, 0.0), planar=planar)


def planar_joint(k: int) -> kn.Joint:
    """The kinds of joint that a plane allows, in turn."""
    kinds = (
        kn.joints.Free2D,
        lambda: kn.joints.Revolute("z", damping=0.3, armature=0.1),
        lambda: kn.joints.Prismatic("x", stiffness=3.0),
        kn.joints.Planar,
        lambda: kn.joints.RackAndPinion(0.2),
        kn.joints.PlanarTranslation,
    )
    return kinds[k % len(kinds)]()


def positions(model: kn.Model, rng: Random, shape: tuple[int, ...] = ()) -> np.ndarray:
    """Random q at which every joint has all its freedoms, with a margin."""
    q = model.random(rng, int(np.prod(shape, dtype=int)))
    bad = singular(model, q)
    while bad.any():
        q[bad] = model.random(rng, int(bad.sum()))
        bad = singular(model, q)
    return q.reshape(*shape, model.nq)


def singular(model: kn.Model, q: np.ndarray) -> np.ndarray:
    """Rows (n,) where a joint is close to losing a freedom, as Euler angles may.

    Or where the spring of a ball is close to half a turn, beyond which it pulls the
    other way round.
    """
    bad = np.zeros(len(q), bool)
    q = all_positions(model, q)
    for place in model.tree_joints:
        if place.joint.custom and any(place.joint.stiffness):
            bad |= turn(place.joint, q[:, place.q]) > np.pi - 0.05
        if place.joint.nv > 1:
            sample = place.joint.random(np.random.default_rng(0), 50)
            best = freedom(place.joint, sample).max()
            bad |= freedom(place.joint, q[:, place.q]) < 0.3 * best
    return bad


def turn(joint: kn.Joint, q: np.ndarray) -> np.ndarray:
    """How far each row is turned from where the spring is at rest [rad]."""
    steps = [joint.difference(joint.rest, row) for row in q.tolist()]
    return np.linalg.norm(
        np.array(steps, float).reshape(len(q), joint.nv)[:, :3], axis=-1
    )


def freedom(joint: kn.Joint, q: np.ndarray) -> np.ndarray:
    """The smallest singular value of S in each row."""
    S = evaluate(joint.motions.subspace, *q.T)[: 6 * joint.nv]
    S = np.stack(np.broadcast_arrays(*S, q[:, 0])[:-1], -1)
    return np.linalg.svd(S.reshape(-1, joint.nv, 6), compute_uv=False)[:, -1]


def state(
    model: kn.Model, seed: int, shape: tuple[int, ...] = ()
) -> tuple[np.ndarray, ...]:
    """Random q, v and a; some of v is exactly 0, where friction has its sign."""
    rng = np.random.default_rng([seed, 7])
    q = positions(model, rng, shape)
    v, a = rng.normal(size=(2, *shape, model.nv))
    v[..., rng.integers(0, model.nv, 2)] = 0.0
    return q, v, a


def wrenches(model: kn.Model, seed: int, shape: tuple[int, ...] = ()) -> np.ndarray:
    """Random external wrenches on every body."""
    rng = np.random.default_rng([seed, 8])
    return rng.normal(size=(*shape, len(model.bodies), 6))


def arguments(alg: Any, model: kn.Model, seed: int, shape: Any = ()) -> dict[str, Any]:
    """Arrays for every array argument of an algorithm, and names of a frame."""
    q, v, a = state(model, seed, shape)
    f = wrenches(model, seed, shape)
    rng = np.random.default_rng(seed)
    known = {"q": q, "v": v, "a": a, "f_ext": f, "f": f}
    found = {}
    for p in alg.parameters:
        if p.name in STATIC:
            found[p.name] = STATIC[p.name]
        elif not p.static:
            size = (*shape, *p.kind.shape(model))
            found[p.name] = known.get(p.name, rng.normal(size=size))
    return found


def accelerations(result: Any) -> np.ndarray:
    """a of a method of forward dynamics, whatever else it returns."""
    return np.asarray(result.a if isinstance(result, tuple) else result)


def numbers(result: Any) -> np.ndarray:
    """All results of an algorithm in one row."""
    parts = result if isinstance(result, tuple) else (result,)
    return np.concatenate([np.ravel(x) for x in parts])


def error(
    got: np.ndarray, expected: np.ndarray, size: np.ndarray | None = None
) -> float:
    """The largest deviation, relative to the largest entry of `size` or of what is
    expected."""
    scale = np.abs(expected if size is None else size).max(initial=0.0)
    return float(np.abs(np.asarray(got) - expected).max(initial=0.0) / (scale or 1.0))
