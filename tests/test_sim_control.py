"""What drives the joints: arrays, functions that trace, functions that do not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import knuckle as kn
import simulations as sims

SPAN = {"duration": 0.1, "dt": 1e-3}


def ends(found: kn.Trajectory) -> np.ndarray:
    return np.concatenate([found.q[..., -1, :], found.v[..., -1, :]], axis=-1)


def refused(*args: Any, **options: Any) -> str:
    with pytest.raises(kn.SimulationError) as error:
        kn.simulate(*args, **options)
    return str(error.value)


def test_no_control_and_zero_forces_are_the_same() -> None:
    model = sims.double_pendulum()
    none = kn.simulate(model, [0.3, 0.1], **SPAN)
    zero = kn.simulate(model, [0.3, 0.1], tau=np.zeros(2), **SPAN)
    assert np.array_equal(none.q, zero.q)
    assert none.settings.control == zero.settings.control == "none"


def test_a_constant_force_broadcasts() -> None:
    model = sims.slider(2.0)
    found = kn.simulate(model, [0.0], tau=[[2.0], [4.0], [-2.0]], duration=1.0)
    assert found.v[:, -1, 0] == pytest.approx([1.0, 2.0, -1.0])
    assert np.array_equal(found.tau[:, 0, 0], [2.0, 4.0, -2.0])
    assert found.settings.control == "constant"


def test_a_sequence_is_held_period_by_period() -> None:
    model = sims.slider(2.0)
    tau = np.array([[2.0], [0.0], [-2.0]])
    found = kn.simulate(model, [0.0], tau=tau, duration=0.3, control_dt=0.1)
    assert found.v[[100, 200, 300], 0] == pytest.approx([0.1, 0.1, 0.0])
    assert np.array_equal(
        found.tau[[0, 99, 100, 199, 200, 300], 0], [2, 2, 0, 0, -2, -2]
    )
    assert "held for 100 steps" in found.settings.control


def test_a_sequence_may_differ_between_rows_and_end_with_a_part() -> None:
    model = sims.slider(1.0)
    tau = np.random.default_rng(0).normal(size=(4, 3, 1))
    found = kn.simulate(model, [0.0], tau=tau, duration=0.25, control_dt=0.1)
    expected = 0.1 * tau[:, 0] + 0.1 * tau[:, 1] + 0.05 * tau[:, 2]
    assert found.v[:, -1] == pytest.approx(expected)


def test_a_function_that_traces_runs_in_the_compiled_steps() -> None:
    calls = []

    def pd(q: Any, v: Any, t: Any) -> Any:
        calls.append(t)
        return -20.0 * (q - np.sin(t)) - 2.0 * v

    model = sims.double_pendulum()
    q = np.random.default_rng(0).normal(size=(5, 2))
    found = kn.simulate(model, q, tau=pd, **SPAN)
    assert len(calls) == 2 and found.settings.control == "compiled"
    t = found.t[:, None]
    expected = -20.0 * (found.q - np.sin(t)) - 2.0 * found.v
    assert found.tau == pytest.approx(expected, rel=1e-12)


def test_compiled_and_called_controllers_agree() -> None:
    def pd(q: Any, v: Any, t: Any) -> Any:
        return -20.0 * q - 2.0 * v + np.sin(t)

    model = sims.double_pendulum()
    q = np.random.default_rng(1).normal(size=(5, 2))
    euler = {**SPAN, "integrator": "semi_implicit_euler"}
    compiled = kn.simulate(model, q, tau=pd, **euler)
    called = kn.simulate(model, q, tau=kn.sim.callback(pd), **euler)
    assert called.settings.control == "called every step (a callback)"
    assert ends(compiled) == pytest.approx(ends(called), rel=1e-11)
    assert compiled.tau[:, :-1] == pytest.approx(called.tau[:, :-1], rel=1e-9)


def test_algorithms_trace_inside_a_controller() -> None:
    """Computed torque: the double pendulum moves like two masses on springs."""
    model = sims.double_pendulum()

    def computed_torque(q: Any, v: Any, t: Any) -> Any:
        return kn.inverse_dynamics(model, q, v, -100.0 * q - 20.0 * v)

    found = kn.simulate(
        model, [0.5, -0.4], tau=computed_torque, duration=0.5, integrator="rk4"
    )
    assert found.settings.control == "compiled"
    expected = (1 + 10.0 * found.t) * np.exp(-10.0 * found.t)
    assert found.q[:, 0] == pytest.approx(0.5 * expected, abs=1e-8)


def test_a_controller_may_use_the_mass_matrix_as_an_array() -> None:
    model = sims.double_pendulum()

    def computed_torque(q: Any, v: Any, t: Any) -> Any:
        M = kn.mass_matrix(model, q)
        a = -100.0 * q - 20.0 * v
        both = [sum(m * x for m, x in zip(row, a, strict=True)) for row in M]
        return (M @ a + both) / 2 + np.array(kn.bias_forces(model, q, v))

    found = kn.simulate(model, [0.5, -0.4], tau=computed_torque, **SPAN)
    assert found.settings.control == "compiled"
    expected = kn.inverse_dynamics(
        model, found.q, found.v, -100.0 * found.q - 20.0 * found.v
    )
    assert found.tau[:-1] == pytest.approx(expected[:-1], rel=1e-9)


def test_a_controller_with_a_condition_of_ours_traces() -> None:
    model = sims.slider(1.0)
    found = kn.simulate(
        model, [0.0], tau=lambda q, v, t: [kn.where(t < 0.05, 1.0, 0.0)], **SPAN
    )
    assert found.settings.control == "compiled"
    assert found.v[-1, 0] == pytest.approx(0.05)


def test_a_traced_controller_with_a_rate_is_sampled_and_held() -> None:
    model = sims.double_pendulum()
    found = kn.simulate(
        model, [[0.3, 0.1], [0.2, 0.0]], tau=lambda q, v, t: -5.0 * q - v + t,
        control_dt=0.01, **SPAN,
    )  # fmt: skip
    at = found.tau[:, ::10][:, :-1]
    times = found.t[::10][:-1, None]
    expected = -5.0 * found.q[:, ::10][:, :-1] - found.v[:, ::10][:, :-1] + times
    assert at == pytest.approx(expected, rel=1e-12)
    assert np.array_equal(found.tau[:, 1:10], np.repeat(found.tau[:, :1], 9, axis=1))
    assert found.settings.control == "traced, held for 10 steps"


def test_plain_python_is_called_with_the_batch_at_its_rate() -> None:
    seen = []

    def bang(q: np.ndarray, v: np.ndarray, t: float) -> np.ndarray:
        seen.append((q.shape, v.shape, t))
        if t > 0.05:
            return np.zeros_like(v)
        return np.where(q > 0, -1.0, 1.0)

    model = sims.slider(1.0)
    start = np.array([[[0.5], [-0.5]], [[0.1], [-0.1]]])
    found = kn.simulate(model, start, tau=bang, control_dt=0.02, **SPAN)
    assert [s[:2] for s in seen[1:]] == [((2, 2, 1), (2, 2, 1))] * 5
    assert [s[2] for s in seen[1:]] == pytest.approx([0.0, 0.02, 0.04, 0.06, 0.08])
    assert found.v[..., -1, 0] == pytest.approx(-0.06 * np.sign(start[..., 0]))
    assert "called every 20 steps (its trial" in found.settings.control
    assert "TraceError" in found.settings.control
    assert "a traced value has no truth yet" in found.settings.control


def test_a_callback_may_have_a_state() -> None:
    class Integral:
        def __init__(self) -> None:
            self.total = 0.0

        def __call__(self, q: Any, v: Any, t: Any) -> Any:
            self.total = self.total + 1e-3 * (1.0 - q)
            return 8.0 * (1.0 - q) - 4.0 * v + 8.0 * self.total - 2.0

    model = sims.slider(1.0)
    driven = kn.sim.callback(Integral())
    found = kn.simulate(model, [0.0], tau=driven, duration=10.0, dt=1e-3)
    assert found.q[-1, 0] == pytest.approx(1.0, abs=1e-3)
    text = refused(model, [0.0], tau=Integral(), **SPAN)
    assert text == (
        "simulate: the controller returned a traced value that it kept from its trial: "
        "it has a state, or noise; pass tau=kn.sim.callback(controller)"
    )


def test_noise_and_leaked_traced_values_are_found() -> None:
    rng, kept = np.random.default_rng(0), []
    model = sims.slider(1.0)
    noise = refused(model, [0.0], tau=lambda q, v, t: q + rng.normal(), **SPAN)
    assert "computes something else when it is called again" in noise

    def leaking(q: Any, v: Any, t: Any) -> Any:
        kept.append(q)
        return kept[0] if math.sin(t) < 2 else v

    text = refused(model, [0.0], tau=leaking, **SPAN)
    assert "returned a traced value that it kept from its trial" in text


def test_shapes_of_forces_are_checked() -> None:
    model = sims.double_pendulum()
    q = np.zeros((3, 2))
    assert refused(model, q, tau=np.zeros(3)) == (
        "simulate: tau has shape (3,), expected (..., 2); for a force that changes "
        "give control_dt, e.g. control_dt=dt"
    )
    assert refused(model, q, tau=np.zeros((9, 2)), control_dt=0.1) == (
        "simulate: tau has shape (9, 2), expected (..., 10, 2); one row for each "
        "control_dt"
    )
    assert "leading dimensions do not broadcast (q0: (3,), tau: (2,))" in refused(
        model, q, tau=np.zeros((2, 2))
    )
    assert "tau is str of dtype" in refused(model, q, tau="full")


def test_shapes_that_a_controller_returns_are_checked() -> None:
    model = sims.double_pendulum()
    q = np.zeros((3, 2))
    assert refused(model, q, tau=lambda q, v, t: [q[0]]) == (
        "simulate: for one configuration the controller returned shape (1,), expected "
        "(2,): upper, lower"
    )
    called = kn.sim.callback(lambda q, v, t: q[0])
    assert refused(model, q, tau=called, t0=0.5) == (
        "simulate: at t = 0.5 s the controller returned float64 of shape (2,), "
        "expected real numbers of shape (3, 2)"
    )


def test_an_error_of_the_controller_itself_is_raised() -> None:
    def broken(q: Any, v: Any, t: Any) -> Any:
        raise ZeroDivisionError("in the user's code")

    with pytest.raises(ZeroDivisionError, match="in the user's code"):
        kn.simulate(sims.slider(), [0.0], tau=broken, **SPAN)


@pytest.mark.parametrize("tau", ["traced", "called", "sequence"])
def test_the_adaptive_integrator_takes_them_all(tau: str) -> None:
    model = sims.double_pendulum()
    span = {"duration": 0.2, "dt": 1e-3, "keep_every": 50}

    def pd(q: Any, v: Any, t: Any) -> Any:
        return -20.0 * q - 2.0 * v + np.sin(9.0 * t)

    drive: dict[str, Any] = {
        "traced": {"tau": pd},
        "called": {"tau": kn.sim.callback(pd), "control_dt": 0.02},
        "sequence": {"tau": np.linspace(-1, 1, 20).reshape(10, 2), "control_dt": 0.02},
    }[tau]
    start = [[0.3, 0.1], [-0.4, 0.2]]
    a = kn.simulate(model, start, **drive, **span, integrator="adaptive")
    b = kn.simulate(model, start, **drive, **span, integrator="rk4")
    assert ends(a) == pytest.approx(ends(b), abs=1e-7)
    assert a.tau == pytest.approx(b.tau, abs=1e-6)
    assert np.array_equal(a.t, b.t)


def test_a_controller_written_anew_needs_no_new_code() -> None:
    model = sims.slider(3.0)
    for _ in range(2):
        kn.simulate(model, [0.0], tau=lambda q, v, t: -q - v, **SPAN)
        count = len(model._kernels)
    kn.simulate(model, [0.0], tau=lambda q, v, t: -q - v, **SPAN)
    assert len(model._kernels) == count
