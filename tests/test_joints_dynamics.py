"""General joints in motion: against elementary ones, on every machine, for long."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from engines import DOUBLE, INTERPRETER, SINGLE, Engine, narrower
from knuckle.joints import curves, surfaces
from knuckle.joints.general import GENERAL
from knuckle.spatial import SE3, Rx, Ry, Rz, Tx, Ty, Tz

j = kn.joints
RNG = np.random.default_rng


def matrix(pose: SE3) -> np.ndarray:
    return np.array(pose.matrix(), float)


OUT = SE3(((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))


TURN_BACK = SE3(((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)))


UNEVEN = (0.0, 0.2, 0.5, 1.1, 1.5)


SAME: dict[str, tuple[Any, Any]] = {
    "point on a sphere": (
        lambda: j.SurfacePoint(surfaces.sphere(0.7)),
        lambda q: Rz(q[0]) * Ry(-q[1]) * Tx(0.7) * OUT,
    ),
    "bead on a circle": (
        lambda: j.CurvePoint(curves.circle(0.5)),
        lambda q: Rz(q[0]) * Tx(0.5) * Rz(math.pi / 2),
    ),
    "bead on a line": (lambda: j.CurvePoint(curves.line()), lambda q: Tx(q[0])),
    "plate on a plane": (
        lambda: j.SurfacePoint(surfaces.plane(), "z"),
        lambda q: Tx(q[0]) * Ty(q[1]) * Rz(q[2]),
    ),
    "plane on a plane": (
        lambda: j.SurfaceSurface(surfaces.plane(), surfaces.plane(), "z"),
        lambda q: Tx(q[0]) * Ty(q[1]) * Rz(q[4]) * TURN_BACK * Ty(-q[3]) * Tx(-q[2]),
    ),
    "collar on a cylinder": (
        lambda: j.SurfacePoint(surfaces.cylinder(0.4)),
        lambda q: Rz(q[0]) * Tz(q[1]) * Tx(0.4) * OUT,
    ),
    "torus on a torus": (
        lambda: j.SurfaceSurface(surfaces.torus(0.8, 0.3), surfaces.torus(0.5, 0.1)),
        lambda q: (
            Rz(q[0]) * Tx(0.8) * Ry(-q[1]) * Tx(0.3) * OUT * TURN_BACK * OUT.inverse()
            * Tx(-0.1) * Ry(q[3]) * Tx(-0.5) * Rz(-q[2])
        ),
    ),
    "fitted screw": (
        lambda: j.Fitted(
            UNEVEN, [Rz(h) * Tz(0.3 * h) for h in UNEVEN]
        ),
        lambda q: Rz(q[0]) * Tz(0.3 * q[0]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_dynamics_of_the_same_motion_built_from_elementary_joints(name: str) -> None:
    """The same forces from the general joint and from the product written by hand."""
    general, elementary = SAME[name]
    joint = general()
    # plane on plane has more coordinates than freedoms: inverse dynamics all the same
    hand = kn.Joint(elementary, joint.nq)
    rng = RNG(11)
    ends = mechanisms.placement(rng), mechanisms.inertia(rng), mechanisms.placement(rng)
    after = mechanisms.placement(rng), mechanisms.inertia(rng)
    a, b = (
        kn.Model(
            [kn.Body("a", None, x, *ends), kn.Body("b", "a", j.Revolute(), *after)]
        )
        for x in (joint, hand)
    )
    q, v, acc = rng.uniform(0.2, 1.4, (3, 20, a.nq))
    got = kn.inverse_dynamics(a, q, v, acc)
    assert np.allclose(got, kn.inverse_dynamics(b, q, v, acc), rtol=1e-9, atol=1e-9)


CONSTANT = {
    "revolute": (lambda: kn.Joint(lambda q: Rz(q[0]), 1), j.Revolute),
    "universal": (lambda: kn.Joint(lambda q: Rx(q[0]) * Ry(q[1]), 2), j.Universal),
    "screw": (
        lambda: kn.Joint(lambda q: Rz(q[0]) * Tz(0.1 * q[0]), 1),
        lambda: j.Helical(pitch=0.1),
    ),
    "revolute as a matrix": (
        lambda: kn.Joint(
            lambda q: (
                ((np.cos(q[0]), -np.sin(q[0]), 0.0),
                 (np.sin(q[0]), np.cos(q[0]), 0.0),
                 (0.0, 0.0, 1.0)),
                (0.0, 0.0, 0.0),
            ),
            1,
        ),
        j.Revolute,
    ),
    "bead on a line": (lambda: j.CurvePoint(curves.line()), lambda: j.Prismatic("x")),
}  # fmt: skip


@pytest.mark.parametrize("name", CONSTANT)
def test_free_functions_cost_what_the_built_in_joints_cost(name: str) -> None:
    """Operation by operation, in a chain of four."""
    counts = []
    for make in CONSTANT[name]:
        rng = RNG(12)
        bodies = [
            kn.Body(f"b{k}", f"b{k - 1}" if k else None, make(),
                    mechanisms.placement(rng), mechanisms.inertia(rng))
            for k in range(4)
        ]  # fmt: skip
        model = kn.Model(bodies)
        counts.append(
            [
                kn.compile(alg, model).operations
                for alg in (kn.inverse_dynamics, kn.forward_dynamics)
            ]
        )
    assert counts[0] == counts[1]


@pytest.mark.parametrize("engine", [DOUBLE, SINGLE, *narrower()], ids=lambda e: e.name)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_compiled_for_every_machine(engine: Engine, seed: int) -> None:
    """As on plain floats; row by row the same bits, and a NaN stays in its row."""
    model = mechanisms.general(seed)
    state = mechanisms.state(model, seed, (11,))
    expected = INTERPRETER(kn.inverse_dynamics, model, *state)
    arrays = [x.astype(engine.dtype) for x in state]
    run = kn.compile(kn.inverse_dynamics, model, engine.dtype, engine.target)
    got = run(*arrays)
    assert mechanisms.error(got, expected) < 3e4 * engine.eps
    alone = np.stack([run(*(x[k] for x in arrays)) for k in range(11)])
    assert alone.tobytes() == got.tobytes()
    arrays[0][4] = np.nan
    others = np.arange(11) != 4
    assert run(*arrays)[others].tobytes() == got[others].tobytes()


def wheel(kind: str) -> tuple[kn.Model, np.ndarray]:
    """A body on a general joint and a pendulum on the body, at rest."""
    rng = RNG(3)
    joint = GENERAL[kind](rng)
    first = SE3(), mechanisms.inertia(rng), mechanisms.placement(rng)
    second = SE3(p=(0.1, 0.0, 0.2)), mechanisms.inertia(rng)
    bodies = [
        kn.Body("a", None, joint, *first),
        kn.Body("b", "a", j.Revolute("y"), *second),
    ]
    model = kn.Model(bodies, gravity=(0.3, -0.2, -2.0))
    return model, mechanisms.positions(model, rng)


def drift(model: kn.Model, q: np.ndarray, dt: float, steps: int) -> float:
    """How far the energy strays in a run of the classical Runge-Kutta method."""
    v, tau = np.zeros(model.nv), np.zeros(model.nv)
    run = kn.compile(kn.forward_dynamics, model)

    def energy() -> float:
        kinetic = kn.kinetic_energy(model, q, v)
        return float(kinetic + kn.potential_energy(model, q))

    start, worst, scale = energy(), 0.0, 1.0
    for k in range(steps):
        v1, a1 = v, run(q, v, tau)
        v2 = v + 0.5 * dt * a1
        a2 = run(q + 0.5 * dt * v1, v2, tau)
        v3 = v + 0.5 * dt * a2
        a3 = run(q + 0.5 * dt * v2, v3, tau)
        v4 = v + dt * a3
        a4 = run(q + dt * v3, v4, tau)
        q = q + dt / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4)
        v = v + dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        if k % 16 == 0:
            scale = max(scale, float(kn.kinetic_energy(model, q, v)))
            worst = max(worst, abs(energy() - start))
    return worst / scale


MOVING = ["closed SplineCurve", "bead on a ring", "SurfacePoint", "SurfaceSurface"]


@pytest.mark.parametrize("kind", MOVING)
def test_energy_is_conserved_over_1e5_steps(kind: str) -> None:
    model, q = wheel(kind)
    assert drift(model, q, 5e-4, 100_000) < 1e-5
