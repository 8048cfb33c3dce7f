"""Dampers, dry friction, springs and limits in a step, against their formulas."""

from __future__ import annotations

import numpy as np
import pytest

import knuckle as kn
import simulations as sims
from knuckle.sim import RK4, ImplicitMidpoint, SemiImplicitEuler

DT = 1e-3
KINDS = ("Free", "Spherical", "Helical", "Universal", "reversed Revolute")
integrators = pytest.mark.parametrize(
    "method", [SemiImplicitEuler(), RK4(), ImplicitMidpoint()], ids=lambda m: m.name
)


def step(model: kn.Model, q: np.ndarray, v: np.ndarray, **options) -> np.ndarray:
    """v after one step of semi-implicit Euler."""
    euler = {"integrator": "semi_implicit_euler", **options}
    found = kn.simulate(model, q, v, duration=DT, dt=DT, **euler)
    return found.v[..., -1, :]


@pytest.mark.parametrize("seed", range(3))
def test_dampers_act_at_the_new_velocity(seed: int) -> None:
    """(M + h D) (v' - v) / h = tau - bias + spring forces - D v, solved densely."""
    model = sims.mechanism(*KINDS, seed=seed)
    rng = np.random.default_rng(seed)
    q, v = sims.state(model, (5,), seed)
    tau = rng.normal(size=(5, model.nv))
    M = kn.mass_matrix(model, q) + DT * np.diag(model.damping)
    force = tau - kn.bias_forces(model, q, v) + kn.passive_forces(model, q, v)
    expected = v + DT * np.linalg.solve(M, force[..., None])[..., 0]
    assert step(model, q, v, tau=tau) == pytest.approx(expected, rel=1e-9, abs=1e-10)


def test_without_passive_parts_the_acceleration_is_forward_dynamics() -> None:
    model = sims.mechanism(*KINDS, seed=1, passive=False)
    q, v = sims.state(model, (4,))
    expected = v + DT * kn.forward_dynamics(model, q, v, np.zeros(model.nv))
    assert step(model, q, v) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("method", ["semi_implicit_euler", "implicit_midpoint"])
def test_a_damper_may_be_as_stiff_as_it_likes(method: str) -> None:
    """h d / m = 1000: an explicit step would be 500 times beyond its stability."""
    model = sims.slider(1.0, damping=1e6)
    found = kn.simulate(model, [0.0], [1.0], duration=0.5, dt=DT, integrator=method)
    assert np.abs(found.v[1:]).max() <= 1.0
    if method == "semi_implicit_euler":
        assert found.v[1, 0] == pytest.approx(1.0 / 1001.0)
        assert abs(found.v[-1, 0]) < 1e-12


def test_a_stiff_spring_under_the_midpoint() -> None:
    """w h = 10, five times where symplectic Euler explodes; the energy stays."""
    model = sims.slider(1.0, stiffness=1e8)
    found = kn.simulate(
        model, [1e-3], duration=1.0, dt=DT, integrator="implicit_midpoint"
    )
    assert np.ptp(found.energies.total) < 1e-9 * found.energies.total[0]


@integrators
def test_dry_friction_stops_a_sliding_mass_where_it_should(method: object) -> None:
    """From 1 m/s under f / m = 2 m/s^2: 0.5 s and 0.25 m, and then it rests."""
    model = sims.slider(2.0, friction=4.0)
    found = kn.simulate(model, [0.0], [1.0], duration=1.0, dt=DT, integrator=method)
    assert found.v[400, 0] == pytest.approx(0.2, abs=5e-3)
    assert found.q[-1, 0] == pytest.approx(0.25, abs=2e-3)
    assert np.abs(found.v[600:]).max() < 1.1e-3
    assert "max(|v|, 0.001)" in found.settings.friction


@pytest.mark.parametrize("method", ["semi_implicit_euler", "implicit_midpoint"])
def test_dry_friction_holds_and_lets_go(method: str) -> None:
    """Below its bound a load creeps at tau / f friction_speed; above, it goes."""
    model = sims.slider(2.0, friction=4.0)
    held, freed = (
        kn.simulate(model, [0.0], tau=[load], duration=1.0, dt=DT, integrator=method)
        for load in (3.0, 6.0)
    )
    assert held.v[:, 0].max() < 1e-3
    assert held.v[50:, 0] == pytest.approx(0.75e-3, rel=1e-3)  # no chatter
    assert freed.v[-1, 0] == pytest.approx(1.0, abs=0.02)


def test_friction_of_a_moving_joint_is_that_of_the_contract() -> None:
    model = sims.slider(2.0, friction=4.0)
    found = step(model, [0.0], [-3.0])
    assert found == pytest.approx(
        -3.0 - DT * kn.passive_forces(model, [0.0], [-3.0])[0] / -2.0
    )


def limited(**more: float) -> kn.Model:
    return sims.slider(2.0, lower=-1.0, upper=1.0, **more)


@integrators
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_limit_returns_a_joint_with_little_bounce(
    side: float, method: object
) -> None:
    """y = v t e^-zt: at most v / (e z) beyond the limit, and gone with e^-2 v."""
    found = kn.simulate(
        limited(), [side * 0.9], [side * 1.0], duration=1.0, dt=DT, integrator=method
    )
    beyond = side * found.q[:, 0] - 1.0
    z = 0.1 / DT
    assert 0.8 / (np.e * z) < beyond.max() < 1.0 / (np.e * z) + DT
    assert -side * found.v[150:, 0] == pytest.approx(np.exp(-2.0), rel=0.25)
    assert "bandwidth 0.1/dt = 100 rad/s" in found.settings.limits


def test_a_limit_never_pulls() -> None:
    """Beyond the limit and on its way back, faster than the spring wants: free."""
    model = limited()
    assert step(model, [1.001], [-5.0])[0] == -5.0
    assert step(model, [1.001], [5.0])[0] < 5.0
    assert step(model, [0.999], [5.0])[0] == 5.0


@pytest.mark.parametrize(("q", "v"), [(1.02, 0.5), (1.001, -0.01), (-1.5, -3.0)])
def test_a_limit_acts_by_its_formula(q: float, v: float) -> None:
    """m (v' - v) / h = -m (z^2 (y + h v') + 2 z v')."""
    z, y = 0.1 / DT, q - np.sign(q)
    expected = (v - DT * z * z * y) / (1.0 + 2.0 * z * DT + (z * DT) ** 2)
    assert step(limited(), [q], [v]) == pytest.approx([expected], rel=1e-12)


def test_a_limit_holds_a_load() -> None:
    """What is pushed with tau rests tau / (m z^2) beyond it."""
    found = kn.simulate(limited(), [0.9], tau=[20.0], duration=2.0, dt=DT)
    assert found.q[-1, 0] - 1.0 == pytest.approx(20.0 / (2.0 * 1e4), rel=1e-6)


def test_limits_scale_with_the_articulated_inertia_of_a_joint() -> None:
    """The hip of a double pendulum at its limit feels both rods, parent held."""
    model = sims.double_pendulum(lower=-0.2, upper=0.2).replace(gravity=(0, 0, 0))
    q, v = np.array([0.3, 0.0]), np.zeros(2)
    M = kn.mass_matrix(model, q)
    articulated = 1.0 / np.linalg.inv(M)[0, 0]
    z, y = 0.1 / DT, 0.1
    K = articulated * np.diag([2.0 * z * DT + (z * DT) ** 2, 0.0])
    push = np.array([-articulated * z * z * y, 0.0])
    assert step(model, q, v) == pytest.approx(DT * np.linalg.solve(M + K, push))


def test_limits_off() -> None:
    found = kn.simulate(limited(), [0.9], [1.0], limits="off")
    assert found.q[-1, 0] == pytest.approx(1.9)
    assert found.settings.limits == "off"


@pytest.mark.parametrize("method", ["semi_implicit_euler", "implicit_midpoint"])
def test_a_heavy_leaf_on_a_light_link_stays_stable_at_its_limits(method: str) -> None:
    """A ratio of inertias of 10,000: what the limits take never comes back."""
    light = kn.Inertia(0.01, (0, 0, -0.1), (1e-4, 1e-4, 1e-5))
    heavy = kn.Inertia(10.0, (0, 0, -1.0), (1.0, 1.0, 0.1))
    joint = kn.joints.Revolute("y", lower=-0.3, upper=0.3)
    model = kn.Model([
        kn.Body("light", None, joint, inertia=light),
        kn.Body("heavy", "light", joint, kn.SE3(p=(0, 0, -0.2)), heavy),
    ])  # fmt: skip
    found = kn.simulate(
        model, [0.3, 0.3], [5.0, 5.0], duration=10.0, dt=2e-3, integrator=method
    )
    assert np.abs(found.q).max() < 0.75 and np.abs(found.v).max() < 15.0
    assert np.abs(found.q[-1000:]).max() < 0.33
    assert found.energies.total[-1] < found.energies.total[0]


def test_limits_on_a_joint_whose_velocity_is_no_rate_are_refused() -> None:
    body = kn.Inertia(1.0, (0, 0, 0), (1, 1, 1))
    joint = kn.joints.Planar(lower=(-1, -1, -1), upper=(1, 1, 1))
    model = kn.Model([kn.Body("puck", None, joint, inertia=body, joint_name="table")])
    with pytest.raises(kn.SimulationError) as error:
        kn.simulate(model, model.neutral())
    assert str(error.value) == (
        "simulate: joint 'table' has limits on coordinates whose rates are not its "
        "velocities; take limits='off' or a joint without limits"
    )
    assert kn.simulate(model, model.neutral(), limits="off").q.shape == (1001, 3)
