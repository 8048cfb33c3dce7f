"""Conversions to other engines: round trips, power, and the peers' own variables."""

from __future__ import annotations

import numpy as np
import pytest

import knuckle as kn
import mechanisms
import oracles
from knuckle import convert

SHAPES = [(), (1,), (2, 3)]
SEEDS = range(4)
ENGINES = ["pinocchio", "mujoco"]


def planar_tree(seed: int) -> kn.Model:
    """All joints whose variables differ, in one Model with placements and offsets."""
    rng = np.random.default_rng(seed)
    kinds = ["Free", "Planar", "Spherical", "Revolute", "SphericalEuler", "Free"]
    bodies = []
    for k, kind in enumerate(kinds):
        parent = None if k in (0, 5) else f"body{k - 1}"
        ends = mechanisms.placement(rng), mechanisms.inertia(rng)
        joint = getattr(kn.joints, kind)()
        offset = mechanisms.placement(rng)
        bodies.append(kn.Body(f"body{k}", parent, joint, *ends, offset))
    return kn.Model([bodies[k] for k in (5, 0, 1, 2, 3, 4)])


def convention(engine: str, model: kn.Model) -> convert.Convention:
    return getattr(convert, engine)(model)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", SEEDS)
def test_there_and_back_is_the_identity(
    engine: str, shape: tuple[int, ...], seed: int
) -> None:
    model = planar_tree(seed)
    peer = convention(engine, model)
    q, v, a = mechanisms.state(model, seed, shape)
    angle = model.joint("body1").q.stop - 1
    q[..., angle] = np.arctan2(np.sin(q[..., angle]), np.cos(q[..., angle]))
    pairs = [
        (q, peer.from_q(peer.to_q(q))),
        (v, peer.from_v(q, peer.to_v(q, v))),
        (a, peer.from_a(q, v, peer.to_a(q, v, a))),
        (a, peer.from_tau(q, peer.to_tau(q, a))),
    ]
    for ours, back in pairs:
        assert back.shape == ours.shape
        np.testing.assert_allclose(
            back, ours, rtol=0, atol=2e-14, err_msg=f"seed {seed}"
        )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", SEEDS)
def test_power_is_the_same_in_both(engine: str, seed: int) -> None:
    model = planar_tree(seed)
    peer = convention(engine, model)
    q, v, tau = mechanisms.state(model, seed, (5,))
    power = np.sum(peer.to_tau(q, tau) * peer.to_v(q, v), axis=-1)
    np.testing.assert_allclose(power, np.sum(tau * v, axis=-1), rtol=1e-13)
    T = peer.velocity_map(q)
    np.testing.assert_allclose(
        np.einsum("nij,nj->ni", T, v), peer.to_v(q, v), atol=1e-13
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_mujoco_accelerations_are_the_rates_of_its_velocities(seed: int) -> None:
    model = planar_tree(seed)
    peer = convention("mujoco", model)
    q, v, a = mechanisms.state(model, seed)
    h = 1e-5
    ahead, behind = (
        peer.to_v(model.integrate(q, v + 0.5 * s * h * a, s * h), v + s * h * a)
        for s in (1.0, -1.0)
    )
    rate = (ahead - behind) / (2 * h)
    np.testing.assert_allclose(peer.to_a(q, v, a), rate, atol=1e-8, rtol=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_pinocchio_sees_the_same_poses_and_velocities(seed: int) -> None:
    pin = oracles.required("pinocchio", "pin")
    model = oracles.mixed(seed)
    peer = oracles.pinocchio_model(model)
    data, maps = peer.createData(), convert.pinocchio(model, peer)
    q, v, _ = mechanisms.state(model, seed)
    pin.forwardKinematics(peer, data, maps.to_q(q), maps.to_v(q, v))
    pin.updateFramePlacements(peer, data)
    poses = kn.forward_kinematics(model, q)
    for k, body in enumerate(model.bodies):
        frame = data.oMf[peer.getFrameId(body.name)]
        np.testing.assert_allclose(poses.R[k], frame.rotation, atol=1e-13)
        np.testing.assert_allclose(poses.p[k], frame.translation, atol=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_mujoco_sees_the_same_poses(seed: int) -> None:
    mujoco = oracles.required("mujoco", "mujoco")
    model = oracles.mixed(seed, mujoco=True)
    peer = oracles.mujoco_model(model)
    data, maps = mujoco.MjData(peer), convert.mujoco(model, peer)
    q = model.random(np.random.default_rng(seed))
    data.qpos = maps.to_q(q)
    mujoco.mj_kinematics(peer, data)
    poses = kn.forward_kinematics(model, q)
    for k, body in enumerate(model.bodies):
        R = data.body(body.name).xmat.reshape(3, 3)
        np.testing.assert_allclose(poses.R[k], R, atol=1e-12, err_msg=f"seed {seed}")
        p = data.body(body.name).xpos
        np.testing.assert_allclose(poses.p[k], p, atol=1e-12, err_msg=f"seed {seed}")


def test_continuous_joints_may_be_a_cosine_and_a_sine() -> None:
    pin = oracles.required("pinocchio", "pin")
    model = mechanisms.chain(1, 2)
    peer = pin.Model()
    first = peer.addJoint(0, pin.JointModelRUBZ(), pin.SE3.Identity(), "body0")
    peer.addJoint(first, pin.JointModelRZ(), pin.SE3.Identity(), "body1")
    maps = convert.pinocchio(model, peer)
    q = np.array([[0.3, 9.0], [-2.0, 0.1]])
    np.testing.assert_allclose(
        maps.to_q(q)[0], [np.cos(0.3), np.sin(0.3), 9.0], rtol=1e-15
    )
    np.testing.assert_allclose(maps.from_q(maps.to_q(q)), q, rtol=1e-15)


def test_what_has_no_counterpart_is_named() -> None:
    reversed_free = kn.joints.Reversed(kn.joints.Free())
    model = kn.Model([kn.Body("hip", None, reversed_free, inertia=mass())])
    with pytest.raises(kn.ModelError, match=r"'hip'.*Pinocchio has no joint"):
        convert.pinocchio(model)
    nested = kn.Model(
        [
            kn.Body("base", None, kn.joints.Revolute(), inertia=mass()),
            kn.Body("cube", "base", kn.joints.Free(), inertia=mass()),
        ]
    )
    with pytest.raises(kn.ModelError, match=r"'cube'.*at the world only.*'base'"):
        convert.mujoco(nested)


def test_joints_are_paired_by_name() -> None:
    pin = oracles.required("pinocchio", "pin")
    model = mechanisms.chain(1, 2)
    peer = pin.Model()
    peer.addJoint(0, pin.JointModelRZ(), pin.SE3.Identity(), "body1")
    with pytest.raises(kn.ModelError, match=r"'body0'.*no joint of this name.*body1"):
        convert.pinocchio(model, peer)
    peer.addJoint(1, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "body0")
    with pytest.raises(kn.ModelError, match=r"'body0'.*expected nq, nv = 1, 1"):
        convert.pinocchio(model, peer)


@pytest.mark.parametrize("bad", [np.zeros(3), np.zeros(2, complex), 1.0, "ab"])
def test_wrong_arrays_say_what_was_expected(bad: object) -> None:
    maps = convert.pinocchio(mechanisms.chain(1, 2))
    with pytest.raises(
        ValueError, match=r"convert: q is expected .* \(\.\.\., 2\); got"
    ):
        maps.to_q(bad)


def mass() -> kn.Inertia:
    return kn.Inertia(1.0, (0.0, 0.1, 0.2), (1.0, 1.0, 1.0))


def test_a_free_joint_taken_apart_has_the_velocity_of_mujoco() -> None:
    mujoco = oracles.required("mujoco", "mujoco")
    apart = kn.joints.Composite(kn.joints.Translational(), kn.joints.Spherical())
    rng = np.random.default_rng(0)
    place, R = mechanisms.placement(rng), mechanisms.placement(rng).R
    offset = kn.SE3(R, (0.0, 0.0, 0.0))
    model = kn.Model([kn.Body("cube", None, apart, place, mass(), offset)])
    text = '<mujoco><worldbody><body><freejoint name="cube"/><geom size="1"/></body>'
    peer = mujoco.MjModel.from_xml_string(text + "</worldbody></mujoco>")
    data, maps = mujoco.MjData(peer), convert.mujoco(model, peer)
    q, v, a = mechanisms.state(model, 0)
    np.testing.assert_allclose(maps.from_q(maps.to_q(q)), q, atol=1e-14)
    np.testing.assert_allclose(maps.from_a(q, v, maps.to_a(q, v, a)), a, atol=1e-14)
    data.qpos, data.qvel = maps.to_q(q), maps.to_v(q, v)
    mujoco.mj_forward(peer, data)
    poses = kn.forward_kinematics(model, q)
    np.testing.assert_allclose(poses.p[0], data.body(1).xpos, atol=1e-14)
    np.testing.assert_allclose(poses.R[0].ravel(), data.body(1).xmat, atol=1e-14)
    twist = kn.frame_velocity(model, q, v, "cube", expressed="aligned")
    np.testing.assert_allclose(twist[3:], data.qvel[:3], atol=1e-13)
    np.testing.assert_allclose(poses.R[0].T @ twist[:3], data.qvel[3:], atol=1e-13)
    shifted = kn.SE3(R, (1.0, 0.0, 0.0))
    off = kn.Model([kn.Body("cube", None, apart, place, mass(), shifted)])
    with pytest.raises(kn.ModelError, match="'cube'.*an offset without translation"):
        convert.mujoco(off)
    with pytest.raises(kn.ModelError, match="'cube'.*take Free()"):
        convert.pinocchio(model)


def test_joints_that_mujoco_does_not_name_are_taken_in_order() -> None:
    mujoco = oracles.required("mujoco", "mujoco")
    hinge = '<body>{}<joint/><geom size="1"/></body>'
    text = hinge.format('<joint name="body1"/>') + hinge.format("")
    text = f"<mujoco><worldbody>{text}</worldbody></mujoco>"
    maps = convert.mujoco(
        mechanisms.chain(1, 3), mujoco.MjModel.from_xml_string(text)
    )  # body0, body1, body2
    np.testing.assert_allclose(maps.to_q([1.0, 2.0, 3.0]), [2.0, 1.0, 3.0])
