"""Si & Guenter's six recursions, compiled (Method I) and in NumPy (Method II)."""

from __future__ import annotations

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle.algorithms.references import forward_dynamics_method_two


@pytest.mark.parametrize("seed", range(mechanisms.HANDS))
def test_both_methods(seed: int) -> None:
    model = mechanisms.hand(seed)
    q, v, tau = mechanisms.state(model, seed)
    f = mechanisms.wrenches(model, seed)
    expected = kn.interpret(kn.forward_dynamics, model)(q, v, tau, f)
    first = kn.interpret(kn.forward_dynamics_square, model)(q, v, tau, f)
    assert mechanisms.error(first, expected) < 1e-12
    if seed == 0:
        second = forward_dynamics_method_two(model, q, v, tau, f_ext=f)
        assert mechanisms.error(second, expected) < 1e-12


def test_batches_and_the_plane() -> None:
    for planar in (False, True):
        model = mechanisms.chain(3, 4, planar=planar)
        q, v, tau = mechanisms.state(model, 3, (2, 3))
        expected = kn.forward_dynamics(model, q, v, tau, passive=False)
        for got in (
            kn.forward_dynamics_square(model, q, v, tau, passive=False),
            forward_dynamics_method_two(model, q, v, tau, passive=False),
        ):
            assert got.shape == (2, 3, 4)
            assert mechanisms.error(got, expected) < 1e-12


def test_it_costs_about_what_articulated_bodies_cost() -> None:
    """The same recursion in another order: no more than 15% apart."""
    model = mechanisms.chain(1, 6)
    counts = [
        sum(kn.compile(alg, model).operations.values())
        for alg in (kn.forward_dynamics, kn.forward_dynamics_square)
    ]
    assert np.ptp(counts) < 0.15 * min(counts)
