"""Maximal coordinates: the matrix of (8.64), its factors, and forces of constraint."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle.algorithms.sparse_symmetric import Sparse, solved
from knuckle.spatial import Transform
from mechanisms import error
from test_divide_and_conquer import SHAPES, total, tree

SEEDS = pytest.mark.parametrize("seed", range(mechanisms.HANDS))


def run(alg: Any, model: kn.Model, *arrays: Any, **options: Any) -> Any:
    return kn.interpret(alg, model)(*arrays, **options)


@SEEDS
def test_accelerations_and_wrenches_of_every_joint(seed: int) -> None:
    """Those of articulated bodies, and of Newton-Euler; fixed joints included."""
    model = mechanisms.hand(seed)
    q, v, tau = mechanisms.state(model, seed)
    f = mechanisms.wrenches(model, seed)
    for passive in (True, False):
        a = run(kn.forward_dynamics, model, q, v, tau, f, passive=passive)
        found = run(kn.forward_dynamics_maximal, model, q, v, tau, f, passive=passive)
        assert error(found.a, a) < 1e-12
        wrenches = run(kn.joint_wrenches, model, q, v, a, f)
        assert error(found.wrenches, wrenches) < 1e-12


def test_wrenches_by_name_and_rows() -> None:
    model = mechanisms.hand(1)
    q, v, tau = mechanisms.state(model, 1, (4,))
    f = np.random.default_rng(0).normal(size=(4, 6))
    found = kn.forward_dynamics_maximal(model, q, v, tau, {"tool": f})
    a = kn.forward_dynamics(model, q, v, tau, {"tool": f})
    assert error(found.a, a) < 1e-11
    expected = kn.joint_wrenches(model, q, v, a, {"tool": f})
    assert error(found.wrenches, expected) < 1e-11


def dense(model: kn.Model, q: Any, v: Any, tau: Any) -> tuple[np.ndarray, np.ndarray]:
    """(8.64) in world coordinates, as NumPy writes it: (v', f_J) of every body."""
    n = len(model.bodies)
    place = {b.name: k for k, b in enumerate(model.bodies)}
    poses = run(kn.forward_kinematics, model, q)
    V = [
        run(kn.frame_velocity, model, q, v, b.name, expressed="world")
        for b in model.bodies
    ]
    I, PT, active = np.zeros((6 * n, 6 * n)), [], np.zeros(6 * n)
    right, k = [], []
    for b, R, p, speed in zip(model.bodies, *poses, V, strict=True):
        at = slice(6 * place[b.name], 6 * place[b.name] + 6)
        X = np.array(Transform.from_pose(kn.SE3(R, p)).matrix())
        I[at, at] = X.T @ np.array(b.inertia.matrix()) @ X
        right.append(force_cross(speed) @ I[at, at] @ speed)
        J = run(kn.frame_jacobian, model, q, b.name, expressed="world")
        S = J[:, model.joint(b.name).v]
        above = np.zeros(6) if b.parent is None else V[place[b.parent]]
        basis = np.linalg.svd(S.T)[2][S.shape[1] :].T
        push = S @ np.linalg.solve(S.T @ S, tau[model.joint(b.name).v])
        rows = np.zeros((basis.shape[1], 6 * n))
        rows[:, at] = basis.T
        active[at] += push
        if b.parent is not None:
            before = slice(6 * place[b.parent], 6 * place[b.parent] + 6)
            rows[:, before] = -basis.T
            active[before] -= push
        PT.append(rows)
        k.append(basis.T @ (-force_cross(above).T @ (speed - above)))
    T = np.concatenate(PT)
    H = np.block([[I, T.T], [T, np.zeros((len(T), len(T)))]])
    gravity = I @ np.tile([0, 0, 0, *model.gravity], n)
    b = np.concatenate([active - np.concatenate(right) + gravity, *k])
    return np.linalg.solve(H, b)[: 6 * n], H


def force_cross(v: np.ndarray) -> np.ndarray:
    """v x* (2.32)."""

    def skew(x: Any) -> np.ndarray:
        return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])

    top, side = skew(v[:3]), skew(v[3:])
    return np.block([[top, side], [np.zeros((3, 3)), top]])


@pytest.mark.parametrize("shape", ["chain", "binary", "comb"])
def test_the_dense_matrix_of_8_64_gives_the_same_bodies(shape: str) -> None:
    """S is constant in the body, so that c = v x v_J, and T of an SVD will do."""
    model = tree(7, SHAPES[shape], 3)
    q, v, tau = mechanisms.state(model, 3)
    accelerations, H = dense(model, q, v, tau)
    assert len(H) == 6 * 7 + 5 * 7  # 6 N_B + n^c
    a = run(kn.forward_dynamics_maximal, model, q, v, tau).a
    for k, body in enumerate(model.bodies):
        options = {"expressed": "world"}
        A = run(kn.frame_acceleration, model, q, v, a, body.name, **options)
        assert error(accelerations[6 * k : 6 * k + 6], A) < 1e-10


@pytest.mark.parametrize("shape", ["chain", "binary", "star"])
def test_it_is_linear_in_the_number_of_bodies(shape: str) -> None:
    way = kn.forward_dynamics_maximal
    few, more, many = (total(way, tree(n, SHAPES[shape])) for n in (8, 16, 32))
    assert (many - more) / (more - few) == pytest.approx(2.0, rel=0.03)
    usual = total(kn.forward_dynamics, tree(32, SHAPES[shape]))
    assert usual < many < 5 * usual


def test_fixed_bodies_and_the_world() -> None:
    rng = np.random.default_rng(1)
    ends = lambda: (mechanisms.placement(rng), mechanisms.inertia(rng))  # noqa: E731
    bodies = [
        kn.Body("post", None, kn.joints.Fixed(), *ends()),
        kn.Body("arm", "post", kn.joints.Universal(armature=0.3), *ends()),
        kn.Body("tool", "arm", kn.joints.Fixed(), *ends(), mechanisms.placement(rng)),
    ]
    model = kn.Model(bodies)
    q, v, tau = mechanisms.state(model, 1)
    found = kn.forward_dynamics_maximal(model, q, v, tau)
    a = kn.forward_dynamics(model, q, v, tau)
    assert error(found.a, a) < 1e-13
    assert error(found.wrenches, kn.joint_wrenches(model, q, v, a)) < 1e-13


def test_sparse_factors_of_an_indefinite_matrix() -> None:
    rng = np.random.default_rng(0)
    A = rng.normal(size=(6, 6))
    H = A @ A.T
    H[3:, 3:] = 0.0
    H[0, 4] = H[4, 0] = 0.0
    matrix = Sparse()
    for i in range(6):
        for j in range(i + 1):
            matrix.add(i, j, float(H[i, j]))
    assert matrix.entries() == np.count_nonzero(H)
    steps = matrix.factorized([(0, 3), (1, 4), (2, 5)])
    b = rng.normal(size=6)
    assert error(solved(steps, b.tolist()), np.linalg.solve(H, b)) < 1e-11


def test_leaves_first_fills_nothing_in() -> None:
    """An arrow: pivots on the tips leave the hub; the hub first makes all dense."""

    def arrow() -> Sparse:
        matrix = Sparse()
        for i in range(9):
            matrix.add(i, i, 2.0 + i)
            if i:
                matrix.add(i, 0, 1.0)
        return matrix

    tips_first = arrow().factorized([(i,) for i in (*range(1, 9), 0)])
    hub_first = arrow().factorized([(i,) for i in range(9)])
    sizes = [sum(len(step.L) for step in x) for x in (tips_first, hub_first)]
    assert sizes == [8, 36]
    first, other = (np.array(solved(x, [1.0] * 9)) for x in (tips_first, hub_first))
    assert error(first, other) < 1e-13
