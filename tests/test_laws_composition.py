"""A joint made of joints is the chain of its parts with massless bodies between.

Every built-in joint but the revolute, the prismatic and the spherical one is such a
chain at coordinates G q, so that its forces are G^T times those of the chain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle import joints as j
from knuckle.joints.registry import REGISTRY
from knuckle.spatial import quaternion
from mechanisms import error

AXIS = (0.48, 0.6, -0.64)
SEEDS = pytest.mark.parametrize("seed", range(2))


class Chain(NamedTuple):
    """A joint, the joints that it is a chain of, and G from its q to theirs."""

    whole: Callable[..., kn.Joint]
    parts: Sequence[Callable[..., kn.Joint]]
    G: Any = None


def slide(axis: Any) -> Callable[..., kn.Joint]:
    return lambda **physical: j.Prismatic(axis, **physical)


def turn(axis: Any) -> Callable[..., kn.Joint]:
    return lambda **physical: j.Revolute(axis, **physical)


CHAINS = {
    "Helical": Chain(
        lambda **p: j.Helical(AXIS, 0.3, **p), [turn(AXIS), slide(AXIS)], [[1], [0.3]]
    ),
    "Helical about -y": Chain(
        lambda **p: j.Helical("-y", 0.3, **p), [turn("-y"), slide("-y")], [[1], [0.3]]
    ),
    "RackAndPinion": Chain(
        lambda **p: j.RackAndPinion(0.2, **p), [slide("x"), turn("z")], [[0.2], [1]]
    ),
    "Cylindrical": Chain(
        lambda **p: j.Cylindrical(AXIS, **p), [turn(AXIS), slide(AXIS)]
    ),
    "Universal": Chain(j.Universal, [turn("x"), turn("y")]),
    "PlanarTranslation": Chain(j.PlanarTranslation, [slide("x"), slide("y")]),
    "Translational": Chain(j.Translational, [slide(a) for a in "xyz"]),
    "SphericalEuler": Chain(
        lambda **p: j.SphericalEuler("yzx", **p), [turn(a) for a in "yzx"]
    ),
    "Free2D": Chain(j.Free2D, [slide("x"), slide("y"), turn("z")]),
    "Composite": Chain(
        lambda **p: j.Composite(slide(AXIS)(), j.Spherical(), turn("x")(), **p),
        [slide(AXIS), j.Spherical, turn("x")],
    ),
    "reversed Composite": Chain(
        lambda **p: j.Reversed(j.Composite(turn(AXIS)(), slide("x")()), **p),
        [lambda **p: j.Reversed(slide("x")(), **p), turn([-x for x in AXIS])],
        [[0, 1], [1, 0]],
    ),
}


def models(
    chain: Chain, seed: int
) -> tuple[kn.Model, kn.Model, np.ndarray, np.ndarray]:
    """The joint and the chain, each under a hinge and with a ball below, with G of q
    and G of v."""
    rng = np.random.default_rng(seed)
    parts = [part() for part in chain.parts]
    nv = sum(part.nv for part in parts)
    values = {k: rng.uniform(0.1, 1.0, nv) for k in ("armature", "damping", "friction")}
    if chain.G is not None:
        values = {}
    whole = chain.whole(**values)
    links, start = [], 0
    for part in chain.parts:
        stop = start + part().nv
        links.append(part(**{k: x[start:stop] for k, x in values.items()}))
        start = stop
    G = np.eye(nv) if chain.G is None else np.array(chain.G, float)
    Gq = np.eye(whole.nq) if chain.G is None else G
    one, many = ends(seed, [whole]), ends(seed, links)
    return one, many, framed(Gq, 1, 4), framed(G, 1, 3)


def ends(seed: int, middle: Sequence[kn.Joint]) -> kn.Model:
    """Hinge, the joints with nothing between them, ball; all placed at random."""
    rng = np.random.default_rng([seed, 1])
    base = mechanisms.placement(rng), mechanisms.inertia(rng), mechanisms.placement(rng)
    place, mass, offset = (
        mechanisms.placement(rng), mechanisms.inertia(rng), mechanisms.placement(rng),
    )  # fmt: skip
    tip = mechanisms.placement(rng), mechanisms.inertia(rng), mechanisms.placement(rng)
    bodies = [kn.Body("base", None, j.Revolute("x", damping=0.4), *base)]
    for k, joint in enumerate(middle):
        last = k == len(middle) - 1
        parent = f"link{k - 1}" if k else "base"
        inner = place if k == 0 else kn.SE3()
        outer = (mass, offset) if last else (None, kn.SE3())
        name = "arm" if last else f"link{k}"
        bodies.append(kn.Body(name, parent, joint, inner, *outer))
    bodies.append(kn.Body("tip", "arm", j.Spherical(), *tip))
    return kn.Model(bodies, gravity=(1.0, -2.0, -9.0))


def framed(G: np.ndarray, before: int, after: int) -> np.ndarray:
    """diag(1, G, 1)."""
    rows, columns = G.shape
    whole = np.zeros((before + rows + after, before + columns + after))
    whole[:before, :before] = np.eye(before)
    whole[before : before + rows, before : before + columns] = G
    whole[before + rows :, before + columns :] = np.eye(after)
    return whole


def run(alg: Any, model: kn.Model, *arrays: Any) -> Any:
    return kn.interpret(alg, model)(*arrays)


@SEEDS
@pytest.mark.parametrize("name", CHAINS)
def test_a_composite_is_the_chain_with_massless_bodies(name: str, seed: int) -> None:
    one, many, Gq, G = models(CHAINS[name], seed)
    q, v, a = mechanisms.state(one, seed)
    chain = Gq @ q, G @ v, G @ a
    poses = (run(kn.forward_kinematics, m, x) for m, x in ((one, q), (many, chain[0])))
    ours, theirs = (np.concatenate([p.p, p.R.reshape(-1, 9)], -1) for p in poses)
    assert error(ours[1:], theirs[-2:]) < 1e-14, (name, seed)
    tau = run(kn.inverse_dynamics, one, q, v, a)
    assert error(tau, G.T @ run(kn.inverse_dynamics, many, *chain)) < 1e-12, (
        name,
        seed,
    )
    M = run(kn.mass_matrix, one, q)
    assert error(M, G.T @ run(kn.mass_matrix, many, chain[0]) @ G) < 1e-13, (name, seed)
    if len(G) == len(G.T):
        found = G @ run(kn.forward_dynamics, one, q, v, tau)
        expected = run(kn.forward_dynamics, many, *chain[:2], G @ tau)
        assert error(found, expected) < 1e-10, (name, seed)


POSES = {
    "Fixed": (j.Revolute, (j.Fixed, j.Revolute, j.Fixed), lambda q: q),
    "Free": (j.Free, (j.Translational, j.Spherical), lambda q: q),
    "Planar": (j.Planar, (j.PlanarTranslation, j.Revolute), lambda q: q),
    "SphericalExp": (j.SphericalExp, (j.Spherical,), quaternion.exp),
    "Spherical": (
        j.Spherical,
        (j.Spherical, j.Spherical),
        lambda q: (*HALF, *quaternion.multiply(quaternion.conjugate(HALF), q)),
    ),
}
HALF = quaternion.exp((0.3, -0.5, 0.2))


@SEEDS
@pytest.mark.parametrize("name", POSES)
def test_the_pose_is_that_of_the_parts(name: str, seed: int) -> None:
    """Where v is not dq/dt; that S is the derivative of the pose is another law."""
    make, parts, spread = POSES[name]
    joint, chain = make(), j.Composite(*(part() for part in parts))
    q = joint.random(np.random.default_rng(seed)).tolist()
    found, expected = joint.pose(q).matrix(), chain.pose(spread(q)).matrix()
    assert np.allclose(found, expected, rtol=0, atol=1e-14), (name, seed)


@pytest.mark.parametrize("name", [n for n in REGISTRY if "reversed" not in n])
def test_a_joint_reversed_is_the_tree_from_the_other_end(name: str) -> None:
    """Two bodies that float: which of them the tree starts from changes nothing."""
    seed = 4
    rng = np.random.default_rng(seed)
    joint = REGISTRY[name](rng)
    masses = mechanisms.inertia(rng), mechanisms.inertia(rng)
    inner, outer = mechanisms.placement(rng), mechanisms.placement(rng)
    there = kn.Model(
        [
            kn.Body("a", None, j.Free(), inertia=masses[0]),
            kn.Body("b", "a", joint, inner, masses[1], outer),
        ]
    )
    back = kn.Model(
        [
            kn.Body("b", None, j.Free(), inertia=masses[1]),
            kn.Body("a", "b", j.Reversed(joint), outer, masses[0], inner),
        ]
    )
    q, v, tau = mechanisms.state(there, seed)
    tau[:6] = 0.0
    R, p = run(kn.forward_kinematics, there, q)
    turn = quaternion.from_rotation(R[1].tolist())
    V = kn.interpret(kn.frame_velocity, there)(q, v, frame="b")
    other = (*p[1], *turn, *q[7:]), (*V, *v[6:])
    assert error(run(kn.forward_kinematics, back, other[0]).p[1], p[0]) < 1e-13, seed
    energies = [
        run(kn.kinetic_energy, there, q, v),
        run(kn.kinetic_energy, back, *other),
    ]
    assert energies[0] == pytest.approx(energies[1], rel=1e-12), (name, seed)
    momenta = [run(kn.momentum, there, q, v), run(kn.momentum, back, *other)]
    assert error(momenta[1], momenta[0]) < 1e-12, (name, seed)
    found = run(kn.forward_dynamics, there, q, v, tau)[6:]
    expected = run(kn.forward_dynamics, back, *other, tau)[6:]
    assert error(found, expected) < 1e-10, (name, seed)


@pytest.mark.parametrize("name", ["Helical", "Spherical", "Free", "Planar", "gimbal"])
def test_reversed_twice_has_the_same_dynamics(name: str) -> None:
    seed = 5
    joint = REGISTRY[name](np.random.default_rng(seed))
    once, twice = (
        ends(seed, [x]) for x in (joint, kn.joints.Reversed(kn.joints.Reversed(joint)))
    )
    state = mechanisms.state(once, seed)
    for alg in (kn.inverse_dynamics, kn.forward_dynamics):
        expected = run(alg, once, *state)
        assert error(run(alg, twice, *state), expected) < 1e-11, (name, seed)
