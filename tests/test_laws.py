"""Laws of dynamics that need no reference: on the interpreter and on compiled code.

M a + bias = tau; every algorithm that speaks of the same quantities must agree with the
others, on random trees that hold every registered joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from engines import BOTH, LAWS, Case, seldom

law = pytest.mark.parametrize("case", LAWS)
seldom_law = pytest.mark.parametrize("case", seldom(LAWS, BOTH))


def matvec(M: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.einsum("...ij,...j->...i", M, x)


def dot(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.sum(x * y, axis=-1)


def size(M: np.ndarray, x: np.ndarray) -> np.ndarray:
    """|M| |x|: what the rounding of M x is relative to."""
    return matvec(np.abs(M), np.abs(x))


@law
def test_forward_dynamics_undoes_inverse_dynamics(case: Case) -> None:
    q, v, a = case.state()
    f = case.wrenches()
    tau = case.run(kn.inverse_dynamics, q, v, a, f)
    case.agree(case.run(kn.forward_dynamics, q, v, tau, f), a, 3e4)


@law
def test_inverse_dynamics_is_the_mass_matrix_and_the_bias(case: Case) -> None:
    q, v, a = case.state()
    M = case.run(kn.mass_matrix, q)
    bias = case.run(kn.bias_forces, q, v)
    none = np.zeros_like(case.wrenches())
    tau = case.run(kn.inverse_dynamics, q, v, a, none)
    passive = case.run(kn.passive_forces, q, v)
    terms = size(M, a) + np.abs(bias) + np.abs(passive)
    case.agree(matvec(M, a) + bias - passive, tau, 300, terms)


@seldom_law
def test_passive_forces_are_what_the_option_leaves_out(case: Case) -> None:
    q, v, a = case.state()
    passive = case.run(kn.passive_forces, q, v)
    tau = case.run(kn.inverse_dynamics, q, v, a)
    without = case.run(kn.inverse_dynamics, q, v, a, passive=False)
    case.agree(tau + passive, without, 100)
    full = case.run(kn.forward_dynamics, q, v, tau)
    case.agree(case.run(kn.forward_dynamics, q, v, without, passive=False), full, 3e4)


@law
def test_the_mass_matrix_is_symmetric_and_positive(case: Case) -> None:
    q, _, _ = case.state()
    M = case.run(kn.mass_matrix, q)
    assert np.array_equal(M, np.swapaxes(M, -1, -2)), case
    assert np.linalg.eigvalsh(np.asarray(M, float)).min() > 0.0, case


@law
def test_inverse_mass_matrix(case: Case) -> None:
    q, _, x = case.state()
    M = case.run(kn.mass_matrix, q)
    inverse = case.run(kn.inverse_mass_matrix, q)
    assert np.array_equal(inverse, np.swapaxes(inverse, -1, -2)), case
    identity = np.broadcast_to(np.eye(M.shape[-1]), M.shape)
    reach = np.abs(inverse) @ np.abs(M)
    case.agree(inverse @ M, identity, 300, reach)
    solved = case.run(kn.solve_mass_matrix, q, x)
    case.agree(matvec(inverse, x), solved, 300, size(reach, matvec(inverse, x)))


@law
def test_forward_dynamics_is_a_dense_solve(case: Case) -> None:
    q, v, tau = case.state()
    M, bias = case.run(kn.mass_matrix, q), case.run(kn.bias_forces, q, v)
    force = tau + case.run(kn.passive_forces, q, v) - bias
    solved = np.linalg.solve(M.astype(float), force.astype(float)[..., None])[..., 0]
    none = np.zeros_like(case.wrenches())
    case.agree(case.run(kn.forward_dynamics, q, v, tau, none), solved, 3e4)


@seldom_law
@pytest.mark.parametrize("way", mechanisms.WAYS[1:])
def test_forward_dynamics_has_many_ways(case: Case, way: str) -> None:
    """Articulated bodies, and every other method there is; some are for free joints."""
    q, v, tau = case.state()
    f = case.wrenches()
    if (
        case.model.ties
        and getattr(kn, way).text(case.model) is getattr(kn, way).function
    ):
        with pytest.raises(kn.ModelError, match="joints that follow others"):
            case.run(getattr(kn, way), q, v, tau, f)
        return
    once = case.run(kn.forward_dynamics, q, v, tau, f)
    found = mechanisms.accelerations(case.run(getattr(kn, way), q, v, tau, f))
    case.agree(found, once, 3e4)


@law
def test_hybrid_dynamics_is_both(case: Case) -> None:
    agree_hybrid(case, case.model.independent[::2])


@seldom_law
def test_hybrid_dynamics_at_its_ends(case: Case) -> None:
    agree_hybrid(case, [])
    agree_hybrid(case, case.model.independent)


def agree_hybrid(case: Case, prescribed: Sequence[Any]) -> None:
    """Given a of these joints and tau of the others, the rest is found."""
    q, v, a = case.state()
    tau = case.run(kn.inverse_dynamics, q, v, a, np.zeros_like(case.wrenches()))
    known = np.zeros(case.model.nv, bool)
    for place in prescribed:
        known[place.v] = True
    mixed = np.where(known, a, tau).astype(q.dtype)
    names = [place.name for place in prescribed if place.joint.nv]
    found = case.run(kn.hybrid_dynamics, q, v, mixed, prescribed=names)
    case.agree(np.where(known, 0.0, found), np.where(known, 0.0, a), 3e4)
    case.agree(np.where(known, found, 0.0), np.where(known, tau, 0.0), 3e4)


@law
def test_bias_is_gravity_and_a_quadratic_form_of_v(case: Case) -> None:
    q, v, _ = case.state()
    g = case.run(kn.gravity_forces, q)
    case.agree(case.run(kn.bias_forces, q, np.zeros_like(v)), g, 100)
    once, twice = (case.run(kn.bias_forces, q, k * v) for k in (1.0, 2.0))
    case.agree(case.run(kn.bias_forces, q, -v), once, 300)
    case.agree(4.0 * (once - g), twice - g, 1000)


@law
def test_kinetic_energy_is_the_quadratic_form_of_the_mass_matrix(case: Case) -> None:
    q, v, _ = case.state()
    M = case.run(kn.mass_matrix, q)
    T = case.run(kn.kinetic_energy, q, v)
    case.agree(0.5 * dot(v, matvec(M, v)), T, 100, dot(np.abs(v), size(M, v)))


@law
def test_reciprocity(case: Case) -> None:
    """a1 does on the forces of a2 the work that a2 does on those of a1."""
    q, v, a = case.state()
    still, none = np.zeros_like(v), np.zeros_like(case.wrenches())
    rest, first, second = (
        case.run(kn.inverse_dynamics, q, still, x, none) for x in (still, v, a)
    )
    terms = dot(np.abs(a), np.abs(first) + np.abs(rest))
    case.agree(dot(a, first - rest), dot(v, second - rest), 1000, terms)


def test_wrenches_by_name_are_wrenches_in_place() -> None:
    model = mechanisms.chain(0, 4, mixed=True)
    q, v, a = mechanisms.state(model, 0, (3,))
    f = mechanisms.wrenches(model, 0, (3,))
    named = {body.name: f[..., k, :] for k, body in enumerate(model.bodies)}
    expected = kn.inverse_dynamics(model, q, v, a, f)
    assert np.array_equal(kn.inverse_dynamics(model, q, v, a, named), expected)
    f[:, [0, 3]] = 0.0
    few = {name: named[name] for name in ("body2", "body1")}
    some = kn.inverse_dynamics(model, q, v, a, few)
    np.testing.assert_allclose(some, kn.inverse_dynamics(model, q, v, a, f), atol=1e-13)


def test_a_wrench_made_in_the_world_does_its_work_there() -> None:
    model = mechanisms.hand(0)
    q, v, _ = mechanisms.state(model, 0)
    force, point = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.2, -0.7])
    run = kn.interpret(kn.wrench, model)
    f = run(q, body="tool", force_world=force, point_world=point)
    V = kn.interpret(kn.frame_velocity, model)(q, v, frame="tool", expressed="world")
    speed = V[3:] + np.cross(V[:3], point)
    body = kn.interpret(kn.frame_velocity, model)(q, v, frame="tool")
    np.testing.assert_allclose(f @ body, force @ speed, rtol=1e-12)
