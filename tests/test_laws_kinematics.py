"""Laws of kinematics: poses, velocities, accelerations, Jacobians, wrenches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import knuckle as kn
from engines import BOTH, DOUBLE, LAWS, Case, seldom
from knuckle.model.gamma import slopes
from test_laws import matvec, size
from test_laws_motion import agree, rate

law = pytest.mark.parametrize("case", seldom(LAWS))
exact_law = pytest.mark.parametrize("case", seldom(LAWS, BOTH))
every_frame = pytest.mark.parametrize("expressed", ["body", "world", "aligned"])
FRAME = "tool"


@law
def test_velocity_is_the_rate_of_the_pose(case: Case) -> None:
    q, v, _ = case.state()
    still = np.zeros_like(v)

    def pose(part: int) -> Any:
        return lambda q, v: case.run(kn.forward_kinematics, q, frames=[FRAME])[part]

    V = case.run(kn.frame_velocity, q, v, frame=FRAME, expressed="aligned")
    R = pose(0)(q, v)[..., 0, :, :]
    Rdot = rate(pose(0), case.model, q, v, still)[..., 0, :, :]
    spin = Rdot @ np.swapaxes(R, -1, -2)
    w = np.stack([spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]], -1)
    agree(case, w, V[..., :3], V)
    pdot = rate(pose(1), case.model, q, v, still)[..., 0, :]
    agree(case, pdot, V[..., 3:], V)
    body = case.run(kn.frame_velocity, q, v, frame=FRAME)
    turned = np.concatenate([matvec(R, body[..., :3]), matvec(R, body[..., 3:])], -1)
    case.agree(turned, V, 100)
    p = pose(1)(q, v)[..., 0, :]
    world = case.run(kn.frame_velocity, q, v, frame=FRAME, expressed="world")
    lever = np.linalg.norm(world[..., :3], axis=-1) * np.linalg.norm(p, axis=-1)
    case.agree(world[..., 3:] + np.cross(world[..., :3], p), V[..., 3:], 300, lever)


@exact_law
@every_frame
def test_jacobian_times_velocity_is_the_velocity(case: Case, expressed: str) -> None:
    q, v, a = case.state()
    static = {"frame": FRAME, "expressed": expressed}
    J = case.run(kn.frame_jacobian, q, **static)
    V = case.run(kn.frame_velocity, q, v, **static)
    case.agree(matvec(J, v), V, 300, size(J, v))
    bias = case.run(kn.frame_bias_acceleration, q, v, **static)
    classical = expressed == "aligned"
    A = case.run(kn.frame_acceleration, q, v, a, classical=classical, **static)
    case.agree(matvec(J, a) + bias, A, 300, size(J, a) + np.abs(bias))


@law
@every_frame
def test_acceleration_is_the_rate_of_the_velocity(case: Case, expressed: str) -> None:
    """In axes that turn with the body both are the same; in "aligned" the classical."""
    q, v, a = case.state()
    static = {"frame": FRAME, "expressed": expressed}
    V = rate(
        lambda q, v: case.run(kn.frame_velocity, q, v, **static), case.model, q, v, a
    )
    classical = expressed == "aligned"
    A = case.run(kn.frame_acceleration, q, v, a, classical=classical, **static)
    agree(case, V, A, A)


@law
def test_point_jacobian_is_the_rate_of_the_point(case: Case) -> None:
    q, v, _ = case.state()
    point = np.array([0.2, -0.5, 0.7])
    J = kn.interpret(kn.point_jacobian, case.model)
    lead = q.shape[:-1]
    rows = [J(q[i], body=FRAME, point=point) for i in np.ndindex(lead)]
    speed = matvec(np.reshape(rows, (*lead, 3, case.model.nv)), v)

    def place(q: Any, v: Any) -> Any:
        pose = case.run(kn.forward_kinematics, q, frames=[FRAME])
        return pose.p[..., 0, :] + pose.R[..., 0, :, :] @ point

    agree(case, rate(place, case.model, q, v, np.zeros_like(v)), speed, speed)


@law
def test_bodies_have_their_frame_jacobians(case: Case) -> None:
    q, v, a = case.state()
    J = case.run(kn.body_jacobians, q)
    for k, body in list(enumerate(case.model.bodies))[:: len(case.model.bodies) - 1]:
        if case.engine is not DOUBLE:
            alone = case.run(kn.frame_jacobian, q, frame=body.name)
            case.agree(J[..., k, :, :], alone, 100)
    moved = case.run(kn.jacobian_times, q, v)
    case.agree(matvec(J, v[..., None, :]), moved, 1000, size(J, v[..., None, :]))
    rates = case.run(kn.jacobian_rate_times, q, v, a)
    slope = rate(
        lambda q, _: case.run(kn.jacobian_times, q, a),
        case.model, q, v, np.zeros_like(v),
    )  # fmt: skip
    agree(case, slope, rates, rates)


@exact_law
def test_external_wrenches_act_by_the_transposed_jacobian(case: Case) -> None:
    q, v, a = case.state()
    f = case.wrenches()
    J = case.run(kn.body_jacobians, q)
    tau = np.einsum("...kij,...ki->...j", J, f)
    terms = np.einsum("...kij,...ki->...j", np.abs(J), np.abs(f))
    case.agree(case.run(kn.jacobian_transpose_times, q, f), tau, 300, terms)
    free = case.run(kn.inverse_dynamics, q, v, a, np.zeros_like(f))
    pushed = case.run(kn.inverse_dynamics, q, v, a, f)
    case.agree(free - pushed, tau, 300, terms + np.abs(free))


@exact_law
def test_joint_wrenches_do_the_work_of_the_joint_forces(case: Case) -> None:
    """Constraint forces do no work: f_J . (S v) = tau v, joint by joint."""
    q, v, a = case.state()
    model = case.model
    f = case.run(kn.joint_wrenches, q, v, a)
    tau = case.run(kn.inverse_dynamics, q, v, a, np.zeros_like(case.wrenches()))
    rotors = model.uncoupled.armature * case.run(kn.joint_accelerations, q, v, a)
    G, places = slopes(model, q), case.run(kn.joint_positions, q)
    tau = tau + case.run(kn.passive_forces, q, v) - reduced(G, rotors)
    work, terms = np.zeros_like(rotors), np.zeros_like(rotors)
    for i in np.ndindex(q.shape[:-1]):
        for k, place in enumerate(model.tree_joints):
            S = successor_subspace(place, places[i][place.q])
            work[i][place.v] = S.T @ f[i][k]
            terms[i][place.v] = np.abs(S.T) @ np.abs(f[i][k])
    case.agree(reduced(G, work), tau, 300, reduced(np.abs(G), terms) + np.abs(tau))


def reduced(G: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """G^T tau: the work of forces on all joints, by the independent velocities."""
    return np.einsum("...ij,...i->...j", G, tau)


def successor_subspace(place: Any, q: np.ndarray) -> np.ndarray:
    """S at the joint's successor frame, in the axes of the body, 6 x nv."""
    joint, offset = place.joint, place.body.offset
    X = kn.spatial.Transform.from_pose(joint.after)
    turn = kn.spatial.Transform.from_pose(kn.SE3(offset.R).inverse())
    columns = [(turn @ (X @ c)).entries for c in joint.subspace(q.tolist())]
    return np.array(columns, float).reshape(joint.nv, 6).T
