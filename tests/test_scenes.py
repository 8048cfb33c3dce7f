"""Si & Guenter's mechanisms: freedoms, agreement of methods, contact, energy."""

from __future__ import annotations

import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle.algorithms.references import forward_dynamics_method_two
from knuckle.joints import surfaces
from knuckle.spatial import Rx, Ry, Tx
from knuckle.spatial.polyhedron import polyhedron

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "examples"))
import general_joints  # noqa: E402
import scenes  # noqa: E402

FREEDOMS = {
    "rc20": 20, "rc50": 50, "rc100": 100, "tc10": 38, "tc20": 78, "windmill": 73,
    "curve": 21, "surface": 5, "tc3": 10,
}  # fmt: skip
"""Of their Table 1, and of what their figures 3 and 4 show."""
SMALL = ("rc20", "tc3", "curve", "surface")
Arrays = tuple[np.ndarray, ...]


def states(name: str, count: int) -> Arrays:
    """Around the start, away from singular positions."""
    made, rng = scenes.scene(name), np.random.default_rng(5)
    q = made.q + rng.uniform(-0.2, 0.2, (count, made.model.nv))
    return (q, *rng.normal(size=(2, count, made.model.nv)))


@pytest.mark.parametrize("name", FREEDOMS)
def test_freedoms(name: str) -> None:
    model = scenes.scene(name).model
    assert model.nv == model.nq == FREEDOMS[name]


def test_names_of_scenes() -> None:
    assert set(scenes.SCENES) < set(FREEDOMS)
    assert scenes.scene("tc7").model.nv == 26
    with pytest.raises(KeyError, match="no scene 'tc'; there are rc20, rc50"):
        scenes.scene("tc")


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[] if n in SMALL else pytest.mark.long) for n in FREEDOMS],
)
def test_three_ways_to_the_same_accelerations(name: str) -> None:
    """Method I, Method II and articulated bodies; and inverse dynamics leads back."""
    model, (q, v, tau) = scenes.scene(name).model, states(name, 3)
    a = kn.forward_dynamics(model, q, v, tau)
    assert mechanisms.error(kn.forward_dynamics_square(model, q, v, tau), a) < 1e-9
    assert mechanisms.error(forward_dynamics_method_two(model, q, v, tau), a) < 1e-9
    assert np.allclose(kn.inverse_dynamics(model, q, v, a), tau, atol=1e-8)


# Contact, by the implicit equations of the solids and their gradients.
def torus_field(x: np.ndarray) -> tuple[float, np.ndarray]:
    """The distance from a ring of the chain, and its gradient."""
    out = np.hypot(x[0], x[1])
    away = np.array([x[0] - 0.30 * x[0] / out, x[1] - 0.30 * x[1] / out, x[2]])
    return np.linalg.norm(away) - 0.05, away / np.linalg.norm(away)


def ellipsoid_field(half: tuple[float, ...], x: np.ndarray) -> tuple[float, np.ndarray]:
    """How far outside an ellipsoid, and the direction of the gradient."""
    slope = 2.0 * x / np.square(half)
    return np.sum(np.square(x / half)) - 1.0, slope / np.linalg.norm(slope)


def torus_point(u: float, v: float, R: float = 0.30, r: float = 0.05) -> np.ndarray:
    out = R + r * np.cos(v)
    return np.array([out * np.cos(u), out * np.sin(u), r * np.sin(v)])


def ellipsoid_point(u: float, v: float, half: tuple[float, ...]) -> np.ndarray:
    direction = np.cos(v) * np.cos(u), np.cos(v) * np.sin(u), np.sin(v)
    return np.array(half) * direction


@pytest.mark.parametrize("row", range(3))
def test_rings_touch(row: int) -> None:
    """The point of each ring by its own coordinates is the other's; the normals are
    opposite, and the rings cross."""
    model, q = scenes.scene("tc3").model, states("tc3", 3)[0][row]
    poses = dict(zip((b.name for b in model.bodies), zip(*kinematics(model, q))))
    for a, b in pairwise(["ring0", "ring1", "ring2"]):
        u1, v1, u2, v2 = q[model.joint(b).q]
        sides = [(*poses[a], u1, v1), (*poses[b], u2, v2)]
        points = [R @ torus_point(u, v) + p for R, p, u, v in sides]
        assert np.allclose(*points, atol=1e-14)
        fields = [torus_field(R.T @ (points[0] - p)) for R, p, _, _ in sides]
        assert max(abs(distance) for distance, _ in fields) < 1e-14
        normals = [R @ n for (R, *_), (_, n) in zip(sides, fields, strict=True)]
        assert np.allclose(normals[0], -normals[1], atol=1e-13)
        along = [R @ [-np.sin(u), np.cos(u), 0.0] for R, _, u, _ in sides]
        assert abs(along[0] @ along[1]) < 1e-13


def kinematics(model: kn.Model, q: np.ndarray) -> Arrays:
    return tuple(kn.forward_kinematics(model, q))


def test_the_windmill_touches() -> None:
    """The ellipsoid and the sphere that follow each other on a blade."""
    model, q = scenes.scene("windmill").model, states("windmill", 1)[0][0]
    poses = dict(zip((b.name for b in model.bodies), zip(*kinematics(model, q))))
    egg, ball = (0.25, 0.12, 0.12), (0.12, 0.12, 0.12)
    for blade in range(3):
        (R, p), (R2, p2) = (poses[f"blade{blade}.{k}"] for k in (3, 4))
        u1, v1, u2, v2 = q[model.joint(f"blade{blade}.4").q]
        x = R @ ellipsoid_point(u1, v1, egg) + p
        assert np.allclose(x, R2 @ ellipsoid_point(u2, v2, ball) + p2, atol=1e-14)
        normal = R @ ellipsoid_field(egg, R.T @ (x - p))[1]
        assert np.allclose(normal, -R2 @ ellipsoid_field(ball, R2.T @ (x - p2))[1])


def test_the_rides_keep_to_curve_and_surface() -> None:
    """The first ring's axis is the curve's tangent, the board's normal the surface's,
    by De Casteljau."""
    model, q = scenes.scene("curve").model, states("curve", 1)[0][0]
    poses = dict(zip((b.name for b in model.bodies), zip(*kinematics(model, q))))
    point, tangent = casteljau(np.array(scenes.TRACK), q[0])
    R, p = poses["ring0"]
    assert np.allclose(p, point)
    assert np.allclose(R[:, 2], tangent / np.linalg.norm(tangent))
    model, q = scenes.scene("surface").model, states("surface", 1)[0][0]
    poses = dict(zip((b.name for b in model.bodies), zip(*kinematics(model, q))))
    net = np.array(scenes.hills())
    rows = np.array([casteljau(row, q[1]) for row in net])
    point, du = casteljau(rows[:, 0], q[0])
    dv, _ = casteljau(rows[:, 1], q[0])
    R, p = poses["board"]
    assert np.allclose(p, point)
    assert np.allclose(R[:, 2], np.cross(du, dv) / np.linalg.norm(np.cross(du, dv)))


def casteljau(points: np.ndarray, s: float) -> tuple[np.ndarray, np.ndarray]:
    """The point of a Bezier curve and its derivative."""
    degree, edge = len(points) - 1, points
    while len(points) > 1:
        edge, points = points, (1 - s) * points[:-1] + s * points[1:]
    return points[0], degree * (edge[1] - edge[0])


def test_what_is_drawn_is_the_solid() -> None:
    """The inertia of a ring is that of its triangles, but for their corners."""
    shape, exact = scenes.RING.shape.geometry, scenes.RING.inertia
    vertices, place = np.unique(
        np.round(shape.vertices, 9) + 0.0, axis=0, return_inverse=True
    )
    drawn = polyhedron(vertices, place.ravel()[np.array(shape.faces)], mass=1.0)
    assert np.allclose(drawn.I_com, exact.I_com, rtol=0.02, atol=1e-9)
    assert np.allclose(drawn.com, 0.0, atol=1e-9)


# Motion.
@cache
def moved(name: str, steps: int, dt: float) -> kn.Trajectory:
    made = scenes.scene(name)
    return kn.simulate(
        *made, duration=steps * dt, dt=dt, limits="off", keep_every=steps // 100
    )


@pytest.mark.parametrize("name", ["tc2", "tc3", "surface"])
def test_energy_stays(name: str) -> None:
    total = moved(name, 2000, 1e-3).energies.total
    lively = np.ptp(moved(name, 2000, 1e-3).energies.kinetic)
    assert lively > 0.1 and np.ptp(total) < 1e-3 * lively


@pytest.mark.parametrize("name", ["tc2", "surface"])
def test_energy_over_a_hundred_thousand_steps(name: str) -> None:
    """No drift: the second half is no further off than the first."""
    run = moved(name, 100_000, 2e-4)
    assert run.t[-1] == pytest.approx(20.0)
    total, lively = run.energies.total, np.ptp(run.energies.kinetic)
    off = np.abs(total - total[0])
    assert lively > 0.1 and off.max() < 1e-4 * lively
    assert off[50:].max() < 3.0 * off[:50].max() + 1e-9 * lively


def test_sphere_on_sphere_is_four_hinges() -> None:
    """The same motion from elementary joints on massless bodies."""
    r1, r2 = 0.4, 0.25
    ball = kn.spatial.solids.ellipsoid((0.1, 0.2, 0.3), 2.0, at=Tx(0.1))
    touching = kn.joints.SurfaceSurface(surfaces.sphere(r1), surfaces.sphere(r2))
    contact = kn.Model([kn.Body("ball", None, touching, Rx(0.3), ball)])
    bare = kn.Inertia(0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    far = Tx(r1 + r2) * Ry(np.pi)
    hinges = kn.Model([
        kn.Body("a", None, kn.joints.Revolute("z"), Rx(0.3), bare),
        kn.Body("b", "a", kn.joints.Revolute("-y"), inertia=bare),
        kn.Body("c", "b", kn.joints.Revolute("y"), far, bare),
        kn.Body("ball", "c", kn.joints.Revolute("-z"), inertia=ball),
    ])  # fmt: skip
    rng, order = np.random.default_rng(2), [0, 1, 3, 2]
    q = rng.uniform(-0.9, 0.9, (20, 4))
    v, tau = rng.normal(size=(2, 20, 4))
    one = kn.forward_kinematics(contact, q, frames=["ball"])
    other = kn.forward_kinematics(hinges, q[:, order], frames=["ball"])
    assert np.allclose(one.R, other.R) and np.allclose(one.p, other.p)
    for alg in (kn.forward_dynamics, kn.inverse_dynamics):
        expected = alg(hinges, *(x[:, order] for x in (q, v, tau)))[:, order]
        assert mechanisms.error(alg(contact, q, v, tau), expected) < 1e-11
    span = {"duration": 0.5, "dt": 1e-3}
    run = kn.simulate(contact, q[0], v[0], **span)
    expected = kn.simulate(hinges, q[0, order], v[0, order], **span)
    assert np.abs(run.q - expected.q[:, order]).max() < 1e-8


def test_the_example_writes_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "tc2.html"
    words = ["general_joints.py", "tc2", "--seconds", "0.1", "--out", str(page)]
    monkeypatch.setattr(sys, "argv", words)
    general_joints.main()
    assert "6 freedoms" in capsys.readouterr().out
    assert "ring1" in page.read_text()
    monkeypatch.setattr(sys, "argv", ["general_joints.py", "tc"])
    with pytest.raises(SystemExit, match="there is no scene 'tc'"):
        general_joints.main()
