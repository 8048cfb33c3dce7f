"""Laws of dynamics that need no reference: on the interpreter and on compiled code.

M a + bias = tau; every algorithm that speaks of the same quantities must agree with the
others, on random trees that hold every registered joint.
"""

from __future__ import annotations

import numpy as np
import pytest

import knuckle as kn
from engines import LAWS, Case

law = pytest.mark.parametrize("case", LAWS)


def matvec(M: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.einsum("...ij,...j->...i", M, x)


def dot(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.sum(x * y, axis=-1)


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
    tau = case.run(kn.inverse_dynamics, q, v, a, passive=False)
    case.agree(matvec(M, a) + bias, tau, 100)


@law
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
    case.agree(M @ inverse, identity, 3e4)
    solved = case.run(kn.solve_mass_matrix, q, x)
    case.agree(matvec(inverse, x), solved, 3e4)


@law
def test_forward_dynamics_is_a_dense_solve(case: Case) -> None:
    q, v, tau = case.state()
    M, bias = case.run(kn.mass_matrix, q), case.run(kn.bias_forces, q, v)
    force = tau + case.run(kn.passive_forces, q, v) - bias
    solved = np.linalg.solve(M.astype(float), force.astype(float)[..., None])[..., 0]
    case.agree(case.run(kn.forward_dynamics, q, v, tau), solved, 3e4)


@law
@pytest.mark.parametrize("share", ["none", "half", "all"])
def test_hybrid_dynamics_is_both(case: Case, share: str) -> None:
    q, v, a = case.state()
    tau = case.run(kn.inverse_dynamics, q, v, a)
    moving = [joint for joint in case.model.joints if joint.joint.nv]
    every = {"none": len(moving) + 1, "half": 2, "all": 1}[share]
    names = [joint.name for joint in moving[every - 1 :: every]]
    known = np.zeros(case.model.nv, bool)
    for name in names:
        known[case.model.joint(name).v] = True
    mixed = np.where(known, a, tau).astype(q.dtype)
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
    case.agree(0.5 * dot(v, matvec(M, v)), T, 100)


@law
def test_reciprocity(case: Case) -> None:
    """a1 does on the forces of a2 the work that a2 does on those of a1."""
    q, v, a = case.state()
    still = np.zeros_like(v)
    rest = case.run(kn.inverse_dynamics, q, still, still, passive=False)
    first = case.run(kn.inverse_dynamics, q, still, v, passive=False) - rest
    second = case.run(kn.inverse_dynamics, q, still, a, passive=False) - rest
    case.agree(dot(a, first), dot(v, second), 1000)


@law
def test_wrenches_by_name_are_wrenches_in_place(case: Case) -> None:
    q, v, a = case.state()
    if case.engine.name == "interpreter":
        pytest.skip("the interpreter takes one form")
    f = case.wrenches()
    named = {body.name: f[..., k, :] for k, body in enumerate(case.model.bodies)}
    args = case.model, q, v, a
    tau = kn.inverse_dynamics(*args, f)
    case.agree(kn.inverse_dynamics(*args, named), tau, 1)
    names = [body.name for body in case.model.bodies][:2]
    few = {name: named[name] for name in names}
    alone = kn.inverse_dynamics(*args, few)
    none = kn.inverse_dynamics(*args)
    rest = {k: x for k, x in named.items() if k not in few}
    case.agree(alone + kn.inverse_dynamics(*args, rest) - none, tau, 1000)
