"""General joints: smooth across knots, right at their ends, equal to what they mean."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest

import knuckle as kn
import mechanisms
from engines import DOUBLE, INTERPRETER, SINGLE, Engine, narrower
from knuckle.joints import curves, surfaces
from knuckle.joints.general import GENERAL
from knuckle.spatial import SE3, Rx, Ry, Rz, Tx, Ty, Tz
from test_joints_laws import core_matrix, vee

j = kn.joints
RNG = np.random.default_rng


def matrix(pose: SE3) -> np.ndarray:
    return np.array(pose.matrix(), float)


def frames(count: int, seed: int = 0, bend: float = 0.4) -> list[SE3]:
    """Control frames along a winding way."""
    rng, found = RNG(seed), [SE3()]
    for _ in range(count - 1):
        step = rng.normal(0.0, bend, 6) + (0.1, 0.0, 0.3, 0.5, 0.0, 0.0)
        found.append(found[-1] * SE3.exp(step.tolist()))
    return found


KNOTS: dict[str, tuple[Any, tuple[float, ...]]] = {
    "SplineCurve": (lambda: j.SplineCurve(frames(7)), (1.0, 2.0, 3.0)),
    "closed SplineCurve": (
        lambda: j.SplineCurve(frames(5), closed=True), (0.0, 2.0, 5.0, -7.0),
    ),
    "Fitted": (
        lambda: j.Fitted([-0.3, 0.4, 0.9, 2.0, 2.1], frames(5, 0, 0.1)),
        (0.4, 0.9, 2.0),
    ),
    "evenly Fitted": (
        lambda: j.Fitted([0.0, 0.5, 1.0, 1.5], frames(4)), (0.5, 1.0),
    ),
    "CurvePoint": (
        lambda: j.CurvePoint(curves.spline(RNG(1).normal(size=(7, 3)), closed=True)),
        (0.0, 1.0, 6.0, 7.0),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOTS)
def test_twice_differentiable_across_knots(name: str) -> None:
    """Pose, S and dS/dq are the same from both sides; the third derivative jumps."""
    make, knots = KNOTS[name]
    joint = make()
    with mpmath.workdps(40):
        for knot in knots:
            h = mpmath.mpf("1e-15")
            sides = [all_of(joint, mpmath.mpf(knot) + s * h) for s in (-1, 1)]
            jump = max(abs(a - b) for a, b in zip(*sides, strict=True))
            assert jump < 1e-12, (name, knot)
            slopes = [
                [(a - b) / h for a, b in zip(all_of(joint, x + h), all_of(joint, x))]
                for x in (mpmath.mpf(knot) - 3 * h, mpmath.mpf(knot) + 3 * h)
            ]
            assert max(abs(a - b) for a, b in zip(*slopes, strict=True)) > 1e-3


def all_of(joint: kn.Joint, q: Any) -> list[Any]:
    """Pose, S and c_J at v = 1."""
    R, p, S, _, bias = joint.motion([q], [mpmath.mpf(1)])
    columns = [x for c in S for x in c.entries]
    return [*(x for row in R for x in row), *p, *columns, *bias.entries]


@pytest.mark.parametrize("name", KNOTS)
@pytest.mark.parametrize("side", [-1, 1])
def test_derivatives_at_knots_in_50_digits(name: str, side: int) -> None:
    """S and c_J at a knot are the derivatives of pose and S on either side of it."""
    make, knots = KNOTS[name]
    joint, v = make(), [mpmath.mpf("1.3")]
    with mpmath.workdps(50):
        for knot in knots:
            T = core_matrix(joint, [mpmath.mpf(knot)])
            R, p, S, velocity, bias = joint.motion([mpmath.mpf(knot)], v)
            rate = one_sided(lambda q: core_matrix(joint, q), knot, side) * v[0]
            twist = mpmath.matrix(vee(T**-1 * rate))
            assert mpmath.norm(twist - mpmath.matrix(velocity.entries)) < 1e-13
            slope = one_sided(
                lambda q: mpmath.matrix(joint.motion(q, v)[3].entries), knot, side
            )
            assert mpmath.norm(slope * v[0] - mpmath.matrix(bias.entries)) < 1e-12


def one_sided(f: Any, knot: float, side: int) -> Any:
    """df/dq from four places on one side of the knot."""
    h = side * mpmath.mpf("1e-18")
    a, b, c, d = (f([mpmath.mpf(knot) + k * h]) for k in (1, 2, 3, 4))
    return (-11 * a + 18 * b - 9 * c + 2 * d) / (6 * h)


def test_control_frames_are_those_of_the_book() -> None:
    """(2.67) with the active four of seven, at a place in each segment."""
    C = frames(7)
    joint = j.SplineCurve(C)
    for k in range(4):
        for u in (0.0, 0.3, 1.0):
            b = [1 - (1 - u) ** 3 / 6, (1 + 3 * u + 3 * u * u - 2 * u**3) / 6, u**3 / 6]
            T = C[k]
            for i in (1, 2, 3):
                twist = (C[k + i - 1].inverse() * C[k + i]).log()
                T = T * SE3.exp([b[i - 1] * x for x in twist.entries])
            assert np.allclose(matrix(joint.pose([k + u])), matrix(T), atol=1e-12)


def test_ends_go_on() -> None:
    """Beyond the last knot the last segment's polynomials, so nothing jumps there."""
    C = frames(6)
    joint = j.SplineCurve(C)
    assert joint.lower == (0.0,) and joint.upper == (3.0,)
    part = j.SplineCurve(C[2:])
    for q in (2.5, 3.0, 3.4):
        a, b = joint.pose([q]), part.pose([q - 2.0])
        assert np.allclose(matrix(a), matrix(b), atol=1e-13)
    first = j.SplineCurve(C[:4])
    assert np.allclose(
        matrix(joint.pose([-0.4])), matrix(first.pose([-0.4])), atol=1e-13
    )
    assert np.isnan(matrix(joint.pose([math.nan]))[:3]).all()


def test_closed_splines_repeat() -> None:
    joint = j.SplineCurve(frames(5), closed=True)
    for q in (-3.3, 0.2, 4.9):
        for turns in (-2, 1, 7):
            a, b = joint.pose([q]), joint.pose([q + 5.0 * turns])
            assert np.allclose(matrix(a), matrix(b), atol=1e-12)


def test_spline_through_a_line_is_prismatic() -> None:
    joint = j.SplineCurve([SE3(p=(0.2 * k, 0.0, 0.0)) for k in range(8)])
    for q in (0.0, 1.7, 4.99, 6.0):
        assert np.allclose(matrix(joint.pose([q])), matrix(Tx(0.2 * (q + 1.0))))
        assert np.allclose(joint.subspace([q])[0].entries, (0, 0, 0, 0.2, 0, 0))


def test_spline_about_an_axis_is_revolute() -> None:
    joint = j.SplineCurve([Rz(0.5 * k) for k in range(8)])
    for q in (0.0, 1.7, 4.99):
        assert np.allclose(matrix(joint.pose([q])), matrix(Rz(0.5 * (q + 1.0))))
        S, bias = joint.subspace([q])[0].entries, joint.motion([q], [2.0])[4]
        assert np.allclose(S, (0, 0, 0.5, 0, 0, 0)) and np.allclose(bias.entries, 0.0)


def test_height_field_costs_what_it_uses() -> None:
    """A spline surface of heights alone is Tz, and follows the book's (2.68)."""
    z = RNG(3).normal(size=(6, 5))
    values = np.zeros((6, 5, 6))
    values[..., 2] = z
    joint = j.SplineSurface(values)
    B = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6
    for i, k, u, v in ((0, 0, 0.3, 0.8), (2, 1, 0.5, 0.1), (1, 0, 1.0, 0.0)):
        b = [B @ [1, t, t * t, t**3] for t in (u, v)]
        expected = b[0] @ z[i : i + 4, k : k + 4] @ b[1]
        assert np.allclose(matrix(joint.pose([i + u, k + v])), matrix(Tz(expected)))
    assert joint.motions.pose.operations()["lookup"] == 16
    for column in joint.subspace([0.2, 0.3]):
        assert column.entries[:5] == (0.0,) * 5


def test_spline_surface_is_the_product_of_the_book() -> None:
    """T before R, the six splines one after the other (2.71)."""
    values = RNG(4).normal(0.0, 0.3, (4, 4, 6))
    joint, (s, t) = j.SplineSurface(values), (0.4, 0.7)
    B = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6
    bs, bt = (B @ [1, x, x * x, x**3] for x in (s, t))
    f = [float(bs @ values[..., k] @ bt) for k in range(6)]
    expected = Tx(f[0]) * Ty(f[1]) * Tz(f[2]) * Rx(f[3]) * Ry(f[4]) * Rz(f[5])
    assert np.allclose(matrix(joint.pose([s, t])), matrix(expected), atol=1e-14)


def test_straight_bezier_curve_is_prismatic() -> None:
    joint = j.BezierCurve([[0.3 * k, 0.0, 0.0] for k in range(7)])
    for q in (0.0, 0.4, 1.0, 1.3):
        assert np.allclose(matrix(joint.pose([q])), matrix(Tx(1.8 * q)), atol=1e-14)


def test_bezier_curve_by_de_casteljau() -> None:
    """The body's origin is on the curve, its x axis along the tangent."""
    points = RNG(5).normal(size=(7, 3))
    joint = j.BezierCurve(points)
    for q in (0.0, 0.3, 0.9):
        level, edge = points, points
        while len(level) > 1:
            edge, level = level, (1 - q) * level[:-1] + q * level[1:]
        T = matrix(joint.pose([q]))
        assert np.allclose(T[:3, 3], level[0])
        tangent = edge[1] - edge[0]
        assert np.allclose(T[:3, 0], tangent / np.linalg.norm(tangent))
        assert T[2, 2] > 0.0 and abs(T[2, 1]) < 1e-12  # z upwards, y level


def test_flat_bezier_surface_is_planar_translation() -> None:
    grid = [[[0.5 * k, 0.25 * m, 0.0] for m in range(5)] for k in range(5)]
    joint = j.BezierSurface(grid)
    for q in ((0.0, 0.0), (0.3, 0.8), (1.0, 0.5)):
        expected = Tx(2.0 * q[0]) * Ty(1.0 * q[1])
        assert np.allclose(matrix(joint.pose(q)), matrix(expected), atol=1e-14)


def test_bezier_surface_keeps_the_body_on_the_tangent_plane() -> None:
    grid = RNG(6).normal(0.0, 0.3, (5, 5, 3))
    grid[..., :2] += np.stack(np.meshgrid(range(5), range(5), indexing="ij"), -1)
    joint = j.BezierSurface(grid)
    q, h = np.array([0.3, 0.6]), 1e-6
    T = matrix(joint.pose(q))
    for axis in np.eye(2):
        near = [matrix(joint.pose(q + s * h * axis))[:3, 3] for s in (-1, 1)]
        assert abs((near[1] - near[0]) @ T[:3, 2]) / (2 * h) < 1e-8


SHAPES = {
    "sphere": surfaces.sphere(0.7),
    "ellipsoid": surfaces.ellipsoid(0.7, 0.4, 0.9),
    "torus": surfaces.torus(0.8, 0.3),
    "cylinder": surfaces.cylinder(0.4),
    "plane": surfaces.plane(),
    "user's": surfaces.surface(lambda u, v: (u, v, 0.3 * np.sin(u) * v * v)),
    "bezier": surfaces.bezier(RNG(7).normal(size=(4, 3, 3))),
    "spline": surfaces.spline(RNG(8).normal(size=(5, 6, 3))),
}
ON = {
    "sphere": lambda p: np.linalg.norm(p) - 0.7,
    "ellipsoid": lambda p: np.linalg.norm(p / (0.7, 0.4, 0.9)) - 1.0,
    "torus": lambda p: np.hypot(np.hypot(p[0], p[1]) - 0.8, p[2]) - 0.3,
    "cylinder": lambda p: np.hypot(p[0], p[1]) - 0.4,
    "plane": lambda p: p[2],
    "user's": lambda p: p[2] - 0.3 * np.sin(p[0]) * p[1] ** 2,
}


@pytest.mark.parametrize("name", SHAPES)
def test_frames_of_surfaces(name: str) -> None:
    """On the surface; x along dp/du, z along dp/du x dp/dv, right-handed."""
    shape, h = SHAPES[name], 1e-6
    for u, v in ((0.3, 0.5), (0.9, 0.2), (0.6, 0.8)):
        T = matrix(shape.frame(u, v))
        if name in ON:
            assert abs(ON[name](T[:3, 3])) < 1e-13
        du, dv = (
            (np.array(shape.point(u + a, v + b)) - shape.point(u - a, v - b)) / (2 * h)
            for a, b in ((h, 0.0), (0.0, h))
        )
        normal = np.cross(du, dv)
        assert np.allclose(T[:3, 0], du / np.linalg.norm(du), atol=1e-8)
        assert np.allclose(T[:3, 2], normal / np.linalg.norm(normal), atol=1e-8)
        assert np.allclose(T[:3, :3].T @ T[:3, :3], np.eye(3), atol=1e-14)
        assert np.linalg.det(T) > 0.0
    if name in ("sphere", "ellipsoid", "torus", "cylinder"):
        assert (T[:3, 3] - (0.8, 0, 0) if name == "torus" else T[:3, 3]) @ T[:3, 2] > 0


LINES = {
    "circle": curves.circle(0.7),
    "helix": curves.helix(0.7, 0.2),
    "line": curves.line((1.0, 2.0, -0.5)),
    "vertical line": curves.line((0.0, 0.0, 2.0)),
    "bezier": curves.bezier(RNG(1).normal(size=(4, 3))),
    "spline": curves.spline(RNG(2).normal(size=(6, 3))),
    "user's": curves.curve(lambda s: (np.cos(s), s, s * s)),
}


@pytest.mark.parametrize("name", LINES)
def test_frames_of_curves(name: str) -> None:
    line, h = LINES[name], 1e-6
    for s in (0.1, 0.8):
        T = matrix(line.frame(s))
        tangent = (np.array(line.point(s + h)) - line.point(s - h)) / (2 * h)
        assert np.allclose(T[:3, 0], tangent / np.linalg.norm(tangent), atol=1e-8)
        assert np.allclose(T[:3, :3].T @ T[:3, :3], np.eye(3), atol=1e-14)
        assert np.linalg.det(T) > 0.0


@pytest.mark.parametrize("first", ["sphere", "ellipsoid", "torus", "spline"])
@pytest.mark.parametrize("second", ["ellipsoid", "torus", "bezier"])
@pytest.mark.parametrize("inside", [False, True])
def test_surfaces_touch(first: str, second: str, inside: bool) -> None:
    """The points coincide, the normals oppose each other, the u-tangents align."""
    a, b = SHAPES[first], SHAPES[second]
    joint, q = j.SurfaceSurface(a, b, inside=inside), (0.4, 0.3, 0.8, 0.6)
    T, A, B = joint.pose(q), a.frame(*q[:2]), b.frame(*q[2:])
    assert np.allclose(T @ B.p, A.p, atol=1e-14)
    turned = matrix(T)[:3, :3] @ matrix(B)[:3, :3]
    sign = 1.0 if inside else -1.0
    expected = matrix(A)[:3, :3] @ np.diag([1.0, sign, sign])
    assert np.allclose(turned, expected, atol=1e-14)


def test_spin_and_free_turns() -> None:
    a, b = SHAPES["sphere"], SHAPES["torus"]
    plain, spun = j.SurfaceSurface(a, b), j.SurfaceSurface(a, b, "z")
    q = (0.4, 0.3, 0.8, 0.6)
    assert spun.nq == 5
    assert np.allclose(matrix(spun.pose((*q, 0.0))), matrix(plain.pose(q)))
    moved = spun.pose((*q, 0.9))
    assert np.allclose(moved @ b.point(*q[2:]), a.point(*q[:2]))
    free = j.SurfacePoint(a, "xyz", follow=False)
    expected = SE3(p=a.point(0.4, 0.3)) * Rx(0.1) * Ry(0.2) * Rz(0.3)
    got = free.pose((0.4, 0.3, 0.1, 0.2, 0.3))
    assert np.allclose(matrix(got), matrix(expected))


def test_curves_touch() -> None:
    a, b = LINES["helix"], LINES["bezier"]
    joint, q = j.CurveCurve(a, b, "x"), (0.4, 0.3, 1.1)
    T, A, B = joint.pose(q), a.frame(q[0]), b.frame(q[1])
    assert np.allclose(T @ B.p, A.p)
    assert np.allclose(matrix(T * B)[:3, 0], matrix(A)[:3, 0])
    assert np.allclose(matrix(T * B), matrix(A * Rx(1.1)))


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


def bent(x: float) -> SE3:
    """A smooth motion that turns about no fixed axis."""
    return SE3.exp((math.sin(2 * x), math.cos(x), 0.3 * x, x, x * x, 0.1))


def test_fit_passes_through_its_table() -> None:
    """To rounding, at even and uneven places; straight at both ends."""
    for q in (np.linspace(-1.0, 1.0, 11), np.sort(RNG(5).uniform(-1, 1, 14))):
        joint = j.Fitted(q.tolist(), [bent(x) for x in q.tolist()])
        for x in q.tolist():
            assert np.allclose(matrix(joint.pose([x])), matrix(bent(x)), atol=1e-11)
        assert joint.lower == (q[0],) and joint.upper == (q[-1],)
        ends = [joint.motion([x], [1.0])[4].entries for x in (q[0], q[-1])]
        assert np.allclose(ends, 0.0, atol=1e-9)


def test_fit_gets_better_with_more_poses() -> None:
    """Of the third order inside: eight times as near at half the distance."""
    worst = []
    for n in (17, 33, 65):
        q = np.linspace(-2.0, 2.0, n).tolist()
        joint = j.Fitted(q, [bent(x) for x in q])
        inside = np.linspace(-0.5, 0.5, 41).tolist()
        off = [np.abs(matrix(joint.pose([x])) - matrix(bent(x))).max() for x in inside]
        worst.append(max(off))
    assert worst[0] / worst[1] > 8.0 and worst[1] / worst[2] > 8.0
    assert worst[2] < 1e-5


MISTAKES = {
    "three frames": (lambda: j.SplineCurve(frames(3)), "3 control frames, expected at"),
    "far apart": (
        lambda: j.SplineCurve([SE3(), Rx(3.1), SE3(), SE3()]),
        "control frames 0 and 1 are 3.1 rad apart, expected less than 3",
    ),
    "values": (
        lambda: j.SplineSurface(np.zeros((4, 4, 3))),
        r"the values have shape \(4, 4, 3\), expected finite numbers \(n, m, 6\)",
    ),
    "few points": (
        lambda: curves.spline(np.zeros((3, 3))),
        r"spline: the control points have shape \(3, 3\), expected \(n, 3\) with at "
        "least 5",
    ),
    "flat grid": (
        lambda: surfaces.bezier(np.zeros((5, 3))), r"expected \(n, m, 3\) with"
    ),
    "NaN": (
        lambda: curves.bezier([[0, 0, 0], [1, math.nan, 0]]), "are not all finite"
    ),
    "falling": (
        lambda: j.Fitted([0.0, 2.0, 1.0], frames(3)), "in increasing order"
    ),
    "too few poses": (
        lambda: j.Fitted([0.0, 1.0, 2.0], frames(2)),
        "2 poses for 3 values of q, expected one pose for each",
    ),
    "wild poses": (
        lambda: j.Fitted([0, 1, 2, 3], [SE3(), Rx(2.9), SE3(), Ry(2.9)]),
        "no motion through the poses was found.*closer together",
    ),
    "letters": (
        lambda: j.SurfacePoint(surfaces.plane(), "w"), "turn is 'w', expected letters"
    ),
    "parallel to up": (
        lambda: j.BezierCurve([[0, 0, 0], [0, 0, 1]]),
        r"the tangent is parallel to up = \(0.0, 0.0, 1.0\).*give another up=",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str) -> None:
    make, message = MISTAKES[name]
    with pytest.raises(ValueError, match=message):
        make()


def test_wrong_kinds() -> None:
    with pytest.raises(TypeError, match="expected a Surface, got Curve; write"):
        j.SurfacePoint(curves.line())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected a Curve, got Surface; write"):
        j.CurvePoint(surfaces.plane())  # type: ignore[arg-type]
