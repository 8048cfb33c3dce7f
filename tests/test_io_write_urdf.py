"""URDF written from Models: read again, it is the same mechanism."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from agreement import poses
from knuckle import joints
from knuckle.io.written import rpy
from knuckle.model import Actuator, Constraint, Ellipsoid, Mesh, Shape, Sphere
from knuckle.model.shapes import Box
from knuckle.spatial import SE3, Rx, Ry, Rz, Tx, Tz

FILES = Path(__file__).parent / "files"
ROBOTS = Path(__file__).parent.parent / "benchmarks" / "models"
SAID = ("Fixed", "Revolute", "Prismatic", "Planar", "Free")
QUANTITIES = ("damping", "friction", "lower", "upper", "velocity_limit", "effort_limit")


def same_physics(a: kn.Model, b: kn.Model, seed: int = 0) -> None:
    """Equal bodies, coordinates, passive forces, limits, and equations of motion."""
    assert a.q_names == b.q_names and {x.name for x in a.bodies} <= {
        x.name for x in b.bodies
    }
    rng = np.random.default_rng(seed)
    q, v, acc = a.random(rng), *rng.normal(size=(2, a.nv))
    for name in QUANTITIES:
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    for alg in (kn.mass_matrix, kn.inverse_dynamics):
        args = (q,) if alg is kn.mass_matrix else (q, v, acc)
        x, y = (np.asarray(kn.interpret(alg, m)(*args), float) for m in (a, b))
        assert np.abs(x - y).max(initial=0.0) < 1e-12 * max(
            1.0, np.abs(x).max(initial=0.0)
        )
    names = [x.name for x in (*a.bodies, *a.frames)]
    place = [kn.interpret(kn.forward_kinematics, m)(q, frames=names) for m in (a, b)]
    assert np.allclose(*map(poses, place), rtol=0, atol=1e-12)


def again(model: kn.Model, **more) -> kn.Model:
    return kn.load(str(model.to_urdf(**more)))


def random_model(seed: int) -> kn.Model:
    """Joints that URDF has, with placements, offsets, limits and passive forces."""
    rng = np.random.default_rng(seed)
    above, bodies = mechanisms.parents(12, rng), []
    for k in range(12):
        kind = SAID[k] if k < 5 else str(rng.choice(SAID))
        one = kind in ("Revolute", "Prismatic")
        values = {"damping": 0.3, "friction": 0.1} if one else {}
        if one:
            axis = rng.normal(size=3)
            values["axis"] = tuple(axis / np.linalg.norm(axis))
        if one and k % 2:
            values |= {"lower": -1.0, "upper": 2.0, "effort_limit": 3.0}
        joint = getattr(joints, kind)(**values)
        ends = mechanisms.placement(rng), mechanisms.inertia(rng)
        offset = mechanisms.placement(rng) if k % 3 else SE3()
        parent = f"body{above[k]}" if k else None
        bodies.append(kn.Body(f"body{k}", parent, joint, *ends, offset))
    frames = [kn.Frame("tool", "body7", mechanisms.placement(rng)), kn.Frame("w", None)]
    return kn.Model(bodies, frames)


@pytest.mark.parametrize("seed", range(4))
def test_load_after_write_is_the_same_mechanism(seed: int) -> None:
    model = random_model(seed)
    written = model.to_urdf()
    assert written.losses == () and isinstance(written, str)
    first = kn.load(written)
    same_physics(model, first, seed)
    second = again(first)
    assert [b.name for b in second.bodies] == [b.name for b in first.bodies]
    same_physics(first, second, seed)


@pytest.mark.parametrize("name", ["arm7.urdf", "quad18.urdf", "hum38.sdf"])
def test_robots(name: str) -> None:
    model = kn.load(ROBOTS / name)
    same_physics(model, again(model))


def test_everything_a_urdf_says_comes_back() -> None:
    model = kn.load(FILES / "everything.urdf")
    back = again(model)
    same_physics(model, back)
    for ours, other in zip(model.bodies, back.bodies, strict=True):
        for kind in ("visuals", "collisions"):
            shapes = getattr(ours, kind), getattr(other, kind)
            for a, b in zip(*shapes, strict=True):
                assert (a.geometry, a.name, a.color) == (b.geometry, b.name, b.color)
                assert a.properties == b.properties
        assert ours.unchecked == other.unchecked
    assert back.actuators == model.actuators and back.constraints == model.constraints


def test_pinocchio_reads_it_too() -> None:
    import agreement

    pin = agreement.required("pinocchio", "pin")
    model = random_model(5)
    peer = pin.buildModelFromXML(str(model.to_urdf()))
    assert peer.nv == model.nv
    if not any(p.joint.name == "Planar" for p in model.joints):
        found = agreement.deviations(model, peer, np.random.default_rng(0))
        assert max(found.values()) < 1e-10


def test_a_joint_is_known_by_what_it_computes() -> None:
    """An axis off the origin, poses at both ends, another name: still a hinge."""
    pose = Rx(0.3) * Tx(0.5)
    hinge = kn.Joint(lambda q: pose * Rz(q[0]) * Tz(0.2) * Rx(1.0), 1, name="mine")
    slide = kn.Joint(lambda q: pose * Tx(q[0]) * Rx(0.2), 1)
    rod = kn.Inertia(1.0, (0.1, 0.2, 0.3), (1.0, 1.1, 1.2))
    model = kn.Model(
        [kn.Body("a", None, hinge, inertia=rod), kn.Body("b", "a", slide, inertia=rod)]
    )
    back = again(model)
    same_physics(model, back)
    assert [p.joint.name for p in back.joints if p.joint.nv] == [
        "Revolute",
        "Prismatic",
    ]


ROD = kn.Inertia(1.0, (0.0, 0.0, 0.1), (0.1, 0.1, 0.1))
HINGE = joints.Revolute("z")


def one(joint=HINGE, **more) -> kn.Model:
    shapes = {k: more.pop(k) for k in ("visuals", "collisions") if k in more}
    return kn.Model([kn.Body("arm", None, joint, inertia=ROD, **shapes)], **more)


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (one(joints.Spherical()), "joint 'arm' (Spherical), written as fixed"),
        (one(joints.Helical("z", 0.1)), "joint 'arm' (Helical), written as fixed"),
        (one(kn.Joint(lambda q: Rz(2.0 * q[0]), 1)), "joint 'arm' (Joint), written as"),
        (one(joints.Revolute("z", armature=0.5)), "joint 'arm': armature 0.5"),
        (one(joints.Revolute("z", stiffness=2, rest=1)), "joint 'arm': stiffness 2.0"),
        (one(joints.Free(damping=(1, 2, 3, 4, 5, 6))), "joint 'arm': damping (1.0, 2"),
        (one(gravity=(0, 0, -1.6)), "gravity (0.0, 0.0, -1.6)"),
        (one(constraints=[Constraint("c", "weld", ("arm", "x"))]), "constraint 'c'"),
        (one(actuators=[Actuator("m", "motor", ("arm",))]), "actuator 'm' (motor)"),
        (one(visuals=(Shape(Ellipsoid((1, 2, 3))),)), "visual 0: a Ell"),
        (one(visuals=("picture",)), "body 'arm': visual 0: str"),
        (one(visuals=(Shape(Mesh("", vertices=((0, 0, 0),) * 3, faces=((0, 1, 2),))),)),
         "visual 0: a Mesh"),
        (one(collisions=(Shape(Sphere(1.0), properties=(("friction", 1),)),)),
         "collision 0: its friction"),
        (one().with_parameters("arm.mass"), "parameters arm.mass (written as numbers)"),
    ],
)  # fmt: skip
def test_what_urdf_cannot_say_is_refused_by_name(model: kn.Model, told: str) -> None:
    with pytest.raises(kn.ModelError, match="take allow_loss=True") as error:
        model.to_urdf()
    assert told in str(error.value)
    written = model.to_urdf(allow_loss=True)
    assert any(told in loss for loss in written.losses)
    assert f"<!-- left out: {written.losses[0]} -->" in written
    assert kn.load(written).bodies[-1].name == "arm"


def test_a_mimic_of_sdf_loses_its_reference() -> None:
    law = (("multiplier", 2.0), ("offset", 0.5), ("reference", 0.25))
    tie = Constraint("b", "mimic", ("b", "a"), law)
    bodies = [kn.Body(x, None, HINGE, inertia=ROD) for x in "ab"]
    (back,) = again(kn.Model(bodies, constraints=[tie])).couplings
    assert back == kn.Coupling("b", "a", ratio=2.0)


def test_names_that_are_taken() -> None:
    far = SE3(p=(1.0, 0.0, 0.0))
    model = kn.Model(
        [kn.Body("arm", None, HINGE, inertia=ROD, offset=far),
         kn.Body("arm_end", "arm", joints.Fixed(), joint_name="arm_offset",
                 visuals=(Shape(Box((1.0, 1.0, 1.0))),))],
    )  # fmt: skip
    back = again(model)
    same_physics(model, back)
    assert {"arm_end", "arm_end_"} <= {b.name for b in back.bodies}


@pytest.mark.parametrize("pitch", [np.pi / 2, -np.pi / 2, 1.5707963, -1.5707, 0.3])
def test_angles_keep_a_rotation(pitch: float) -> None:
    for roll, yaw in [(0.0, 0.0), (0.7, -2.5), (3.1, 1.5), (np.pi, np.pi)]:
        R = (Rz(yaw) * Ry(pitch) * Rx(roll)).R
        r, p, y = rpy(R)
        assert np.abs(np.subtract((Rz(y) * Ry(p) * Rx(r)).R, R)).max() < 1e-15
