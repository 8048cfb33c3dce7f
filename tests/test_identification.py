"""Inertias from motions: Gauss-Newton in log-Cholesky coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

import knuckle as kn
import mechanisms
from knuckle.model.layout import Array
from knuckle.spatial import Inertia, from_log_cholesky, log_cholesky


@kn.algorithm
def entries(model: Any, theta: Array[30]) -> Any:
    """pi of three bodies, (30,), of ten unconstrained numbers each."""
    bodies = [from_log_cholesky(theta[k : k + 10]) for k in range(0, 30, 10)]
    return tuple(x for body in bodies for x in body.entries)


def arm(rng: np.random.Generator) -> kn.Model:
    """Three links on revolute joints in general places."""
    z, bodies = kn.joints.Revolute("z"), []
    for k in range(3):
        above = f"link{k - 1}" if k else None
        ends = mechanisms.placement(rng), mechanisms.inertia(rng)
        bodies.append(kn.Body(f"link{k}", above, z, *ends))
    return kn.Model(bodies)


def physical(theta: np.ndarray) -> bool:
    """Is each of the three a body that can exist?"""
    parts = theta.reshape(3, 10)
    return all(from_log_cholesky(x.tolist()).problems() == [] for x in parts)


def identified(
    model: kn.Model, Y: np.ndarray, tau: np.ndarray, theta: np.ndarray, damping: float
) -> list[np.ndarray]:
    """Steps of Levenberg and Marquardt on |Y pi(theta) - tau|^2; all iterates."""
    slope, path = kn.jacobian(entries, "theta"), [theta]
    for _ in range(200):
        residual = Y @ entries(model, theta) - tau
        J = Y @ slope(model, theta)
        step = np.linalg.solve(J.T @ J + damping * np.eye(30), -J.T @ residual)
        new = Y @ entries(model, theta + step) - tau
        better = new @ new < residual @ residual
        damping = damping / 5.0 if better else 4.0 * damping
        theta = theta + step if better else theta
        path.append(theta)
        if better and new @ new < 1e-24 * (tau @ tau):
            break
    return path


def problem(noise: float) -> tuple[kn.Model, np.ndarray, np.ndarray, np.ndarray]:
    """Torques of random motions of an arm, and a wrong guess of its links."""
    rng = np.random.default_rng(2)
    model = arm(rng)
    q, v, a = (3.0 * rng.normal(size=(60, 3)) for _ in range(3))
    Y = kn.regressor(model, q, v, a).reshape(-1, 30)
    tau = Y @ model.inertial_parameters()
    tau = tau + noise * np.abs(tau).mean() * rng.normal(size=tau.shape)
    ball = Inertia.of(1.0, (0.0, 0.0, 0.0), (0.1, 0.0, 0.0, 0.1, 0.0, 0.1))
    return model, Y, tau, np.tile(np.array(log_cholesky(ball), float), 3)


def test_the_inertias_of_an_arm_are_found_from_its_torques() -> None:
    """To the accuracy of the torques, by bodies that exist at every step."""
    model, Y, tau, guess = problem(0.0)
    path = identified(model, Y, tau, guess, 1e-3)
    assert all(physical(theta) for theta in path)
    found = entries(model, path[-1])
    assert mechanisms.error(Y @ found, tau) < 1e-6
    assert mechanisms.error(Y @ entries(model, guess), tau) > 0.1
    rng = np.random.default_rng(9)
    q, v, a = (rng.normal(size=(40, 3)) for _ in range(3))
    fresh = kn.inverse_dynamics(model, q, v, a).ravel()
    predicted = kn.regressor(model, q, v, a).reshape(-1, 30) @ found
    assert mechanisms.error(predicted, fresh) < 1e-5


def test_noise_never_makes_a_body_that_cannot_exist() -> None:
    """Where plain least squares on the entries gives one."""
    model, Y, tau, guess = problem(0.3)
    path = identified(model, Y, tau, guess, 1e-3)
    assert all(physical(theta) for theta in path)
    plain = np.linalg.lstsq(Y, tau, rcond=None)[0].reshape(3, 10)
    assert any(x[0] <= 0.0 or Inertia.of_entries(x).problems() for x in plain)
    last = Y @ entries(model, path[-1]) - tau
    best = Y @ plain.ravel() - tau
    assert np.linalg.norm(last) < 1.2 * np.linalg.norm(best)
