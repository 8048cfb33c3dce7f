"""Newton-Euler with 3-vectors, J^T M J and Lagrange against the recursions."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle.algorithms import references
from mechanisms import error

FOLDER = Path(references.__file__).parent


def pair(kind: str, seed: int = 3) -> kn.Model:
    """A joint of this kind under a hinge, both placed at random, and a body below."""
    rng = np.random.default_rng(seed)
    joint = mechanisms.equipped(mechanisms.KINDS[kind](rng), rng)
    parts = [
        (None, kn.joints.Revolute("x")),
        ("body0", joint),
        ("body1", kn.joints.Spherical()),
    ]
    bodies = []
    for k, (parent, joint) in enumerate(parts):
        ends = mechanisms.placement(rng), mechanisms.inertia(rng)
        bodies.append(
            kn.Body(f"body{k}", parent, joint, *ends, mechanisms.placement(rng))
        )
    return kn.Model(bodies)


def run(alg: Any, model: kn.Model, *arrays: Any, **options: Any) -> Any:
    return kn.interpret(alg, model)(*arrays, **options)


@pytest.mark.parametrize(
    ("name", "seed"),
    [("newton_euler", 0), ("newton_euler", 1), ("newton_euler", 2), ("closed_form", 0)],
)
def test_references_give_the_forces_of_the_recursion(name: str, seed: int) -> None:
    """Check 15: 3-vectors, classical accelerations; the forces of spatial vectors."""
    model = mechanisms.hand(seed)
    state = *mechanisms.state(model, seed), mechanisms.wrenches(model, seed)
    tau = run(kn.inverse_dynamics, model, *state)
    assert error(run(getattr(references, name), model, *state), tau) < 1e-12
    bare = run(kn.inverse_dynamics, model, *state, passive=False)
    assert (
        error(run(getattr(references, name), model, *state, passive=False), bare)
        < 1e-12
    )


@pytest.mark.parametrize("kind", mechanisms.KINDS)
def test_lagrange_for_every_joint(kind: str) -> None:
    model = pair(kind)
    state = mechanisms.state(model, 5)
    for passive in (True, False):
        tau = run(kn.inverse_dynamics, model, *state, passive=passive)
        literal = run(references.lagrange, model, *state, passive=passive)
        assert error(literal, tau) < 1e-12, passive


@pytest.mark.parametrize("kind", mechanisms.KINDS)
def test_closed_form_mass_matrix_for_every_joint(kind: str) -> None:
    model = pair(kind)
    q, _, _ = mechanisms.state(model, 6)
    M = run(kn.mass_matrix, model, q)
    assert error(run(references.closed_form_mass_matrix, model, q), M) < 1e-12


def test_lagrange_on_a_tree() -> None:
    model = mechanisms.hand(1)
    state = mechanisms.state(model, 1)
    tau = run(kn.inverse_dynamics, model, *state)
    assert error(run(references.lagrange, model, *state), tau) < 1e-11


def test_references_compile() -> None:
    """Traced, on a batch: the same numbers."""
    rod = kn.Inertia(2.0, (0.0, 0.1, 0.3), (0.2, 0.3, 0.4))
    arm = kn.Body("arm", None, kn.joints.Spherical(), inertia=rod)
    place = kn.SE3(np.eye(3), (0.0, 0.0, 0.5))
    hand = kn.Body("hand", "arm", kn.joints.Revolute("y"), place, rod)
    model = kn.Model([arm, hand])
    state = mechanisms.state(model, 2, (5,))
    tau = kn.inverse_dynamics(model, *state)
    for alg in (references.newton_euler, references.closed_form, references.lagrange):
        assert error(alg(model, *state), tau) < 1e-12, alg


@pytest.mark.parametrize("name", ["newton_euler", "closed_form", "lagrange"])
def test_prescribed_motion(name: str) -> None:
    """A joint that time drives: sigma and its rate are in every derivation."""
    rng = np.random.default_rng(4)
    driven = kn.Joint(
        lambda q, t: (
            kn.spatial.Rz(q[0] + 0.3 * t * t) * kn.spatial.Tx(kn.scalar.sin(t))
        ),
        1,
    )
    bodies = [
        kn.Body("a", None, kn.joints.Revolute("x"), inertia=mechanisms.inertia(rng)),
        kn.Body("b", "a", driven, mechanisms.placement(rng), mechanisms.inertia(rng)),
        kn.Body("c", "b", kn.joints.Spherical(), inertia=mechanisms.inertia(rng)),
    ]
    model = kn.Model(bodies)
    state = mechanisms.state(model, 3)
    tau = run(kn.inverse_dynamics, model, *state, t=0.7)
    literal = run(getattr(references, name), model, *state, t=0.7)
    assert error(literal, tau) < 1e-12
    moved = run(kn.inverse_dynamics, model, *state, t=0.8)
    assert error(moved, tau) > 1e-3


def test_parameters_reach_the_references() -> None:
    model = pair("Prismatic").with_parameters("body1.mass", "*.placement", "gravity")
    state = mechanisms.state(model, 2)
    rng = np.random.default_rng(0)
    turn = rng.normal(size=4)
    given = {
        "body1.mass": 7.0,
        "body0.placement": np.r_[rng.normal(size=3), turn / np.linalg.norm(turn)],
        "gravity": np.array([1.0, 2.0, 3.0]),
    }
    usual = run(kn.inverse_dynamics, model, *state)
    tau = run(kn.inverse_dynamics, model, *state, parameters=given)
    assert error(tau, usual) > 1e-2
    for alg in (references.newton_euler, references.closed_form, references.lagrange):
        assert error(run(alg, model, *state, parameters=given), tau) < 1e-12, alg
    arrays = [x[None] for x in state]
    compiled = references.newton_euler(model, *arrays, parameters=given)
    assert error(compiled[0], tau) < 1e-12


def test_planar_models_have_the_forces_of_space() -> None:
    model = mechanisms.chain(1, 6, planar=True, mixed=True)
    state = mechanisms.state(model, 1)
    tau = run(kn.inverse_dynamics, model, *state)
    for alg in (references.newton_euler, references.closed_form, references.lagrange):
        assert error(run(alg, model, *state), tau) < 1e-12, alg


def test_fifty_digits() -> None:
    """The recursion's rounding, measured against Lagrange's equations in 50 digits."""
    model = pair("Universal")
    state = mechanisms.state(model, 8)
    with mpmath.workdps(50):
        exact = [[mpmath.mpf(float(x)) for x in part] for part in state]
        literal = np.array(run(references.lagrange, model, *exact), float)
        digits = run(kn.inverse_dynamics, model, *exact)
        again = run(references.lagrange, model, *exact)
        gap = max(abs(x - y) for x, y in zip(digits, again, strict=True))
    assert gap < 1e-13
    assert error(run(kn.inverse_dynamics, model, *state), literal) < 1e-14


def test_wrenches_on_frames_are_refused() -> None:
    model = mechanisms.hand(0)
    state = mechanisms.state(model, 0)
    with pytest.raises(ValueError, match="'tool' is no body; expected names of bodies"):
        run(references.newton_euler, model, *state, f_ext={"tool": np.ones(6)})


def test_references_share_no_spatial_algebra() -> None:
    """Independence: only 3-vectors and quaternions of knuckle.spatial are imported."""
    allowed = {"knuckle.spatial.linear", "knuckle.spatial.quaternion"}
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                if node.module.startswith("knuckle.spatial"):
                    assert node.module in allowed, (path.name, node.module)
