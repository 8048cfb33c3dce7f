"""Poses, velocities, accelerations and Jacobians: laws and finite differences."""

from __future__ import annotations

import numpy as np
import pytest

import knuckle as kn
from kinematic_trees import FRAMES, GROUPS, along, plain, pose, state, tree
from knuckle.spatial import Rx, Rz, Tx
from oracles import robots

NAMES = ("foot", "b5", "tool")


def twists(model, q, v, names=NAMES, t=None):
    """The twists of frames by differences of their poses, one in each of FRAMES."""
    clock = {} if t is None else {"t": t}

    def rates(x, s):
        later = {} if t is None else {"t": t + s}
        R, p = kn.forward_kinematics(model, x, frames=names, **later)
        return np.concatenate([R, p[..., None]], -1)

    poses = kn.forward_kinematics(model, q, frames=names, **clock)
    change = along(model, q, v, rates)
    each = zip(poses.R, poses.p, change, FRAMES, strict=True)
    return [twist(R, p, d[:, :3], d[:, 3], expressed) for R, p, d, expressed in each]


def twist(R, p, dR, dp, expressed):
    """The twist of a pose and its rate."""
    W = dR @ R.T
    w = np.array([W[2, 1], W[0, 2], W[1, 0]])
    if expressed == "body":
        return np.concatenate([R.T @ w, R.T @ dp])
    at_world = np.cross(p, w) if expressed == "world" else 0.0
    return np.concatenate([w, dp + at_world])


@pytest.mark.parametrize("group", range(6))
def test_velocities_and_jacobians_are_derivatives_of_poses(group: int) -> None:
    model = tree(GROUPS[group], group)
    q, v, _ = state(model, group)
    by_differences = twists(model, q, v)
    velocity = kn.interpret(kn.frame_velocity, model)
    for name, expressed, found in zip(NAMES, FRAMES, by_differences, strict=True):
        V = velocity(q, v, name, expressed=expressed)
        J = kn.frame_jacobian(model, q, name, expressed=expressed)
        np.testing.assert_allclose(J @ v, V, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(V, found, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("group", range(6))
def test_accelerations_are_derivatives_of_velocities(group: int) -> None:
    model = tree(GROUPS[group], group)
    q, v, a = state(model, group)
    name, expressed = NAMES[group % 3], FRAMES[group % 3]

    def velocity(x, s):
        return kn.frame_velocity(model, x, v + s * a, name, expressed=expressed)

    moving = expressed == "aligned"
    A = kn.frame_acceleration(
        model, q, v, a, name, expressed=expressed, classical=moving
    )
    rate = along(model, q, v, velocity)
    np.testing.assert_allclose(A, rate, rtol=1e-7, atol=1e-7)
    J = plain(kn.frame_jacobian, model, q, name, expressed=expressed)
    bias = plain(kn.frame_bias_acceleration, model, q, v, name, expressed=expressed)
    np.testing.assert_allclose(J @ a + bias, A, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("group", range(6))
def test_products_with_the_jacobians_of_all_bodies(group: int) -> None:
    model = tree(GROUPS[group], group)
    q, v, x = state(model, group)
    J = kn.body_jacobians(model, q)
    np.testing.assert_allclose(kn.jacobian_times(model, q, x), J @ x, atol=1e-12)
    rate = along(model, q, v, lambda y, s: kn.body_jacobians(model, y) @ x)
    found = plain(kn.jacobian_rate_times, model, q, v, x)
    np.testing.assert_allclose(found, rate, rtol=1e-7, atol=1e-7)
    f = np.random.default_rng(group).normal(size=(len(model.bodies), 6))
    tau = kn.jacobian_transpose_times(model, q, f)
    np.testing.assert_allclose(tau, np.einsum("nij,ni->j", J, f), atol=1e-11)


def test_the_frames_of_a_jacobian_hold_the_same_motion() -> None:
    model = tree(GROUPS[0], 9)
    q, v, a = state(model)
    R, p = (x[0] for x in plain(kn.forward_kinematics, model, q, frames=["tool"]))
    local, world, aligned = (
        plain(kn.frame_jacobian, model, q, "tool", expressed=e) for e in FRAMES
    )
    turned = np.concatenate([R @ local[:3], R @ local[3:]])
    np.testing.assert_allclose(aligned, turned, atol=1e-12)
    carried = world[3:] - np.cross(p, world[:3].T).T
    np.testing.assert_allclose(aligned[3:], carried, atol=1e-12)
    every = plain(kn.body_jacobians, model, q, expressed="world")
    for k, body in enumerate(model.bodies):
        J = plain(kn.frame_jacobian, model, q, body.name, expressed="world")
        np.testing.assert_allclose(every[k], J, atol=1e-13)


def test_classical_is_spatial_plus_turning() -> None:
    model = tree(GROUPS[1], 3)
    q, v, a = state(model)
    for expressed in FRAMES:
        at = {"frame": "tool", "expressed": expressed}
        V = plain(kn.frame_velocity, model, q, v, **at)
        A = plain(kn.frame_acceleration, model, q, v, a, **at)
        C = plain(kn.frame_acceleration, model, q, v, a, **at, classical=True)
        np.testing.assert_allclose(C[:3], A[:3], atol=1e-12)
        np.testing.assert_allclose(C[3:], A[3:] + np.cross(V[:3], V[3:]), atol=1e-11)


def test_a_uniform_turn_has_no_spatial_acceleration() -> None:
    rod = kn.Inertia(1.0, (1.0, 0.0, 0.0), (0.0, 0.3, 0.3))
    arm = kn.Body("arm", None, kn.joints.Revolute(), inertia=rod)
    model = kn.Model([arm], [kn.Frame("tip", "arm", Tx(2.0))])
    q, v, a = np.array([0.4]), np.array([3.0]), np.zeros(1)
    spatial = kn.frame_acceleration(model, q, v, a, "tip")
    classical = kn.frame_acceleration(model, q, v, a, "tip", classical=True)
    np.testing.assert_allclose(spatial, 0.0, atol=1e-15)
    np.testing.assert_allclose(classical, [0, 0, 0, -18.0, 0, 0], atol=1e-14)


def test_point_jacobian_is_the_velocity_of_the_point() -> None:
    model = tree(GROUPS[2], 5)
    q, v, _ = state(model)
    point = np.array([0.3, -1.2, 0.7])

    def position(x, s):
        R, p = kn.forward_kinematics(model, x, frames=["foot"])
        return R[0] @ point + p[0]

    J = kn.point_jacobian(model, q, "foot", point)
    assert J.shape == (3, model.nv)
    rate = along(model, q, v, position)
    np.testing.assert_allclose(J @ v, rate, rtol=1e-8, atol=1e-8)


def test_poses_follow_placement_joint_and_offset() -> None:
    model = tree(GROUPS[3], 2)
    q, *_ = state(model)
    R, p = plain(kn.forward_kinematics, model, q)
    index = {b.name: k for k, b in enumerate(model.bodies)}
    for placed in model.joints:
        body, parent = placed.body, (np.eye(3), np.zeros(3))
        if body.parent is not None:
            parent = R[index[body.parent]], p[index[body.parent]]
        moved = placed.joint.pose(q[placed.q])
        local = body.placement * moved * body.offset.inverse()
        k = index[body.name]
        np.testing.assert_allclose(R[k], parent[0] @ np.array(local.R), atol=1e-13)
        np.testing.assert_allclose(p[k], parent[1] + parent[0] @ local.p, atol=1e-13)


def test_order_of_frames_and_leading_dimensions() -> None:
    model = tree(GROUPS[0][:4], 1)
    q = model.random(np.random.default_rng(0), (2, 3))
    R, p = kn.forward_kinematics(model, q)
    assert R.shape == (2, 3, 7, 3, 3) and p.shape == (2, 3, 7, 3)
    names = ["mark", "b2", "world", "b2"]
    found = kn.forward_kinematics(model, q, frames=names)
    assert found.R.shape == (2, 3, 4, 3, 3)
    k = [b.name for b in model.bodies].index("b2")
    np.testing.assert_array_equal(found.R[..., 1, :, :], R[..., k, :, :])
    np.testing.assert_array_equal(found.p[..., 1, :], found.p[..., 3, :])
    mark = model.frame("mark").placement
    np.testing.assert_allclose(found.p[..., 0, :], np.broadcast_to(mark.p, (2, 3, 3)))
    np.testing.assert_array_equal(found.R[..., 2, :, :] - np.eye(3), 0.0)


def test_columns_of_other_branches_are_exact_zeros_and_cost_nothing() -> None:
    def star(legs):
        rod = kn.Inertia(1.0, (0.1, 0.0, 0.0), (0.0, 0.1, 0.1))
        hinge = kn.joints.Revolute("y")
        one = [
            kn.Body(f"{leg}{k}", f"{leg}{k - 1}" if k else None, hinge, Tx(0.3), rod)
            for leg in range(legs)
            for k in range(3)
        ]
        weld = kn.Body("weld", "02", kn.joints.Fixed(), Rx(0.2))
        return kn.Model([*one, weld])

    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    J = kn.frame_jacobian(star(2), q, "weld", expressed="aligned")
    assert np.all(J[:, 3:] == 0.0) and np.all(np.abs(J[:, :3]).max(0) > 0.0)
    for expressed in FRAMES:
        counts = [
            kn.compile(
                kn.frame_jacobian, star(n), frame="weld", expressed=expressed
            ).operations
            for n in (1, 3)
        ]
        assert counts[0] == counts[1]


def swept(seed):
    """A carriage on a prescribed path, an arm on it, and a part turned by the clock."""
    rng = np.random.default_rng(seed)

    def path(q, t):
        return Rz(0.3 * t) * Tx(kn.scalar.sin(2.0 * t)) * Rx(q[0] * (1.0 + 0.1 * t))

    clock = kn.Joint(lambda q, t: Rx(kn.scalar.sin(t)) * Rz(t), 0)
    parts = [
        kn.Body("cart", None, kn.Joint(path, 1), pose(rng), robots.random_inertia(rng)),
        kn.Body(
            "arm", "cart", kn.joints.Spherical(), pose(rng), robots.random_inertia(rng)
        ),
        kn.Body("wheel", "arm", clock, pose(rng), robots.random_inertia(rng)),
    ]
    return kn.Model(parts)


def test_prescribed_motions_count() -> None:
    model, t = swept(4), 0.7
    q, v, a = state(model)
    by_differences = twists(model, q, v, ("wheel",) * 3, t)
    for expressed, found in zip(FRAMES, by_differences, strict=True):
        V = kn.frame_velocity(model, q, v, "wheel", expressed=expressed, t=t)
        np.testing.assert_allclose(V, found, atol=1e-9)
        rate = along(
            model, q, v,
            lambda x, s, e=expressed: kn.frame_velocity(
                model, x, v + s * a, "wheel", expressed=e, t=t + s
            ),
        )  # fmt: skip
        A = kn.frame_acceleration(
            model, q, v, a, "wheel", expressed=expressed,
            classical=expressed == "aligned", t=t,
        )  # fmt: skip
        np.testing.assert_allclose(A, rate, atol=1e-8)
    still = kn.frame_velocity(model, q, 0 * v, "wheel", t=t)
    J = kn.frame_jacobian(model, q, "wheel", t=t)
    V = kn.frame_velocity(model, q, v, "wheel", t=t)
    np.testing.assert_allclose(J @ v + still, V, atol=1e-12)
    found = kn.jacobian_times(model, q, v, t=t)[2]
    np.testing.assert_allclose(found, J @ v, atol=1e-12)
    rate = along(
        model, q, v,
        lambda x, s: kn.frame_jacobian(model, x, "wheel", t=t + s) @ a,
    )  # fmt: skip
    found = kn.jacobian_rate_times(model, q, v, a, t=t)[2]
    np.testing.assert_allclose(found, rate, atol=1e-8)
