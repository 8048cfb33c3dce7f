"""Agreement with independent engines, to 1e-11 of the largest entry.

The robots have random armature in [0.01, 1] and random wrenches on every body; the
mixed trees have every joint that both sides know, with placements and offsets.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import knuckle as kn
import mechanisms
import oracles

ROBOTS = ["arm7", "quad18", "hum38"]
MODELS = [*ROBOTS, "mixed0", "mixed1"]
ROWS = 3


def model_of(name: str, mujoco: bool = False) -> kn.Model:
    if name in ROBOTS:
        return oracles.robot(name, 0, mujoco)
    return oracles.mixed(int(name[-1]), mujoco)


def close(got: Any, expected: Any, what: str) -> None:
    off = mechanisms.error(np.asarray(got), np.asarray(expected))
    assert off < 1e-11, f"{what}: relative error {off:.3g}"


class Pinocchio:
    """One model there and here, with the states of a few rows."""

    def __init__(self, name: str) -> None:
        self.pin = oracles.required("pinocchio", "pin")
        self.name, self.model = name, model_of(name)
        self.peer = oracles.pinocchio_model(self.model)
        self.data = self.peer.createData()
        self.maps = kn.convert.pinocchio(self.model, self.peer)
        self.q, self.v, self.a = mechanisms.state(self.model, 1, (ROWS,))
        self.f = mechanisms.wrenches(self.model, 1, (ROWS,))

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """(k, q, v, a, f_ext) in Pinocchio's variables."""
        q, maps = self.q, self.maps
        for k in range(ROWS):
            wrenches = oracles.pinocchio_wrenches(self.model, self.peer, self.f[k])
            v, a = maps.to_v(q[k], self.v[k]), maps.to_a(q[k], self.v[k], self.a[k])
            yield k, maps.to_q(q[k]), v, a, wrenches

    def compare(self, k: int, got: Any, expected: Any) -> None:
        close(got, expected, f"{self.name}, row {k}")


@pytest.fixture(scope="module", params=MODELS)
def peer(request: pytest.FixtureRequest) -> Pinocchio:
    return Pinocchio(request.param)


def test_pinocchio_dynamics(peer: Pinocchio) -> None:
    pin, maps, q = peer.pin, peer.maps, peer.q
    tau = kn.inverse_dynamics(peer.model, q, peer.v, peer.a, peer.f, passive=False)
    a = kn.forward_dynamics(peer.model, q, peer.v, tau, peer.f, passive=False)
    bias = kn.bias_forces(peer.model, q, peer.v)
    gravity = kn.gravity_forces(peer.model, q)
    for k, pq, pv, pa, f in peer.rows():
        expected = pin.rnea(peer.peer, peer.data, pq, pv, pa, f)
        peer.compare(k, maps.to_tau(q[k], tau[k]), expected)
        expected = pin.aba(peer.peer, peer.data, pq, pv, expected, f)
        peer.compare(k, maps.to_a(q[k], peer.v[k], a[k]), expected)
        expected = pin.nonLinearEffects(peer.peer, peer.data, pq, pv)
        peer.compare(k, maps.to_tau(q[k], bias[k]), expected)
        expected = pin.computeGeneralizedGravity(peer.peer, peer.data, pq)
        peer.compare(k, maps.to_tau(q[k], gravity[k]), expected)


def test_pinocchio_mass_matrix(peer: Pinocchio) -> None:
    M = kn.mass_matrix(peer.model, peer.q)
    inverse = kn.inverse_mass_matrix(peer.model, peer.q)
    for k, pq, *_ in peer.rows():
        T = peer.maps.velocity_map(peer.q[k])
        expected = full(peer.pin.crba(peer.peer, peer.data, pq))
        peer.compare(k, M[k], T.T @ expected @ T)
        expected = full(peer.pin.computeMinverse(peer.peer, peer.data, pq))
        peer.compare(k, T @ inverse[k] @ T.T, expected)


def full(upper: np.ndarray) -> np.ndarray:
    """Pinocchio fills the upper triangle."""
    return np.triu(upper) + np.triu(upper, 1).T


@pytest.mark.parametrize("expressed", oracles.PIN_FRAMES)
def test_pinocchio_frames(peer: Pinocchio, expressed: str) -> None:
    pin, model = peer.pin, peer.model
    frame = getattr(pin.ReferenceFrame, oracles.PIN_FRAMES[expressed])
    name = model.bodies[-1].name
    static = {"frame": name, "expressed": expressed}
    q, v, a = peer.q, peer.v, peer.a
    J = kn.frame_jacobian(model, q, **static)
    V = kn.frame_velocity(model, q, v, **static)
    A = kn.frame_acceleration(model, q, v, a, **static)
    classical = kn.frame_acceleration(model, q, v, a, classical=True, **static)
    bias = kn.frame_bias_acceleration(model, q, v, **static)
    number, last = peer.peer.getFrameId(name), [3, 4, 5, 0, 1, 2]
    for k, pq, pv, pa, _ in peer.rows():
        pin.forwardKinematics(peer.peer, peer.data, pq, pv, pa)
        pin.computeJointJacobians(peer.peer, peer.data, pq)
        pin.updateFramePlacements(peer.peer, peer.data)
        args = peer.peer, peer.data, number, frame
        T = peer.maps.velocity_map(q[k])
        peer.compare(k, J[k], pin.getFrameJacobian(*args)[last] @ T)
        peer.compare(k, V[k], pin.getFrameVelocity(*args).vector[last])
        peer.compare(k, A[k], pin.getFrameAcceleration(*args).vector[last])
        expected = pin.getFrameClassicalAcceleration(*args).vector[last]
        peer.compare(k, classical[k], expected)
        pin.computeJointJacobiansTimeVariation(peer.peer, peer.data, pq, pv)
        rate = pin.getFrameJacobianTimeVariation(*args)[last]
        peer.compare(k, bias[k], rate @ pv)


def test_pinocchio_poses(peer: Pinocchio) -> None:
    found = kn.forward_kinematics(peer.model, peer.q)
    for k, pq, *_ in peer.rows():
        peer.pin.framesForwardKinematics(peer.peer, peer.data, pq)
        frames = [peer.peer.getFrameId(body.name) for body in peer.model.bodies]
        poses = [peer.data.oMf[i] for i in frames]
        peer.compare(k, found.R[k], [pose.rotation for pose in poses])
        peer.compare(k, found.p[k], [pose.translation for pose in poses])


def test_pinocchio_centre_of_mass_and_energies(peer: Pinocchio) -> None:
    pin, model, q, v = peer.pin, peer.model, peer.q, peer.v
    com, A = kn.center_of_mass(model, q), kn.centroidal_momentum_matrix(model, q)
    h = kn.momentum(model, q, v)
    T, U = kn.kinetic_energy(model, q, v), kn.potential_energy(model, q)
    springs = 0.5 * np.sum(model.stiffness * model.difference(rest(model), q) ** 2, -1)
    bare = peer.peer.copy()
    bare.armature = np.zeros(bare.nv)
    bare_data, last = bare.createData(), [3, 4, 5, 0, 1, 2]
    for k, pq, pv, *_ in peer.rows():
        args = peer.peer, peer.data, pq
        pin.computeCentroidalMap(*args)
        matrix = peer.maps.velocity_map(q[k])
        peer.compare(k, A[k], peer.data.Ag[last] @ matrix)
        pin.computeCentroidalMomentum(*args, pv)
        peer.compare(k, h[k], peer.data.hg.vector[last])
        peer.compare(k, com[k], pin.centerOfMass(*args))
        bodies = pin.computeKineticEnergy(bare, bare_data, pq, pv)
        rotors = 0.5 * np.sum(peer.peer.armature * pv * pv)
        peer.compare(k, T[k], bodies + rotors)
        height = pin.computePotentialEnergy(*args)
        assert abs(U[k] - springs[k] - height) < 1e-11 * (abs(U[k]) + springs[k])


def rest(model: kn.Model) -> np.ndarray:
    """The positions at which the springs are relaxed."""
    return np.concatenate([place.joint.rest for place in model.joints])


@pytest.fixture(scope="module", params=MODELS)
def mujoco(request: pytest.FixtureRequest) -> Any:
    module = oracles.required("mujoco", "mujoco")
    return module, request.param, model_of(request.param, mujoco=True)


def test_mujoco_dynamics(mujoco: Any) -> None:
    engine, name, model = mujoco
    peer = oracles.mujoco_model(model)
    data, maps = engine.MjData(peer), kn.convert.mujoco(model, peer)
    q, v, tau = mechanisms.state(model, 2, (ROWS,))
    M, bias = kn.mass_matrix(model, q), kn.bias_forces(model, q, v)
    passive = kn.passive_forces(model, q, v)
    a = kn.forward_dynamics(model, q, v, tau)
    for k in range(ROWS):
        where = f"{name}, row {k}"
        data.qpos, data.qvel = maps.to_q(q[k]), maps.to_v(q[k], v[k])
        data.qfrc_applied = maps.to_tau(q[k], tau[k])
        engine.mj_forward(peer, data)
        T = maps.velocity_map(q[k])
        theirs = mujoco_matrix(engine, peer, data)
        close(M[k], T.T @ theirs @ T, where)
        close(maps.from_tau(q[k], data.qfrc_passive), passive[k], where)
        force = data.qfrc_bias + theirs @ maps.to_a(q[k], v[k], np.zeros(model.nv))
        close(maps.from_tau(q[k], force), bias[k], where)
        smooth = maps.from_a(q[k], v[k], data.qacc_smooth)
        close(smooth, a[k], where)


def mujoco_matrix(engine: Any, peer: Any, data: Any) -> np.ndarray:
    """The dense mass matrix, by the call of MuJoCo 3 or of later ones."""
    M = np.zeros((peer.nv, peer.nv))
    if hasattr(data, "qM"):
        engine.mj_fullM(peer, M, data.qM)
    else:
        engine.mj_fullM(peer, data, M)
    return M
