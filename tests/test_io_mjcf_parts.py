"""The parts of the MJCF loader alone: classes, poses, limits, masses of solids."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import agreement_mujoco as agreement
import knuckle as kn
from knuckle.io.load import load
from knuckle.io.mjcf import extents, fitting, polyhedra
from knuckle.io.mjcf.classes import Classes
from knuckle.io.mjcf.poses import towards
from knuckle.io.mjcf.settings import Settings
from knuckle.io.xml import Element, parse
from knuckle.model import Box, Mesh
from knuckle.spatial import SE3, Inertia, euler
from mjcf_texts import HINGE, MASS, body, compiled, world
from test_io_mjcf import reasons

# -- classes -------------------------------------------------------------------------

NESTED = """
<mujoco>
  <default class="main"><joint damping="1" armature="1"/><geom size="1 2 3"/>
    <default class="a"><joint damping="2" axis="1 0 0"/>
      <default class="b"><joint axis="0 1 0"/><geom size="7"/></default></default>
    <default class="c"><joint armature="5"/></default>
  </default>
  <default><joint stiffness="9"/><default class="late"/></default>
  <joint/><joint class="a"/><joint class="b" damping="3"/><joint class="c"/>
  <joint class="late"/><geom class="b" size="4 5"/><geom class="b"/>
</mujoco>"""


def nested() -> tuple[Element, Classes]:
    root = parse(NESTED, "f.xml")
    return root, Classes(root.all("default"))


def seen(childclass: str | None) -> list[tuple[float, float, float, Any]]:
    """damping, armature, stiffness and axis of the five joints."""
    root, classes = nested()
    entries = [classes.entry(e, childclass) for e in root.all("joint")]
    names = ("damping", "armature", "stiffness")
    return [(*(e.number(n, 0.0) for n in names), e.numbers("axis", 3)) for e in entries]


def test_classes_inherit_what_was_said_before_them() -> None:
    assert seen(None) == [
        (1.0, 1.0, 9.0, None),
        (2.0, 1.0, 0.0, (1.0, 0.0, 0.0)),
        (3.0, 1.0, 0.0, (0.0, 1.0, 0.0)),
        (1.0, 5.0, 0.0, None),
        (1.0, 1.0, 9.0, None),
    ]


def test_a_childclass_serves_those_without_their_own_class() -> None:
    assert seen("b")[0] == (2.0, 1.0, 0.0, (0.0, 1.0, 0.0))
    assert seen("b")[1:] == seen(None)[1:]


def test_shorter_arrays_fill_up_from_behind() -> None:
    root, classes = nested()
    first, second = (classes.entry(e, None) for e in root.all("geom"))
    assert first.padded("size", (0.0, 0.0, 0.0)) == (4.0, 5.0, 3.0)
    assert second.padded("size", (0.0, 0.0, 0.0)) == (7.0, 2.0, 3.0)


def test_stating_what_the_class_says_is_stating_a_default() -> None:
    root, classes = nested()
    joint = root.all("joint")[2]
    entry = classes.entry(joint, "b")
    assert entry.number("damping") == 3.0
    assert not joint.states_default("damping")
    assert joint.states_default("class")
    same = parse('<joint damping="2.0"/>', "f.xml")
    assert classes.entry(same, "b").number("damping") == 2.0
    assert same.states_default("damping")


def test_a_kind_of_actuator_takes_from_others_what_all_have() -> None:
    head = (
        '<default><position kp="7" gear="3"/><tendon width="2" group="1"/>'
        '<default class="m"><motor ctrlrange="0 1"/></default></default>'
    )
    tail = (
        '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon><actuator>'
        '<motor joint="j" class="m"/><position joint="j" class="m"/></actuator>'
    )
    model = load(world(body(HINGE), head, tail))
    motor, servo = (dict(a.properties) for a in model.actuators)
    assert motor == {"transmission": "joint", "ctrlrange": (0.0, 1.0), "gear": 3.0}
    assert servo == {**motor, "kp": 7.0}
    assert dict(model.constraints[0].properties) == {
        "group": 1.0,
        "path": (("joint", (("joint", "j"), ("coef", 1.0))),),
    }
    peer = agreement.mujoco_file(model.to_mjcf())
    np.testing.assert_allclose(peer.actuator_gainprm[:, 0], (1.0, 7.0))
    assert any("width" in x for x in reasons(model, "note"))


def test_defaults_that_nobody_takes_are_in_the_report() -> None:
    head = '<default><default class="x"><joint armature="3"/></default></default>'
    told = reasons(load(world(body(HINGE), head)), "note")
    assert "nothing takes this default (0 elements and 1 attributes in it)" in told


# -- settings and poses --------------------------------------------------------------


def settings_of(text: str) -> Settings:
    root = parse(f"<mujoco>{text}</mujoco>", "f.xml")
    return Settings(root.all("compiler"), root.all("option"))


def test_the_last_of_several_settings_counts() -> None:
    text = compiled('angle="degree" meshdir="a"') + compiled('angle="radian"')
    settings = settings_of(text + '<option gravity="1 2 3"/><option timestep="1"/>')
    assert settings.radians(2.0) == 2.0
    assert settings.gravity == (1.0, 2.0, 3.0)
    assert settings.path("b.stl", "meshdir") == "a/b.stl"


@pytest.mark.parametrize(
    "said, expected",
    [
        ("", "d/m.stl"),
        ('meshdir="x/"', "x/d/m.stl"),
        ('assetdir="y"', "y/d/m.stl"),
        ('assetdir="y" meshdir="x"', "x/d/m.stl"),
        ('meshdir="x" strippath="true"', "x/m.stl"),
    ],
)
def test_files_are_named_from_the_main_file(said: str, expected: str) -> None:
    assert settings_of(compiled(said)).path("d/m.stl", "meshdir") == expected


@pytest.mark.parametrize("order", ["".join(x) for x in itertools.permutations("xyz")])
@pytest.mark.parametrize("upper", [False, True])
def test_euler_orders_are_those_of_scipy(order: str, upper: bool) -> None:
    """MJCF writes turning axes in lower case, SciPy in upper case."""
    angles = (0.3, -0.7, 1.1)
    text = order.upper() if upper else order
    settings = f'angle="radian" eulerseq="{text}"'
    place = f'euler="{" ".join(map(str, angles))}"'
    model = load(world(body(HINGE, place=place), compiled(settings)))
    turned = kn.interpret(kn.forward_kinematics, model)(np.zeros(1)).R[0]
    expected = euler.to_rotation(text.swapcase(), angles)
    np.testing.assert_allclose(turned, expected, atol=1e-15)


@pytest.mark.parametrize("z", [(0, 0, 1), (0, 0, -1), (0.6, 0, 0.8), (0, -1, 0)])
def test_the_smallest_turn_takes_z_there(z: tuple[float, ...]) -> None:
    R = np.array(towards(z).R, float)
    np.testing.assert_allclose(R[:, 2], z, atol=1e-15)
    np.testing.assert_allclose(0.5 * (np.trace(R) - 1.0), z[2], atol=1e-15)


# -- limits --------------------------------------------------------------------------

LIMITS = {
    'range="-90 45"': (-math.pi / 2, math.pi / 4),
    'range="-90 45" limited="true"': (-math.pi / 2, math.pi / 4),
    'range="-90 45" limited="false"': (-math.inf, math.inf),
    'range="0 0"': (-math.inf, math.inf),
    'type="slide" range="-90 45"': (-90.0, 45.0),
    "": (-math.inf, math.inf),
}


@pytest.mark.parametrize("said", LIMITS)
def test_ranges_limit_if_they_are_switched_on(said: str) -> None:
    joint = load(world(body(f"<joint {said}/>"))).joints[0].joint
    np.testing.assert_allclose((joint.lower[0], joint.upper[0]), LIMITS[said])


def test_without_autolimits_a_range_needs_a_switch() -> None:
    head = compiled('autolimits="false"')
    with pytest.raises(kn.LoadError, match="limited='true' or 'false' beside range"):
        load(world(body('<joint range="0 1"/>'), head))
    model = load(world(body('<joint range="0 1" limited="true"/>'), head))
    assert model.upper[0] == pytest.approx(math.pi / 180)


def test_limits_that_a_flag_disables_are_none() -> None:
    head = '<option><flag limit="disable" frictionloss="disable"/></option>'
    model = load(world(body('<joint range="0 1" frictionloss="2"/>'), head))
    assert (model.upper[0], model.friction[0]) == (math.inf, 0.0)


def test_what_limits_differ_here_is_told() -> None:
    ball = load(world(body('<joint type="ball" range="0 45"/>')))
    assert any("limit of a ball joint's angle" in x for x in reasons(ball, "warning"))
    pushed = load(world(body('<joint actuatorfrcrange="-1 3"/>')))
    assert pushed.effort_limit[0] == 3.0
    assert any("is not symmetric" in x for x in reasons(pushed, "warning"))


# -- names ---------------------------------------------------------------------------


def test_things_without_a_name_get_one_that_is_free() -> None:
    model = load(
        world(
            f'<body name="body_2">{MASS}<joint/><joint/><site/></body>'
            f"<body>{MASS}<joint/></body>"
        )
    )
    assert [b.name for b in model.bodies] == ["body_2:0", "body_2", "body_2_1"]
    assert [p.name for p in model.joints] == ["body_2:0", "body_2:1", "body_2_1"]
    assert [f.name for f in model.frames] == ["body_2:site"]


def test_actuators_find_the_frames_of_sites_that_were_renamed() -> None:
    tail = (
        '<tendon><spatial name="t"><site site="arm"/><site site="p"/></spatial>'
        '</tendon><actuator><motor site="arm"/></actuator>'
    )
    model = load(world(body(HINGE + '<site name="arm"/><site name="p"/>'), tail=tail))
    assert {f.name for f in model.frames} == {"arm_1", "p"}
    assert model.actuators[0].targets == ("arm_1",)
    assert model.constraints[0].between == ("arm_1", "p")


# -- masses --------------------------------------------------------------------------

SIZES = {
    "sphere": (0.3,),
    "capsule": (0.2, 0.4),
    "cylinder": (0.2, 0.4),
    "ellipsoid": (0.2, 0.3, 0.4),
    "box": (0.2, 0.3, 0.4),
}


def grid(kind: str, size: tuple[float, ...], n: int = 100) -> np.ndarray:
    """The midpoints of a fine grid that lie inside, for the upper half of x, y, z."""
    r, h, c = (*size, 0.0, 0.0)[:3]
    top = {"sphere": (r, r, r), "capsule": (r, r, h + r), "cylinder": (r, r, h)}
    edges = np.array(top.get(kind, (r, h, c)))
    x, y, z = np.meshgrid(*(e * (np.arange(n) + 0.5) / n for e in edges), indexing="ij")
    beyond = np.maximum(z - h, 0.0) if kind == "capsule" else 0.0
    inside = {
        "sphere": x * x + y * y + z * z < r * r,
        "capsule": x * x + y * y + beyond * beyond < r * r,
        "cylinder": x * x + y * y < r * r,
        "box": x < 2.0 * edges[0],
        "ellipsoid": (x / edges[0]) ** 2 + (y / edges[1]) ** 2 + (z / edges[2]) ** 2
        < 1,
    }[kind]
    points = np.stack([x, y, z], axis=-1)[inside]
    return np.concatenate(
        [points, np.full((len(points), 1), 8 * edges.prod() / n**3)], 1
    )


@pytest.mark.parametrize("kind", SIZES)
def test_solids_have_the_volume_and_moments_of_their_points(kind: str) -> None:
    volume, moments = extents.solid(kind, SIZES[kind])
    points = grid(kind, SIZES[kind])
    np.testing.assert_allclose(points[:, 3].sum(), volume, rtol=4e-3)
    squares = (points[:, :3] ** 2).mean(axis=0)
    np.testing.assert_allclose(squares.sum() - squares, moments, rtol=6e-3)


@pytest.mark.parametrize("kind", SIZES)
def test_shells_are_what_a_solid_gains_as_it_grows(kind: str) -> None:
    """d(V I / m) / dV for walls of even thickness; of ellipsoids not quite."""
    step, size = 1e-5, SIZES[kind]
    grows = 1 if kind == "capsule" else len(size)  # its length is that of the cylinder
    ends = [
        extents.solid(kind, tuple(x + s * (k < grows) for k, x in enumerate(size)))
        for s in (step, -step)
    ]
    (a, I), (b, J) = ends
    area, moments = extents.shell(kind, size)
    loose = 3e-2 if kind == "ellipsoid" else 1e-6
    np.testing.assert_allclose((a - b) / (2 * step), area, rtol=loose)
    gained = (a * np.array(I) - b * np.array(J)) / (a - b)
    np.testing.assert_allclose(gained, moments, rtol=1e-4)


def random_mesh(seed: int) -> tuple[np.ndarray, np.ndarray]:
    points = np.random.default_rng(seed).normal(size=(30, 3)) * (1.0, 2.0, 0.5) + 3.0
    return points, polyhedra.hull(points)


@pytest.mark.parametrize("rule", ["exact", "convex", "legacy"])
@pytest.mark.parametrize("seed", range(3))
def test_convex_meshes_weigh_what_trimesh_says(seed: int, rule: str) -> None:
    trimesh = pytest.importorskip("trimesh", reason="pip install trimesh")
    vertices, faces = random_mesh(seed)
    volume, unit = polyhedra.inertia(vertices, faces, rule)
    peer = trimesh.Trimesh(vertices, faces, process=False)
    assert peer.is_watertight and peer.volume > 0.0
    np.testing.assert_allclose(volume, peer.volume, rtol=1e-12)
    np.testing.assert_allclose(unit.com, peer.center_mass, rtol=1e-12)
    about_com = np.array(unit.I_com) * volume
    np.testing.assert_allclose(about_com, peer.moment_inertia, rtol=1e-9, atol=1e-12)


def test_shell_meshes_weigh_as_their_triangles() -> None:
    """Against one point in every triangle of a fine subdivision."""
    trimesh = pytest.importorskip("trimesh", reason="pip install trimesh")
    vertices, faces = random_mesh(0)
    area, unit = polyhedra.inertia(vertices, faces, "shell")
    fine = trimesh.Trimesh(vertices, faces, process=False)
    for _ in range(5):
        fine = fine.subdivide()
    weights, points = fine.area_faces, fine.triangles_center
    np.testing.assert_allclose(weights.sum(), area, rtol=1e-12)
    com = (weights[:, None] * points).sum(0) / area
    np.testing.assert_allclose(unit.com, com, rtol=1e-12)
    x = points - com
    second = np.einsum("n,ni,nj->ij", weights, x, x) / area
    expected = np.trace(second) * np.eye(3) - second
    np.testing.assert_allclose(np.array(unit.I_com), expected, rtol=2e-3, atol=1e-3)


def test_legacy_counts_hollows_as_mass() -> None:
    """A notch is added where an exact sum takes it away."""
    corners = [(0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0), (2, 2, 1), (2, 2, 3)]
    vertices = np.array(corners, float)
    sides = [(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]
    walls = [(0, 5, 1), (1, 5, 2), (2, 5, 3), (3, 5, 0)]
    faces = np.array([*sides, *walls])[:, ::-1]
    exact, _ = polyhedra.inertia(vertices, faces, "exact")
    np.testing.assert_allclose(exact, 16.0 * (3.0 - 1.0) / 3.0, rtol=1e-12)
    legacy, _ = polyhedra.inertia(vertices, faces, "legacy")
    assert legacy > exact + 1.0
    with pytest.raises(ValueError, match="a volume of -10.7 m"):
        polyhedra.inertia(vertices, faces[:, ::-1], "exact")


@pytest.mark.parametrize("points", [np.zeros((1, 3)), np.eye(3), np.zeros((9, 3))])
def test_points_without_a_hull_are_told(points: np.ndarray) -> None:
    with pytest.raises(ValueError, match="points without a convex hull"):
        polyhedra.hull(points)


def test_flat_meshes_are_told_with_their_place() -> None:
    flat = 'vertex="0 0 0 1 0 0 0 1 0 1 1 0" face="0 1 2 1 3 2"'
    head = f'<asset><mesh name="m" {flat}/></asset>'
    text = world(body(HINGE + '<geom type="mesh" mesh="m"/>', mass=""), head)
    with pytest.raises(kn.LoadError, match=r"mesh 'm': expected a mesh with a volume"):
        load(text)
    shell = load(text.replace("<mesh", '<mesh inertia="shell"'))
    np.testing.assert_allclose(shell.bodies[0].rigid.mass, 1000.0)


def test_a_fitted_box_has_the_inertia_of_its_mesh() -> None:
    size = (0.4, 0.6, 1.0)
    solid = kn.spatial.solids.box(size, mass=1.0)
    turned = Inertia(1.0, (1.0, 2.0, 3.0), solid.I_com, SE3(towards((0.6, 0, 0.8)).R).R)
    frame, box = fitting.principal(turned)
    np.testing.assert_allclose(2.0 * np.array(box), size, rtol=1e-12)
    np.testing.assert_allclose(frame.p, (1.0, 2.0, 3.0))
    np.testing.assert_allclose(np.linalg.det(np.array(frame.R, float)), 1.0)


def test_meshes_keep_their_names_and_scales() -> None:
    head = (
        '<compiler meshdir="assets"/><default><mesh scale="2 2 2"/></default>'
        '<asset><mesh file="part.stl"/></asset>'
    )
    model = load(world(body(HINGE + '<geom type="mesh" mesh="part"/>'), head))
    (shape,) = model.body("arm").visuals
    assert shape.geometry == Mesh("assets/part.stl", (2.0, 2.0, 2.0))


def test_classes_may_place_geoms_between_two_points() -> None:
    head = (
        '<default><geom type="box" size=".1" fromto="0 0 0 0 0 2" rgba="1 0 0 1"/>'
        "</default>"
    )
    model = load(world(body(f"{HINGE}<geom/>", mass=""), head))
    (shape,) = model.body("arm").visuals
    assert shape.geometry == Box((0.2, 0.2, 2.0))
    assert shape.placement.p == (0.0, 0.0, 1.0)
    np.testing.assert_allclose(model.bodies[0].rigid.mass, 1000.0 * 0.2 * 0.2 * 2.0)


# -- attachments ---------------------------------------------------------------------


def test_what_nobody_attaches_is_told(tmp_path: Any) -> None:
    second = body(HINGE.replace('"j"', '"k"'), "b")
    other = world(body(HINGE, "a") + second + '<geom size="1"/>')
    (tmp_path / "other.xml").write_text(other)
    main = tmp_path / "main.xml"
    main.write_text(
        world(
            '<attach model="o" body="b" prefix="p/"/>',
            '<asset><model name="o" file="other.xml"/></asset>',
        )
    )
    model = load(main)
    assert [b.name for b in model.bodies] == ["p/b"]
    told = [r for r in model.report if r.reason.startswith("nobody attaches this")]
    assert [r.element.rpartition("/")[2] for r in told] == ["body 'a'", "geom"]
    assert not reasons(model, "warning")
    assert {r.file for r in told} == {"other.xml"}


# -- names and data beside MuJoCo's own ------------------------------------------------


def test_replicas_in_replicas_are_called_as_mujoco_calls_them() -> None:
    text = world(
        '<replicate count="2" sep="-" offset="1 0 0"><body name="a">'
        f'{MASS}<joint name="j"/><replicate count="11" sep="+" euler="0 0 10">'
        f'<body name="b" pos="1 0 0">{MASS}<joint name="k"/><site name="s"/></body>'
        "</replicate></body></replicate>"
    )
    model, peer = load(text), agreement.mujoco_file(text)
    names = [peer.body(k).name for k in range(1, peer.nbody)]
    assert [b.name for b in model.bodies] == names
    joints = [peer.joint(k).name for k in range(peer.njnt)]
    assert [p.name for p in model.joints] == joints
    assert [f.name for f in model.frames] == [
        peer.site(k).name for k in range(peer.nsite)
    ]


TRANSMISSIONS = {
    'joint="j"': ("j",),
    'jointinparent="j"': ("j",),
    'tendon="t"': ("t",),
    'site="p" refsite="q"': ("p", "q"),
    'cranksite="p" slidersite="q" cranklength="1"': ("p", "q"),
}


@pytest.mark.parametrize("said", TRANSMISSIONS)
def test_actuators_keep_what_they_act_through(said: str) -> None:
    tail = (
        '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>'
        f'<actuator><general name="m" {said} gainprm="2 3"/></actuator>'
    )
    sites = '<site name="p"/><site name="q" pos="0 0 1"/>'
    text = world(body(HINGE + sites), tail=tail)
    (motor,) = load(text).actuators
    assert set(motor.targets) == set(TRANSMISSIONS[said])
    assert dict(motor.properties)["gainprm"] == (2.0, 3.0)
    again = agreement.mujoco_file(load(text).to_mjcf())
    expected = agreement.mujoco_file(text)
    np.testing.assert_array_equal(again.actuator_trntype, expected.actuator_trntype)
    np.testing.assert_array_equal(again.actuator_trnid, expected.actuator_trnid)


def test_armature_of_actuators_on_tendons_is_told() -> None:
    tail = (
        '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>'
        '<actuator><motor tendon="t" armature="2"/></actuator>'
    )
    told = reasons(load(world(body(HINGE), tail=tail)), "error")
    assert any("modelled on hinges and slides alone" in x for x in told)


def test_equalities_keep_their_numbers() -> None:
    tail = (
        '<equality><weld name="w" site1="p" site2="q" torquescale="2"/>'
        '<connect body1="arm" anchor="1 2 3" active="false" solref=".1 1"/></equality>'
    )
    sites = '<site name="p"/><site name="q" pos="0 0 1"/>'
    weld, ball = load(world(body(HINGE + sites), tail=tail)).constraints
    assert (weld.name, weld.kind, weld.between) == ("w", "weld", ("p", "q"))
    assert dict(weld.properties)["torquescale"] == 2.0
    assert (ball.name, ball.between) == ("connect_1", ("arm",))
    kept = {"ends": "body1", "anchor": (1.0, 2.0, 3.0), "active": "false"}
    assert dict(ball.properties) == {**kept, "solref": (0.1, 1.0)}


def test_mocap_bodies_stand_and_say_so() -> None:
    model = load(world('<body name="hand" mocap="true" pos="1 2 3"/>'))
    assert model.body("hand").placement.p == (1.0, 2.0, 3.0)
    assert reasons(model, "warning") == ["mocap: held where the file puts it"]


def test_moments_that_no_body_has_are_kept_and_told() -> None:
    flat = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 5"/>'
    model = load(world(body(HINGE, mass=flat)))
    assert any("no body has this inertia" in x for x in reasons(model, "warning"))
    np.testing.assert_allclose(
        np.diag(np.array(model.bodies[0].rigid.I_com)), (1, 1, 5)
    )


GRID = {"1 2 3 4 5 6": (2, 3), "7 7 7 7": (2, 2)}


@pytest.mark.parametrize("heights", GRID)
def test_height_fields_start_at_zero_and_end_at_their_size(heights: str) -> None:
    rows, columns = GRID[heights]
    head = (
        f'<asset><hfield name="h" nrow="{rows}" ncol="{columns}" size="1 2 3 .1" '
        f'elevation="{heights}"/></asset>'
    )
    model = load(world('<geom type="hfield" hfield="h"/>', head))
    field = model.body("worldbody").collisions[0].geometry
    assert isinstance(field, kn.model.HeightField)
    assert np.array(field.heights).shape == (rows, columns)
    top = 3.0 if len(set(heights.split())) > 1 else 0.0
    assert (np.min(field.heights), np.max(field.heights)) == (0.0, top)


def test_height_fields_of_other_counts_are_faults() -> None:
    head = (
        '<asset><hfield name="h" nrow="2" ncol="2" size="1 2 3 .1" elevation="1 2 3"/>'
        "</asset>"
    )
    with pytest.raises(kn.LoadError, match=r"nrow \* ncol = 4 heights .*, got 3"):
        load(world('<geom type="hfield" hfield="h"/>', head))
