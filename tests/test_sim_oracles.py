"""The simulation against SciPy, MuJoCo and the solutions in closed form."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj

import knuckle as kn
import simulations as sims

KINDS = [
    ("Revolute", "Prismatic", "Helical", "Universal"),
    ("Free", "SphericalEuler", "Revolute"),
    ("Spherical", "Planar", "Cylindrical"),
    ("reversed Free", "Composite"),
]


def reference(model: kn.Model, q: np.ndarray, v: np.ndarray, end: float) -> Any:
    """q and v at the end by SciPy, on dq/dt = G(q) v and `forward_dynamics`."""

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        q, v = y[: model.nq], y[model.nq :]
        rates = [p.joint.qdot(q[p.q].tolist(), v[p.v].tolist()) for p in model.joints]
        a = kn.forward_dynamics(model, q, v, np.zeros(model.nv))
        return np.concatenate([*map(np.asarray, rates), a])

    start = np.concatenate([q, v])
    done = solve_ivp(slope, (0, end), start, "DOP853", rtol=1e-11, atol=1e-12)
    return done.y[: model.nq, -1], done.y[model.nq :, -1]


@pytest.mark.parametrize("kinds", KINDS, ids="+".join)
def test_random_mechanisms_against_scipy(kinds: tuple[str, ...]) -> None:
    model = sims.mechanism(*kinds, seed=6)
    q, v = sims.state(model)
    expected = reference(model, q, v, 0.4)
    allowed = {"rk4": 1e-8, "implicit_midpoint": 2e-4, "adaptive": 1e-7}
    for method, error in allowed.items():
        found = kn.simulate(
            model, q, v, duration=0.4, dt=2e-3, integrator=method, keep_every=200
        )
        assert sims.apart(model, expected, (found.q[-1], found.v[-1])) < error


MJCF = """<mujoco><option timestep="0.002" integrator="{integrator}"/>
<compiler angle="radian" inertiafromgeom="false"/>
<worldbody>
<body name="boom" pos="0 0 1"><joint name="hinge" type="hinge" axis="0 1 0"
  damping="0.7" armature="0.05" stiffness="2" springref="0.3"/>
 <inertial pos="0.1 0 -0.3" mass="1.5" diaginertia="0.05 0.06 0.02"/>
 <body name="sledge" pos="0 0 -0.6"><joint name="rail" type="slide" axis="0 0 1"
   damping="40" stiffness="300"/>
  <inertial pos="0 0.05 0" mass="0.8" diaginertia="0.02 0.03 0.04"/>
  <body name="bob" pos="0 0 -0.2"><joint name="ball" type="ball" damping="0.02"/>
   <inertial pos="0.05 0 -0.2" mass="0.6" diaginertia="0.01 0.02 0.015"/>
</body></body></body></worldbody></mujoco>"""


def crane() -> kn.Model:
    """The mechanism of MJCF."""
    j = kn.joints
    hinge = j.Revolute("y", damping=0.7, armature=0.05, stiffness=2.0, rest=0.3)
    rail = j.Prismatic("z", damping=40.0, stiffness=300.0)
    ball = j.Spherical(damping=0.02)
    boom = kn.Inertia(1.5, (0.1, 0.0, -0.3), (0.05, 0.06, 0.02))
    sledge = kn.Inertia(0.8, (0.0, 0.05, 0.0), (0.02, 0.03, 0.04))
    bob = kn.Inertia(0.6, (0.05, 0.0, -0.2), (0.01, 0.02, 0.015))
    return kn.Model([
        kn.Body("boom", None, hinge, kn.SE3(p=(0, 0, 1)), boom),
        kn.Body("sledge", "boom", rail, kn.SE3(p=(0, 0, -0.6)), sledge),
        kn.Body("bob", "sledge", ball, kn.SE3(p=(0, 0, -0.2)), bob),
    ])  # fmt: skip


def by_mujoco(integrator: str, q: Any, v: Any, count: int) -> Any:
    model = mujoco.MjModel.from_xml_string(MJCF.format(integrator=integrator))
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q, v
    for _ in range(count):
        mujoco.mj_step(model, data)
    return data.qpos.copy(), data.qvel.copy()


def test_semi_implicit_euler_is_that_of_mujoco() -> None:
    """Dampers at the new velocity, springs at the old position: step for step."""
    model = crane()
    q, v = sims.state(model)
    found = kn.simulate(
        model, q, v, duration=1.0, dt=2e-3, integrator="semi_implicit_euler",
        keep_every=50,
    )  # fmt: skip
    for k in (1, 2, 10):
        expected = by_mujoco("Euler", q, v, 50 * k)
        assert found.q[k] == pytest.approx(expected[0], rel=1e-9, abs=1e-10)
        assert found.v[k] == pytest.approx(expected[1], rel=1e-9, abs=1e-9)


def test_a_pendulum_swings_as_in_mujoco() -> None:
    """MuJoCo's Runge-Kutta and ours, half a second of the hinge and the rail."""
    model, v = crane(), np.zeros(5)
    q = np.array([0.4, 0.05, 1.0, 0.0, 0.0, 0.0])
    found = kn.simulate(model, q, v, duration=0.5, dt=2e-3, integrator="rk4")
    expected = by_mujoco("RK4", q, v, 250)
    assert found.q[-1] == pytest.approx(expected[0], abs=2e-6)
    assert found.v[-1] == pytest.approx(expected[1], abs=2e-5)


def test_a_free_body_tumbles_as_in_mujoco() -> None:
    """The flips of the middle axis, seen by both."""
    text = """<mujoco><option timestep="0.0005" integrator="RK4" gravity="0 0 0"/>
    <worldbody><body><freejoint/>
    <inertial pos="0 0 0" mass="1" diaginertia="0.3 0.2 0.1"/></body></worldbody>
    </mujoco>"""
    peer = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(peer)
    spin = [0.01, 6.0, 0.02]
    data.qvel[3:] = spin
    for _ in range(6000):
        mujoco.mj_step(peer, data)
    model = sims.free_body((0.3, 0.2, 0.1))
    found = kn.simulate(
        model, model.neutral(), [*spin, 0, 0, 0], duration=3.0, dt=5e-4,
        keep_every=6000, integrator="rk4",
    )  # fmt: skip
    assert found.v[-1, :3] == pytest.approx(data.qvel[3:], abs=1e-4)
    assert found.q[-1, 3:] == pytest.approx(data.qpos[3:], abs=1e-4)


def test_the_middle_axis_flips_as_jacobi_says() -> None:
    """Euler's equations by elliptic functions (Landau & Lifshitz, Mechanics, 37)."""
    moments = A, B, C = 1.0, 2.0, 3.0
    w = np.array([0.9, 0.0, 1.0])
    model = sims.free_body(moments)
    found = kn.simulate(
        model, model.neutral(), [*w, 0, 0, 0], duration=12.0, dt=2e-3, keep_every=10,
        integrator="rk4",
    )  # fmt: skip
    twice_T, square_L = float(w @ (w * moments)), float(np.sum((w * moments) ** 2))
    assert square_L > twice_T * B
    rate = np.sqrt((C - B) * (square_L - twice_T * A) / (A * B * C))
    m = (B - A) * (twice_T * C - square_L) / ((C - B) * (square_L - twice_T * A))
    sn, cn, dn, _ = ellipj(rate * found.t, m)
    about_B = np.sqrt((twice_T * C - square_L) / (B * (C - B))) * sn
    expected = np.stack([w[0] * cn, about_B, w[2] * dn], axis=-1)
    assert np.abs(found.v[:, :3] - expected).max() < 1e-9
    assert np.sum(np.diff(np.sign(found.v[:, 1])) != 0) > 2


def test_a_top_precesses_at_the_rate_of_the_book() -> None:
    """I cos(a) W^2 - I3 s W + m g l = 0: I about the pivot, s the spin, a the lean."""
    mass, length, I1, I3, spin, lean = 1.0, 0.3, 0.1, 0.02, 90.0, 0.6
    body = kn.Inertia(mass, (0.0, 0.0, length), (I1, I1, I3))
    model = kn.Model([kn.Body("top", None, kn.joints.Spherical(), inertia=body)])
    about = I1 + mass * length**2
    a, b, c = about * np.cos(lean), -I3 * spin, mass * 9.81 * length
    W = (-b - np.sqrt(b * b - 4.0 * a * c)) / (2.0 * a)
    q = np.array([np.cos(lean / 2), np.sin(lean / 2), 0.0, 0.0])
    v = np.array([0.0, W * np.sin(lean), spin])
    found = kn.simulate(
        model, q, v, duration=2.0, dt=2e-4, keep_every=100, integrator="rk4"
    )
    pose = kn.forward_kinematics(model, found.q)
    axis = pose.R[:, 0, :, 2]
    angle = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0])) + np.pi / 2
    assert angle == pytest.approx(W * found.t, abs=1e-7)
    assert axis[:, 2] == pytest.approx(np.cos(lean), abs=1e-7)
