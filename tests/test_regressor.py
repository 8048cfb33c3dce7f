"""The regressor and the coordinates of inertias that are always those of a body."""

from __future__ import annotations

import numpy as np
import pytest

import knuckle as kn
import mechanisms
import oracles
from knuckle.spatial import Inertia, from_log_cholesky, log_cholesky


@pytest.mark.parametrize("seed", range(mechanisms.HANDS))
def test_inverse_dynamics_is_linear_in_the_inertias(seed: int) -> None:
    model = mechanisms.hand(seed)
    q, v, a = mechanisms.state(model, seed)
    Y = kn.interpret(kn.regressor, model)(q, v, a)
    tau = kn.interpret(kn.inverse_dynamics, model)(q, v, a, passive=False)
    assert Y.shape == (model.nv, 10 * len(model.bodies))
    got = Y @ model.inertial_parameters() + model.armature * a
    assert mechanisms.error(got, tau) < 1e-13


def test_it_holds_in_the_plane_and_in_batches() -> None:
    model = mechanisms.chain(2, 3, planar=True)
    q, v, a = mechanisms.state(model, 2, (5,))
    tau = kn.inverse_dynamics(model, q, v, a, passive=False)
    got = kn.regressor(model, q, v, a) @ model.inertial_parameters()
    assert mechanisms.error(got, tau) < 1e-13


def test_pinocchio_has_the_same_regressor() -> None:
    """Its columns are (m, m c, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz), joint by joint."""
    pin = oracles.required("pinocchio", "pin")
    model = oracles.robot("arm7", 0)
    peer = oracles.pinocchio_model(model)
    q, v, a = mechanisms.state(model, 0)
    theirs = pin.computeJointTorqueRegressor(peer, peer.createData(), q, v, a)
    order = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]
    columns = [10 * k + n for k in range(model.nv) for n in order]
    ours = kn.regressor(model, q, v, a)
    moving = [k for k, b in enumerate(model.bodies) if b.joint.nv]
    ours = np.concatenate([ours[:, 10 * k : 10 * k + 10] for k in moving], axis=1)
    assert mechanisms.error(ours[:, columns], theirs) < 1e-13


def test_log_cholesky_there_and_back() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        theta = rng.normal(size=10)
        inertia = from_log_cholesky(theta)
        assert inertia.problems() == []
        assert np.allclose(inertia.com, theta[7:], rtol=0, atol=1e-13)
        assert np.allclose(log_cholesky(inertia), theta, rtol=0, atol=1e-9)
        given = mechanisms.inertia(rng)
        again = from_log_cholesky(log_cholesky(given))
        assert mechanisms.error(np.array(again.entries), given.entries) < 1e-12


def test_a_body_of_eight_points_has_its_second_moments() -> None:
    """U U^T against the sum of m p p^T over points (the definition)."""
    rng = np.random.default_rng(1)
    points = np.c_[rng.normal(size=(8, 3)), np.ones(8)]
    J = points.T @ points / 8
    I = np.trace(J[:3, :3]) * np.eye(3) - J[:3, :3]
    inertia = Inertia.of(1.0, J[:3, 3], tuple(I[np.triu_indices(3)]))
    alpha, d1, d2, d3, s12, s23, s13, *t = log_cholesky(inertia)
    U = np.exp(alpha) * np.array(
        [
            [np.exp(d1), s12, s13, t[0]],
            [0.0, np.exp(d2), s23, t[1]],
            [0.0, 0.0, np.exp(d3), t[2]],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )
    assert np.allclose(U @ U.T, J, rtol=0, atol=1e-12)
