"""The same results in the plane, on other numbers, with parameters, in Pinocchio."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import knuckle as kn
from kinematic_trees import FRAMES, GROUPS, compiled, plain, state, tree
from knuckle.spatial import Rz, Tx
from oracles import required, robots


def flat(rng):
    return Rz(rng.normal()) * kn.SE3.translation(tuple(rng.normal(size=3)))


def planar_pair():
    rng = np.random.default_rng(12)
    kinds = [kn.joints.Planar(), kn.joints.Revolute("z"), kn.joints.Prismatic("x"),
             kn.joints.Fixed(), kn.joints.Revolute("z")]  # fmt: skip
    bodies = [
        kn.Body(f"b{k}", [None, "b0", "b1", "b2", "b0"][k], kind, flat(rng),
                robots.random_inertia(rng), flat(rng))
        for k, kind in enumerate(kinds)
    ]  # fmt: skip
    frames = [kn.Frame("tool", "b3", flat(rng))]
    gravity = (0.5, -9.81, 0.0)
    return [kn.Model(bodies, frames, gravity, planar=p) for p in (True, False)]


def test_a_planar_model_gives_the_same_spatial_results() -> None:
    one, two = planar_pair()
    q, v, a = state(two)
    f_ext = np.random.default_rng(0).normal(size=(5, 6))
    calls = [
        (kn.frame_velocity, (v, "tool")),
        (kn.frame_acceleration, (v, a, "tool")),
        (kn.frame_bias_acceleration, (v, "tool")),
        (kn.frame_jacobian, ("tool",)),
        (kn.point_jacobian, ("tool", np.array([1.0, 2.0, 3.0]))),
        (kn.center_of_mass, ()),
        (kn.momentum, (v,)),
        (kn.centroidal_momentum_matrix, ()),
        (kn.kinetic_energy, (v,)),
        (kn.potential_energy, ()),
        (kn.joint_wrenches, (v, a, f_ext)),
        (kn.jacobian_times, (v,)),
        (kn.jacobian_rate_times, (v, a)),
        (kn.jacobian_transpose_times, (f_ext,)),
        (kn.wrench, ("tool", np.array([1.0, 2.0, 3.0]), np.array([3.0, 1.0, 2.0]))),
    ]
    for alg, args in calls:
        found, expected = (kn.interpret(alg, m)(q, *args) for m in (one, two))
        assert found.shape == expected.shape, alg
        np.testing.assert_allclose(found, expected, atol=1e-11, err_msg=repr(alg))
    poses = (kn.forward_kinematics(m, q) for m in (one, two))
    for x, y in zip(*poses, strict=True):
        np.testing.assert_allclose(x, y, atol=1e-14)


def test_the_text_runs_on_plain_and_long_numbers() -> None:
    model = tree(GROUPS[0][1:3], 7)
    q, v, a = state(model)
    expected = kn.frame_acceleration(
        model, q, v, a, "tool", expressed="aligned", classical=True
    )
    run = kn.interpret(kn.frame_acceleration, model)
    options = {"expressed": "aligned", "classical": True}
    np.testing.assert_allclose(run(q, v, a, "tool", **options), expected, rtol=1e-12)
    with mpmath.workdps(40):
        long = [[mpmath.mpf(float(x)) for x in y] for y in (q, v, a)]
        found = run(*long, "tool", **options)
        A = np.array([float(x) for x in found])
        np.testing.assert_allclose(A, expected, rtol=1e-12, atol=1e-13)
    for alg, args in [(kn.forward_kinematics, (q,)), (kn.joint_wrenches, (q, v, a))]:
        plain = kn.interpret(alg, model)(*args)
        for x, y in zip(plain, alg(model, *args), strict=True):
            np.testing.assert_allclose(x, y, atol=1e-12)


def test_constants_that_are_inputs() -> None:
    model = tree(GROUPS[0][1:4], 7)
    open_model = model.with_parameters("*.placement", "*.mass", "gravity")
    q, v, a = state(model)
    for alg, args in [
        (kn.frame_jacobian, (q, "tool")),
        (kn.joint_wrenches, (q, v, a)),
        (kn.potential_energy, (q,)),
        (kn.center_of_mass, (q,)),
    ]:
        found, expected = alg(open_model, *args), alg(model, *args)
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)
    heavier = {"b1.mass": np.array(7.0)}
    c = kn.center_of_mass(open_model, q, parameters=heavier)
    assert np.abs(c - kn.center_of_mass(model, q)).max() > 1e-3


def test_what_is_refused_says_what_there_is() -> None:
    model = tree(GROUPS[0][1:3], 7)
    q, v, _ = state(model)
    with pytest.raises(ValueError, match="expressed='local': expected 'body'"):
        kn.frame_jacobian(model, q, "tool", expressed="local")
    with pytest.raises(ValueError, match="expressed='local'"):
        kn.frame_velocity(model, q, v, "tool", expressed="local")
    with pytest.raises(kn.ModelError, match="frame 'hand': no such frame; .* are .*"):
        kn.frame_velocity(model, q, v, "hand")
    with pytest.raises(ValueError, match="expected 'com' or 'world'"):
        kn.momentum(model, q, v, about="base")
    statue = kn.Model([kn.Body("b", None, kn.joints.Fixed())])
    with pytest.raises(ValueError, match="moving bodies have no mass"):
        kn.center_of_mass(statue, np.zeros(0))


def test_a_model_without_freedom() -> None:
    inertia = kn.Inertia(2.0, (0.5, 0.0, 0.0), (1.0, 1.0, 1.0))
    model = kn.Model([kn.Body("b", None, kn.joints.Fixed(), Tx(1.0), inertia)])
    q = np.zeros(0)
    np.testing.assert_array_equal(kn.forward_kinematics(model, q).p, [[1, 0, 0]])
    assert kn.frame_jacobian(model, q, "b").shape == (6, 0)
    f = kn.joint_wrenches(model, q, q, q)
    np.testing.assert_allclose(f, [[0, -9.81, 0, 0, 0, 2 * 9.81]])


ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]


@pytest.mark.parametrize(
    "name, run", [("arm7", compiled), ("quad18", compiled), ("hum38", plain)]
)
def test_agrees_with_pinocchio(name: str, run: Any) -> None:
    pin = required("pinocchio", "pin")
    path = robots.MODELS / f"{name}.txt"
    free = robots.rows(path)[0].free
    model, other = robots.load(path), robots.pinocchio_model(path)
    data = other.createData()
    q, v, a = state(model)
    pq, pv, pa = robots.pin_q(q, free), robots.pin_v(v, free), robots.pin_v(a, free)
    close = dict(rtol=1e-11, atol=1e-11)

    def columns(J):
        return robots.pin_v(J, free)[ANGULAR_FIRST]

    pin.forwardKinematics(other, data, pq, pv, pa)
    R, p = run(kn.forward_kinematics, model, q)
    for k in range(len(model.bodies)):
        np.testing.assert_allclose(R[k], data.oMi[k + 1].rotation, **close)
        np.testing.assert_allclose(p[k], data.oMi[k + 1].translation, **close)
    pin.computeJointJacobians(other, data, pq)
    pin.computeJointJacobiansTimeVariation(other, data, pq, pv)
    axes = pin.LOCAL, pin.WORLD, pin.LOCAL_WORLD_ALIGNED
    last = model.bodies[-1].name
    for expressed, axis in zip(FRAMES, axes, strict=True):
        here = {"frame": last, "expressed": expressed}
        at = other.njoints - 1, axis
        J = columns(pin.getJointJacobian(other, data, *at))
        np.testing.assert_allclose(run(kn.frame_jacobian, model, q, **here), J, **close)
        V = pin.getVelocity(other, data, *at).vector[ANGULAR_FIRST]
        np.testing.assert_allclose(
            run(kn.frame_velocity, model, q, v, **here), V, **close
        )
        dJ = columns(pin.getJointJacobianTimeVariation(other, data, *at))
        bias = run(kn.frame_bias_acceleration, model, q, v, **here)
        np.testing.assert_allclose(bias, dJ @ v, **close)
        A = pin.getAcceleration(other, data, *at).vector[ANGULAR_FIRST]
        found = run(kn.frame_acceleration, model, q, v, a, **here)
        np.testing.assert_allclose(found, A, **close)
        C = pin.getClassicalAcceleration(other, data, *at).vector[ANGULAR_FIRST]
        found = run(kn.frame_acceleration, model, q, v, a, **here, classical=True)
        np.testing.assert_allclose(found, C, **close)
    c = pin.centerOfMass(other, data, pq)
    np.testing.assert_allclose(run(kn.center_of_mass, model, q), c, **close)
    A = columns(pin.computeCentroidalMap(other, data, pq))
    np.testing.assert_allclose(run(kn.centroidal_momentum_matrix, model, q), A, **close)
    np.testing.assert_allclose(run(kn.momentum, model, q, v), A @ v, **close)
    T = pin.computeKineticEnergy(other, data, pq, pv)
    np.testing.assert_allclose(run(kn.kinetic_energy, model, q, v), T, rtol=1e-11)
    U = pin.computePotentialEnergy(other, data, pq)
    np.testing.assert_allclose(run(kn.potential_energy, model, q), U, rtol=1e-11)
