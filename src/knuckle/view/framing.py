"""How large a model is, where up is, and from where it is seen well."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from knuckle.model import Model
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
    """The diagonal of the box around all origins and centres of mass [m]; never 0."""
    coms = [b.rigid.com if b.rigid.mass > 0.0 else (0, 0, 0) for b in model.bodies]
    points = np.concatenate([poses.p[0], poses.points(coms)[0]])
    diagonal = float(np.linalg.norm(np.ptp(points, axis=0)))
    return diagonal if diagonal > 1e-6 else 1.0


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
    return np.concatenate(points)


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
