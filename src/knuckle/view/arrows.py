"""Forces as arrows: gravity on bodies, what joints carry, what acts from outside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knuckle.algorithms import joint_wrenches
from knuckle.model import Model
from knuckle.view import palette
from knuckle.view.masses import with_mass
from knuckle.view.motion import Motion
from knuckle.view.poses import Poses

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Arrows:
    """From `points` along `vectors`, both (steps, n, 3) in the world [m]."""

    layer: str
    color: palette.Color
    points: Array
    vectors: Array


@dataclass(frozen=True)
class Scale:
    """How long a force and a moment are drawn [m/N, m/(N m)]."""

    force: float
    moment: float


def scale(model: Model, size: float) -> Scale:
    """The model's weight is half as long as the model is large; without gravity, its
    weight on earth."""
    mass = sum(b.rigid.mass for b in model.bodies) or 1.0
    g = float(np.linalg.norm(model.gravity)) or 9.81
    return Scale(0.5 * size / (mass * g), 2.0 / (mass * g))


def arrows(model: Model, motion: Motion, poses: Poses, size: float) -> list[Arrows]:
    """All of them, kind by kind."""
    s = scale(model, size)
    found = gravity(model, poses, s) + joints(model, motion, poses, s)
    return found + applied(model, motion, poses, s)


def gravity(model: Model, poses: Poses, s: Scale) -> list[Arrows]:
    """m g at every body's centre of mass."""
    heavy = [i for i, _ in with_mass(model)]
    if not heavy or not any(model.gravity):
        return []
    mass = np.array([[model.bodies[i].rigid.mass] for i in heavy])
    points = poses.points([model.bodies[i].rigid.com for i in heavy], heavy)
    force = s.force * mass * np.array(model.gravity)
    vectors = np.broadcast_to(force, points.shape)
    return [Arrows("gravity", palette.GRAVITY, points, vectors)]


def joints(model: Model, motion: Motion, poses: Poses, s: Scale) -> list[Arrows]:
    """The force and the moment on every body through its joint."""
    if not model.nv:
        return []
    f_ext = dict(motion.f_ext) or None
    options = motion.options(model)
    f = joint_wrenches(model, motion.q, motion.v, motion.a, f_ext, **options)
    points = poses.points([b.offset.p for b in model.bodies])
    return _wrench("joint forces", palette.FORCE, points, poses.R, np.asarray(f), s)


def applied(model: Model, motion: Motion, poses: Poses, s: Scale) -> list[Arrows]:
    """What acts from outside, at the origins of bodies or frames."""
    found = []
    for name, f in motion.f_ext.items():
        frame = model.frame(name)
        i = [model.index(str(frame.body))]
        R = poses.R[:, i] @ np.array(frame.placement.R, float)
        points = poses.points([frame.placement.p], i)
        found += _wrench("applied forces", palette.APPLIED, points, R, f[:, None], s)
    return found


def _wrench(
    layer: str, color: palette.Color, points: Array, R: Array, f: Array, s: Scale
) -> list[Arrows]:
    """Two arrows, force and moment, from wrenches (moment, force) in the axes R."""
    moment, force = (np.einsum("tnij,tnj->tni", R, x) for x in (f[..., :3], f[..., 3:]))
    return [
        Arrows(layer, color, points, s.force * force),
        Arrows(layer, palette.MOMENT, points, s.moment * moment),
    ]
