"""Surfaces, scenes, sliders and forces, before anything is drawn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import knuckle as kn
from knuckle.joints.registry import REGISTRY
from knuckle.model import shapes
from knuckle.model.shapes import Shape
from knuckle.spatial import solids
from knuckle.view import palette, surfaces
from knuckle.view.arrows import arrows, scale
from knuckle.view.framing import cell
from knuckle.view.geometry import pieces, solid
from knuckle.view.masses import equivalent_box
from knuckle.view.motion import motion
from knuckle.view.poses import poses
from knuckle.view.rotations import continuous, quaternions, towards
from knuckle.view.scene import Scene, scene
from knuckle.view.sliders import groups
from mechanisms import ALL
from oracles import robots

RNG = np.random.default_rng(0)
ROD = kn.Inertia(1.0, (0.0, 0.0, -0.5), (1 / 12, 1 / 12, 0.001))
DOWN = kn.SE3(p=(0.0, 0.0, -1.0))
PENDULUM = kn.Model(
    [
        kn.Body("upper", None, kn.joints.Revolute("y"), inertia=ROD),
        kn.Body("lower", "upper", kn.joints.Revolute("y"), DOWN, ROD),
    ]
)


def volume(surface: surfaces.Surface) -> float:
    """By the divergence theorem: negative where the inside is out."""
    a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


@pytest.mark.parametrize(
    ("geometry", "expected"),
    [
        (shapes.Box((1.0, 2.0, 3.0)), 6.0),
        (shapes.Sphere(0.5), np.pi / 6),
        (shapes.Cylinder(0.5, 2.0), np.pi / 2),
        (shapes.Capsule(0.5, 2.0), np.pi / 2 + np.pi / 6),
        (shapes.Ellipsoid((0.5, 1.0, 2.0)), 4 / 3 * np.pi),
    ],
)
def test_solids_have_their_volume(geometry: shapes.Geometry, expected: float) -> None:
    assert volume(solid(geometry)) == pytest.approx(expected, rel=0.015)


def test_edges_part_where_they_are_sharp() -> None:
    assert len(surfaces.box((1, 1, 1)).vertices) == 24
    ball = surfaces.sphere(1.0)
    assert len(np.unique(ball.vertices.round(6), axis=0)) == len(ball.vertices)
    drum = surfaces.cylinder(1.0, 1.0)
    assert len(drum.vertices) == 4 * surfaces.SIDES + 2


def test_surfaces_lie_where_they_are_said_to() -> None:
    field = surfaces.height_field((2.0, 4.0), np.array([[0.0, 1.0], [2.0, 3.0]]))
    corners = {tuple(v): None for v in field.vertices.tolist()}
    assert set(corners) == {(-1, -2, 0), (1, -2, 1), (-1, 2, 2), (1, 2, 3)}
    assert (surfaces.normals(field.vertices, field.faces)[:, 2] > 0.0).all()
    bone = surfaces.bone(0.2, 0.1, 1.0)
    assert bone.vertices[:, 2].min() == pytest.approx(-0.7)
    assert bone.vertices[:, 2].max() == pytest.approx(0.6)
    mirrored = surfaces.box((1, 1, 1)).scaled((-1.0, 2.0, 1.0))
    assert volume(mirrored) == pytest.approx(2.0)


def test_quaternions_agree_with_scipy() -> None:
    R = Rotation.random(200, random_state=1).as_matrix()
    R = np.concatenate([R, Rotation.from_rotvec(np.pi * np.eye(3)).as_matrix()])
    ours = Rotation.from_quat(quaternions(R)[:, [1, 2, 3, 0]])
    assert np.abs(ours.as_matrix() - R).max() < 1e-14


def test_quaternions_in_time_do_not_jump() -> None:
    angle = np.linspace(0.0, 30.0, 400)
    R = Rotation.from_rotvec(angle[:, None] * np.array([0.6, 0.0, 0.8])).as_matrix()
    q = continuous(quaternions(R))
    assert np.linalg.norm(np.diff(q, axis=0), axis=1).max() < 0.05


def test_a_direction_becomes_the_z_axis() -> None:
    for way in (*np.eye(3), -np.eye(3)[2], RNG.normal(size=3)):
        R = towards(way)
        assert np.allclose(R[:, 2], way / np.linalg.norm(way))
        assert np.allclose(R @ R.T, np.eye(3)) and np.linalg.det(R) > 0.0


def test_the_equivalent_box_is_the_box() -> None:
    at = kn.spatial.Rx(0.4) * kn.spatial.Tz(0.3)
    inertia = solids.box((0.1, 0.2, 0.5), mass=3.0, at=at)
    R, p, edges = equivalent_box(kn.Body("a", None, kn.joints.Free(), inertia=inertia))
    assert np.allclose(np.sort(edges), (0.1, 0.2, 0.5)) and np.allclose(p, at.p)
    long = R[:, np.argmax(edges)]
    assert abs(long @ np.array(at.R)[:, 2]) == pytest.approx(1.0)


def test_colours_are_colours_and_neighbours_differ() -> None:
    colors = np.array([palette.of_depth(k) for k in range(30)])
    assert colors.min() >= 0.0 and colors.max() <= 1.0
    assert np.abs(np.diff(colors[:8, :3], axis=0)).max(axis=1).min() > 0.05
    assert palette.oklch(1.0, 0.0, 0.0)[:3] == pytest.approx((1.0, 1.0, 1.0), abs=1e-4)


@pytest.mark.parametrize("name", ALL)
def test_sliders_go_to_and_fro(name: str) -> None:
    """Positions within the sliders' bounds come back as the same pose."""
    joint = REGISTRY[name](np.random.default_rng(5))
    model = kn.Model([kn.Body("a", None, joint, inertia=ROD)])
    found = groups(model, 2.0)
    assert sum(len(g.sliders) for g in found) == model.nv
    q = model.integrate(model.neutral(), 0.4 * RNG.normal(size=(5, model.nv)))
    back = q.copy()
    for row in back:
        for group in found:
            row[group.q] = group.position(group.values(row))
    for ours, given in zip(
        kn.forward_kinematics(model, back), kn.forward_kinematics(model, q)
    ):
        assert np.abs(np.asarray(ours) - given).max(initial=0.0) < 1e-12


def test_sliders_keep_to_the_limits() -> None:
    R, P = kn.joints.Revolute, kn.joints.Prismatic
    bodies = [
        kn.Body("both", None, R("x", lower=-1.0, upper=2.0), inertia=ROD),
        kn.Body("low", "both", R("x", lower=-1.0), inertia=ROD),
        kn.Body("high", "low", P("x", upper=0.5), inertia=ROD),
        kn.Body("free", "high", P("x"), inertia=ROD),
    ]
    found = groups(kn.Model(bodies), 3.0)
    bounds = [(s.lower, s.upper) for g in found for s in g.sliders]
    assert bounds == [(-1.0, 2.0), (-1.0, 2 * np.pi - 1.0), (-5.5, 0.5), (-3.0, 3.0)]


def test_a_unit_complex_number_has_one_slider() -> None:
    """A manifold that is no quaternion: steps from neutral along the velocities."""

    def turn(q, v, dt):  # type: ignore[no-untyped-def]
        c, s = np.cos(v[0] * dt), np.sin(v[0] * dt)
        return q[0] * c - q[1] * s, q[0] * s + q[1] * c

    def pose(q):  # type: ignore[no-untyped-def]
        return np.array([[q[0], -q[1], 0.0], [q[1], q[0], 0.0], [0.0, 0.0, 1.0]]), (
            0,
            0,
            0,
        )

    joint = kn.Joint(
        pose, 2, 1, turn, neutral=(1.0, 0.0), name="phasor",
        normalize=lambda q: (q[0] / np.hypot(q[0], q[1]), q[1] / np.hypot(q[0], q[1])),
    )  # fmt: skip
    (group,) = groups(kn.Model([kn.Body("a", None, joint, inertia=ROD)]), 1.0)
    q = group.position([0.7])
    assert np.allclose(q, (np.cos(0.7), np.sin(0.7)))
    assert np.allclose(group.values(q), 0.7)


def picture(model: kn.Model, q: object = None) -> Scene:
    return scene(model, poses(model, motion(model, q=q)))


def test_the_figure_of_a_pendulum_reaches_from_pin_to_tip() -> None:
    shown = picture(PENDULUM)
    bones = [p for p in shown.parts if p.layer == "visuals" and p.body == 1]
    low = min(part.corners[:, 2].min() for part in bones)
    assert low == pytest.approx(-1.0, abs=0.06)
    assert shown.ground < -1.99 and shown.shown == {"visuals", "inertia"}


def test_shapes_are_shown_as_they_are() -> None:
    red, box = (1.0, 0.0, 0.0, 1.0), shapes.Box((0.2, 0.2, 0.2))
    at = kn.SE3(p=(0.0, 0.0, 0.5))
    seen, plain = Shape(box, at, color=red), Shape(box, at)
    touched = (Shape(shapes.Plane()),)
    bodies = [
        kn.Body("a", None, kn.joints.Revolute("x"), inertia=ROD, visuals=(seen, plain)),
        kn.Body("b", "a", kn.joints.Revolute("x"), inertia=ROD, collisions=touched),
    ]
    shown = picture(kn.Model(bodies))
    first, second = (p for p in shown.parts if p.layer == "visuals")
    assert first.color == red and second.color == palette.of_depth(0)
    assert first.corners[:, 2].max() == pytest.approx(0.6)
    (floor,) = (p for p in shown.parts if p.layer == "collisions")
    assert floor.endless and floor.extent > shown.camera.radius
    assert shown.shown == {"visuals"} and shown.camera.radius < 1.5


def test_collisions_stand_in_for_visuals() -> None:
    ball = (Shape(shapes.Sphere(0.1)),)
    body = kn.Body("a", None, kn.joints.Free(), inertia=ROD, collisions=ball)
    layers = [part.layer for part in picture(kn.Model([body])).parts]
    assert layers.count("visuals") == layers.count("collisions") == 1


@pytest.mark.parametrize("name", robots.ROBOTS)
def test_the_camera_sees_all_of_a_robot(name: str) -> None:
    model = robots.robot(name)
    shown = picture(model)
    eye, R = shown.camera, towards(shown.camera.position - shown.camera.target)
    p = poses(model, motion(model)).p[0]
    x = (p - eye.position) @ R
    angle = np.arctan2(np.linalg.norm(x[:, :2], axis=1), -x[:, 2])
    assert angle.max() < 0.5 * eye.fov
    assert (p @ shown.up).min() > shown.ground


def test_up_is_against_gravity() -> None:
    model = PENDULUM.replace(gravity=(0.0, -9.81, 0.0))
    assert np.allclose(picture(model).up, (0.0, 1.0, 0.0))
    model = PENDULUM.replace(gravity=(0.0, 0.0, 0.0))
    assert np.allclose(picture(model).up, (0.0, 0.0, 1.0))


@pytest.mark.parametrize("size", [0.003, 0.7, 2.0, 55.0])
def test_cells_are_round_numbers(size: float) -> None:
    digits = cell(size) / 10.0 ** np.floor(np.log10(cell(size)) + 1e-9)
    assert round(digits, 9) in (1.0, 2.0, 5.0) and 6.0 <= size / cell(size) <= 15.1


def test_forces_balance_the_motion() -> None:
    """The joint of the root carries M (a_com - g); gravity adds up to the weight."""
    model = robots.robot("arm7")
    t = np.linspace(0.0, 1.0, 401)
    q = np.sin(np.outer(t, np.linspace(1.0, 3.0, model.nq)))
    moving = motion(model, (t, q))
    along = poses(model, moving)
    s = scale(model, 1.0)
    gravity, force, _ = arrows(model, moving, along, 1.0)
    mass = sum(b.rigid.mass for b in model.bodies)
    weight = mass * np.array(model.gravity)
    assert np.allclose(gravity.vectors.sum(axis=1) / s.force, weight)
    a = np.gradient(np.gradient(along.com, t, axis=0), t, axis=0)
    carried = force.vectors[:, 0] / s.force
    middle = slice(10, -10)
    assert np.abs(carried - (mass * a - weight))[middle].max() < 2e-3 * mass * 9.81
    assert np.allclose(force.points, along.p)


def test_applied_forces_are_drawn_in_the_world() -> None:
    frame = kn.Frame("tip", "lower", kn.SE3(kn.spatial.Rx(np.pi / 2).R, (0, 0, -1.0)))
    model = kn.Model(PENDULUM.bodies, [frame])
    f = {"tip": (0.0, 0.0, 0.0, 0.0, 0.0, 2.0)}
    still = motion(model, q=(0.0, 0.0), f_ext=f)
    along = poses(model, still)
    *_, force, moment = arrows(model, still, along, 1.0)
    assert force.layer == "applied forces"
    assert np.allclose(force.points[0], [[0.0, 0.0, -2.0]])
    expected = [[0.0, -2.0, 0.0]]
    assert np.allclose(force.vectors[0] / scale(model, 1.0).force, expected)
    assert not moment.vectors.any()


def test_a_missing_mesh_is_a_red_box_and_a_remark(tmp_path) -> None:  # type: ignore[no-untyped-def]
    lost = shapes.Mesh("package://robot/lost.stl")
    gone = shapes.Mesh("gone.stl", path=str(tmp_path / "gone.stl"))
    empty = tmp_path / "bad.stl"
    empty.write_bytes(b"solid nothing\nendsolid nothing\n")
    bad = shapes.Mesh("bad.stl", path=str(empty))
    visuals = tuple(Shape(mesh) for mesh in (lost, gone, bad))
    shown = picture(
        kn.Model([kn.Body("a", None, kn.joints.Free(), inertia=ROD, visuals=visuals)])
    )
    boxes = [part for part in shown.parts if part.layer == "visuals"]
    assert [part.color for part in boxes] == [palette.MISSING] * 3
    assert [remark.file for remark in shown.remarks] == [
        m.uri for m in (lost, gone, bad)
    ]
    assert "lost.stl: mesh: expected the file" in shown.remarks[0].reason
    assert "bad.stl" in shown.remarks[2].reason


def test_what_is_no_shape_is_told() -> None:
    body = kn.Body("a", None, kn.joints.Free(), inertia=ROD, visuals=("a photograph",))
    (remark,) = picture(kn.Model([body])).remarks
    assert str(remark) == "note: model: body 'a': a str is no Shape: not shown"


def test_meshes_are_read_scaled_and_coloured(tmp_path) -> None:  # type: ignore[no-untyped-def]
    trimesh = pytest.importorskip("trimesh")
    box = trimesh.creation.box((1.0, 2.0, 3.0))
    box.export(tmp_path / "box.stl")
    stl = shapes.Mesh("box.stl", (0.1, 0.1, -0.1), str(tmp_path / "box.stl"))
    (piece,) = pieces(stl, 1.0, [])
    assert volume(piece.surface) == pytest.approx(0.006) and piece.color is None
    (tmp_path / "box.mtl").write_text("newmtl blue\nKd 0.0 0.2 1.0\n")
    text = "mtllib box.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl blue\nf 1 2 3\n"
    (tmp_path / "box.obj").write_text(text)
    obj = shapes.Mesh("box.obj", path=str(tmp_path / "box.obj"))
    (piece,) = pieces(obj, 1.0, [])
    assert piece.color == pytest.approx((0.0, 0.2, 1.0, 1.0), abs=0.01)


def test_triangles_in_place() -> None:
    corners = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    faces = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
    mesh = shapes.Mesh("tetrahedron", (2.0, 1.0, 1.0), None, corners, faces)
    (piece,) = pieces(mesh, 1.0, [])
    assert volume(piece.surface) == pytest.approx(2.0 / 6.0)
    assert len(piece.surface.vertices) == 12
