"""Forces, inverse mass matrix, hybrid dynamics and the second way to accelerations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import knuckle as kn
import mechanisms
import oracles
from mechanisms import error

HANDS = pytest.mark.parametrize("seed", [0, 1, 2])
ROBOTS = pytest.mark.parametrize("name", ["arm7", "quad18"])


def run(alg: Any, model: kn.Model, *arrays: Any, **options: Any) -> Any:
    return kn.interpret(alg, model)(*arrays, **options)


def names(model: kn.Model, every: int = 1) -> list[str]:
    """The names of every so many joints that move."""
    return [joint.name for joint in model.joints if joint.joint.nv][::every]


def known(model: kn.Model, prescribed: list[str]) -> np.ndarray:
    """Which entries of v belong to these joints."""
    mask = np.zeros(model.nv, bool)
    for name in prescribed:
        mask[model.joint(name).v] = True
    return mask


@HANDS
def test_forward_dynamics_by_the_mass_matrix(seed: int) -> None:
    """Check 17: CRBA and L^T D L give what ABA gives; 18: ID(FD(tau)) = tau."""
    model = mechanisms.hand(seed)
    q, v, tau = mechanisms.state(model, seed)
    f = mechanisms.wrenches(model, seed)
    for passive in (True, False):
        a = run(kn.forward_dynamics_crba, model, q, v, tau, f, passive=passive)
        aba = run(kn.forward_dynamics, model, q, v, tau, f, passive=passive)
        assert error(a, aba) < 1e-10
        again = run(kn.inverse_dynamics, model, q, v, a, f, passive=passive)
        assert error(again, tau) < 1e-10


@HANDS
def test_columns_of_the_mass_matrix(seed: int) -> None:
    """Check 16: H from differences of inverse dynamics; 1/2 v H v = kinetic energy."""
    model = mechanisms.hand(seed)
    q, v, _ = mechanisms.state(model, seed)
    H = run(kn.mass_matrix, model, q)
    bias = run(kn.bias_forces, model, q, v)
    for k, unit in enumerate(np.eye(model.nv)):
        tau = run(kn.inverse_dynamics, model, q, v, unit, passive=False)
        assert np.abs(tau - bias - H[:, k]).max() < 1e-12 * np.abs(bias).max()
    assert 0.5 * v @ H @ v == pytest.approx(run(kn.kinetic_energy, model, q, v), 1e-12)


@HANDS
def test_inverse_mass_matrix(seed: int) -> None:
    model = mechanisms.hand(seed)
    q, _, x = mechanisms.state(model, seed)
    M, inverse = (
        run(alg, model, q) for alg in (kn.mass_matrix, kn.inverse_mass_matrix)
    )
    assert np.array_equal(inverse, inverse.T)
    assert np.abs(inverse @ M - np.eye(model.nv)).max() < 1e-10
    solved = run(kn.solve_mass_matrix, model, q, x)
    assert error(solved, np.linalg.solve(M, x)) < 1e-10
    assert error(M @ solved, x) < 1e-10


@HANDS
def test_hybrid_dynamics_has_both_limits(seed: int) -> None:
    """Check 32: none prescribed is forward dynamics, all is inverse dynamics."""
    model = mechanisms.hand(seed)
    state = *mechanisms.state(model, seed), mechanisms.wrenches(model, seed)
    for passive in (True, False):
        a = run(kn.hybrid_dynamics, model, *state, passive=passive)
        fd = run(kn.forward_dynamics, model, *state, passive=passive)
        assert error(a, fd) < 1e-13
        every = names(model)
        tau = run(kn.hybrid_dynamics, model, *state, prescribed=every, passive=passive)
        assert (
            error(tau, run(kn.inverse_dynamics, model, *state, passive=passive)) < 1e-12
        )


@HANDS
@pytest.mark.parametrize("every", [2, 3])
def test_hybrid_dynamics_is_the_partition_of_the_equations(
    seed: int, every: int
) -> None:
    """Check 32: (9.1) - (9.4) solved densely."""
    model = mechanisms.hand(seed)
    q, v, x = mechanisms.state(model, seed)
    M, bias = run(kn.mass_matrix, model, q), run(kn.bias_forces, model, q, v)
    C = bias - run(kn.passive_forces, model, q, v)
    moved = known(model, names(model, every))
    a = np.where(moved, x, 0.0)
    free = ~moved
    a[free] = np.linalg.solve(M[np.ix_(free, free)], (x - M @ a - C)[free])
    expected = np.where(moved, M @ a + C, a)
    found = run(kn.hybrid_dynamics, model, q, v, x, prescribed=names(model, every))
    assert np.abs(found - expected)[free].max() < 1e-10 * np.abs(expected[free]).max()
    assert np.abs(found - expected)[moved].max() < 1e-10 * np.abs(expected[moved]).max()


def test_prescribed_joints_go_by_the_names_of_joints() -> None:
    rod, hinge = kn.Inertia(1.0, (0, 0, 1), (1, 1, 1)), kn.joints.Revolute("x")
    arm = kn.Body("arm", None, hinge, inertia=rod, joint_name="shoulder")
    hand = kn.Body("hand", "arm", hinge, inertia=rod, joint_name="elbow")
    model = kn.Model([arm, hand])
    q, v, x = mechanisms.state(model, 0, (3,))
    found = kn.hybrid_dynamics(model, q, v, x, prescribed=["elbow"])
    a = np.stack([found[:, 0], x[:, 1]], -1)
    tau = np.stack([x[:, 0], found[:, 1]], -1)
    assert error(kn.inverse_dynamics(model, q, v, a), tau) < 1e-12
    message = "joint 'elbo': no such joint; did you mean 'elbow'"
    with pytest.raises(kn.ModelError, match=message):
        kn.hybrid_dynamics(model, q, v, x, prescribed=["elbo"])
    with pytest.raises(kn.ModelError, match="'hand'.*'shoulder', 'elbow'"):
        kn.hybrid_dynamics(model, q, v, x, prescribed=["hand"])
    with pytest.raises(TypeError, match="write prescribed=.'elbow'."):
        kn.hybrid_dynamics(model, q, v, x, prescribed="elbow")


@HANDS
def test_bias_is_inverse_dynamics_without_acceleration(seed: int) -> None:
    model = mechanisms.hand(seed)
    q, v, _ = mechanisms.state(model, seed)
    still = np.zeros(model.nv)
    bias = run(kn.bias_forces, model, q, v)
    tau = run(kn.inverse_dynamics, model, q, v, still)
    assert error(bias - run(kn.passive_forces, model, q, v), tau) < 1e-13
    gravity = run(kn.gravity_forces, model, q)
    assert error(gravity, run(kn.bias_forces, model, q, still)) < 1e-13


@HANDS
def test_gravity_forces_are_the_gradient_of_the_energy(seed: int) -> None:
    """Of - m g . c, along the unit velocities of the joints."""
    model = mechanisms.hand(seed)
    q, _, _ = mechanisms.state(model, seed)
    mass = sum(body.rigid.mass for body in model.bodies)
    gravity, h = np.array(model.gravity), 1e-6
    center = kn.interpret(kn.center_of_mass, model)
    slopes = []
    for unit in np.eye(model.nv):
        ahead, behind = (center(model.integrate(q, unit, s * h)) for s in (1, -1))
        slopes.append(-mass * gravity @ (ahead - behind) / (2 * h))
    assert error(run(kn.gravity_forces, model, q), np.array(slopes)) < 1e-8


@HANDS
def test_power_is_the_rate_of_the_energy(seed: int) -> None:
    """(tau + passive + J^T f) . v = dT/dt - power of gravity; central differences."""
    model = mechanisms.hand(seed)
    q, v, a = mechanisms.state(model, seed)
    tau = run(kn.inverse_dynamics, model, q, v, a, passive=False)
    gravity = run(kn.gravity_forces, model, q)
    energy, h = kn.interpret(kn.kinetic_energy, model), 1e-5
    ends = []
    for s in (h, -h):
        ends.append(energy(model.integrate(q, v + 0.5 * s * a, s), v + s * a))
    rate = (ends[0] - ends[1]) / (2 * h)
    assert rate == pytest.approx((tau - gravity) @ v, rel=1e-6)


def test_passive_forces_by_hand() -> None:
    values = {"damping": 2.0, "friction": 0.5, "stiffness": 10.0, "rest": 0.1}
    rod = kn.Inertia(1.0, (0, 1, 0), (1, 1, 1))
    first = kn.Body("a", None, kn.joints.Revolute("z", **values))
    second = kn.Body("b", "a", kn.joints.Revolute("x"), inertia=rod)
    model = kn.Model([first, second])
    q, v = [0.3, 1.0], [[1.5, 1.0], [-1.5, 1.0], [0.0, 1.0]]
    expected = [[-3.0 - 0.5 - 2.0, 0.0], [3.0 + 0.5 - 2.0, 0.0], [-2.0, 0.0]]
    assert np.allclose(kn.passive_forces(model, q, v), expected, rtol=0, atol=1e-15)
    moved = np.subtract(
        kn.inverse_dynamics(model, q, v, [0.0, 0.0], passive=False),
        kn.inverse_dynamics(model, q, v, [0.0, 0.0]),
    )
    assert np.allclose(moved, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("mixed", [False, True])
def test_planar_is_spatial(mixed: bool) -> None:
    flat, space = (mechanisms.chain(4, 6, planar, mixed) for planar in (True, False))
    q, v, x = mechanisms.state(flat, 4)
    some = names(flat, 2)
    f = mechanisms.wrenches(flat, 4)  # what leaves the plane the joints hold
    for alg, arrays, options in (
        (kn.inverse_dynamics, (q, v, x, f), {}),
        (kn.forward_dynamics, (q, v, x, f), {}),
        (kn.mass_matrix, (q,), {}),
        (kn.kinetic_energy, (q, v), {}),
        (kn.potential_energy, (q,), {}),
        (kn.hybrid_dynamics, (q, v, x), {"prescribed": some}),
        *((getattr(kn, way), (q, v, x), {}) for way in mechanisms.WAYS),
        (kn.inverse_mass_matrix, (q,), {}),
        (kn.solve_mass_matrix, (q, x), {}),
        (kn.bias_forces, (q, v), {}),
        (kn.gravity_forces, (q,), {}),
        (kn.passive_forces, (q, v), {}),
    ):
        found, expected = (run(alg, m, *arrays, **options) for m in (flat, space))
        if isinstance(found, tuple):
            found, expected = found[0], expected[0]
        assert error(found, expected) < 1e-11, alg


def test_gravity_normal_to_the_plane_has_no_effect() -> None:
    rod = kn.Inertia(1.0, (0.5, 0.0, 0.0), (0.1, 0.1, 0.1))
    body = kn.Body("a", None, kn.joints.Revolute("z"), inertia=rod)
    usual = kn.Model([body], planar=True)
    none = usual.replace(gravity=(0.0, 0.0, 0.0))
    state = [0.1], [0.2], [1.0]
    assert kn.inverse_dynamics(usual, *state) == kn.inverse_dynamics(none, *state)


def zigzag(links: int = 6) -> kn.Model:
    """Fig 10.3: unit rods of unit mass, centre of mass in the middle, in a plane."""
    rod = kn.Inertia(1.0, (0.5, 0.0, 0.0), (0.0, 1 / 12, 1 / 12))
    bodies = []
    for k in range(links):
        place = kn.SE3(np.eye(3), (1.0 if k else 0.0, 0.0, 0.0))
        parent = f"link{k - 1}" if k else None
        bodies.append(kn.Body(f"link{k}", parent, kn.joints.Revolute("z"), place, rod))
    return kn.Model(bodies, gravity=(0.0, 0.0, 0.0), planar=True)


def test_zigzag_robot() -> None:
    """Check 37; the book prints 0.6952 for 0.6592."""
    model = zigzag()
    q = np.deg2rad([20.0, 75.0, -75.0, 75.0, -75.0, 75.0])
    still = np.zeros(6)
    tau = kn.inverse_dynamics(model, q, still, np.ones(6))
    exact = [126.4936759426, 97.4663236170, 69.9762284355]
    exact += [43.7998475335, 21.9371809109, 6.1646857030]
    assert np.allclose(tau, exact, rtol=0, atol=1e-9)
    H = kn.mass_matrix(model, q)
    assert np.linalg.cond(H) == pytest.approx(725.388, abs=1e-3)
    rounded = np.array([126.0, 97.5, 70.0, 43.8, 21.9, 6.16])
    a = [0.6592, 1.3654, 1.3808, 0.5894, 0.9057, 1.0705]
    for way in mechanisms.WAYS:
        found = mechanisms.accelerations(getattr(kn, way)(model, q, still, rounded))
        assert np.allclose(found, a, rtol=0, atol=5e-5), way
    assert np.allclose(kn.solve_mass_matrix(model, q, rounded), a, rtol=0, atol=5e-5)


@pytest.mark.parametrize(("links", "expected"), [(3, 309.5), (6, 5685), (10, 43523)])
def test_condition_of_a_straight_chain(links: int, expected: float) -> None:
    model = zigzag(links)
    H = run(kn.mass_matrix, model, np.zeros(links))
    assert np.linalg.cond(H) == pytest.approx(expected, rel=1e-4)


@ROBOTS
def test_agreement_with_pinocchio(name: str) -> None:
    pin = oracles.required("pinocchio", "pin")
    model = oracles.robot(name, 3)
    peer = oracles.pinocchio_model(model)
    data, same = peer.createData(), kn.convert.pinocchio(model, peer)
    q, v, tau = mechanisms.state(model, 5, (4,))
    inverse = kn.inverse_mass_matrix(model, q)
    bias, gravity = kn.bias_forces(model, q, v), kn.gravity_forces(model, q)
    found = kn.forward_dynamics_crba(model, q, v, tau, passive=False)
    solved = kn.solve_mass_matrix(model, q, tau)
    for k in range(len(q)):
        theirs = same.to_q(q[k])
        speed, force = same.to_v(q[k], v[k]), same.to_tau(q[k], tau[k])
        upper = pin.computeMinverse(peer, data, theirs)
        full = np.triu(upper) + np.triu(upper, 1).T
        T = np.stack([same.to_v(q[k], unit) for unit in np.eye(model.nv)], 1)
        assert error(T @ inverse[k] @ T.T, full) < 1e-11
        assert error(same.to_v(q[k], solved[k]), full @ force) < 1e-11
        expected = pin.nonLinearEffects(peer, data, theirs, speed)
        assert error(same.to_tau(q[k], bias[k]), expected) < 1e-11
        expected = pin.computeGeneralizedGravity(peer, data, theirs)
        assert error(same.to_tau(q[k], gravity[k]), expected) < 1e-11
        expected = pin.aba(peer, data, theirs, speed, force)
        assert error(same.to_a(q[k], v[k], found[k]), expected) < 1e-11
