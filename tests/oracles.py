"""The same mechanism in Pinocchio and in MuJoCo, built from the Model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

import knuckle as kn
from knuckle.spatial.so3 import quaternion_of_rotation

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))
import robots  # noqa: E402

PIN_FRAMES = {"body": "LOCAL", "world": "WORLD", "aligned": "LOCAL_WORLD_ALIGNED"}


def required(module: str, package: str) -> Any:
    """An engine that is optional; the test is skipped where it is not installed."""
    import pytest

    return pytest.importorskip(module, reason=f"pip install {package}")


def robot(name: str, seed: int, mujoco: bool = False) -> kn.Model:
    """One of the measured robots, with random armature in [0.01, 1] and damping.

    For MuJoCo a free joint has none: there it would act on other velocities.
    """
    rng = np.random.default_rng([seed, len(name)])
    model = robots.robot(name)
    bodies = []
    for body in model.bodies:
        joint = body.joint
        if joint.nv == 1:
            values = {
                "armature": rng.uniform(0.01, 1.0),
                "damping": rng.uniform(0.1, 1),
            }
            joint = kn.joints.Revolute(axis(joint), **values)
        else:
            armature = rng.uniform(0.01, 1.0, joint.nv) * (not mujoco)
            joint = kn.joints.Free(armature=armature)
        ends = body.placement, body.inertia
        bodies.append(kn.Body(body.name, body.parent, joint, *ends))
    return kn.Model(bodies, gravity=(0.3, -0.4, -9.81))


def axis(joint: kn.Joint) -> np.ndarray:
    """The unit axis of a revolute or prismatic joint, in either of its frames."""
    name = joint.name.removeprefix("reversed ")
    if name == "Prismatic":
        return np.array(joint.pose([1.0]).p, float)
    R = np.array(joint.pose([np.pi / 2]).R, float)
    return 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])


def mixed(seed: int, mujoco: bool = False) -> kn.Model:
    """A tree of the joints that all engines know, with placements and offsets.

    MuJoCo has no massless bodies that move.
    """
    import mechanisms

    rng = np.random.default_rng(seed)
    above = mechanisms.parents(14, rng)
    kinds = ["Free", "Revolute", "Fixed", "Prismatic", "Spherical"]
    bodies = []
    for k in range(14):
        kind = kinds[k] if k < 5 else str(rng.choice(kinds[1:]))
        bare = kind == "Fixed" or (mujoco and kind == "Free")
        values = {} if bare else {"armature": rng.uniform(0.01, 1.0)}
        if kind in ("Revolute", "Prismatic"):
            direction = rng.normal(size=3)
            values["axis"] = direction / np.linalg.norm(direction)
            values["damping"], values["stiffness"] = rng.uniform(0.1, 2.0, 2)
            values["rest"] = 0.3
        mass = None if k == 1 and not mujoco else mechanisms.inertia(rng)
        ends = mechanisms.placement(rng), mass, mechanisms.placement(rng)
        parent = f"body{above[k]}" if k else None
        joint = getattr(kn.joints, kind)(**values)
        bodies.append(kn.Body(f"body{k}", parent, joint, *ends))
    return kn.Model([bodies[k] for k in rng.permutation(14)])


def pinocchio_model(model: kn.Model) -> Any:
    """A pinocchio.Model; every body is a frame of its name."""
    pin = required("pinocchio", "pin")
    peer = pin.Model()
    peer.gravity = pin.Motion(np.array(model.gravity), np.zeros(3))
    homes = {None: (0, pin.SE3.Identity())}
    for k in model.order:
        body = model.bodies[k]
        joint, pose = homes[body.parent]
        pose, end = pose * _pin_pose(body.placement), _pin_pose(body.offset).inverse()
        if body.joint.nv:
            kind = _pin_joint(pin, body.joint)
            joint, pose = peer.addJoint(joint, kind, pose, body.joint_name), end
        else:
            pose = pose * end
        homes[body.name] = joint, pose
        peer.addFrame(pin.Frame(body.name, joint, 0, pose, pin.FrameType.OP_FRAME))
        peer.appendBodyToJoint(joint, _pin_inertia(pin, body.inertia), pose)
    armature = kn.convert.pinocchio(model, peer)
    peer.armature = armature.to_tau(model.neutral(), model.armature)
    return peer


def _pin_pose(pose: kn.SE3) -> Any:
    pin = required("pinocchio", "pin")
    return pin.SE3(np.array(pose.R, float), np.array(pose.p, float))


def _pin_inertia(pin: Any, inertia: kn.Inertia) -> Any:
    if inertia.mass == 0.0:
        return pin.Inertia.Zero()
    return pin.Inertia(inertia.mass, np.array(inertia.com), np.array(inertia.I_com))


def _pin_joint(pin: Any, joint: kn.Joint) -> Any:
    if joint.name == "Revolute":
        return pin.JointModelRevoluteUnaligned(axis(joint))
    if joint.name == "Prismatic":
        return pin.JointModelPrismaticUnaligned(axis(joint))
    kinds = {"Free": pin.JointModelFreeFlyer, "Spherical": pin.JointModelSpherical}
    return {**kinds, "Planar": pin.JointModelPlanar}[joint.name]()


def pinocchio_wrenches(model: kn.Model, peer: Any, f_ext: np.ndarray) -> list[Any]:
    """External wrenches on the bodies, summed on Pinocchio's joints in their frames."""
    pin = required("pinocchio", "pin")
    total = [pin.Force.Zero() for _ in range(peer.njoints)]
    for body, f in zip(model.bodies, f_ext, strict=True):
        frame = peer.frames[peer.getFrameId(body.name)]
        total[frame.parentJoint] += frame.placement.act(pin.Force(f[3:], f[:3]))
    return total


def mujoco_model(model: kn.Model) -> Any:
    """A mujoco.MjModel, through MJCF; armature, damping and springs included."""
    return required("mujoco", "mujoco").MjModel.from_xml_string(mjcf(model))


def mjcf(model: kn.Model) -> str:
    """The Model as MJCF: hinge, slide, ball and free joints."""
    roots = "".join(_mjcf_body(model, name) for name in model.children("world"))
    return (
        '<mujoco><compiler angle="radian"/>'
        f'<option gravity="{_text(model.gravity)}"><flag contact="disable"/></option>'
        f"<worldbody>{roots}</worldbody></mujoco>"
    )


def _mjcf_body(model: kn.Model, name: str) -> str:
    body = model.body(name)
    pose = body.placement * body.offset.inverse()
    inside = _mjcf_joint(body) + _mjcf_inertial(body.inertia)
    inside += "".join(_mjcf_body(model, child) for child in model.children(name))
    return f"<body name={quoteattr(name)} {_mjcf_pose(pose)}>{inside}</body>"


def _mjcf_joint(body: kn.Body) -> str:
    kinds = {"Revolute": "hinge", "Prismatic": "slide", "Spherical": "ball"}
    joint, name = body.joint, quoteattr(str(body.joint_name))
    if joint.nv == 0:
        return ""
    values = f'name={name} armature="{joint.armature[0]!r}"'
    if joint.name == "Free":
        return f'<joint type="free" {values}/>'
    values += f' type="{kinds[joint.name]}" pos="{_text(body.offset.p)}"'
    if joint.nv == 1:
        turned = np.array(body.offset.R, float) @ axis(joint)
        values += f' axis="{_text(turned)}" damping="{joint.damping[0]!r}"'
        values += f' stiffness="{joint.stiffness[0]!r}" springref="{joint.rest[0]!r}"'
    return f"<joint {values}/>"


def _mjcf_inertial(inertia: kn.Inertia) -> str:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.I_com
    values = f'mass="{inertia.mass!r}" pos="{_text(inertia.com)}"'
    return f'<inertial {values} fullinertia="{_text((xx, yy, zz, xy, xz, yz))}"/>'


def _mjcf_pose(pose: kn.SE3) -> str:
    turn = quaternion_of_rotation(pose.R)
    return f'pos="{_text(pose.p)}" quat="{_text(turn)}"'


def _text(numbers: Any) -> str:
    return " ".join(repr(float(x)) for x in numbers)
