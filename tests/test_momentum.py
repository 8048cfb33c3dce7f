"""Momentum, energies, external wrenches and the wrenches across the joints."""

from __future__ import annotations

import numpy as np
import pytest

import knuckle as kn
from kinematic_trees import GROUPS, along, plain, pose, state, tree
from knuckle.model import coordinates
from oracles import robots


def cross_force(V, f):
    n, g = f[:3], f[3:]
    moment = np.cross(V[:3], n) + np.cross(V[3:], g)
    return np.concatenate([moment, np.cross(V[:3], g)])


def to_world(R, p, f):
    """A wrench in axes R at p, in world axes at the world's origin."""
    force = R @ f[3:]
    return np.concatenate([R @ f[:3] + np.cross(p, force), force])


def net_wrenches(model, q, v, a):
    """What each body needs, d/dt (I V) less its weight, in world axes at the origin."""
    R, p = plain(kn.forward_kinematics, model, q)
    needs, velocity = [], kn.interpret(kn.frame_velocity, model)
    for k, body in enumerate(model.bodies):
        V = velocity(q, v, body.name)
        A = kn.interpret(kn.frame_acceleration, model)(q, v, a, body.name)
        A[3:] -= R[k].T @ model.gravity
        I = np.array(body.inertia.matrix())
        needs.append(to_world(R[k], p[k], I @ A + cross_force(V, I @ V)))
    return np.array(needs)


@pytest.mark.parametrize("group", [0, 3])
def test_joint_wrenches_hold_every_body(group: int) -> None:
    model = tree(GROUPS[group], group)
    q, v, a = state(model, group)
    rng = np.random.default_rng(1)
    f_ext = rng.normal(size=(len(model.bodies), 6))
    f = kn.joint_wrenches(model, q, v, a, f_ext)
    R, p = plain(kn.forward_kinematics, model, q)
    index = {b.name: k for k, b in enumerate(model.bodies)}
    total = np.zeros((len(f) + 1, 6))
    for k, body in enumerate(model.bodies):
        joint = p[k] + R[k] @ body.offset.p
        through = to_world(R[k], joint, f[k])
        total[k] += through + to_world(R[k], p[k], f_ext[k])
        total[index.get(body.parent, -1)] -= through
    needs = net_wrenches(model, q, v, a)
    np.testing.assert_allclose(total[:-1], needs, rtol=1e-10, atol=1e-9)
    tau = plain(kn.inverse_dynamics, model, q, v, a, f_ext, passive=False)
    for k, placed in enumerate(model.joints):
        turned = np.array(placed.body.offset.R).T
        local = np.concatenate([turned @ f[k, :3], turned @ f[k, 3:]])
        S = coordinates.motion(placed.joint, q[placed.q][None])[2][0]
        np.testing.assert_allclose(S.T @ local, tau[placed.v], atol=1e-9)


def test_joint_wrenches_take_frames_and_carry_weight() -> None:
    model = tree(GROUPS[1][:4], 6)
    q, *_ = state(model)
    zero = np.zeros(model.nv)
    R, p = plain(kn.forward_kinematics, model, q)
    f = plain(kn.joint_wrenches, model, q, zero, zero)
    roots = [k for k, b in enumerate(model.bodies) if b.parent is None]
    held = sum(R[k] @ f[k, 3:] for k in roots)
    mass = sum(b.inertia.mass for b in model.bodies)
    np.testing.assert_allclose(held, -mass * np.array(model.gravity), rtol=1e-12)
    push, at = np.array([1.0, 2.0, -3.0]), np.array([0.2, 0.1, 0.4])
    loads = {"tool": plain(kn.wrench, model, q, "tool", push, at)}
    pushed = plain(kn.joint_wrenches, model, q, zero, zero, loads)
    k = [b.name for b in model.bodies].index("foot")
    joint = p[k] + R[k] @ model.bodies[k].offset.p
    change = to_world(R[k], joint, pushed[k] - f[k])
    expected = np.concatenate([np.cross(at, push), push])
    np.testing.assert_allclose(change, -expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("name", ["foot", "tool", "b3", "bench"])
def test_wrench_acts_as_a_force_at_a_point_of_the_world(name: str) -> None:
    model = tree(GROUPS[4], 8)
    q, v, a = state(model)
    force, point = np.array([3.0, -1.0, 2.0]), np.array([0.5, 0.2, -0.3])
    R, p = (x[0] for x in plain(kn.forward_kinematics, model, q, frames=[name]))
    J = plain(kn.point_jacobian, model, q, name, R.T @ (point - p))
    f = plain(kn.wrench, model, q, name, force, point)
    pushed = plain(kn.inverse_dynamics, model, q, v, a, {name: f})
    free = plain(kn.inverse_dynamics, model, q, v, a)
    np.testing.assert_allclose(free - pushed, J.T @ force, rtol=1e-9, atol=1e-9)


def momentum_by_bodies(model, q, v):
    R, p = plain(kn.forward_kinematics, model, q)
    total, velocity = np.zeros(6), kn.interpret(kn.frame_velocity, model)
    for k, body in enumerate(model.bodies):
        V = velocity(q, v, body.name)
        total += to_world(R[k], p[k], np.array(body.inertia.matrix()) @ V)
    return total


@pytest.mark.parametrize("group", [2, 5])
def test_momentum(group: int) -> None:
    model = tree(GROUPS[group], group)
    q, v, _ = state(model, group)
    h0 = momentum_by_bodies(model, q, v)
    found = plain(kn.momentum, model, q, v, about="world")
    np.testing.assert_allclose(found, h0, rtol=1e-11, atol=1e-11)
    c = kn.center_of_mass(model, q)
    h = plain(kn.momentum, model, q, v)
    np.testing.assert_allclose(h[:3], h0[:3] - np.cross(c, h0[3:]), atol=1e-10)
    np.testing.assert_allclose(h[3:], h0[3:], atol=1e-11)
    A = plain(kn.centroidal_momentum_matrix, model, q)
    np.testing.assert_allclose(A @ v, h, rtol=1e-11, atol=1e-11)
    moving = [b for b in model.bodies if b.name != "bench"]
    mass = sum(b.inertia.mass for b in moving)
    rate = along(model, q, v, lambda x, s: kn.center_of_mass(model, x))
    np.testing.assert_allclose(h[3:], mass * rate, rtol=1e-7, atol=1e-7)
    poses = plain(kn.forward_kinematics, model, q, frames=[b.name for b in moving])
    each = zip(poses.R, poses.p, moving, strict=True)
    mean = sum(b.inertia.mass * (R @ b.inertia.com + p) for R, p, b in each) / mass
    np.testing.assert_allclose(c, mean, atol=1e-13)


def test_energies() -> None:
    rng = np.random.default_rng(3)
    quantities = {"armature": 0.3, "stiffness": 12.0, "rest": 0.4}
    bodies = [
        kn.Body("b0", None, kn.joints.Revolute("y", **quantities), pose(rng),
                robots.random_inertia(rng), pose(rng)),
        kn.Body("b1", "b0", kn.joints.Spherical(stiffness=5.0, armature=0.1), pose(rng),
                robots.random_inertia(rng), pose(rng)),
        kn.Body("b2", "b1", kn.joints.Helical("x", 0.2), pose(rng),
                robots.random_inertia(rng)),
    ]  # fmt: skip
    model = kn.Model(bodies, gravity=(1.0, -2.0, -9.0))
    q, v, _ = state(model)
    zero = np.zeros(model.nv)
    T = kn.kinetic_energy(model, q, v)
    np.testing.assert_allclose(T, 0.5 * v @ kn.mass_matrix(model, q) @ v, rtol=1e-12)
    slope = along(model, q, v, lambda x, s: kn.potential_energy(model, x))
    np.testing.assert_allclose(
        slope, v @ kn.inverse_dynamics(model, q, zero, zero), rtol=1e-8
    )
    stiff = model.difference(np.array([0.4, 1, 0, 0, 0, 0]), q)
    springs = 0.5 * np.sum(model.stiffness * stiff**2)
    c, mass = kn.center_of_mass(model, q), sum(b.inertia.mass for b in bodies)
    weight = -mass * np.dot(model.gravity, c)
    np.testing.assert_allclose(kn.potential_energy(model, q), weight + springs)
