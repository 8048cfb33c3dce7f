"""General joints: smooth across knots, right at their ends, equal to what they mean."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest

import knuckle as kn
from knuckle.joints import curves, surfaces
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
