"""How inertias and Coriolis matrices change as their body moves."""

from __future__ import annotations

import numpy as np
import pytest

import mechanisms
from knuckle.spatial import Motion, coriolis, cross, planar
from knuckle.spatial.coriolis import couple


@pytest.mark.parametrize("flat", [False, True])
def test_rates_of_moving_inertias(flat: bool) -> None:
    """I and B of a body that moves by s change by s x* I - I s x and s x* B - B s x;
    `couple` is B^T s."""
    rng = np.random.default_rng(4)
    project = planar if flat else lambda x: x
    inertia = project(mechanisms.inertia(rng))
    given = rng.normal(size=(3, 6)) * ((0, 0, 1, 1, 1, 0) if flat else 1)
    s, psi, m = (project(Motion.of(x.tolist())) for x in given)
    B = coriolis(inertia, psi)
    for moving in (inertia, B):
        expected = cross(s, moving @ m) - moving @ cross(s, m)
        assert (moving.rate(s) @ m).entries == pytest.approx(expected.entries)
    expected = coriolis(inertia, psi).T @ s
    found = couple(inertia, psi, s, inertia @ s)
    assert found.entries == pytest.approx(expected.entries)
