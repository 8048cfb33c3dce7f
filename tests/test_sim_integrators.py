"""Laws of the integrators: declared order, reversal, energy, momentum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import knuckle as kn
import mechanisms
import oracles
import simulations as sims
from engines import narrower
from knuckle.codegen import native
from knuckle.codegen.target import FOREIGN
from knuckle.edge.signature import bind
from knuckle.edge.tracing import trace
from knuckle.sim import (
    INTEGRATORS,
    RK4,
    Adaptive,
    FixedStep,
    ImplicitMidpoint,
    SemiImplicitEuler,
    steps,
)
from knuckle.sim.integrators import along

FIXED = (SemiImplicitEuler(), RK4(), ImplicitMidpoint(iterations=12))
names = pytest.mark.parametrize("method", FIXED, ids=lambda m: m.name)
State = tuple[np.ndarray, np.ndarray]


def end(model: kn.Model, start: State, method: object, steps: int, **more) -> State:
    """The state after half a second in so many steps."""
    span = {"duration": 0.5, "dt": 0.5 / steps, "keep_every": steps, "limits": "off"}
    found = kn.simulate(model, *start, integrator=method, **span, **more)
    return found.q[..., -1, :], found.v[..., -1, :]


def observed_order(model: kn.Model, start: State, method: object, **more) -> float:
    """log2 of the ratio of the errors with 64 and 128 steps, or 512 and 1024."""
    exact = end(model, start, RK4(), 2048, **more)
    steps = (512, 1024) if method.order == 1 else (64, 128)
    errors = [
        sims.apart(model, exact, end(model, start, method, n, **more)) for n in steps
    ]
    return float(np.log2(errors[0] / errors[1]))


KINDS = [
    ("Free",),
    ("Spherical",),
    ("Planar",),
    ("reversed Free",),
    ("Composite",),
    ("SphericalExp",),
    ("bead on a helix", "gimbal"),
    ("Free", "Revolute", "Spherical", "Prismatic"),
]


@names
@pytest.mark.parametrize("kinds", KINDS, ids="+".join)
def test_declared_order(kinds: tuple[str, ...], method: object) -> None:
    model = sims.mechanism(*kinds, seed=1)
    found = observed_order(model, sims.state(model), method)
    assert found == pytest.approx(method.order, abs=0.25)


@names
def test_declared_order_where_time_matters(method: object) -> None:
    """A crank that turns as prescribed, and a motor whose torque oscillates."""
    rod = kn.Inertia(1.0, (0.1, 0.0, -0.5), (1 / 12, 1 / 12, 1e-3))
    crank = kn.Joint(lambda q, t: kn.spatial.Rx(np.sin(3.0 * t)), 0)
    model = kn.Model([
        kn.Body("crank", None, crank, inertia=rod),
        kn.Body("ball", "crank", kn.joints.Spherical(), kn.SE3(p=(0, 0, -1)), rod),
    ])  # fmt: skip
    drive = {"tau": lambda q, v, t: [np.sin(5.0 * t), -v[1], 0.3 * np.cos(t)]}
    start = model.neutral(), np.array([0.3, -0.2, 0.5])
    found = observed_order(model, start, method, **drive, t0=0.4)
    assert found == pytest.approx(method.order, abs=0.25)


@pytest.mark.parametrize("seed", range(4))
def test_rk4_on_the_classical_problem_is_the_classical_method(seed: int) -> None:
    """x'' = -k x + tau on a rail, against the tableau by hand."""
    rng = np.random.default_rng(seed)
    k, h, x, v = (float(s) for s in rng.uniform(0.1, 0.5, 4))
    y, A = np.array([x, v]), np.array([[0.0, 1.0], [-k / 2.0, 0.0]])
    k1 = A @ y
    k2 = A @ (y + h / 2 * k1)
    k3 = A @ (y + h / 2 * k2)
    k4 = A @ (y + h * k3)
    expected = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    model = sims.slider(2.0, stiffness=k)
    found = kn.simulate(model, [x], [v], duration=h, dt=h, integrator="rk4")
    assert [found.q[-1, 0], found.v[-1, 0]] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("kinds", KINDS, ids="+".join)
def test_midpoint_is_reversible(kinds: tuple[str, ...]) -> None:
    """With the velocities turned round, the way back ends where it began."""
    model = sims.mechanism(*kinds, seed=2, passive=False)
    start = sims.state(model)
    method = ImplicitMidpoint(iterations=14)
    q, v = end(model, start, method, 100)
    q, v = end(model, (q, -v), method, 100)
    assert sims.apart(model, start, (q, -v)) < 2e-12


def test_midpoint_keeps_the_energy() -> None:
    """Twenty thousand steps of a tumbling double pendulum, without a drift."""
    model = sims.double_pendulum()
    found = kn.simulate(
        model, [2.0, -1.0], duration=200.0, dt=0.01, keep_every=10,
        integrator=ImplicitMidpoint(20),
    )  # fmt: skip
    error = np.abs(found.energies.total - found.energies.total[0])
    scale = np.ptp(found.energies.kinetic)
    assert error.max() < 0.02 * scale
    first, last = error[:200].max(), error[-200:].max()
    assert last < 3.0 * first
    assert found.settings.residual < 1e-12


def test_midpoint_keeps_quadratic_invariants_of_a_free_body() -> None:
    model = sims.free_body()
    start = model.neutral(), np.array([0.1, 4.0, 0.1, 0.0, 0.0, 0.0])
    found = kn.simulate(
        model, *start, duration=20.0, dt=0.01, keep_every=100,
        integrator=ImplicitMidpoint(14),
    )  # fmt: skip
    momentum = np.linalg.norm(found.v[:, :3] * [1.0, 2.0, 3.0], axis=-1)
    assert np.ptp(found.energies.kinetic) < 1e-11
    assert np.ptp(momentum) < 1e-11


@pytest.mark.parametrize("method", ["rk4", "implicit_midpoint", "adaptive"])
def test_momentum_of_a_floating_arm_stays(method: str) -> None:
    model = sims.floating_arm()
    found = kn.simulate(
        model, *sims.state(model), duration=1.0, dt=2e-3, integrator=method
    )
    h = kn.momentum(model, found.q, found.v)
    allowed = {"rk4": 1e-9, "implicit_midpoint": 2e-5, "adaptive": 1e-8}
    assert np.abs(h - h[0]).max() < allowed[method]


@pytest.mark.parametrize("method", ["rk4", "adaptive"])
def test_energy_of_a_passive_tree_stays(method: str) -> None:
    model = sims.mechanism("Free", "Spherical", "Helical", seed=5, passive=False)
    found = kn.simulate(
        model, *sims.state(model), duration=1.0, dt=1e-3, integrator=method
    )
    total = found.energies.total
    assert np.abs(total - total[0]).max() < 1e-8 * np.ptp(found.energies.kinetic)


def test_semi_implicit_euler_is_symplectic_on_a_spring() -> None:
    """The energy of an oscillator swings by about w h / 2 and stays there."""
    model = sims.slider(2.0, stiffness=200.0)
    found = kn.simulate(
        model, [0.1], duration=200.0, dt=0.01, integrator="semi_implicit_euler"
    )
    energy = found.energies.total / found.energies.total[0] - 1.0
    assert np.abs(energy).max() < 0.06
    assert np.ptp(energy[-2000:]) == pytest.approx(np.ptp(energy[:2000]), rel=1e-2)


@pytest.mark.parametrize("name", ["arm7", "quad18"])
def test_robots_move_for_ten_seconds_on_their_own(name: str) -> None:
    """No damper, the wrist soon turns at 100 rad/s: finite, and the energy stays."""
    model = oracles.robots.robot(name)
    rng = np.random.default_rng(1)
    start = model.random(rng, 4), rng.normal(size=(4, model.nv))
    found = kn.simulate(model, *start, duration=10.0, dt=1e-3, keep_every=100)
    total = found.energies.total
    drift = np.abs(total - total[:, :1]).max() / np.ptp(found.energies.kinetic)
    assert np.abs(found.v).max() > 20.0 and drift < 1e-3


@names
def test_quaternions_stay_unit(method: object) -> None:
    model = sims.mechanism("Spherical", "reversed Spherical", seed=3, passive=False)
    found = kn.simulate(
        model, *sims.state(model), duration=20.0, dt=1e-2, keep_every=500,
        integrator=method,
    )  # fmt: skip
    for place in model.joints:
        norms = np.linalg.norm(found.q[:, place.q], axis=-1)
        assert np.abs(norms[1:] - 1.0).max() < 4e-16


@dataclass(frozen=True)
class Heun(FixedStep):
    """An integrator as a user writes one, on vector spaces."""

    name: ClassVar[str] = "heun"
    order: ClassVar[int] = 2

    def step(self, system: Any, q: Any, v: Any, t: Any, h: Any) -> Any:
        a = system.acceleration(q, v, t)
        guess = along(v, h, a)
        b = system.acceleration(system.moved(q, v, h), guess, t + h)
        mean = along(along(v, 0.5 * h, a), 0.5 * h, b)
        return system.moved(q, along(along(v, 0.5, guess), -0.5, v), h), mean, 0.0


def test_an_integrator_of_ones_own() -> None:
    model = sims.mechanism("Helical", "Universal", seed=1)
    start = sims.state(model)
    assert observed_order(model, start, Heun()) == pytest.approx(2.0, abs=0.25)
    found = kn.simulate(model, *start, duration=0.1, integrator=Heun())
    assert (found.settings.integrator, found.settings.order) == ("heun", 2)


def test_a_planar_model_moves_as_in_space() -> None:
    for mixed in (False, True):
        flat, space = (
            mechanisms.chain(2, 4, planar, mixed) for planar in (True, False)
        )
        q, v = sims.state(space)
        ends = [
            kn.simulate(m, q, v, duration=0.2, integrator="rk4") for m in (flat, space)
        ]
        assert ends[0].q == pytest.approx(ends[1].q, abs=1e-10)
        assert ends[0].energies.total == pytest.approx(ends[1].energies.total, abs=1e-9)


@pytest.mark.parametrize("method", ["RK45", "LSODA", "Radau"])
def test_other_methods_of_scipy(method: str) -> None:
    model = sims.double_pendulum(damping=0.1)
    span = {"duration": 0.5, "dt": 1e-3, "keep_every": 100}
    exact = kn.simulate(model, [1.0, 0.3], **span, integrator="rk4")
    found = kn.simulate(model, [1.0, 0.3], **span, integrator=Adaptive(method))
    assert found.q == pytest.approx(exact.q, abs=1e-6)
    assert found.settings.order is None
    assert found.settings.integrator.startswith(f"adaptive, {method}, rtol 1e-09")
    with pytest.raises(ValueError, match="did you mean 'RK45' or 'RK23'"):
        Adaptive("RK4")


@pytest.mark.parametrize("target", FOREIGN.values(), ids=FOREIGN)
def test_steps_are_lowered_for_every_target(target: Any) -> None:
    model = sims.mechanism("Free", "Revolute", seed=1)
    given = bind("steps", steps.parameters, (), {
        "q": 0, "v": 0, "tau": 0, "dt": 0, "start": 0, "first": 0,
        "count": 10, "integrator": ImplicitMidpoint(3),
    })  # fmt: skip
    traced = trace(steps.function, model, steps.parameters, given, {})
    parts = traced.program, traced.inputs, traced.outputs
    for dtype in ("float64", "float32"):
        assert native.assemble(native.ir("steps", *parts, dtype, target)[0], target)


@pytest.mark.parametrize("engine", narrower(), ids=lambda e: e.name)
def test_narrower_instruction_sets_agree(engine: Any) -> None:
    model = sims.mechanism("Free", "Spherical", "Helical", seed=4)
    options = {"count": 20, "integrator": SemiImplicitEuler()}
    inputs = *sims.state(model, (5,)), np.zeros(model.nv), 1e-3, 0.0, 0.0
    wide = kn.compile(steps, model, **options)(*inputs)
    slim = kn.compile(steps, model, target=engine.target, **options)(*inputs)
    for a, b in zip(wide, slim, strict=True):
        if engine.target == "avx2":
            assert a.tobytes() == b.tobytes()
        assert a == pytest.approx(b, rel=1e-10, abs=1e-12)


def test_every_integrator_is_listed_and_describes_itself() -> None:
    assert set(INTEGRATORS) == {
        "semi_implicit_euler", "rk4", "implicit_midpoint", "adaptive",
    }  # fmt: skip
    assert str(ImplicitMidpoint(5)) == "implicit_midpoint, 5 iterations"
    assert RK4() == RK4() and hash(ImplicitMidpoint(3)) != hash(ImplicitMidpoint(4))
    with pytest.raises(ValueError, match="iterations is 0, expected a whole number"):
        ImplicitMidpoint(0)
