"""Group axioms: SE(3), unit quaternions, transforms and their adjoint actions."""

from __future__ import annotations

import numpy as np
import pytest

from knuckle.spatial import (
    SE3,
    PlanarTransform,
    Transform,
    ad,
    exp_so3,
    linear,
    quaternion,
)

SEEDS = pytest.mark.parametrize("seed", range(6))


def poses(seed: int) -> list[SE3]:
    rng = np.random.default_rng(seed)
    return [SE3.exp(rng.normal(size=6).tolist()) for _ in range(3)]


def array(x: object) -> np.ndarray:
    return np.array(x.matrix() if hasattr(x, "matrix") else x, float)


def near(a: object, b: object) -> None:
    np.testing.assert_allclose(array(a), array(b), rtol=0, atol=2e-14)


@SEEDS
def test_poses_are_a_group(seed: int) -> None:
    A, B, C = poses(seed)
    near((A * B) * C, A * (B * C))
    near(A * SE3(), A)
    near(SE3() * A, A)
    near(A * A.inverse(), np.eye(4))
    near(A.inverse() * A, np.eye(4))
    near((A * B).inverse(), B.inverse() * A.inverse())
    x = (0.3, -0.2, 0.7)
    near((A * B) @ x, A @ (B @ x))
    near(np.array(A.R).T @ np.array(A.R), np.eye(3))
    assert np.linalg.det(np.array(A.R)) == pytest.approx(1.0)


@SEEDS
def test_unit_quaternions_are_the_same_group_twice(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b, c = (quaternion.exp(rng.normal(size=3).tolist()) for _ in range(3))
    multiply, to_rotation = quaternion.multiply, quaternion.to_rotation
    near(multiply(multiply(a, b), c), multiply(a, multiply(b, c)))
    near(multiply(a, quaternion.IDENTITY), a)
    near(multiply(a, quaternion.conjugate(a)), quaternion.IDENTITY)
    near(to_rotation(multiply(a, b)), array(to_rotation(a)) @ array(to_rotation(b)))
    near(to_rotation(linear.neg(a)), to_rotation(a))


@SEEDS
def test_transforms_are_a_group_against_the_direction_of_poses(seed: int) -> None:
    A, B, C = poses(seed)
    X, Y, Z = (Transform.from_pose(pose) for pose in (A, B, C))
    near((X * Y) * Z, X * (Y * Z))
    near(X * X.inverse(), np.eye(6))
    near(Transform.from_pose(A * B), Y * X)
    near(X.inverse(), Transform.from_pose(A.inverse()))
    near((X * Y).inverse(), Y.inverse() * X.inverse())
    near((X * Y).dual, array(X.dual) @ array(Y.dual))


@SEEDS
def test_planar_transforms_are_a_group(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(3, 3))
    X, Y, Z = (PlanarTransform(np.cos(a), np.sin(a), x, y) for a, x, y in rows)
    near((X * Y) * Z, X * (Y * Z))
    near(X * PlanarTransform.identity(), X)
    near(X * X.inverse(), np.eye(3))
    near(X.inverse() * X, np.eye(3))


@SEEDS
def test_the_adjoint_is_a_representation(seed: int) -> None:
    """Ad(A B) = Ad A Ad B, Ad A ad x = ad(Ad A x) Ad A, A exp x = exp(Ad A x) A."""
    A, B, _ = poses(seed)
    x = np.random.default_rng([seed, 1]).normal(size=6)
    near((A * B).Ad(), array(A.Ad()) @ array(B.Ad()))
    moved = array(A.Ad()) @ x
    turned = array(A.Ad()) @ array(ad(tuple(x))) @ array(A.inverse().Ad())
    near(turned, ad(tuple(moved)))
    near(A * SE3.exp(x.tolist()) * A.inverse(), SE3.exp(moved.tolist()))


@SEEDS
def test_one_parameter_subgroups(seed: int) -> None:
    """exp(s x) exp(t x) = exp((s + t) x), exp(-x) = exp(x)^-1."""
    x = np.random.default_rng(seed).normal(size=6)
    s, t = 0.7, -1.9
    near(SE3.exp((s * x).tolist()) * SE3.exp((t * x).tolist()),
         SE3.exp(((s + t) * x).tolist()))  # fmt: skip
    near(SE3.exp((-x).tolist()), SE3.exp(x.tolist()).inverse())
    near(array(exp_so3((s * x[:3]).tolist())) @ array(exp_so3((t * x[:3]).tolist())),
         exp_so3(((s + t) * x[:3]).tolist()))  # fmt: skip
