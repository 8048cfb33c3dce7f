"""Every derivative of every algorithm against slopes of fifty digits."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import fifty
import knuckle as kn
import mechanisms
from knuckle import algorithms

DEALS = 18
"""Trees over which the registered joints are dealt: two kinds each."""
CLOSE = 1e-11
NOTHING = 1e-3
"""The size of a derivative that vanishes, as that of a free body's by its velocity."""
SPRINGY = {"stiffness": 3.0, "damping": 0.4, "armature": 0.1}
SPRING = (3.0, 3.0, 3.0, 0.0, 0.0, 0.0)
ROD = kn.Inertia(1.5, (0.1, 0.3, -0.2), (0.3, 0.4, 0.5))
LIMIT = 1e-11
MAIN = ["inverse_dynamics", "forward_dynamics", "mass_matrix"]
FEW = ("gravity", "tool.placement", "body4.*", "body5.*")
j = kn.joints


@functools.cache
def deal(k: int) -> kn.Model:
    """One of DEALS trees; together they hold every registered joint."""
    deck = np.random.default_rng(3).permutation(mechanisms.ALL)
    return mechanisms.tree(k, [str(kind) for kind in deck[k % DEALS :: DEALS]])


def point(alg: Any, model: kn.Model, seed: int) -> dict[str, Any]:
    """A generic point: friction is not at its jump, half the joints are prescribed."""
    found = mechanisms.arguments(alg, model, seed)
    if "v" in found:
        found["v"] = np.where(found["v"] == 0.0, 0.5, found["v"])
    if alg is kn.hybrid_dynamics:
        moving = [p.name for p in model.joints if p.joint.nv]
        found["prescribed"] = moving[::2]
    if any(p.joint.timed for p in model.joints):
        found["t"] = 0.7
    return found | model.parameter_defaults()


def agree(
    alg: Any,
    model: kn.Model,
    at: dict[str, Any],
    names: Sequence[str],
    tolerance: float = CLOSE,
    method: str = "auto",
) -> None:
    """The Jacobian in double precision, along random directions, is the slope."""
    rng = np.random.default_rng(len(names))
    blocks = iter(fifty.evaluated(kn.jacobian(alg, names, method), model, at))
    for name in names:
        along = fifty.direction(alg, model, at, name, rng)
        for expected in fifty.slope(alg, model, at, name, along):
            J = next(blocks)
            got = np.tensordot(J, along, along.ndim)
            size = np.tensordot(np.abs(J), np.abs(along), along.ndim)
            assert np.isfinite(J).all(), (alg.__name__, name)
            assert got.shape == expected.shape
            size = np.maximum(np.maximum(size, np.abs(expected)), NOTHING)
            error = mechanisms.error(got, expected, size)
            assert error < tolerance, (alg.__name__, name, error)
    assert not list(blocks)


def by_everything(name: str, usual: kn.Model, seed: int, patterns: Any = FEW) -> None:
    """By all arguments, then once more by those and constants of the model."""
    alg = getattr(algorithms, name)
    at = point(alg, usual, seed)
    agree(alg, usual, at, fifty.variables(alg, usual, at))
    model = usual.with_parameters(*patterns)
    at = point(alg, model, seed)
    agree(alg, model, at, fifty.variables(alg, model, at))


@pytest.mark.parametrize("name", algorithms.__all__)
def test_every_algorithm_by_everything(name: str) -> None:
    seed = algorithms.__all__.index(name)
    by_everything(name, deal(seed % DEALS), seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(DEALS))
@pytest.mark.parametrize("name", algorithms.__all__)
def test_every_algorithm_on_every_tree(name: str, seed: int) -> None:
    by_everything(name, deal(seed), seed, ("*",))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", MAIN)
def test_on_trees_of_general_joints(name: str, seed: int) -> None:
    by_everything(name, mechanisms.general(seed), seed, ("*",))


@pytest.mark.parametrize("name", [*MAIN, "frame_velocity"])
def test_by_the_time_of_prescribed_motions(name: str) -> None:
    by_everything(
        name, mechanisms.prescribed(), 1, ("gravity", "tool.placement", "body0*")
    )


SECOND = {
    "inverse_dynamics": [("q", "q"), ("v", "v"), ("q", "v"), ("a", "q")],
    "forward_dynamics": [("q", "q"), ("v", "q"), ("tau", "q"), ("v", "v")],
    "mass_matrix": [("q", "q")],
    "kinetic_energy": [("q", "q"), ("v", "q")],
    "potential_energy": [("q", "q"), ("gravity", "q")],
    "momentum": [("q", "q"), ("body4.com", "q")],
    "center_of_mass": [("q", "q"), ("body4.mass", "body5.mass")],
    "forward_kinematics": [("q", "q"), ("body4.placement", "body4.placement")],
    "frame_velocity": [("q", "q"), ("v", "q")],
}


def agree_twice(
    alg: Any,
    model: kn.Model,
    at: dict[str, Any],
    names: tuple[str, str],
    tolerance: float = CLOSE,
) -> None:
    """The Hessian in double precision, along two random directions."""
    rng = np.random.default_rng(2)
    x, y = (fifty.direction(alg, model, at, name, rng) for name in names)
    expected = fifty.second_slope(alg, model, at, names, (x, y))
    found = fifty.evaluated(kn.hessian(alg, names), model, at)
    for H, slope in zip(found, expected, strict=True):
        got = np.tensordot(np.tensordot(H, y, y.ndim), x, x.ndim)
        half = np.tensordot(np.abs(H), np.abs(y), y.ndim)
        size = np.tensordot(half, np.abs(x), x.ndim)
        assert np.isfinite(H).all(), (alg.__name__, names)
        error = mechanisms.error(got, slope, np.maximum(size, np.abs(slope)))
        assert error < tolerance, (alg.__name__, names, error)


def twice(name: str, pair: tuple[str, str], model: kn.Model, seed: int) -> None:
    alg = getattr(algorithms, name)
    constants = [x for x in {*pair} if len(x) > 3]
    model = model.with_parameters(*constants) if constants else model
    agree_twice(alg, model, point(alg, model, seed), pair)


@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives(name: str) -> None:
    for k, pair in enumerate(SECOND[name]):
        seed = (len(name) + 2 * k) % DEALS
        twice(name, pair, deal(seed), seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(DEALS))
@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives_on_every_tree(name: str, seed: int) -> None:
    for pair in SECOND[name]:
        twice(name, pair, deal(seed), seed)


ANGLES = {"0": 0.0, "1e-12": 1e-12, "1e-7": 1e-7, "pi-1e-9": np.pi - 1e-9}
AXES = {"z": (0.0, 0.0, 1.0), "skew": (0.48, -0.6, 0.64)}


@functools.cache
def delicate() -> kn.Model:
    """Joints with singular points of their expressions or of their coordinates."""
    rng = np.random.default_rng(8)
    joints = [
        j.Free(stiffness=SPRING, damping=0.3),
        j.SphericalExp(**SPRINGY),
        j.Spherical(**SPRINGY),
        j.Universal(**SPRINGY),
        j.SphericalEuler("zyx", **SPRINGY),
    ]
    bodies = [
        kn.Body(
            f"body{k}", f"body{k - 1}" if k else None, joint,
            mechanisms.placement(rng), mechanisms.inertia(rng),
        )
        for k, joint in enumerate(joints)
    ]  # fmt: skip
    frame = kn.Frame("tool", "body4", mechanisms.placement(rng))
    return kn.Model(bodies, [frame])


def turned(angle: float, axis: Sequence[float]) -> np.ndarray:
    """Every ball turned by this angle; two angles 1e-3 away from where S loses rank."""
    ball = [np.cos(angle / 2.0), *(np.sin(angle / 2.0) * np.array(axis))]
    flat = [0.1, -0.2, 0.3, *ball, *(angle * np.array(axis)), *ball]
    return np.array([*flat, 0.4, np.pi / 2 - 1e-3, -0.3, np.pi / 2 - 1e-3, angle])


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize(
    "name", ["inverse_dynamics", "forward_dynamics", "potential_energy"]
)
def test_first_and_second_at_singular_limits(name: str, angle: str, axis: str) -> None:
    model, alg = delicate(), getattr(algorithms, name)
    at = point(alg, model, 1) | {"q": turned(ANGLES[angle], AXES[axis])}
    agree(alg, model, at, fifty.variables(alg, model, at), LIMIT)
    agree_twice(alg, model, at, ("q", "q"), LIMIT)


@pytest.mark.parametrize("bad", [(0.7, 0.0, 0.0), (0.7, np.nan, 0.0)])
def test_what_is_not_finite_stays_in_its_row(bad: tuple[float, ...]) -> None:
    """In its singular coordinates a joint has no forward dynamics."""
    ball = kn.Inertia(1.0, (0.1, 0.0, 0.0), (1.0, 2.0, 2.0))
    model = kn.Model([kn.Body("ball", None, j.SphericalEuler("zxz"), inertia=ball)])
    q = np.array([[0.1, 0.2, 0.3], bad, [0.4, -0.5, 0.6]])
    v, tau = np.full((2, 3, 3), 0.5)
    kept = [0, 2]
    for derived in (
        kn.jacobian(kn.forward_dynamics, "q"),
        kn.hessian(kn.forward_dynamics, ("q", "v")),
    ):
        found = derived(model, q, v, tau)
        assert not np.isfinite(found[1]).all()
        alone = derived(model, q[kept], v[kept], tau[kept])
        assert np.isfinite(alone).all() and np.array_equal(found[kept], alone)


def test_hessians_are_symmetric_where_moves_commute() -> None:
    """To the last bit; and within a ball by the bracket of its two rotations."""
    model = kn.Model(
        [
            kn.Body("arm", None, j.Universal(), inertia=ROD),
            kn.Body("ball", "arm", j.Spherical(), kn.SE3(p=(0.3, 0.1, 0.2)), ROD),
        ]
    )
    q, v, a = mechanisms.state(model, 0)
    for wrt in ("q", "v"):
        H = kn.interpret(kn.hessian(kn.inverse_dynamics, wrt), model)(q, v, a)
        crossed = np.abs(H - H.swapaxes(1, 2)).max(axis=0)
        ball = np.zeros((5, 5), bool)
        ball[2:, 2:] = wrt == "q"
        assert (crossed[~ball] == 0.0).all()
        assert (crossed > 1e-3).sum() == (6 if wrt == "q" else 0)
    J = kn.interpret(kn.jacobian(kn.inverse_dynamics, "q"), model)(q, v, a)
    H = kn.interpret(kn.hessian(kn.inverse_dynamics, "q"), model)(q, v, a)
    bracket = H[:, 2, 3] - H[:, 3, 2]  # X_y after X_x is less X_x after X_y
    assert mechanisms.error(np.abs(bracket), np.abs(J[:, 4])) < 1e-12
