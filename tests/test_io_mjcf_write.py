"""Models as MJCF text: what comes back, what MuJoCo makes of it, what is refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import agreement_mujoco as agreement
import knuckle as kn
import mechanisms
import oracles
from knuckle.io.load import load
from knuckle.model import (
    Actuator,
    Box,
    Capsule,
    Constraint,
    Cylinder,
    Ellipsoid,
    HeightField,
    Mesh,
    Plane,
    Shape,
    Sphere,
)
from test_io_mjcf import TEXTS

LAWS = (kn.mass_matrix, kn.bias_forces, kn.passive_forces, kn.potential_energy)


def mass() -> kn.Inertia:
    return kn.Inertia(
        2.0, (0.1, -0.2, 0.3), (0.5, 0.6, 0.7), [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    )


def same_physics(a: kn.Model, b: kn.Model, tolerance: float = 1e-12) -> None:
    assert (a.nq, a.nv) == (b.nq, b.nv)
    rng = np.random.default_rng(0)
    q, v = a.random(rng), rng.normal(size=a.nv)
    for law in LAWS:
        arguments = (q, v) if "v" in {p.name for p in law.parameters} else (q,)
        got, expected = (kn.interpret(law, m)(*arguments) for m in (b, a))
        np.testing.assert_allclose(got, expected, atol=tolerance, err_msg=law.__name__)
    for name in ("lower", "upper", "effort_limit", "friction", "armature"):
        np.testing.assert_allclose(getattr(b, name), getattr(a, name), rtol=1e-14)


@pytest.mark.parametrize("name", TEXTS)
def test_writing_and_loading_again_keeps_the_physics(name: str) -> None:
    model = load(TEXTS[name])
    again = load(model.to_mjcf())
    same_physics(model, again)
    moving = [p.name for p in model.joints if p.joint.nv]
    assert [p.name for p in again.joints if p.joint.nv] == moving
    np.testing.assert_allclose(again.neutral(), model.neutral(), atol=1e-15)


@pytest.mark.parametrize("seed", range(6))
def test_mujoco_agrees_with_what_is_written(seed: int) -> None:
    """Models made in Python, with placements and offsets; massless bodies merge."""
    model = oracles.mixed(seed, mujoco=True)
    peer = agreement.mujoco_file(model.to_mjcf())
    assert agreement.smooth(peer) == []
    found = agreement.deviations(model, peer, np.random.default_rng(seed))
    assert max(found.values()) < 1e-10, found


MANY = {
    "Universal": kn.joints.Universal(armature=0.1, damping=(0.2, 0.3)),
    "SphericalEuler": kn.joints.SphericalEuler(
        "zyx", stiffness=2.0, rest=(0.1, 0.2, 0.3)
    ),
    "Cylindrical": kn.joints.Cylindrical((0.6, 0.0, 0.8)),
    "PlanarTranslation": kn.joints.PlanarTranslation(friction=0.2),
    "Translational": kn.joints.Translational(lower=-1.0, upper=2.0),
    "Free2D": kn.joints.Free2D(),
    "Composite": kn.joints.Composite(
        kn.joints.Revolute("-z"), kn.joints.Prismatic("x")
    ),
    "reversed": kn.joints.Reversed(kn.joints.Revolute((0.6, 0.8, 0.0), damping=1.0)),
}


@pytest.mark.parametrize("name", MANY)
def test_joints_of_several_coordinates_become_several_joints(name: str) -> None:
    rng = np.random.default_rng(3)
    ends = mechanisms.placement(rng), mass(), mechanisms.placement(rng)
    arm = kn.Body("arm", None, MANY[name], *ends, joint_name="j")
    model = kn.Model([arm, kn.Body("hand", "arm", kn.joints.Revolute("x"), *ends)])
    again = load(model.to_mjcf())
    same_physics(model, again)
    names = [p.name for p in again.joints if p.joint.nv]
    count = model.joint("j").joint.nv
    expected = ["j"] if count == 1 else [f"j_{k}" for k in range(count)]
    assert names == [*expected, "hand"]
    agreement.mujoco_file(model.to_mjcf())


def test_shapes_sites_and_keys_come_back() -> None:
    turned = kn.SE3([[0, -1, 0], [1, 0, 0], [0, 0, 1]], (1.0, 2.0, 3.0))
    kinds = [
        *(Box((1.0, 2.0, 3.0)), Sphere(0.5), Cylinder(0.1, 0.4), Capsule(0.2, 0.3)),
        *(Ellipsoid((0.1, 0.2, 0.3)), Mesh("m", (1.0, 2.0, 3.0), None, CORNERS, FACES)),
    ]
    shapes = tuple(
        Shape(kind, turned, f"g{k}", (0.1, 0.2, 0.3, 1.0), (("condim", 4.0),))
        for k, kind in enumerate(kinds)
    )
    ground = (Shape(Plane((2.0, 4.0)), kn.SE3()), Shape(FIELD, turned))
    arm = kn.Body(
        "arm", None, kn.joints.Revolute(), turned, mass(), visuals=shapes[:2],
        collisions=shapes[1:],
    )  # fmt: skip
    floor = kn.Body("floor", None, kn.joints.Fixed(), collisions=ground)
    model = kn.Model(
        [arm, floor],
        frames=[kn.Frame("tip", "arm", turned), kn.Frame("mark", None, turned)],
        gravity=(1.0, 0.0, -2.0),
        configurations={"home": (0.3,), "far": (1.2,)},
    )
    again = load(model.to_mjcf())
    back = again.body("arm")
    assert [s.geometry for s in back.visuals] == [kinds[1], kinds[0]]
    assert [s.geometry for s in back.collisions] == kinds[1:]
    for shape in (*back.visuals, *back.collisions):
        np.testing.assert_allclose(
            shape.placement.matrix(), turned.matrix(), atol=1e-15
        )
        assert (shape.color, dict(shape.properties)["condim"]) == (
            (0.1, 0.2, 0.3, 1),
            4,
        )
    assert [s.geometry for s in again.body("floor").collisions] == [
        Plane((2, 4)),
        FIELD,
    ]
    assert {f.name: f.body for f in again.frames} == {"tip": "arm", "mark": None}
    assert {k: q.tolist() for k, q in again.configurations.items()} == {
        "home": [0.3],
        "far": [1.2],
    }
    assert again.gravity == (1.0, 0.0, -2.0)
    agreement.mujoco_file(model.to_mjcf())


CORNERS = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
FIELD = HeightField((2.0, 3.0), ((0.0, 0.25, 0.5), (0.5, 0.25, 0.0)))

DATA = """
<mujoco><worldbody><body name="a"><joint name="j"/><geom size=".1"/>
  <site name="p"/></body><body name="b"><joint name="k" range="-10 20"/>
  <geom size=".1"/><site name="q"/></body></worldbody>
  <tendon><spatial name="t" limited="true" range="0 3"><site site="p"/>
    <site site="q"/><pulley divisor="2"/><site site="p"/><site site="q"/></spatial>
    <fixed name="f"><joint joint="j" coef="2"/></fixed></tendon>
  <equality><connect name="e" body1="a" body2="b" anchor="1 2 3" solref=".01 1"/>
    <joint joint1="j" joint2="k" polycoef="0 1 0 0 0"/></equality>
  <actuator><motor name="m" joint="j" gear="3" ctrlrange="-1 1"/>
    <position tendon="f" kp="20"/><general site="p" gear="0 0 1 0 0 0"/></actuator>
</mujoco>"""


def test_actuators_tendons_and_equalities_come_back() -> None:
    model = load(DATA)
    again = load(model.to_mjcf())
    assert again.actuators == model.actuators
    assert again.constraints == model.constraints
    peer = agreement.mujoco_file(model.to_mjcf())
    assert (peer.nu, peer.neq, peer.ntendon) == (3, 2, 2)


def lone(
    joint: kn.Joint, inertia: kn.Inertia | None = None, **more: object
) -> kn.Model:
    return kn.Model([kn.Body("arm", None, joint, inertia=inertia or mass())], **more)


def pair() -> kn.Model:
    arm = kn.Body("arm", None, kn.joints.Revolute())
    hands = [kn.Body(n, "arm", kn.joints.Revolute(), inertia=mass()) for n in "lr"]
    return kn.Model([arm, *hands])


def painted(uri: str) -> kn.Body:
    shape = Shape(Mesh(uri))
    return kn.Body("arm", None, J.Revolute(), inertia=mass(), visuals=(shape,))


ROTOR = kn.Inertia.of_entries([0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0])
J = kn.joints
REFUSED: dict[str, tuple[Callable[[], kn.Model], str]] = {
    "screw": (lambda: lone(J.Helical(pitch=0.2)), "'arm' (Helical): MJCF has neither"),
    "gear": (
        lambda: lone(J.Joint(lambda q: kn.spatial.Rz(2.0 * q[0]), 1)),
        "'arm' (Joint): MJCF has neither screws nor geared",
    ),
    "curve": (
        lambda: lone(J.Joint(lambda q: kn.spatial.Rz(q[0]) * kn.spatial.Tx(q[0]), 1)),
        "'arm'",
    ),
    "planar": (lambda: lone(J.Planar()), "'arm' (Planar): MJCF has no such joint"),
    "speed": (
        lambda: lone(J.Revolute(velocity_limit=2.0)),
        "joint 'arm': MJCF has no velocity limits",
    ),
    "half a limit": (
        lambda: lone(J.Revolute(lower=0.0)),
        "joint 'arm': MJCF has no range from 0.0 to inf",
    ),
    "axes": (
        lambda: lone(J.Spherical(damping=(1.0, 2.0, 3.0))),
        "joint 'arm': damping: MJCF has one number for all axes",
    ),
    "rest": (
        lambda: lone(J.Spherical(stiffness=1.0, rest=(0.0, 1.0, 0.0, 0.0))),
        "MJCF's balls rest as placed",
    ),
    "free armature": (
        lambda: lone(J.Free(armature=1.0)),
        "joint 'arm': armature: in MJCF it acts along the axes of the world",
    ),
    "massless": (pair, "body 'arm': MuJoCo moves no massless body"),
    "point": (
        lambda: lone(J.Revolute(), kn.Inertia(1.0, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))),
        "body 'arm': MuJoCo moves no body without rotational inertia",
    ),
    "collada": (
        lambda: kn.Model([painted("a/arm.DAE")]),
        "body 'arm': 'a/arm.DAE': MuJoCo reads STL, OBJ and MSH files alone",
    ),
    "moments alone": (
        lambda: kn.Model(
            [
                kn.Body("arm", None, J.Revolute(), inertia=mass()),
                kn.Body("rotor", "arm", J.Fixed(), inertia=ROTOR),
            ]
        ),
        "body 'rotor': MJCF has no moments of inertia without mass",
    ),
    "actuator": (
        lambda: lone(J.Revolute(), actuators=[Actuator("m", "transmission", ("arm",))]),
        "actuator 'm': MJCF has no 'transmission'",
    ),
    "mimic": (
        lambda: lone(J.Revolute(), constraints=[Constraint("c", "mimic", ("arm",))]),
        "constraint 'c': MJCF has no 'mimic'",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_mjcf_cannot_say_is_refused_by_name(name: str) -> None:
    make, told = REFUSED[name]
    with pytest.raises(kn.ModelError, match="take allow_loss=True") as caught:
        make().to_mjcf()
    assert told in str(caught.value)
    text = make().to_mjcf(allow_loss=True)
    assert text.startswith("<!-- left out: ")
    assert load(text).body("arm").name == "arm" or name == "massless"


def test_all_losses_are_told_at_once() -> None:
    model = lone(J.Revolute(velocity_limit=1.0, lower=0.0))
    with pytest.raises(
        kn.ModelError, match=r"MJCF cannot say: joint 'arm'.* \(and 1 more\)"
    ):
        model.to_mjcf()
    text = model.to_mjcf(allow_loss=True)
    assert text.count("<!-- left out: ") == len(text.losses) == 2


def test_names_are_quoted_and_depth_is_free() -> None:
    bodies = [kn.Body('a"<&', None, J.Revolute(), inertia=mass())]
    for k in range(400):
        above = bodies[-1].name
        bodies.append(kn.Body(f"b{k}", above, J.Revolute("x"), inertia=mass()))
    again = load(kn.Model(bodies).to_mjcf())
    assert [b.name for b in again.bodies] == [b.name for b in bodies]
