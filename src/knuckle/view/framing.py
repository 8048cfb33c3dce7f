"""How large a model is, where up is, and from where it is seen well."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from knuckle.model import Model
from knuckle.view.masses import equivalent_box, with_mass
from knuckle.view.part import Part
from knuckle.view.poses import Poses

Array = np.ndarray
FIELD_OF_VIEW = np.radians(32.0)
SAMPLES = 24
"""So many of the states decide what the picture must hold."""


@dataclass(frozen=True, eq=False)
class Camera:
    """Where the eye is, what it looks at and how far around that it must see [m].

    `fov` is the vertical angle of view [rad].
    """

    position: Array
    target: Array
    radius: float
    fov: float = FIELD_OF_VIEW


def reach(model: Model, poses: Poses) -> float:
    """How far origins and centres of mass spread, or the usual size of a body [m].

    The median over the bodies forgives a few absurd inertias; never 0.
    """
    if not model.bodies:
        return 1.0
    coms = [b.rigid.com if b.rigid.mass > 0.0 else (0, 0, 0) for b in model.bodies]
    points = np.concatenate([poses.p[0], poses.points(coms)[0]])
    spread = float(np.linalg.norm(np.ptp(points, axis=0)))
    edges = [float(np.linalg.norm(equivalent_box(b)[2])) for _, b in with_mass(model)]
    size = max(spread, float(np.median(edges or [0.0])))
    return size if size > 1e-6 else 1.0


def upwards(model: Model) -> Array:
    """Against gravity; z without gravity, and y in a plane seen from above."""
    g = np.array(model.gravity)
    if np.linalg.norm(g) > 0.0:
        return -g / np.linalg.norm(g)
    return np.array([0.0, 1.0, 0.0] if model.planar else [0.0, 0.0, 1.0])


def cloud(parts: Iterable[Part], poses: Poses) -> Array:
    """The corners of all parts at some of the states, (n, 3) in the world."""
    chosen = np.unique(np.linspace(0, len(poses.p) - 1, SAMPLES).astype(int))
    points = [poses.p[chosen].reshape(-1, 3)]
    for part in parts:
        if part.endless:
            continue
        if not 0 <= part.body < poses.p.shape[1]:
            points += [part.corners] if part.body < 0 else []
            continue
        R, p = poses.R[chosen, part.body], poses.p[chosen, part.body]
        points.append(
            (np.einsum("tij,nj->tni", R, part.corners) + p[:, None]).reshape(-1, 3)
        )
    found = np.concatenate(points)
    return found if len(found) else np.zeros((1, 3))


def frame(
    parts: list[Part], poses: Poses, up: Array, size: float, planar: bool
) -> tuple[float, float, Camera]:
    """The size of the model, the height of the ground, and a camera that sees all."""
    now, ever = cloud(parts, poses.first()), cloud(parts, poses)
    size = max(size, float(np.ptp(now, axis=0).max()))
    low = float((ever @ up).min())
    ground = 0.0 if low > -1e-3 * size else low - 0.02 * size
    center = 0.5 * (ever.min(axis=0) + ever.max(axis=0))
    radius = float(np.linalg.norm(ever - center, axis=-1).max())
    return size, ground, camera(center, radius or size, up, planar)


def camera(center: Array, radius: float, up: Array, planar: bool) -> Camera:
    """Three quarters from the front and a little from above; a plane from its front."""
    if planar:
        back = np.array([0.0, 0.0, 1.0])
    else:
        front = np.eye(3)[0] if abs(up[0]) < 0.9 else np.eye(3)[1]
        front = front - (front @ up) * up
        front /= np.linalg.norm(front)
        back = front - 0.75 * np.cross(up, front) + 0.38 * up
    back /= np.linalg.norm(back)
    distance = 1.2 * radius / np.sin(0.5 * FIELD_OF_VIEW)
    target = center - 0.1 * radius * up  # room for the controls below
    return Camera(target + distance * back, target, radius)


def cell(size: float) -> float:
    """The spacing of the grid [m]: 1, 2 or 5 times a power of ten, some 1/6 of size."""
    power = 10.0 ** np.floor(np.log10(size / 6.0))
    return float(power * max(k for k in (1.0, 2.0, 5.0) if k * power <= size / 6.0))
