"""Articulated inertias of one handle and of sets of them: J M^-1 J^T without J."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle.algorithms.articulated_inertia import tips
from mechanisms import error

SEEDS = pytest.mark.parametrize("seed", range(mechanisms.HANDS))
EXPRESSED = pytest.mark.parametrize("expressed", ["body", "world", "aligned"])


def run(alg: Any, model: kn.Model, *arrays: Any, **options: Any) -> Any:
    return kn.interpret(alg, model)(*arrays, **options)


def named(model: kn.Model) -> list[str]:
    """A frame, bodies that move, one without mass and one that is fixed."""
    return ["tool", "body1", "body6", "body2", model.bodies[0].name]


def jacobian(model: kn.Model, q: Any, names: list[str], expressed: str) -> np.ndarray:
    J = [run(kn.frame_jacobian, model, q, x, expressed=expressed) for x in names]
    return np.concatenate(J)


@SEEDS
@EXPRESSED
def test_inverse_inertia_of_a_set_is_that_of_the_jacobians(
    seed: int, expressed: str
) -> None:
    """Phi^A = J M^-1 J^T (7.9), stacked (7.4); symmetric to the last bit."""
    model = mechanisms.hand(seed)
    q, _, _ = mechanisms.state(model, seed)
    names = named(model)
    J = jacobian(model, q, names, expressed)
    expected = J @ np.linalg.solve(run(kn.mass_matrix, model, q), J.T)
    found = run(kn.inverse_articulated_inertia, model, q, names, expressed=expressed)
    assert error(found, expected) < 1e-12
    assert np.array_equal(found, found.T)


@SEEDS
@EXPRESSED
def test_handles_accelerate_as_their_equations_say(seed: int, expressed: str) -> None:
    """b = dJ/dt v + J FD(tau), and a = Phi f + b with forces on two handles at once."""
    model = mechanisms.hand(seed)
    q, v, tau = mechanisms.state(model, seed)
    names = ["tool", "body6"]
    found = run(
        kn.handle_equations, model, q, v, tau, handles=names, expressed=expressed
    )
    rng = np.random.default_rng(seed)
    f = rng.normal(size=12)
    for force in (np.zeros(12), f):
        J = jacobian(model, q, names, expressed)
        a = run(kn.forward_dynamics, model, q, v, tau + J.T @ force)
        drift = [
            run(kn.frame_bias_acceleration, model, q, v, x, expressed=expressed)
            for x in names
        ]
        expected = J @ a + np.concatenate(drift)
        assert error(found.Phi @ force + found.b, expected) < 1e-12


def test_forces_in_body_axes_are_external_wrenches() -> None:
    model = mechanisms.hand(1)
    q, v, tau = mechanisms.state(model, 1)
    f = np.random.default_rng(1).normal(size=6)
    found = run(kn.handle_equations, model, q, v, tau, handles=["tool"], passive=False)
    a = run(kn.forward_dynamics, model, q, v, tau, {"tool": f}, passive=False)
    expected = run(kn.frame_acceleration, model, q, v, a, "tool")
    assert error(found.Phi @ f + found.b, expected) < 1e-12


@SEEDS
def test_an_impulse_on_a_handle(seed: int) -> None:
    """Check 47 ahead: H dv = J^T iota gives the handle Phi^A iota."""
    model = mechanisms.hand(seed)
    q, _, _ = mechanisms.state(model, seed)
    iota = np.random.default_rng(seed).normal(size=6)
    J = jacobian(model, q, ["tool"], "body")
    step = run(kn.solve_mass_matrix, model, q, J.T @ iota)
    Phi = run(kn.inverse_articulated_inertia, model, q, ["tool"])
    assert error(Phi @ iota, J @ step) < 1e-12


def test_the_rank_counts_the_freedoms() -> None:
    """Two handles on one body have 6 between them, a planar chain's tip has 3."""
    model = mechanisms.hand(0)
    q, _, _ = mechanisms.state(model, 0)
    twice = run(kn.inverse_articulated_inertia, model, q, ["body0", "body0"])
    assert np.linalg.matrix_rank(twice, tol=1e-9 * np.abs(twice).max()) == 6
    flat = mechanisms.chain(0, 5)
    tip = run(kn.inverse_articulated_inertia, flat, mechanisms.state(flat, 0)[0])
    assert tip.shape == (6, 6)
    assert np.linalg.matrix_rank(tip, tol=1e-9 * np.abs(tip).max()) == 3


def test_the_tips_are_the_default() -> None:
    model = mechanisms.hand(3)
    q, _, _ = mechanisms.state(model, 3)
    names = tips(model)
    assert names and not {b.parent for b in model.bodies} & {*names}
    found = run(kn.inverse_articulated_inertia, model, q)
    again = run(kn.inverse_articulated_inertia, model, q, names)
    assert np.array_equal(found, again)


def test_what_is_fixed_to_the_world_has_no_inverse_inertia() -> None:
    rod = kn.Inertia(1.0, (0.1, 0.2, 0.3), (1.0, 1.1, 1.2))
    post = kn.Body("post", None, kn.joints.Fixed(), kn.SE3(p=(1, 0, 0)))
    arm = kn.Body("arm", "post", kn.joints.Revolute("y"), inertia=rod)
    model = kn.Model([post, arm])
    Phi = kn.inverse_articulated_inertia(model, [0.3], ["post", "arm"])
    assert not Phi[:6].any() and not Phi[:, :6].any() and Phi[6:, 6:].any()
    with pytest.raises(ValueError, match="'post' does not move; name a body that"):
        kn.articulated_inertia(model, [0.3], "post")


def test_frames_and_welded_bodies() -> None:
    """I^A in the axes of a frame: with J of the frame, of a free root."""
    rng = np.random.default_rng(4)
    ends = mechanisms.placement(rng), mechanisms.inertia(rng)
    bodies = [
        kn.Body("root", None, kn.joints.Free(), *ends, mechanisms.placement(rng)),
        kn.Body("weld", "root", kn.joints.Fixed(), *ends),
        kn.Body("tip", "weld", kn.joints.Universal(), *ends),
    ]
    frame = kn.Frame("eye", "weld", mechanisms.placement(rng))
    model = kn.Model(bodies, [frame])
    q, _, _ = mechanisms.state(model, 4, (3,))
    for name in ("root", "weld", "eye"):
        Phi = kn.inverse_articulated_inertia(model, q, [name])
        IA = kn.articulated_inertia(model, q, name)
        assert error(IA @ Phi, np.broadcast_to(np.eye(6), IA.shape)) < 1e-11


def test_a_planar_model_has_spatial_handles() -> None:
    flat, space = (mechanisms.chain(4, 6, planar, True) for planar in (True, False))
    q, v, tau = mechanisms.state(flat, 4)
    for alg, arrays in (
        (kn.inverse_articulated_inertia, (q,)),
        (kn.handle_equations, (q, v, tau)),
    ):
        found, expected = (
            mechanisms.numbers(run(alg, model, *arrays)) for model in (flat, space)
        )
        assert error(found, expected) < 1e-11
    one, other = (run(kn.articulated_inertia, m, q, "body2") for m in (flat, space))
    assert error(one, other) < 1e-11


def test_mistakes_are_told() -> None:
    model = mechanisms.hand(0)
    q, _, _ = mechanisms.state(model, 0)
    with pytest.raises(TypeError, match="write handles=.'tool'."):
        kn.inverse_articulated_inertia(model, q, "tool")
    with pytest.raises(
        ValueError, match="handles: expected a list of bodies or frames"
    ):
        kn.inverse_articulated_inertia(model, q, [])
    with pytest.raises(kn.ModelError, match="'tol'.*did you mean 'tool'"):
        kn.inverse_articulated_inertia(model, q, ["tol"])
    with pytest.raises(ValueError, match="expected 'body'"):
        kn.inverse_articulated_inertia(model, q, ["tool"], expressed="hand")


def test_one_handle_costs_what_its_path_costs() -> None:
    """Linear in a chain, and far less than J and the factors of M."""

    def total(alg: Any, count: int, **options: Any) -> int:
        model = mechanisms.chain(0, count)
        made = kn.compile(alg, model, **options)
        return sum(made.operations.values())

    way = kn.inverse_articulated_inertia
    few, more, many = (total(way, n) for n in (4, 8, 16))
    assert 1.5 < (many - more) / (more - few) < 2.5
