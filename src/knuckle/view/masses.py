"""Inertias made visible: cuboids of the same inertia, and centres of mass."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from knuckle.model import Body, Model
from knuckle.view import palette, surfaces
from knuckle.view.part import Part, depth

Array = np.ndarray


def equivalent_box(body: Body) -> tuple[Array, Array, Array]:
    """(R, p, edges) of the homogeneous cuboid with this inertia.

    a^2 = 6 (I_y + I_z - I_x) / m along the principal axes, from m (b^2 + c^2) / 12.
    """
    pose, moments = body.rigid.principal()
    I = np.array(moments)
    squares = 6.0 * (I.sum() - 2.0 * I) / body.rigid.mass
    edges = np.sqrt(np.maximum(squares, 0.0))
    return np.array(pose.R, float), np.array(pose.p, float), edges


def with_mass(model: Model) -> Iterator[tuple[int, Body]]:
    """The bodies that have a mass, with their numbers."""
    return ((i, b) for i, b in enumerate(model.bodies) if b.rigid.mass > 0.0)


def inertia_boxes(model: Model) -> Iterator[Part]:
    """The equivalent cuboid of every body, seen through."""
    for i, body in with_mass(model):
        R, p, edges = equivalent_box(body)
        edges = np.maximum(edges, 0.02 * edges.max(initial=1e-3))
        color = (*palette.of_depth(depth(model, i))[:3], 0.3)
        yield Part("inertia", i, surfaces.box(edges), color, R, p)


def mass_centres(model: Model, size: float) -> Iterator[Part]:
    """A ball at every body's centre of mass, and the sign of the whole at theirs.

    The whole rides on the body after the last: the renderers place it there.
    """
    ball = surfaces.sphere(0.01 * size)
    for i, body in with_mass(model):
        p = np.array(body.rigid.com, float)
        yield Part("centre of mass", i, ball, palette.COM, p=p)
    light, dark = octants(0.028 * size)
    for surface, color in ((light, palette.WHITE), (dark, palette.BLACK)):
        yield Part("centre of mass", len(model.bodies), surface, color)


def octants(radius: float) -> tuple[surfaces.Surface, surfaces.Surface]:
    """A ball as the sign of a centre of mass: every other octant, and the rest."""
    whole = surfaces.sphere(radius)
    centers = whole.vertices[whole.faces].mean(axis=1)
    odd = np.prod(np.sign(centers), axis=1) > 0.0
    first, second = (
        surfaces.Surface(whole.vertices, whole.faces[chosen]) for chosen in (odd, ~odd)
    )
    return first, second
