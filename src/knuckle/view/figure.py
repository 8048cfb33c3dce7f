"""The stand-in for a model without any shapes: bones, joints and a mount.

A bone leads from a body's joint to every joint that it carries, and at the end of a
limb through the centre of mass as far as the inertia reaches. One-axis joints are
drums about their axis, others balls.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from knuckle.model import Model
from knuckle.model.body import PlacedJoint
from knuckle.model.coordinates import motion
from knuckle.view import palette, surfaces
from knuckle.view.masses import equivalent_box
from knuckle.view.part import WORLD, Part, depth
from knuckle.view.rotations import towards

Array = np.ndarray
THIN, NEAR = 0.018, 0.03
"""The radius of a usual bone, and the shortest bone, as parts of the model's size."""


def figure(model: Model, up: Array, size: float) -> Iterator[Part]:
    """Bones, joints and mounts of the whole model."""
    radii = thicknesses(model, size)
    for placed in model.joints:
        i = placed.index
        color = palette.of_depth(depth(model, i))
        start = np.array(placed.body.offset.p, float)
        for end, radius in ends(model, i, radii, size):
            if np.linalg.norm(end - start) > NEAR * size:
                yield bone(i, start, end, radii[i], radius, color)
        yield from joint(placed, start, radii[i], color)
        if model.parents[i] < 0:
            yield from mount(placed, up, radii[i])


def thicknesses(model: Model, size: float) -> Array:
    """A radius for every body, growing with the cube root of its mass."""
    mass = np.array([b.rigid.mass for b in model.bodies])
    usual = np.median(mass[mass > 0.0]) if np.any(mass > 0.0) else 1.0
    return THIN * size * np.clip(np.cbrt(mass / usual), 0.6, 1.5)


def ends(model: Model, i: int, radii: Array, size: float) -> list[tuple[Array, float]]:
    """Where the bones of a body end, and how thick."""
    body = model.bodies[i]
    below = [model.index(name) for name in model.children(body.name)]
    found = [
        (np.array(model.bodies[k].placement.p, float), min(radii[i], radii[k]))
        for k in below
    ]
    start = np.array(body.offset.p, float)
    if body.rigid.mass > 0.0 and not below:
        found.append((tip(model, i, start), 0.75 * radii[i]))
    return found


def tip(model: Model, i: int, start: Array) -> Array:
    """From the joint through the centre of mass to the side of the equivalent box."""
    R, com, edges = equivalent_box(model.bodies[i])
    way = com - start
    length = float(np.linalg.norm(way))
    if length == 0.0:
        return com
    half = 0.5 * float(np.abs(R.T @ (way / length)) @ edges)
    return com + (way / length) * min(half, length)  # type: ignore[no-any-return]


def bone(
    i: int, start: Array, end: Array, first: float, last: float, color: palette.Color
) -> Part:
    """A tapering bone between two points."""
    way = end - start
    shape = surfaces.bone(first, last, float(np.linalg.norm(way)))
    return Part("visuals", i, shape, color, towards(way), 0.5 * (start + end))


def joint(
    placed: PlacedJoint, p: Array, radius: float, color: palette.Color
) -> Iterator[Part]:
    """A drum along the axis with a dark core, a ball, or a block that slides."""
    i = placed.index
    turning, sliding = axes(placed)
    if len(turning) == 1:
        R = towards(turning[0])
        core = surfaces.cylinder(1.15 * radius, 3.3 * radius)
        yield Part("visuals", i, surfaces.drum(1.5 * radius, 2.9 * radius), color, R, p)
        yield Part("visuals", i, core, palette.STEEL, R, p)
    elif turning.size:
        yield Part("visuals", i, surfaces.sphere(1.55 * radius), color, p=p)
    elif len(sliding):
        R = towards(sliding[0])
        block = surfaces.box((2.4 * radius, 2.4 * radius, 4.0 * radius))
        yield Part("visuals", i, block, palette.STEEL, R, p)


def axes(placed: PlacedJoint) -> tuple[Array, Array]:
    """The directions about and along which a joint moves at first, in the body."""
    if not placed.joint.nv:
        return np.zeros((0, 3)), np.zeros((0, 3))
    _, _, S = motion(placed.joint, np.array(placed.joint.neutral))
    columns = (np.array(placed.body.offset.R, float) @ S.reshape(2, 3, -1)).swapaxes(
        1, 2
    )
    length = np.linalg.norm(columns, axis=-1)
    turning, sliding = columns
    return turning[length[0] > 1e-9], sliding[(length[0] <= 1e-9) & (length[1] > 1e-9)]


def mount(placed: PlacedJoint, up: Array, radius: float) -> Iterator[Part]:
    """What a limb is fixed to: a post from the ground, or a plate where it hangs."""
    if placed.joint.nv == 6:
        return
    foot = np.array(placed.body.placement.p, float)
    height = float(foot @ up)
    R = towards(up)
    if height > 2.0 * radius:
        post = surfaces.cylinder(1.3 * radius, height)
        yield Part("visuals", WORLD, post, palette.STEEL, R, foot - 0.5 * height * up)
        foot = foot - height * up
    plate = surfaces.drum(3.2 * radius, 0.8 * radius)
    side = 0.4 * radius if height > 2.0 * radius else 0.0
    yield Part("visuals", WORLD, plate, palette.STEEL, R, foot + side * up)
