"""Joints that change their coordinates before these become singular, in simulation."""

from __future__ import annotations

import numpy as np
import pytest

import knuckle as kn
from knuckle.spatial import exp_so3


def spinning(joint: kn.Joint) -> kn.Model:
    """A top-heavy body on a ball, without gravity."""
    inertia = kn.Inertia(2.0, (0.1, 0.0, 0.3), (0.2, 0.3, 0.4))
    return kn.Model([kn.Body("body", None, joint, inertia=inertia)], gravity=(0, 0, 0))


@pytest.mark.parametrize("integrator", ["rk4", "implicit_midpoint"])
def test_a_rotation_vector_turns_for_many_revolutions(integrator: str) -> None:
    """Twelve turns: coordinates change, energy and momentum and the pose do not."""
    model = spinning(kn.joints.SphericalExp())
    other = spinning(kn.joints.Spherical())
    v = np.array([0.3, 0.2, 15.0])
    run = {"duration": 5.0, "dt": 1e-3, "integrator": integrator}
    path = kn.simulate(model, np.zeros(3), v, **run)
    norm = np.linalg.norm(path.q, axis=-1)
    assert norm.max() < 2.0 * np.pi and norm.max() > np.pi
    energy = kn.kinetic_energy(model, path.q, path.v)
    assert np.ptp(energy) < 1e-3 * energy[0]
    peer = kn.simulate(other, other.neutral(), v, **run)
    R = kn.forward_kinematics(other, peer.q[-1]).R[0]
    assert np.abs(np.array(exp_so3(path.q[-1])) - R).max() < 5e-3


def test_euler_angles_change_their_chart() -> None:
    model = spinning(kn.joints.SphericalEulerCharts("xyz"))
    q = model.neutral()
    path = kn.simulate(model, q, [0.1, 9.0, 0.2], duration=2.0, dt=1e-3)
    assert np.isfinite(path.q).all() and len(set(path.q[:, 3])) > 1
    energy = kn.kinetic_energy(model, path.q, path.v)
    assert np.ptp(energy) < 1e-3 * energy[0]
