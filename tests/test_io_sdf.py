"""SDF: poses, joints and nested models as Drake and the specification have them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import drake_peer
import knuckle as kn
from knuckle.model import Capsule, Constraint, Cylinder, Ellipsoid, Plane

HERE = Path(__file__).parent
FILES = HERE / "files"
ROBOTS = HERE.parent / "benchmarks" / "models"
MASS = "<inertial><mass>2</mass></inertial>"


def link(name: str, inside: str = MASS, pose: str = "0 0 0 0 0 0") -> str:
    return f'<link name="{name}"><pose>{pose}</pose>{inside}</link>'


def joint(
    kind: str, inside: str = "", parent: str = "a", child: str = "b", name: str = "j"
) -> str:
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def axis(inside: str = "", tag: str = "axis") -> str:
    return f"<{tag}><xyz>0 1 0</xyz>{inside}</{tag}>"


def model(*parts: str, version: str = "1.10", name: str = "m") -> str:
    inside = "".join(parts)
    return f'<sdf version="{version}"><model name="{name}">{inside}</model></sdf>'


def pair(kind: str, inside: str = "", version: str = "1.10") -> str:
    return model(
        link("a"), link("b", pose="0 0 1 0.5 0 0"), joint(kind, inside), version=version
    )


def reasons(found: kn.Model) -> list[str]:
    return [f"{r.severity}: {r.reason}" for r in found.report]


@pytest.mark.parametrize("file", [ROBOTS / "quad18.sdf", FILES / "frames.sdf"])
def test_poses_and_dynamics_agree_with_drake(file: Path) -> None:
    text = file.read_text()
    ours, plant = kn.load(text), drake_peer.plant_of(text)
    assert ours.nv == plant.num_velocities() and not ours.report
    for seed in range(2):
        found = drake_peer.deviations(ours, plant, np.random.default_rng(seed))
        assert max(found.values()) < 1e-12, found


@pytest.mark.parametrize("name", ["arm7", "quad18", "hum38"])
def test_the_same_robot_as_urdf(name: str) -> None:
    """Bodies by name: SDF has lumped the links that do not move."""
    sdf = kn.load(ROBOTS / f"{name}.sdf")
    root = "auto" if name == "arm7" else "floating"
    urdf = kn.load(ROBOTS / f"{name}.urdf", root)
    joints = [p.name for p in sdf.joints if p.joint.nv == 1]
    assert joints == [p.name for p in urdf.joints if p.joint.nv == 1]
    q = urdf.random(np.random.default_rng(0))
    a, b = (kn.interpret(kn.mass_matrix, m)(q) for m in (sdf, urdf))
    assert np.allclose(a, b, rtol=0, atol=1e-12)


def test_passive_forces_and_limits() -> None:
    inside = axis(
        "<dynamics><damping>1</damping><friction>2</friction><spring_stiffness>3"
        "</spring_stiffness><spring_reference>4</spring_reference></dynamics><limit>"
        "<lower>-1e16</lower><upper>2</upper><effort>-1</effort><velocity>5</velocity>"
        "</limit>"
    )
    found = kn.load(pair("revolute", inside))
    place = found.joint("j")
    names = ("damping", "friction", "stiffness", "lower", "upper", "effort_limit")
    values = [getattr(place.joint, name) for name in (*names, "velocity_limit", "rest")]
    expected = [1.0, 2.0, 3.0, -math.inf, 2.0, math.inf, 5.0, 4.0]
    assert [v[0] for v in values] == expected and not found.report


@pytest.mark.parametrize(
    ("tag", "value", "per_radian"),
    [("screw_thread_pitch", 0.02, 0.02 / (2 * math.pi)), ("thread_pitch", -50, 0.02)],
)
def test_the_two_pitches_of_a_screw(tag: str, value: float, per_radian: float) -> None:
    found = kn.load(pair("screw", axis() + f"<{tag}>{value}</{tag}>"))
    assert np.allclose(found.joint("j").joint.pose([1.0]).p, (0.0, per_radian, 0.0))


@pytest.mark.parametrize(
    ("version", "inside", "in_model"),
    [
        ("1.4", "", True),
        ("1.5", "", False),
        ("1.6", "<use_parent_model_frame>1</use_parent_model_frame>", True),
        ("1.6", "<use_parent_model_frame>false</use_parent_model_frame>", False),
        ("1.7", "", False),
    ],
)
def test_the_frame_of_an_axis_follows_the_version(
    version: str, inside: str, in_model: bool
) -> None:
    found = kn.load(pair("prismatic", axis(inside), version))
    moved = found.joint("j").joint.pose([1.0]).p
    c, s = math.cos(0.5), math.sin(0.5)
    assert np.allclose(moved, (0.0, c, -s) if in_model else (0.0, 1.0, 0.0))


def test_roots_are_free_unless_static_or_tied() -> None:
    free = kn.load(model(link("a", pose="1 2 3 0 0 0")))
    assert free.nv == 6 and free.bodies[0].placement.p == (1.0, 2.0, 3.0)
    assert kn.load(model("<static>1</static>", link("a"))).nv == 0
    assert kn.load(model(link("a"), joint("fixed", "", "world", "a"))).nv == 0
    assert kn.load(model(link("a")), root="fixed").nv == 0
    tied = model(link("a"), joint("fixed", "", "world", "a"))
    assert kn.load(tied, root="floating").nv == 6


def test_a_world_has_gravity_and_names_by_model() -> None:
    inner = model(link("a"))[len('<sdf version="1.10">') : -len("</sdf>")]
    frame = '<frame name="f"><pose>1 0 0 0 0 0</pose></frame>'
    text = f'<sdf version="1.9"><world name="w">{inner}{frame}</world></sdf>'
    found = kn.load(text)
    assert found.gravity == (0.0, 0.0, -9.8) and found.bodies[0].name == "m::a"
    assert found.frame("f").body is None and found.frame("f").placement.p[0] == 1.0
    moon = text.replace("<model", "<gravity>0 0 -1.6</gravity><model", 1)
    assert kn.load(moon).gravity == (0.0, 0.0, -1.6)
    assert kn.load(model(link("a"))).gravity == (0.0, 0.0, -9.81)


def test_loops_gears_and_mimics_are_data() -> None:
    loop = joint("ball", "", "c", "b", name="k")
    found = kn.load(
        model(link("a"), link("b"), link("c"), joint("continuous", axis()), loop,
              joint("continuous", axis(), "a", "c", name="l"))
    )  # fmt: skip
    (kept,) = found.constraints
    assert (kept.name, kept.kind, kept.between) == ("k", "loop", ("c", "b"))
    assert "error: joint 'k' closes a loop at 'b': data" in reasons(found)[0]
    mimic = '<mimic joint="x"><multiplier>2</multiplier></mimic>'
    found = kn.load(pair("continuous", axis(mimic)))
    law = (("multiplier", 2.0), ("offset", 0.0), ("reference", 0.0))
    axes = ("axes", ("axis", "axis"))
    assert found.constraints == (Constraint("j", "mimic", ("j", "x"), (*law, axes)),)
    gear = joint("gearbox", "<gearbox_ratio>3</gearbox_ratio>", name="g")
    found = kn.load(model(link("a"), link("b"), joint("continuous", axis()), gear))
    assert found.constraints[0].kind == "gearbox" and found.nv == 7


def test_a_cycle_of_joints_leaves_one_free_link() -> None:
    found = kn.load(
        model(link("a"), link("b"), joint("continuous", axis()),
              joint("continuous", axis(), "b", "a", name="k"))
    )  # fmt: skip
    assert found.nv == 7 and [c.name for c in found.constraints] == ["k"]


def test_a_joint_to_what_does_not_move_is_a_loop() -> None:
    fast = f'<model name="n"><static>1</static>{link("c")}</model>'
    found = kn.load(model(link("a"), fast, joint("ball", "", "a", "n::c")))
    assert found.nv == 6 and [c.kind for c in found.constraints] == ["loop"]
    hung = kn.load(model(link("a"), fast, joint("ball", "", "n::c", "a")))
    assert hung.nv == 3 and hung.body("a").parent == "n::c"


def test_shapes() -> None:
    sizes = {
        "<cylinder><radius>1</radius><length>2</length></cylinder>": Cylinder(1.0, 2.0),
        "<capsule><radius>1</radius><length>2</length></capsule>": Capsule(1.0, 2.0),
        "<ellipsoid><radii>1 2 3</radii></ellipsoid>": Ellipsoid((1.0, 2.0, 3.0)),
        "<plane><normal>0 1 0</normal><size>3 4</size></plane>": Plane((3.0, 4.0)),
    }
    for text, shape in sizes.items():
        look = "<material><diffuse>1 0 0 0.5</diffuse></material>"
        inside = f'<visual name="v"><geometry>{text}</geometry>{look}</visual>'
        (seen,) = kn.load(model(link("a", MASS + inside))).bodies[0].visuals
        assert seen.geometry == shape and seen.color == (1.0, 0.0, 0.0, 0.5)
        assert seen.properties == (("material", (("diffuse", "1 0 0 0.5"),)),)
    assert np.allclose([row[2] for row in seen.placement.R], (0.0, 1.0, 0.0))


def include(inside: str, folder: Path = FILES / "models") -> kn.Model:
    text = model(link("a"), f"<include>{inside}</include>")
    return kn.load(text, package_dirs=[folder])


def test_included_models() -> None:
    found = include("<uri>model://rod</uri>")
    assert [b.name for b in found.bodies] == ["a", "rod::bar"]
    assert found.body("rod::bar").placement.p == (0.0, 0.0, 5.0)
    assert found.frame("rod::end").placement.p == (0.0, 0.0, 1.0)
    assert "rod/model.sdf" in {r.file for r in found.report}.pop()
    pose = "<pose>1 0 0 0 0 0</pose><placement_frame>end</placement_frame>"
    found = include(f"<uri>rod/model.sdf</uri><name>b</name>{pose}<static>1</static>")
    assert found.body("b::bar").placement.p == (1.0, 0.0, -1.0) and found.nv == 6
    told = [r for r in reasons(found) if "<include>" in r]
    assert told == [
        'note: name="rod": the <include> gives it another name',
        "note: it has no effect here, or the pose of an <include> counts",
    ]
    merged = model(link("a"), '<include merge="1"><uri>rod</uri></include>',
                   joint("fixed", "", "a", "bar"))  # fmt: skip
    found = kn.load(merged, package_dirs=[FILES / "models"])
    assert [b.name for b in found.bodies] == ["a", "bar"]


def test_automatic_inertia_fills_the_collision_shapes() -> None:
    box = "<geometry><box><size>1 2 3</size></box></geometry>"
    ball = "<geometry><sphere><radius>1</radius></sphere></geometry>"
    inside = (
        '<inertial auto="true"><density>10</density></inertial><collision name="a">'
        f'<pose>1 0 0 0.1 0.2 0.3</pose>{box}</collision><collision name="b"><density>'
        f"20</density>{ball}</collision>"
    )
    found = kn.load(model(link("a", inside)))
    at = found.bodies[0].collisions[0].placement
    solids = kn.spatial.solids
    expected = solids.box((1, 2, 3), density=10, at=at) + solids.sphere(1, density=20)
    assert np.allclose(found.bodies[0].inertia.entries, expected.entries)
    mesh = "<geometry><mesh><uri>none.stl</uri></mesh></geometry>"
    found = kn.load(model(link("a", inside.replace(ball, mesh))))
    told = [r for r in reasons(found) if r.startswith("error: auto: shape 'b' adds no")]
    assert len(told) == 1 and "expected the file, got none that was found" in told[0]


BAD = [
    ('<sdf version="3.0"><model name="m"/></sdf>', "expected a version such as 1.9"),
    ("<sdf/>", "sdf: expected an attribute 'version', got none"),
    ('<sdf version="1.9"/>', "expected a <world> or a <model>, got none"),
    (pair("hinge"), "expected a type of joint that SDF has, got 'hinge'"),
    (pair("revolute"), "expected an <axis>, got none; add <axis><xyz>"),
    (pair("revolute", "<axis><xyz>0 0 0</xyz></axis>"), "expected an axis, got 0 0 0"),
    (pair("revolute", axis("<limit><lower>nan</lower></limit>")),
     "limit/lower: expected 1 number in text, got 'nan'"),
    (model(link("a"), link("b"), joint("fixed", "", "c")),
     "joint 'j'/parent: expected the name of a frame, got 'c'"),
    (model(link("a"), joint("fixed", "", "a", "world")),
     "joint 'j'/child: expected the name of a link, got 'world', or what is"),
    (model(link("a"), link("a")), "a name that occurs once in its scope, got 'a'"),
    (model(link("a", "<inertial><mass>-1</mass></inertial>")), "got -1 kg"),
    (model(link("a"), '<frame name="f"><pose relative_to="g"/></frame>'
           '<frame name="g"><pose relative_to="f"/></frame>'),
     "expected poses relative to one another without a cycle, got one at 'f'"),
    (model(link("a"), '<frame name="f" attached_to="g"/><frame name="g" '
           'attached_to="f"/>'), "expected frames attached to links, got a cycle at"),
    (model(link("a", MASS, "1 2 3")), "expected 6 numbers in text, got '1 2 3'"),
    (model(link("a"), "<static>maybe</static>"), "expected true, false, 1 or 0, got"),
    (model(link("a", '<pose rotation_format="quat_xyzw">0 0 0 0 0 0 2</pose>')),
     "expected one <pose> in <link>, got several"),
    (model("".join(f'<model name="m{k}">' for k in range(60)) + link("a")
           + "</model>" * 60), "expected at most 50 nested models"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "told"), BAD)
def test_bad_files_are_refused_with_place_and_repair(text: str, told: str) -> None:
    with pytest.raises(kn.LoadError) as error:
        kn.load(text)
    assert told in str(error.value) and "\n" not in str(error.value)
    assert str(error.value).startswith("<text>:1: sdf")


@pytest.mark.parametrize(
    ("uri", "told"),
    [
        ("model://none", "no file 'model://none'; pass the folder that holds it"),
        ("ring.sdf", "the files include each other: ring.sdf -> ring.sdf"),
        ("../everything.sdf", "'../everything.sdf' lies outside the folders"),
        ("https://host/rod", "https:// is not read; put the file beside this one"),
        ("model://rod/model.config", "expected an <sdf> file, got <model>"),
    ],
)
def test_what_cannot_be_included(uri: str, told: str) -> None:
    with pytest.raises(kn.LoadError) as error:
        include(f"<uri>{uri}</uri>")
    assert told in str(error.value)
