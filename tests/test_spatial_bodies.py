"""Accelerations, points and screws of bodies; inertias of solids and composites."""

from __future__ import annotations

import math

import numpy as np
import pytest

import knuckle as kn
from knuckle.spatial import (
    SE3,
    Force,
    Inertia,
    Motion,
    Rx,
    Ry,
    Rz,
    Transform,
    Tx,
    Ty,
    Tz,
    classical_to_spatial,
    exp_so3,
    force_at,
    is_free_vector,
    is_line_vector,
    point_acceleration,
    point_velocity,
    right_jacobian_se3,
    screw,
    screw_parts,
    solids,
    spatial_to_classical,
)


def arr(x):
    return np.array(x.matrix() if hasattr(x, "matrix") else tuple(x), float)


def near(a, b, tolerance=1e-12):
    np.testing.assert_allclose(arr(a), arr(b), rtol=tolerance, atol=tolerance)


def test_uniform_rotation_has_no_spatial_acceleration():
    """Fig. 2.6: about a fixed axis through (1, 0, 0), seen from frames on the way."""
    w, axis_point = np.array([0.0, 0.0, 2.0]), np.array([1.0, 0.0, 0.0])
    v = Motion(w.tolist(), np.cross(axis_point, w).tolist())
    a = Motion.zero()
    near(point_velocity(v, axis_point.tolist()), np.zeros(3))
    near(point_acceleration(a, v, (3.0, 0.0, 0.0)), (-8.0, 0.0, 0.0))
    near(spatial_to_classical(a, v).linear, point_acceleration(a, v, (0.0, 0.0, 0.0)))


def test_spatial_and_classical_acceleration_round_trip():
    rng = np.random.default_rng(1)
    a, v = (Motion.of(rng.normal(size=6).tolist()) for _ in range(2))
    near(classical_to_spatial(spatial_to_classical(a, v), v), a)
    classical = spatial_to_classical(a, v)
    near(classical.linear, arr(a.linear) + np.cross(v.angular, v.linear))  # (2.50)


def test_point_motion_by_finite_differences(h=1e-4):
    """T(t) = T exp(t m + t^2 k / 2): body twist m, its rate k at t = 0."""
    rng = np.random.default_rng(2)
    m, k, x = rng.normal(size=6), rng.normal(size=6), rng.normal(size=3)

    def place(t):
        return arr(SE3.exp((t * m + 0.5 * t * t * k).tolist()) @ x.tolist())

    def body_twist(t):
        return arr(right_jacobian_se3((t * m + 0.5 * t * t * k).tolist())) @ (m + t * k)

    v = Motion.of(m.tolist())
    a = Motion.of(((body_twist(h) - body_twist(-h)) / (2.0 * h)).tolist())
    velocity = (place(h) - place(-h)) / (2.0 * h)
    acceleration = (place(h) - 2.0 * place(0.0) + place(-h)) / (h * h)
    near(point_velocity(v, x.tolist()), velocity, 1e-6)
    near(point_acceleration(a, v, x.tolist()), acceleration, 1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_screw_decomposition(seed):
    """(2.10): the parts add up, the first is a line vector, the second is free."""
    rng = np.random.default_rng(seed)
    for kind in (Motion, Force):
        x = kind.of(rng.normal(size=6).tolist())
        line, free = screw_parts(x)
        near(line + free, x)
        assert is_line_vector(line, 1e-12) and is_free_vector(free)
        assert not is_line_vector(x, 1e-12) and not is_free_vector(x)
        s = screw(x)
        assert s.magnitude == pytest.approx(np.linalg.norm(s.direction))
        assert np.dot(s.point, s.direction) == pytest.approx(0.0, abs=1e-12)
        moment = line.linear if isinstance(x, Motion) else line.moment
        near(np.cross(s.point, s.direction), moment)  # the line through the point


def test_the_screw_of_a_helical_joint():
    X = Transform.from_pose(Tx(2.0))
    helix = Motion((0.0, 0.0, 3.0), (0.0, 0.0, 0.6))
    s = screw(X.inverse() @ helix)
    near(s.point, (2.0, 0.0, 0.0))
    assert (s.pitch, s.magnitude) == (pytest.approx(0.2), pytest.approx(3.0))
    assert is_line_vector(force_at((1.0, 2.0, 3.0), (3.0, 2.0, 1.0)), 1e-15)


def sampled(inside, half, n=60) -> np.ndarray:
    """(volume, I_xx, I_yy, I_zz) of unit density by a grid."""
    axes = [(np.arange(n) + 0.5) / n * 2.0 * h - h for h in half]
    x, y, z = np.meshgrid(*axes, indexing="ij")
    cell = np.prod([2.0 * h / n for h in half]) * inside(x, y, z)
    squares = x * x, y * y, z * z
    total = [cell.sum()]
    total += [(cell * (squares[i - 1] + squares[i - 2])).sum() for i in range(3)]
    return np.array(total)


SOLIDS = {
    "box": (solids.box((0.4, 0.6, 1.0), density=1.0),
            lambda x, y, z: x < 9.0, (0.2, 0.3, 0.5)),
    "ellipsoid": (solids.ellipsoid((0.4, 0.5, 0.6), density=1.0),
                  lambda x, y, z: (x / 0.4)**2 + (y / 0.5)**2 + (z / 0.6)**2 < 1.0,
                  (0.4, 0.5, 0.6)),
    "sphere": (solids.sphere(0.5, density=1.0),
               lambda x, y, z: x*x + y*y + z*z < 0.25, (0.5,) * 3),
    "hollow_sphere": (solids.hollow_sphere(0.5, 0.3, density=1.0),
                      lambda x, y, z: abs(x*x + y*y + z*z - 0.17) < 0.08, (0.5,) * 3),
    "cylinder": (solids.cylinder(0.4, 1.0, density=1.0),
                 lambda x, y, z: x*x + y*y < 0.16, (0.4, 0.4, 0.5)),
    "hollow_cylinder": (solids.hollow_cylinder(0.4, 0.2, 1.0, density=1.0),
                        lambda x, y, z: abs(x*x + y*y - 0.1) < 0.06, (0.4, 0.4, 0.5)),
    "capsule": (solids.capsule(0.3, 0.6, density=1.0),
                lambda x, y, z: x*x + y*y + np.maximum(abs(z) - 0.3, 0.0)**2 < 0.09,
                (0.3, 0.3, 0.6)),
    "cone": (solids.cone(0.4, 1.0, density=1.0),
             lambda x, y, z: (np.sqrt(x*x + y*y) < 0.4 * (0.75 - z)) & (z > -0.25),
             (0.4, 0.4, 0.75)),
}  # fmt: skip


@pytest.mark.parametrize("name", SOLIDS)
def test_solids_against_a_sum_over_a_grid(name):
    I, inside, half = SOLIDS[name]
    got = np.array([I.mass, I.I[0], I.I[3], I.I[5]])
    np.testing.assert_allclose(got, sampled(inside, half), rtol=0.02)
    assert I.problems() == []


def test_solids_with_a_mass_and_a_place():
    thin = solids.hollow_sphere(0.5, 0.5, mass=3.0)
    assert thin.I[0] == pytest.approx(2.0 / 3.0 * 3.0 * 0.25)
    rod = solids.rod(2.0, 3.0, at=Tz(1.0))
    assert rod.I[0] == pytest.approx(3.0 * 4.0 / 3.0) and rod.com == (0.0, 0.0, 1.0)
    turned = solids.cylinder(0.1, 1.0, mass=2.0, at=Ry(math.pi / 2.0))
    assert turned.I[0] == pytest.approx(0.5 * 2.0 * 0.01)
    near(solids.point_mass(2.0, (1.0, 0.0, 0.0)).I_com, np.zeros((3, 3)))
    for wrong in ({}, {"mass": 1.0, "density": 1.0}):
        with pytest.raises(ValueError, match="exactly one"):
            solids.sphere(1.0, **wrong)


def test_composite_is_recentred_and_diagonalised():
    """Sueda (1.25), (1.26): right-handed axes at the common centre of mass."""
    R = Rz(0.4) * Rx(-0.7)
    parts = [
        solids.box((0.1, 0.5, 0.9), mass=2.0, at=R * Ty(0.2)),
        solids.sphere(0.2, mass=1.0, at=Tx(1.0)),
        solids.cylinder(0.1, 1.0, mass=1.5, at=Tz(-0.5) * Rx(1.0)),
    ]
    whole = parts[0] + parts[1] + parts[2]
    pose, moments = whole.principal()
    assert np.linalg.det(arr(pose.R)) == pytest.approx(1.0)
    assert list(moments) == sorted(moments)
    seen = Transform.from_pose(pose.inverse()).T @ whole
    near(seen.com, np.zeros(3))
    near(seen.I_com, np.diag(moments))
    near(Inertia(whole.mass, pose.p, moments, pose.R), whole)
    split = whole - parts[1] - parts[2]
    near(split, parts[0])


def test_a_cube_has_its_own_axes():
    pose, moments = solids.box((1.0, 1.0, 1.0), mass=6.0).principal()
    near(pose.R, np.eye(3))
    near(moments, np.ones(3))


def test_problems_are_named():
    def problem(*arguments):
        (text,) = Inertia(*arguments).problems()
        return text

    zero = (0.0, 0.0, 0.0)
    assert "mass is -1.0" in problem(-1.0, zero, (1.0, 1.0, 1.0))
    assert "not finite" in problem(1.0, (math.nan, 0.0, 0.0), (1.0, 1.0, 1.0))
    assert "triangle" in problem(1.0, zero, (1.0, 1.0, 3.0))
    assert "positive" in problem(1.0, zero, (1.0, 1.0, -0.1))
    assert "mass is 0" in problem(0.0, zero, (1.0, 1.0, 1.0))
    assert Inertia.zero().problems() == []
    far = Inertia(1.0, (10.0, 0.0, 0.0), (1.0, 1.0, 1.9), exp_so3((0.3, 0.2, 0.1)))
    assert far.problems() == []
    with pytest.raises(ValueError, match="3 principal values"):
        Inertia(1.0, zero, [[1.0, 0.0], [0.0, 1.0]])


def test_what_can_be_no_inertia_is_refused_at_once():
    zero, one = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    lopsided = [[1.0, 0.2, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    with pytest.raises(
        ValueError, match=r"symmetric, got 0.2 in row 0, column 1 and 0"
    ):
        Inertia(1.0, zero, lopsided)
    with pytest.raises(
        TypeError, match=r"com is .* three numbers \(x, y, z\) \[m\], got"
    ):
        Inertia(1.0, (0.0, 0.0), one)
    with pytest.raises(TypeError, match="mass is expected to be one number.*got '1'"):
        Inertia("1", zero, one)
    with pytest.raises(TypeError, match="mass is expected to be one number.*got None"):
        Inertia(None, zero, one)
    nearly = [[1.0, 0.2, 0.0], [0.2 * (1 + 1e-13), 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert Inertia(1.0, zero, nearly).problems() == []


def test_what_people_print_is_what_they_wrote():
    inertia = kn.Inertia(2, (0, 0, 0.1), (0.1, 0.2, 0.3))
    assert repr(inertia) == (
        "<Inertia: mass 2 kg, com (0, 0, 0.1) m, I_com (0.1, 0.2, 0.3) kg m^2>"
    )
    turned = kn.Inertia(2, (0, 0, 0.1), ((0.1, 0.01, 0), (0.01, 0.2, 0), (0, 0, 0.3)))
    assert "I_com ((0.1, 0.01, 0), " in repr(turned)
    assert repr(kn.SE3(p=(1, 2, 3))) == "<SE3: p = (1, 2, 3) m>"
    quarter = kn.SE3(((0, -1, 0), (1, 0, 0), (0, 0, 1)), (0.5, 0, 0))
    assert repr(quarter) == (
        "<SE3: R = ((0, -1, 0), (1, 0, 0), (0, 0, 1)), p = (0.5, 0, 0) m>"
    )
