"""The mechanisms of Si & Guenter's experiments, to be measured, tested and looked at.

Chains of revolute links and of tori, a windmill, and two rides. A scene is a model and
a state to let go from; the surfaces that joints glide on are those that are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np

import knuckle as kn
from knuckle.joints import curves, surfaces
from knuckle.model.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere
from knuckle.spatial import SE3, Rx, Rz, Ty, Tz, solids

Color = tuple[float, float, float, float]
Values = float | tuple[float, ...]
STEEL: Color = (0.62, 0.66, 0.70, 1.0)
BRASS: Color = (0.80, 0.60, 0.25, 1.0)
RED: Color = (0.75, 0.25, 0.20, 1.0)
BLUE: Color = (0.25, 0.45, 0.70, 1.0)
GLASS: Color = (0.80, 0.70, 0.45, 0.6)
QUARTER = SE3(((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
"""A quarter turn about z, exactly."""


class Scene(NamedTuple):
    """A mechanism, and the positions and velocities it is let go with."""

    model: kn.Model
    q: np.ndarray
    v: np.ndarray


# Solids: what a body weighs, how it looks, and the surface that others touch.
class Solid(NamedTuple):
    inertia: kn.Inertia
    surface: surfaces.Surface
    shape: Shape


def torus(major: float, minor: float, color: Color, mass: float = 1.0) -> Solid:
    """A full ring: m (R^2 + 3 r^2 / 4) about its axis, m (4 R^2 + 5 r^2) / 8 across."""
    R, r = major * major, minor * minor
    across = mass * (4.0 * R + 5.0 * r) / 8.0
    moments = across, across, mass * (R + 0.75 * r)
    surface = surfaces.torus(major, minor)
    turn = 2.0 * math.pi
    shape = Shape(sheet(surface, (0.0, turn, 48), (0.0, turn, 16)), color=color)
    return Solid(kn.Inertia(mass, (0.0, 0.0, 0.0), moments), surface, shape)


def ellipsoid(a: float, b: float, c: float, color: Color) -> Solid:
    """An ellipsoid of 1 kg."""
    shape = Shape(Ellipsoid((a, b, c)), color=color)
    return Solid(solids.ellipsoid((a, b, c), 1.0), surfaces.ellipsoid(a, b, c), shape)


def sphere(radius: float, color: Color) -> Solid:
    """A ball of 1 kg."""
    shape = Shape(Sphere(radius), color=color)
    return Solid(solids.sphere(radius, 1.0), surfaces.sphere(radius), shape)


Span = tuple[float, float, int]
"""From, to, and in how many steps."""


def sheet(surface: surfaces.Surface, u: Span, v: Span) -> Mesh:
    """A surface as triangles between its points on a grid of parameters."""
    rows, columns = (np.linspace(a, b, n + 1).tolist() for a, b, n in (u, v))
    points = [tuple(map(float, surface.point(x, y))) for x in rows for y in columns]
    corners = np.arange(len(points)).reshape(len(rows), len(columns))
    a, b = corners[:-1, :-1].ravel(), corners[1:, :-1].ravel()
    d, c = corners[:-1, 1:].ravel(), corners[1:, 1:].ravel()
    faces = np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)])
    return Mesh(
        "sheet", vertices=tuple(points), faces=tuple(map(tuple, faces.tolist()))
    )


def rail(curve: curves.Curve, radius: float) -> Mesh:
    """A rod along a curve."""
    around = surfaces.Surface(lambda s, a: curve.frame(s) * Rx(a) * Ty(radius))
    return sheet(around, (0.0, 1.0, 96), (0.0, 2.0 * math.pi, 10))


def scenery(*shapes: Shape) -> kn.Body:
    """What stands still and is only looked at."""
    return kn.Body("scenery", None, kn.joints.Fixed(), visuals=shapes)


# RC: revolute links, each axis turned against the one before.
def revolute_chain(count: int) -> Scene:
    """RC(n): hanging rods of 0.3 m, their hinges 40 degrees apart, n freedoms."""
    rod = kn.spatial.Transform.from_pose(Tz(-0.15)).T @ solids.capsule(0.03, 0.26, 1.0)
    look = (Shape(Capsule(0.03, 0.26), Tz(-0.15), color=STEEL),)
    bodies: list[kn.Body] = []
    for k in range(count):
        place = Tz(-0.3) * Rz(math.radians(40.0)) if k else SE3()
        parent = f"link{k - 1}" if k else None
        hinge = kn.joints.Revolute("x")
        bodies.append(kn.Body(f"link{k}", parent, hinge, place, rod, visuals=look))
    return started(kn.Model(bodies), {"link0": (1.2,)})


# TC: tori hooked into each other, every contact on the insides of both.
RING = torus(0.30, 0.05, STEEL)
BRASS_RING = RING._replace(shape=torus(0.30, 0.05, BRASS).shape)
ACROSS = surfaces.Surface(lambda u, v: RING.surface.frame(u, v) * QUARTER)
"""The ring's surface with x along dp/dv: touching rings cross."""


def torus_chain(count: int) -> Scene:
    """TC(n): n tori, the first on a point, 2 + 4 (n - 1) freedoms."""
    point = kn.joints.SurfacePoint(RING.surface, neutral=(0.0, math.pi))
    peg = kn.joints.Reversed(point)
    first = kn.Body("ring0", None, peg, Rx(math.pi), RING.inertia, visuals=look(0))
    hook = Shape(Cylinder(0.02, 0.3), Tz(0.02) * Rx(0.5 * math.pi), color=RED)
    model = kn.Model([scenery(hook), *hung(first, count, math.pi)])
    return started(model, {"ring0": (1.2, math.pi)})


def hung(first: kn.Body, count: int, at: float) -> list[kn.Body]:
    """The first ring and others below it; `at` [rad] is where the first is lowest."""
    bodies = [first]
    for k in range(1, count):
        start = (math.pi if k > 1 else at, math.pi, 0.0, math.pi)
        joint = kn.joints.SurfaceSurface(RING.surface, ACROSS, neutral=start)
        name, parent = f"ring{k}", f"ring{k - 1}"
        bodies.append(
            kn.Body(name, parent, joint, inertia=RING.inertia, visuals=look(k))
        )
    return bodies


def look(k: int) -> tuple[Shape]:
    return ((BRASS_RING if k % 2 else RING).shape,)


# WM: a hub and three blades of six bodies.
BLADE = (
    sphere(0.15, BLUE),
    torus(0.20, 0.06, STEEL),
    torus(0.20, 0.06, BRASS),
    ellipsoid(0.25, 0.12, 0.12, RED),
    sphere(0.12, BLUE),
    ellipsoid(0.25, 0.10, 0.10, RED),
)


def windmill() -> Scene:
    """WM: sphere on sphere, sphere on torus, torus on torus, torus on ellipsoid, sphere
    on ellipsoid along three blades, held on the hub by springs; 1 + 18 * 4 freedoms.
    """
    tower = Shape(Cylinder(0.08, 2.4), SE3(p=(0.0, 0.45, -1.2)), color=STEEL)
    axle = Shape(Cylinder(0.05, 0.5), Ty(0.25) * Rx(0.5 * math.pi), color=STEEL)
    hub = sphere(0.3, BRASS)
    joint, upright = kn.joints.Revolute("z"), Rx(0.5 * math.pi)
    top = kn.Body("hub", None, joint, upright, hub.inertia, visuals=(hub.shape,))
    bodies = [scenery(tower, axle), top]
    for blade in range(3):
        inner, parent, at = hub, "hub", 2.0 * math.pi / 3.0 * blade
        for k, outer in enumerate(BLADE):
            name = f"blade{blade}.{k}"
            spring = 0.0 if k else (60.0, 60.0, 0.0, 0.0)
            bodies.append(outside(name, parent, inner, outer, at, spring))
            inner, parent, at = outer, name, 0.0
    return started(kn.Model(bodies), speeds={"hub": (9.0,)})


def outside(
    name: str, parent: str, inner: Solid, outer: Solid, at: float, stiffness: Values
) -> kn.Body:
    """A body whose far side touches its parent at the longitude `at`."""
    start = (at, 0.0, math.pi, 0.0)
    ends = inner.surface, outer.surface
    joint = kn.joints.SurfaceSurface(*ends, neutral=start, stiffness=stiffness)
    return kn.Body(name, parent, joint, inertia=outer.inertia, visuals=(outer.shape,))


# The rides.
TRACK = (
    *((-2.0, 0.0, 1.2), (-1.4, 0.5, 0.2), (-0.8, 1.2, -0.6), (0.0, 0.0, -0.9)),
    *((0.8, -1.2, -0.6), (1.4, -0.5, 0.2), (2.0, 0.0, 1.2)),
)
AXIS_AHEAD = SE3(((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)))
"""The frame (z, x, y) of a body: it follows a curve with its axis ahead."""


def curve_ride(count: int = 6) -> Scene:
    """A chain of tori whose first slides on a Bezier curve of 7 points, 4 n - 3."""
    ride = kn.joints.BezierCurve(TRACK)
    first = kn.Body(
        "ring0", None, ride, offset=AXIS_AHEAD, inertia=RING.inertia, visuals=look(0)
    )
    wire = Shape(rail(curves.bezier(TRACK), 0.02), color=RED)
    model = kn.Model([scenery(wire), *hung(first, count, -0.5 * math.pi)])
    return started(model, {"ring0": (0.12,)})


def hills() -> list[list[tuple[float, float, float]]]:
    """Five by five control points: a bowl with a bumpy ground [m]."""
    side = np.linspace(-2.0, 2.0, 5).tolist()
    height = lambda x, y: 0.15 * (x * x + y * y) + 0.6 * math.cos(2 * x) * math.sin(y)  # noqa: E731
    return [[(x, y, height(x, y)) for y in side] for x in side]


def surface_ride() -> Scene:
    """A board on the tangent plane of a Bezier surface of 25 points, with a mast on a
    universal joint and a pendulum from its top, 5 freedoms."""
    points = hills()
    side = (0.0, 1.0, 40)
    ground = Shape(sheet(surfaces.bezier(points), side, side), color=GLASS)
    size = (0.7, 0.3, 0.05)
    upright = Tz(0.03)
    stay = kn.joints.Universal(stiffness=20.0)
    mast = kn.spatial.Transform.from_pose(Tz(0.3)).T @ solids.capsule(0.03, 0.6, 0.3)
    swing, bob = kn.joints.Revolute("y"), Tz(-0.3)
    ball = kn.spatial.Transform.from_pose(bob).T @ solids.sphere(0.08, 0.5)
    board = Shape(Box(size), upright, color=RED)
    pole = Shape(Capsule(0.03, 0.6), Tz(0.3), color=STEEL)
    weight = Shape(Sphere(0.08), bob, color=BLUE)
    rope = Shape(Cylinder(0.01, 0.3), Tz(-0.15), color=STEEL)
    model = kn.Model([
        scenery(ground),
        kn.Body("board", None, kn.joints.BezierSurface(points),
                inertia=solids.box(size, 2.0, at=upright), visuals=(board,)),
        kn.Body("mast", "board", stay, Tz(0.05), mast, visuals=(pole,)),
        kn.Body("bob", "mast", swing, Ty(-0.08) * Tz(0.6), ball,
                visuals=(rope, weight)),
    ])  # fmt: skip
    return started(model, {"board": (0.2, 0.3)})


def started(
    model: kn.Model,
    places: dict[str, Sequence[float]] | None = None,
    speeds: dict[str, Sequence[float]] | None = None,
) -> Scene:
    """The neutral state, but for the joints that are named."""
    q, v = np.array(model.neutral(), float), np.zeros(model.nv)
    for name, value in (places or {}).items():
        q[model.joint(name).q] = value
    for name, value in (speeds or {}).items():
        v[model.joint(name).v] = value
    return Scene(model, q, v)


SCENES: dict[str, Callable[[], Scene]] = {
    **{f"rc{n}": partial(revolute_chain, n) for n in (20, 50, 100)},
    **{f"tc{n}": partial(torus_chain, n) for n in (10, 20)},
    "windmill": windmill,
    "curve": curve_ride,
    "surface": surface_ride,
}
"""Those of the paper, by name."""


@cache
def scene(name: str) -> Scene:
    """One of the scenes; also tc1 to tc80 and rc of any length."""
    for kind, make in (("tc", torus_chain), ("rc", revolute_chain)):
        if name.startswith(kind) and name[2:].isdigit() and int(name[2:]) > 0:
            return make(int(name[2:]))
    if name not in SCENES:
        raise KeyError(f"there is no scene {name!r}; there are {', '.join(SCENES)}")
    return SCENES[name]()
