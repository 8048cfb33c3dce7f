"""Laws about rates: energy, momentum and the mass matrix along a motion.

A rate is a central difference over time of what an algorithm gives at q(t), v(t), where
dq/dt = v and dv/dt = a at t = 0; it needs no derivative of the library's own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from engines import DOUBLE, LAWS, Case, seldom
from knuckle.joints.registry import REGISTRY

STEP = 5e-4
law = pytest.mark.parametrize("case", seldom(LAWS))


def rate(
    f: Callable[[Any, Any], Any], model: kn.Model, q: Any, v: Any, a: Any
) -> np.ndarray:
    """df/dt, with an error of STEP^4."""

    def at(t: float) -> np.ndarray:
        moved = model.integrate(q, v * t + 0.5 * t * t * a)
        return np.asarray(f(moved, v + t * a))

    near, far = (at(k * STEP) - at(-k * STEP) for k in (1, 2))
    return (8.0 * near - far) / (12.0 * STEP)


def dot(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.sum(x * y, axis=-1)


def agree(case: Case, got: Any, expected: Any, size: Any = 1.0) -> None:
    """Equal up to the difference's error, on the scale of `size`; splines bend more."""
    off = np.abs(got - expected).max() / (np.abs(size).max() + 1.0)
    assert off < (2e-6 if case.kind == "general" else 1e-9), f"{case}: off by {off:.3g}"


@law
def test_power_goes_into_energy_or_is_dissipated(case: Case) -> None:
    model = case.model
    q, v, tau = case.state()
    f = case.wrenches()
    a = case.run(kn.forward_dynamics, q, v, tau, f)

    def energy(q: Any, v: Any) -> Any:
        return case.run(kn.kinetic_energy, q, v) + case.run(kn.potential_energy, q)

    V = case.run(kn.jacobian_times, q, v)
    power = dot(tau, v) + np.sum(f * V, axis=(-2, -1))
    every, tree = case.run(kn.joint_velocities, q, v), model.uncoupled
    lost = dot(tree.damping * every, every) + dot(tree.friction, np.abs(every))
    gained = rate(energy, model, q, v, a)
    agree(case, gained, power - lost, energy(q, v))


@law
def test_gravity_and_springs_are_the_gradient_of_the_energy(case: Case) -> None:
    q, v, _ = case.state()
    still = np.zeros_like(v)
    slope = rate(lambda q, v: case.run(kn.potential_energy, q), case.model, q, v, still)
    springs = -case.run(kn.passive_forces, q, still)
    force = case.run(kn.gravity_forces, q) + springs
    agree(case, slope, dot(force, v), case.run(kn.potential_energy, q))


@law
def test_the_rate_of_the_mass_matrix_less_twice_coriolis_is_skew(case: Case) -> None:
    q, v, _ = case.state()
    still = np.zeros_like(v)
    Mdot = rate(lambda q, v: case.run(kn.mass_matrix, q), case.model, q, v, still)
    Cv = case.run(kn.bias_forces, q, v) - case.run(kn.gravity_forces, q)
    quadratic = np.einsum("...i,...ij,...j->...", v, Mdot, v)
    agree(case, quadratic, 2.0 * dot(v, Cv), quadratic)


@law
def test_the_momentum_matrix_and_the_centre_of_mass(case: Case) -> None:
    q, v, _ = case.state()
    model, still = case.model, np.zeros_like(v)
    h = case.run(kn.momentum, q, v)
    A = case.run(kn.centroidal_momentum_matrix, q)
    case.agree(np.einsum("...ij,...j->...i", A, v), h, 1000)
    world = case.run(kn.momentum, q, v, about="world")
    c = case.run(kn.center_of_mass, q)
    case.agree(world[..., :3] - np.cross(c, world[..., 3:]), h[..., :3], 1000)
    case.agree(world[..., 3:], h[..., 3:], 1000)
    speed = rate(lambda q, v: case.run(kn.center_of_mass, q), model, q, v, still)
    agree(case, mass(model) * speed, h[..., 3:], h)


def mass(model: kn.Model) -> float:
    """The mass of all that moves."""
    return sum(b.inertia.mass for b in model.bodies if moves(model, b.name))


def moves(model: kn.Model, name: str) -> bool:
    return any(model.body(b).joint.nv for b in model.support(name))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_what_floats_keeps_its_momentum(seed: int, weight: float) -> None:
    """body0 is free, so inner forces change no momentum and gravity the linear one."""
    model = mechanisms.tree(seed)
    model = model.replace(gravity=tuple(weight * np.array(model.gravity)))
    q, v, tau = mechanisms.state(model, seed)
    tau[model.joint("body0").v] = 0.0
    a = kn.interpret(kn.forward_dynamics, model)(q, v, tau)
    momentum = kn.interpret(kn.momentum, model)
    case = Case(DOUBLE, "tree", seed, ())
    com = rate(momentum, model, q, v, a)
    fall = mass(model) * np.array(model.gravity)
    agree(case, com, np.array([0.0, 0.0, 0.0, *fall]), momentum(q, v))
    world = rate(lambda q, v: momentum(q, v, about="world"), model, q, v, a)
    c = kn.interpret(kn.center_of_mass, model)(q)
    expected = np.concatenate([np.cross(c, fall), fall])
    agree(case, world, expected, momentum(q, v, about="world"))


def coordinates_only(seed: int) -> kn.Model:
    """A random tree of every registered joint whose v is dq/dt."""
    rng = np.random.default_rng(seed)
    joints = [make(rng) for make in REGISTRY.values()]
    joints = [x for x in joints if x.nv and not x.custom]
    bodies = []
    for k, (joint, above) in enumerate(
        zip(joints, mechanisms.parents(len(joints), rng), strict=True)
    ):
        ends = mechanisms.placement(rng), mechanisms.inertia(rng)
        parent = f"body{above}" if k else None
        offset = mechanisms.placement(rng)
        bodies.append(kn.Body(f"body{k}", parent, joint, *ends, offset))
    return kn.Model(bodies, gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize("seed", range(2))
def test_the_rate_of_the_mass_matrix_is_coriolis_and_its_transpose(seed: int) -> None:
    """Mdot = C + C^T, so Mdot - 2 C is skew: all entries, not v^T (Mdot - 2 C) v alone.

    C(q, v) x = 1/2 (b(v + x) - b(v) - b(x)) of the quadratic b = C(q, v) v; the
    symbols of Christoffel, which need v = dq/dt.
    """
    model = coordinates_only(seed)
    q, v, _ = mechanisms.state(model, seed)
    bias = kn.interpret(kn.bias_forces, model)
    b = bias(q, v)
    columns = [0.5 * (bias(q, v + e) - b - bias(q, e)) for e in np.eye(model.nv)]
    C = np.array(columns).T
    M = kn.interpret(kn.mass_matrix, model)
    Mdot = rate(lambda q, v: M(q), model, q, v, np.zeros_like(v))
    off = np.abs(Mdot - (C + C.T)).max() / np.abs(Mdot).max()
    assert off < 1e-9, f"seed {seed}: off by {off:.3g}"
    assert np.abs(C - C.T).max() > 0.1, "the law would say nothing"
