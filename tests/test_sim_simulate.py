"""simulate: shapes, batches, bits, forces, parameters, settings."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import knuckle as kn
import simulations as sims
from knuckle.sim import INTEGRATORS, ImplicitMidpoint, steps

SHORT = {"duration": 0.05, "dt": 1e-3}


def same(a: Any, b: Any) -> bool:
    return all(
        np.ascontiguousarray(x).tobytes() == np.ascontiguousarray(y).tobytes()
        for x, y in ((a.q, b.q), (a.v, b.v), (a.tau, b.tau))
    )


def tree() -> kn.Model:
    return sims.mechanism("Free", "Spherical", "Helical", seed=4)


@pytest.mark.parametrize("lead", [(), (1,), (5,), (2, 3), (0,)])
def test_shapes(lead: tuple[int, ...]) -> None:
    model = tree()
    q, v = sims.state(model, lead)
    found = kn.simulate(model, q, v, **SHORT, keep_every=10)
    assert found.t == pytest.approx(np.arange(6) * 0.01)
    assert found.q.shape == (*lead, 6, model.nq) and found.shape == lead
    assert found.v.shape == found.tau.shape == (*lead, 6, model.nv)
    assert found.energies.total.shape == (*lead, 6)
    assert not found.tau.any()


def test_the_first_state_is_the_start_and_energies_are_those_of_the_states() -> None:
    model = tree()
    q, v = sims.state(model, (3,))
    found = kn.simulate(model, q, v, **SHORT)
    assert np.array_equal(found.q[:, 0], q) and np.array_equal(found.v[:, 0], v)
    kinetic = kn.kinetic_energy(model, found.q, found.v)
    assert np.array_equal(found.energies.kinetic, kinetic)
    assert np.array_equal(found.energies.potential, kn.potential_energy(model, found.q))
    assert np.array_equal(
        found.energies.total, found.energies.kinetic + found.energies.potential
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("method", ["semi_implicit_euler", "rk4", "implicit_midpoint"])
def test_a_batch_equals_its_rows_bit_for_bit(method: str, dtype: type) -> None:
    model = tree()
    q, v = (x.astype(dtype) for x in sims.state(model, (11,)))
    options = {**SHORT, "keep_every": 10, "integrator": method}
    whole = kn.simulate(model, q, v, **options)
    assert whole.q.dtype == dtype
    for k in (0, 7, 10):
        alone = kn.simulate(model, q[k], v[k], **options)
        assert alone.q.tobytes() == whole.q[k].tobytes()
        assert alone.v.tobytes() == whole.v[k].tobytes()


def test_the_adaptive_rows_are_their_own() -> None:
    model = tree()
    q, v = sims.state(model, (2,))
    options = {**SHORT, "keep_every": 25, "integrator": "adaptive"}
    whole = kn.simulate(model, q, v, **options)
    alone = kn.simulate(model, q[1], v[1], **options)
    assert alone.q.tobytes() == whole.q[1].tobytes()


@pytest.mark.parametrize("method", ["semi_implicit_euler", "implicit_midpoint"])
def test_how_a_run_is_cut_does_not_change_the_bits(method: str) -> None:
    """Kept every 30 steps or every step, or stopped and held by control_dt."""
    model = tree()
    start = sims.state(model, (3,))
    drive = {"tau": np.ones(model.nv), "t0": 0.3, "integrator": method}
    span = {"duration": 0.06, "dt": 1e-3}
    found = kn.simulate(model, *start, **drive, **span, keep_every=30)
    every = kn.simulate(model, *start, **drive, **span, keep_every=1)
    assert every.q[:, ::30].tobytes() == found.q.tobytes()
    held = {**drive, "tau": np.ones((20, model.nv)), "control_dt": 3e-3}
    cut = kn.simulate(model, *start, **held, **span, keep_every=30)
    assert same(cut, found)


def test_time_in_compiled_steps_does_not_depend_on_the_cuts() -> None:
    model = sims.pendulum()
    drive = {"tau": lambda q, v, t: [3.0 * np.sin(7.0 * t)], "t0": 0.1}
    span = {"duration": 0.9, "dt": 1e-3}
    found = kn.simulate(model, [0.1], **drive, **span, keep_every=900)
    every = kn.simulate(model, [0.1], **drive, **span, keep_every=9)
    assert found.q[-1].tobytes() == every.q[-1].tobytes()


def test_long_calls_are_cut_so_that_they_can_be_interrupted() -> None:
    from knuckle.sim.grid import Grid

    assert Grid(0.0, 1e-3, 10**6, 10**6).stride == 1000
    assert Grid(0.0, 1e-3, 6000, 3000).stride == 1000
    assert Grid(0.0, 1e-3, 7919, 7919).stride == 7919  # a prime
    assert Grid(0.0, 1e-3, 600, 30, 20).stride == 10


def test_rows_that_are_not_finite_leave_the_others_alone() -> None:
    model = tree()
    q, v = sims.state(model, (4,))
    clean = kn.simulate(model, q, v, **SHORT)
    q, v = q.copy(), v.copy()
    q[1, 3], v[2, 0] = np.nan, np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = kn.simulate(model, q, v, **SHORT)
    for k in (0, 3):
        assert found.q[k].tobytes() == clean.q[k].tobytes()
    assert np.isnan(found.q[1]).any() and not np.isfinite(found.v[2]).all()


def test_a_row_that_blows_up_is_told() -> None:
    model = sims.slider(1.0, stiffness=1e9)
    with pytest.warns(RuntimeWarning, match=r"1 of 2 rows .* row \(1,\) by t = 0\.\d+"):
        kn.simulate(model, [[0.0], [1.0]], integrator="semi_implicit_euler")


def test_an_iteration_that_does_not_end_is_told() -> None:
    model = sims.free_body()
    start = model.neutral(), [[0, 0, 0, 0, 0, 0], [200.0, 3.0, 1.0, 0, 0, 0]]
    with pytest.warns(
        RuntimeWarning, match=r"1 of 2 rows did not converge, row \(1,\)"
    ):
        found = kn.simulate(
            model, *start, **SHORT, integrator=ImplicitMidpoint(iterations=2)
        )
    assert found.settings.residual > 1e-4


def test_wrenches_act_as_in_forward_dynamics() -> None:
    model = sims.mechanism("Free", "Revolute", seed=1, passive=False)
    q, v = sims.state(model, (2,))
    f = np.arange(12.0).reshape(2, 6)
    expected = v + 1e-3 * kn.forward_dynamics(
        model, q, v, np.zeros(model.nv), {"body1": f}
    )
    euler = {"duration": 1e-3, "integrator": "semi_implicit_euler"}
    named = kn.simulate(model, q, v, **euler, f_ext={"body1": f})
    assert named.v[:, -1] == pytest.approx(expected, rel=1e-11)
    dense = np.zeros((2, 2, 6))
    dense[:, 1] = f
    listed = kn.simulate(model, q, v, **euler, f_ext=dense)
    assert listed.v[:, -1] == pytest.approx(expected, rel=1e-11)


def test_wrenches_on_a_model_that_depends_on_time() -> None:
    lift = kn.Joint(lambda q, t: kn.spatial.Tz(t), 0)
    body = kn.Inertia(2.0, (0, 0, 0), (1, 1, 1))
    model = kn.Model([
        kn.Body("lift", None, lift, inertia=body),
        kn.Body("cart", "lift", kn.joints.Prismatic("x"), inertia=body),
    ])  # fmt: skip
    found = kn.simulate(model, [0.0], f_ext={"cart": [0, 0, 0, 4.0, 0, 0]})
    assert found.v[-1, 0] == pytest.approx(2.0)
    assert found.energies.potential[-1] == pytest.approx(4.0 * 9.81 * 1.0, rel=1e-3)


def test_parameters_make_another_robot_of_every_row() -> None:
    model = sims.pendulum().with_parameters("rod.mass", "gravity")
    masses = np.array([1.0, 2.0, 4.0])
    found = kn.simulate(
        model, [0.5], **SHORT, tau=[1.0], parameters={"rod.mass": masses}
    )
    for k, mass in enumerate(masses):
        alone = kn.simulate(
            model, [0.5], **SHORT, tau=[1.0], parameters={"rod.mass": mass}
        )
        assert alone.q.tobytes() == found.q[k].tobytes()
        total = alone.energies.total
        assert found.energies.total[k] == pytest.approx(total, rel=1e-12)
    assert np.array_equal(found.parameters["rod.mass"], masses)
    assert len({x.tobytes() for x in found.q}) == 3


def test_every_quantity_of_a_joint_may_be_a_parameter() -> None:
    given = {"damping": 0.3, "friction": 0.2, "stiffness": 4.0, "armature": 0.1}
    fixed = sims.pendulum(rest=0.3, lower=-0.5, upper=0.5, **given)
    names = [f"hinge.{name}" for name in (*given, "rest")]
    free = sims.pendulum(lower=-0.5, upper=0.5).with_parameters(*names)
    values = {f"hinge.{name}": [x] for name, x in {**given, "rest": 0.3}.items()}
    for method in ("semi_implicit_euler", "implicit_midpoint", "adaptive"):
        span = {**SHORT, "integrator": method, "keep_every": 10}
        a = kn.simulate(fixed, [0.49], [1.0], **span)
        b = kn.simulate(free, [0.49], [1.0], **span, parameters=values)
        assert a.q == pytest.approx(b.q, rel=1e-12, abs=1e-14)
        assert a.energies.total == pytest.approx(b.energies.total, rel=1e-11)


def test_steps_run_on_plain_numbers_too() -> None:
    model = sims.double_pendulum(damping=0.1, lower=-1.0, upper=1.0)
    q, v = np.array([0.9, 1.1]), np.array([2.0, -1.0])
    options = {"count": 5, "integrator": ImplicitMidpoint(4)}
    given = (model, q, v, np.zeros(2), 1e-3, 0.0, 0.0)
    plain = kn.interpret(steps, model)(*given[1:], **options)
    made = steps(*given, **options)
    for a, b in zip(plain, made, strict=True):
        assert np.asarray(a) == pytest.approx(np.asarray(b), rel=1e-12, abs=1e-15)


def test_a_progress_bar(capsys: pytest.CaptureFixture[str]) -> None:
    kn.simulate(sims.pendulum(), [0.1], **SHORT, keep_every=10, progress=True)
    assert "50.0/50.0" in capsys.readouterr().err


@pytest.mark.parametrize("method", list(INTEGRATORS))
def test_a_model_that_cannot_move(method: str) -> None:
    body = kn.Inertia(2.0, (0, 0, 0), (1, 1, 1))
    fixed = kn.Model([kn.Body("a", None, kn.joints.Fixed(), inertia=body)])
    found = kn.simulate(fixed, np.zeros((3, 0)), **SHORT, integrator=method)
    assert found.q.shape == (3, 51, 0) and found.energies.total.shape == (3, 51)
    lift = kn.Joint(lambda q, t: kn.spatial.Tz(t), 0)
    moved = kn.Model([kn.Body("a", None, lift, inertia=body)])
    found = kn.simulate(moved, [], **SHORT, integrator=method)
    assert found.energies.potential == pytest.approx(2.0 * 9.81 * found.t)


def test_settings_tell_how_it_was_made() -> None:
    model = sims.double_pendulum(lower=-1.0, upper=1.0, friction=0.1)
    found = kn.simulate(model, [0.1, 0.2], **SHORT, keep_every=5, friction_speed=0.02)
    s = found.settings
    assert (s.integrator, s.order) == ("implicit_midpoint, 8 iterations", 2)
    assert s.dt == 1e-3 and 0.0 <= s.residual < 1e-12
    assert (s.keep_every, s.control) == (5, "none")
    assert s.limits.startswith(
        "spring: critically damped, bandwidth 0.1/dt = 100 rad/s"
    )
    assert s.friction == "-f v / max(|v|, 0.02)"
