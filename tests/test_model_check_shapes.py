"""The rules of model.check() on shapes, names, data and the loader's report."""

import dataclasses
import json
import math

import numpy as np
import pytest

from knuckle.joints import Fixed, Free, Revolute
from knuckle.model import (
    Actuator,
    Body,
    Box,
    Capsule,
    Constraint,
    Cylinder,
    Ellipsoid,
    Frame,
    Mesh,
    Model,
    Plane,
    Remark,
    Shape,
    Sphere,
)
from knuckle.model.check import SEVERITIES, sizes
from knuckle.spatial import Inertia, Rx, Rz, Tx, Tz, solids

BLOCK = (0.2, 0.3, 0.4)
BRICK = (Box(BLOCK),)
CUBE = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
FACES = ((0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
         (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3))  # fmt: skip


def link(name="a", parent=None, inertia=None, shapes=BRICK, **more):
    """A brick of 1000 kg/m^3, unless told otherwise."""
    inertia = inertia or solids.box(BLOCK, density=1000.0)
    shapes = tuple(x if isinstance(x, Shape) else Shape(x) for x in shapes)
    more.setdefault("joint", Revolute("x"))
    return Body(name, parent, inertia=inertia, collisions=shapes, **more)


def findings(*bodies, **more):
    return [str(f) for f in Model(list(bodies), **more).check()]


def only(found, text):
    assert len(found) == 1 and text in found[0], found
    return True


def volume(body):
    return next(sizes.volumes(body), None)


def corners(body):
    return next(sizes.outlines(body))


# -- sizes -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "shape, solid",
    [
        (Box(BLOCK), solids.box(BLOCK, density=1.0)),
        (Sphere(0.3), solids.sphere(0.3, density=1.0)),
        (Cylinder(0.1, 0.7), solids.cylinder(0.1, 0.7, density=1.0)),
        (Capsule(0.1, 0.7), solids.capsule(0.1, 0.7, density=1.0)),
        (Ellipsoid((0.1, 0.2, 0.3)), solids.ellipsoid((0.1, 0.2, 0.3), density=1.0)),
    ],
)
def test_volumes_are_those_of_the_solids_and_boxes_hold_them(shape, solid):
    body = link(shapes=[Shape(shape, Rx(0.3) * Tz(0.2))])
    assert volume(body) == pytest.approx(solid.mass, rel=1e-14)
    box = corners(body) @ np.array(Rx(0.3).R) - (0, 0, 0.2)
    half = box.max(axis=0)
    assert np.allclose(box.min(axis=0), -half)
    moments = np.diag(np.array(solid.I_com, float)) / solid.mass
    squares = 0.5 * moments.sum() - moments  # mean of x^2, y^2, z^2 over the solid
    assert np.all(squares < half**2) and np.all(squares > 0.15 * half**2)


def test_a_closed_mesh_has_a_volume_and_an_open_one_has_none():
    cube = Mesh("cube", (2.0, 1.0, 0.5), vertices=CUBE, faces=FACES)
    assert volume(link(shapes=[cube])) == pytest.approx(1.0, rel=1e-14)
    low, high = (f(corners(link(shapes=[cube])), axis=0) for f in (np.min, np.max))
    assert low.tolist() == [0, 0, 0] and high.tolist() == [2, 1, 0.5]
    lid = Mesh("open", vertices=CUBE, faces=FACES[1:])
    assert volume(link(shapes=[lid])) is None
    assert volume(link(shapes=[Mesh("not/there.stl")])) is None
    assert len(corners(link(shapes=[Mesh("not/there.stl"), Plane()]))) == 0
    assert volume(link(shapes=[])) is None


# -- mass against shape ----------------------------------------------------------------


def test_a_sound_brick_gives_nothing():
    assert findings(link()) == []
    assert findings(link(), link("b", "a", placement=Tz(0.4))) == []


@pytest.mark.parametrize(
    "density, said", [(0.5, "lighter than foam"), (1e5, "denser than any metal")]
)
def test_densities_no_solid_has(density, said):
    brick = solids.box(BLOCK, density=density)
    assert only(findings(link(inertia=brick)), f"{density:.3g} kg/m^3, {said}")
    assert findings(link(inertia=brick, shapes=[Plane()])) == []


def test_shapes_in_millimetres():
    found = findings(link(shapes=[Box((200.0, 300.0, 400.0))]))
    assert only(found, "check the units of mass and of the shapes (mm or m)")
    found = findings(link(shapes=[Box((2e-4, 3e-4, 4e-4))]))
    assert any("denser than any metal" in f for f in found)


def test_visuals_must_agree_that_a_body_is_odd():
    points = [Shape(Sphere(0.001), Tx(x)) for x in (-0.002, 0.002)]
    foot = link(shapes=points)
    assert len(findings(foot)) == 2
    shod = dataclasses.replace(foot, visuals=(Shape(Box(BLOCK)),))
    assert findings(shod) == []
    unread = dataclasses.replace(foot, visuals=(Shape(Mesh("not/there.stl")),))
    assert findings(unread) == []


def test_meshes_are_read_from_their_files(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    path = str(tmp_path / "box.stl")
    trimesh.creation.box(BLOCK).export(path)
    brick = Mesh("box.stl", (1.0, 1.0, 2.0), path)
    body = link(shapes=[brick])
    assert volume(body) == pytest.approx(2.0 * math.prod(BLOCK), rel=1e-6)
    assert np.allclose(corners(body).max(axis=0), (0.1, 0.15, 0.4))
    light = link(inertia=solids.box(BLOCK, density=0.5), shapes=[brick])
    assert only(findings(light), "lighter than foam")
    (tmp_path / "bad.stl").write_bytes(b"solid nothing at all")
    assert sizes.triangles(Mesh("bad.stl", path=str(tmp_path / "bad.stl"))) is None


def test_a_com_outside_the_shapes():
    away = solids.box(BLOCK, density=1000.0, at=Tx(1.0))
    assert only(findings(link(inertia=away)), "its com lies 0.9 m outside its shapes")
    near = solids.box(BLOCK, density=1000.0, at=Tx(0.4))
    assert findings(link(inertia=near)) == []


def test_a_placeholder_inertia():
    found = findings(link(inertia=Inertia(1.0, (0, 0, 0), (1.0, 1.0, 1.0))))
    assert only(found, "a radius of gyration of 1 m, and its shapes end 0.269 m from")
    assert "a placeholder such as (1, 1, 1)" in found[0]


def test_a_plate_without_thickness():
    plate = Inertia(1.0, (0, 0, 0), (0.01, 0.02, 0.03))
    found = findings(link(inertia=plate))
    assert only(
        found, "its principal moments are 0.01 + 0.02 = 0.03 kg m^2, those of a"
    )
    rod = solids.rod(0.3, mass=1.0)
    assert findings(link(inertia=rod)) == []


def test_inertias_that_differ_along_the_tree():
    dust = Inertia(4e-3, (0, 0, 0), (1e-10, 1e-10, 1e-10))
    found = findings(link(shapes=()), link("b", "a", dust, ()))
    assert only(
        found, "its largest moment 1e-10 kg m^2 and 0.5 kg m^2 of 'a', which car"
    )
    assert "differ by more than 1e+08" in found[0]
    imu = Inertia(1e-4, (0, 0, 0), (1e-12, 1e-12, 1e-12))
    assert findings(link(), link("imu", "a", imu, (), joint=Fixed())) == []


def test_places_far_from_their_body():
    far = findings(link(), link("b", "a", placement=Tz(400.0)))
    assert only(far, "joint 'b': it sits 400 m from the origin of 'a', whose mass and")
    frames = Frame("tool", "a", Tz(100.0)), Frame("sun", None, Tz(1e9))
    found = findings(link(), frames=frames)
    assert only(found, "frame 'tool': it sits 100 m from the origin of 'a'")
    assert findings(link(), frames=[Frame("camera", "a", Tz(2.0))]) == []


# -- names, data, report ---------------------------------------------------------------


def test_names_that_are_nearly_the_same():
    found = findings(link("Arm"), link("arm", "Arm"))
    assert any(
        "note: body 'arm': it differs from 'Arm' by capitals" in f for f in found
    )
    twice = [Actuator("m", "motor", ("a",)), Actuator("m", "motor", ("a",))]
    assert only(
        findings(link(), actuators=twice), "actuator 'm': the name occurs 2 time"
    )


def test_references_to_nothing():
    found = findings(link("arm"), actuators=[Actuator("m", "motor", ("amr",))])
    assert only(
        found, "warning: actuator 'm': its targets name 'amr', which nothing of"
    )
    assert "did you mean 'arm'?" in found[0]
    found = findings(link("arm"), constraints=[Constraint("c", "weld", ("arm", "leg"))])
    assert only(found, "warning: weld 'c': its between name 'leg'")
    wraps = Constraint("t", "spatial tendon", ("arm", "hull"))
    round_hull = link("arm", shapes=[Shape(Box(BLOCK), name="hull")])
    assert findings(round_hull, constraints=[wraps]) == []
    world = Constraint("c", "weld", ("arm", "world"))
    assert findings(link("arm"), constraints=[world]) == []


def test_two_mechanisms_on_the_world():
    found = findings(link("a"), link("b"))
    assert only(found, "note: world: 2 mechanisms stand on it, not connected: 'a', 'b'")
    assert findings(link("a"), link("table", joint=Fixed())) == []


def test_configurations_off_the_manifold_and_beyond_limits():
    hinge = Revolute("x", lower=-1, upper=1)
    bodies = link("a", joint=Free()), link("b", "a", joint=hinge, placement=Tz(0.4))
    good = {"home": [0, 0, 0, 1, 0, 0, 0, 0.5]}
    assert findings(*bodies, configurations=good) == []
    bad = {"home": [0, 0, 0, 1, 0, 0, 0, 2.0], "off": [0, 0, 0, 1, 1, 0, 0, 0.5]}
    found = findings(*bodies, configurations=bad)
    assert len(found) == 2
    assert "'home': it has joint 'b' at 2, outside its limits [-1, 1]" in found[0]
    assert "configuration 'off': q, joint 'a': expected a unit quaternion" in found[1]


def test_limits_of_zero():
    still = Revolute("x", velocity_limit=0.0)
    found = findings(link(joint=still))
    assert only(
        found, "note: joint 'a': its velocity limit is 0, so that it may not move"
    )
    weak = Revolute("x", effort_limit=0.0)
    assert only(
        findings(link(joint=weak)), "its effort limit is 0, so that it may not be"
    )


def test_a_position_at_which_the_mass_matrix_is_singular():
    tiny = Inertia(1e-9, (0, 0, 0), (1e-14, 1e-14, 1e-14))
    rail = link("rail", inertia=tiny, shapes=(), joint=Revolute("z"))
    mass = Inertia(1.0, (0, 0, 0), (1e-14, 1e-14, 1e-14))
    swing = link("bob", "rail", mass, (), joint=Revolute("x"), placement=Tz(0.0))
    ball = Body("tip", "bob", Fixed(), Tz(1.0), Inertia(1.0, (0, 0, 0), (0, 0, 0)))
    found = findings(rail, swing, ball)
    assert any(
        "at the position 'neutral'" in f and "moves no inertia" in f for f in found
    )
    turned = Rz(0.3) * Rx(math.pi / 2)
    up = link("bob", "rail", mass, (), joint=Revolute("x"), placement=turned)
    assert not any("position" in f for f in findings(rail, up, ball))


def test_what_a_loader_corrected_is_a_finding():
    remarks = [
        Remark("error", "arm.urdf", 7, "joint 'b'/mimic", "loaded as independent"),
        Remark("warning", "arm.urdf", 9, "joint 'c'/axis", "axis of length 2 scaled"),
        Remark(
            "warning", "arm.urdf", 9, "joint 'c'/limit", "lower above upper: swapped"
        ),
        Remark("warning", "arm.urdf", 9, "joint 'c'/limit", "k='1': unknown, ignored"),
        Remark("warning", "arm.urdf", 9, "robot/gazebo", "the plugin is ignored"),
        Remark("note", "arm.urdf", 9, "joint 'c'/axis", "a note"),
    ]
    found = Model([link()], report=remarks).check()
    assert [f.severity for f in found] == ["error", "warning", "warning"]
    text = "error: arm.urdf:7: joint 'b'/mimic: loaded as independent; model.report"
    assert str(found[0]).startswith(text)
    assert "arm.urdf:9: joint 'c'/axis: axis of length 2 scaled; wri" in str(found[1])


def test_findings_as_json_worst_first():
    light = solids.box(BLOCK, density=0.1)
    still = Revolute("x", velocity_limit=0.0)
    remark = Remark("error", "f", 1, "e", "r")
    found = Model([link(inertia=light, joint=still)], report=[remark]).check()
    data = json.loads(json.dumps([f.to_dict() for f in found]))
    assert [d["severity"] for d in data] == list(SEVERITIES)
    assert set(data[0]) == {"severity", "place", "message", "repair"}
