"""The random trees of the laws are as inconvenient as they claim to be."""

from __future__ import annotations

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from engines import INTERPRETER, Case
from knuckle.joints.registry import REGISTRY

TREES = [("big", 0), *(("hand", seed) for seed in range(mechanisms.HANDS))]
trees = pytest.mark.parametrize(("kind", "seed"), TREES)


def full(pose: kn.SE3) -> bool:
    """No entry of the rotation is 0 or 1, no part of the translation 0."""
    R = np.abs(np.array(pose.R))
    return bool(R.min() > 0.0 and R.max() < 1.0 and np.abs(pose.p).min() > 0.0)


@trees
def test_trees_are_large_branched_and_crooked(kind: str, seed: int) -> None:
    model = getattr(mechanisms, kind)(seed)
    assert len(model.bodies) >= 12
    branches = [b for b in model.bodies if len(model.children(b.name)) > 1]
    assert len(branches) >= 3
    for body in model.bodies:
        assert full(body.placement) and full(body.offset)
        if body.inertia.mass:
            I = np.array(body.inertia.I_com)
            assert np.abs(I).min() > 0.0 and np.abs(body.inertia.com).min() > 0.0


@trees
def test_a_body_without_mass_moves_inside_and_one_is_fixed(
    kind: str, seed: int
) -> None:
    model = getattr(mechanisms, kind)(seed)
    light = [b for b in model.bodies if b.inertia.mass == 0.0]
    assert any(b.joint.nv and model.children(b.name) and b.parent for b in light)
    assert any(b.joint.nv == 0 and model.children(b.name) for b in model.bodies)
    q = model.random(np.random.default_rng(seed))  # Euler angles may be singular at 0
    M = kn.interpret(kn.mass_matrix, model)(q)
    assert np.all(np.linalg.eigvalsh(M) > 0.0)


def test_the_trees_hold_every_registered_joint_also_reversed() -> None:
    known = {name.removeprefix("reversed ") for name in REGISTRY}
    assert {f"reversed {name}" for name in known} <= set(REGISTRY)
    deals = [
        np.random.default_rng(0).permutation(mechanisms.ALL)[k::4] for k in range(4)
    ]
    assert sorted(str(x) for deal in deals for x in deal) == sorted(REGISTRY)
    bodies = mechanisms.big(0).bodies
    assert len(bodies) == len(REGISTRY) + 4
    named = {
        name for name in REGISTRY if name not in ("Composite", "reversed Composite")
    }
    assert named <= {body.joint.name for body in bodies}


def test_a_failing_law_names_engine_tree_and_seed() -> None:
    case = Case(INTERPRETER, "hand", 3, (2,))
    with pytest.raises(AssertionError) as failure:
        case.agree([1.0, 2.0], [1.0, 3.0], 100)
    text = str(failure.value)
    assert "interpreter" in text and "kind='hand'" in text and "seed=3" in text
    assert "off by 1.5e+15 eps, expected < 100" in text
