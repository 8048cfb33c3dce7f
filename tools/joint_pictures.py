"""Draw every general joint into docs/pictures: the first body grey, the second in
some positions, with its axes x red, y green, z blue.

    python tools/joint_pictures.py            # needs matplotlib
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

import knuckle as kn
from knuckle.joints import curves, surfaces
from knuckle.joints.curves import Curve
from knuckle.joints.surfaces import Surface
from knuckle.spatial import SE3

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

OUT = Path(__file__).resolve().parent.parent / "docs" / "pictures"
GROUND, BODY = "#b9c0c9", "#e08a1e"
COLOURS = ("#d62728", "#2ca02c", "#1f5fbf")
j = kn.joints


def axes_of(pose: SE3, ax: Any, size: float, width: float = 2.0) -> None:
    """The three axes of a frame."""
    T = np.array(pose.matrix(), float)
    for k, colour in enumerate(COLOURS):
        ends = np.stack([T[:3, 3], T[:3, 3] + size * T[:3, k]])
        ax.plot(*ends.T, color=colour, lw=width, zorder=10)


def way(joint: kn.Joint, places: Sequence[Sequence[float]], ax: Any) -> None:
    """The path of the body's origin."""
    points = np.array([joint.pose(q).p for q in places], float)
    ax.plot(*points.T, color="#555555", lw=1.2, ls="--")


def draw_curve(curve: Curve, ax: Any, pose: SE3, ends: Any, colour: str) -> None:
    points = np.array([pose @ curve.point(s) for s in np.linspace(*ends, 160).tolist()])
    ax.plot(*points.T.astype(float), color=colour, lw=2.5)


def draw_surface(
    surface: Surface, ax: Any, pose: SE3, ends: Any, colour: str, alpha: float = 0.45
) -> None:
    u, v = (np.linspace(*e, 37).tolist() for e in ends)
    points = np.array([[pose @ surface.point(a, b) for b in v] for a in u], float)
    ax.plot_surface(
        *np.moveaxis(points, -1, 0), color=colour, alpha=alpha, lw=0.15,
        edgecolor="#666666", rstride=2, cstride=2, antialiased=True,
    )  # fmt: skip


ROUND = ((-math.pi, math.pi), (-math.pi / 2, math.pi / 2))
RING = ((-math.pi, math.pi), (-math.pi, math.pi))


def spline_curve(ax: Any) -> None:
    frames = [SE3()]
    for k in range(8):
        turn = (0.25, -0.1 * math.sin(k), 0.75 * math.cos(0.9 * k))
        frames.append(frames[-1] * SE3.exp((*turn, 0.8, 0.0, 0.12)))
    joint = j.SplineCurve(frames)
    for f in frames:
        axes_of(f, ax, 0.2, 0.8)
        ax.scatter(*np.array(f.p)[:, None], color=GROUND, s=30)
    control = np.array([f.p for f in frames])
    ax.plot(*control.T, color=GROUND, lw=1.0)
    way(joint, [(q,) for q in np.linspace(0.0, 6.0, 150)], ax)
    for q in np.linspace(0.0, 6.0, 9):
        axes_of(joint.pose((q,)), ax, 0.45)


def heights() -> np.ndarray:
    x, y = np.meshgrid(0.5 * np.arange(8), 0.5 * np.arange(7), indexing="ij")
    z = 0.35 * np.sin(1.7 * x) * np.cos(1.5 * y)
    return np.stack([x, y, z], -1)


def spline_surface(ax: Any) -> None:
    grid = heights()
    values = np.zeros((*grid.shape[:2], 6))
    values[..., :3] = grid
    values[..., 3] = 0.25 * np.cos(2.0 * grid[..., 1])
    values[..., 4] = -0.4 * np.cos(1.7 * grid[..., 0])
    joint = j.SplineSurface(values)
    shape = Surface(lambda u, v: joint.pose((u, v)))
    draw_surface(shape, ax, SE3(), ((0.0, 5.0), (0.0, 4.0)), GROUND)
    ax.scatter(*grid.reshape(-1, 3).T, color="#777777", s=6)
    for q in ((0.6, 0.6), (2.5, 1.0), (4.4, 3.2), (1.5, 3.4), (3.2, 2.4)):
        axes_of(joint.pose(q), ax, 0.5)


def fitted(ax: Any) -> None:
    """A wheel carrier on a trailing arm and two links, as one measures it."""
    heights = np.array([-0.10, -0.07, -0.03, 0.0, 0.04, 0.08, 0.12])
    turns = [(0.9 * h * h, 1.5 * h, 0.25 * h) for h in heights.tolist()]
    poses = [
        SE3(SE3.exp((*w, 0, 0, 0)).R, (-1.2 * h * h, 0.15 * h - 0.8 * h * h, h))
        for w, h in zip(turns, heights.tolist(), strict=True)
    ]
    joint = j.Fitted(heights.tolist(), poses)
    way(joint, [(q,) for q in np.linspace(-0.1, 0.12, 80)], ax)
    for pose in poses:
        ax.scatter(*np.array(pose.p)[:, None], color="black", s=24)
    angle = np.linspace(0.0, 2.0 * math.pi, 60)
    rim = 0.06 * np.stack([np.cos(angle), 0.0 * angle, np.sin(angle)])
    for q in (-0.1, 0.0, 0.12):
        pose = joint.pose((q,))
        T = np.array(pose.matrix(), float)
        ax.plot(*(T[:3, :3] @ rim + T[:3, 3:]), color=BODY, lw=2.5)
        axes_of(pose, ax, 0.05)


CONTROL = [[0, 0, 0], [0.6, 1.6, 0.2], [1.6, 1.2, 0.9], [1.9, -1.4, 0.4],
           [3.2, -0.9, 1.2], [3.5, 1.2, 0.1], [4.4, 0.4, 0.6]]  # fmt: skip


def bezier_curve(ax: Any) -> None:
    joint = j.BezierCurve(CONTROL)
    points = np.array(CONTROL, float)
    ax.plot(*points.T, "o-", color=GROUND, lw=1.0, ms=5)
    draw_curve(curves.bezier(CONTROL), ax, SE3(), (0.0, 1.0), "#555555")
    for q in np.linspace(0.04, 0.96, 8):
        axes_of(joint.pose((q,)), ax, 0.45)


def bezier_surface(ax: Any) -> None:
    x, y = np.meshgrid(np.arange(5.0), np.arange(5.0), indexing="ij")
    grid = np.stack([x, y, 1.2 * np.sin(1.4 * x) * np.cos(1.1 * y)], -1)
    shape = surfaces.bezier(grid)
    draw_surface(shape, ax, SE3(), ((0.0, 1.0), (0.0, 1.0)), GROUND)
    ax.scatter(*grid.reshape(-1, 3).T, color="#777777", s=14)
    joint = j.BezierSurface(grid)
    board = np.array([[-1, -0.5, 0], [1, -0.5, 0], [1, 0.5, 0], [-1, 0.5, 0]]) * 0.35
    for q in ((0.25, 0.3), (0.7, 0.35), (0.5, 0.8)):
        T = np.array(joint.pose(q).matrix(), float)
        corners = board @ T[:3, :3].T + T[:3, 3] + 0.03 * T[:3, 2]
        ax.plot(*np.vstack([corners, corners[:1]]).T, color=BODY, lw=2.5)
        axes_of(joint.pose(q), ax, 0.5)


def curve_point(ax: Any) -> None:
    loop = [(2 * math.cos(a), 1.3 * math.sin(a), 0.4 * math.sin(2 * a))
            for a in np.linspace(0.0, 2.0 * math.pi, 9)[:-1]]  # fmt: skip
    rail = curves.spline(loop, closed=True)
    joint = j.CurvePoint(rail, "x")
    draw_curve(rail, ax, SE3(), (0.0, 8.0), GROUND)
    ax.scatter(*np.array(loop).T, color="#777777", s=14)
    for k in range(8):
        axes_of(joint.pose((float(k), 0.5 * k)), ax, 0.4)


def curve_curve(ax: Any) -> None:
    spring, rod = curves.helix(0.8, 0.16), curves.circle(0.5)
    joint = j.CurveCurve(spring, rod, "x")
    draw_curve(spring, ax, SE3(), (-5.0, 9.0), GROUND)
    for q in ((-3.4, 0.0, 1.2), (0.6, 1.0, 1.9), (5.2, 2.0, 2.6)):
        pose = joint.pose(q)
        draw_curve(rod, ax, pose, (0.0, 2.0 * math.pi), BODY)
        axes_of(pose * rod.frame(q[1]), ax, 0.4)


def surface_point(ax: Any) -> None:
    ball = surfaces.sphere(1.0)
    joint = j.SurfacePoint(ball)
    draw_surface(ball, ax, SE3(), ROUND, GROUND)
    way(joint, [(u, 0.6 * math.sin(2 * u)) for u in np.linspace(-2.4, 0.9, 80)], ax)
    for u in (-2.4, -1.4, -0.5, 0.4):
        axes_of(joint.pose((u, 0.6 * math.sin(2 * u))), ax, 0.5)


def surface_surface(ax: Any) -> None:
    ring, egg = surfaces.torus(1.0, 0.35), surfaces.ellipsoid(0.5, 0.3, 0.25)
    joint = j.SurfaceSurface(ring, egg)
    draw_surface(ring, ax, SE3(), RING, GROUND, 0.35)
    for q in ((-2.2, 1.2, 0.2, 0.3), (-0.6, 0.9, 1.4, -0.4), (0.9, 1.6, 0.0, 1.0)):
        pose = joint.pose(q)
        draw_surface(egg, ax, pose, ROUND, BODY, 0.6)
        axes_of(pose * egg.frame(*q[2:]), ax, 0.45)


def chart_change(ax: Any) -> None:
    """A rotation vector that grows to 3 pi / 2 and goes on from the other side."""
    joint, dt = j.SphericalExp(), 0.01
    q, v = (0.3, 0.1, 0.2), (1.2, 0.4, 1.0)
    runs: list[list[Any]] = [[q]]
    w = np.array(joint.motion(q, v)[3].entries[:3], float)
    for k in range(900):
        S = np.array([c.entries[:3] for c in joint.subspace(q)], float).T
        turned = w + 0.8 * np.array([math.sin(0.011 * k), 0.0, math.cos(0.007 * k)])
        v = tuple(np.linalg.solve(S, turned).tolist())
        moved = tuple(x + dt * rate for x, rate in zip(q, v, strict=True))
        q, v = joint.reparameterize(moved, v)
        runs.append([q]) if q != moved else runs[-1].append(q)
    for radius, colour in ((2.0 * math.pi, "#d62728"), (1.5 * math.pi, GROUND)):
        shape = Surface(lambda u, v, r=radius: SE3(p=surfaces.sphere(r).point(u, v)))
        draw_surface(shape, ax, SE3(), ROUND, colour, 0.08)
    for run, after in zip(runs, [*runs[1:], None], strict=True):
        points = np.array(run, float)
        ax.plot(*points.T, color=BODY, lw=2.2)
        if after is not None:
            jump = np.stack([points[-1], np.array(after[0])])
            ax.plot(*jump.T, color="#1f5fbf", lw=1.2, ls=":")
            ax.scatter(*jump.T, color="#1f5fbf", s=18)


def euler_charts(ax: Any) -> None:
    """Where the two charts of 'zyx' are left: the body's x axis near a pole."""
    joint = j.SphericalEulerCharts("zyx")
    draw_surface(surfaces.sphere(1.0), ax, SE3(), ROUND, GROUND, 0.18)
    polar = np.linspace(0.0, math.pi / 6, 12)
    round_ = np.linspace(0.0, 2.0 * math.pi, 40)
    cap = np.stack([np.outer(np.sin(polar), np.cos(round_)),
                    np.outer(np.sin(polar), np.sin(round_)),
                    np.outer(np.cos(polar), np.ones(40))])  # fmt: skip
    for k, colour in ((0.0, "#d62728"), (1.0, "#1f5fbf")):
        base = np.array(joint.pose((0.0, 0.0, 0.0, k)).R, float)
        for sign in (1.0, -1.0):
            points = 1.01 * np.einsum("ij,jab->iab", base, sign * cap)
            ax.plot_surface(*points, color=colour, alpha=0.6, lw=0)
    for q in ((0.4, -0.3, 0.5, 0.0), (-0.9, -0.6, 0.0, 0.0)):
        pose = joint.pose(q)
        axes_of(SE3(pose.R, 1.0 * np.array(pose.R)[:, 0]), ax, 0.35)
        tip = np.array(pose.R, float)[:, 0]
        ax.plot(*np.stack([0.0 * tip, tip]).T, color="#555555", lw=1.0)


PICTURES: dict[str, Callable[[Any], None]] = {
    "spline-curve": spline_curve,
    "spline-surface": spline_surface,
    "fitted": fitted,
    "bezier-curve": bezier_curve,
    "bezier-surface": bezier_surface,
    "curve-point": curve_point,
    "curve-curve": curve_curve,
    "surface-point": surface_point,
    "surface-surface": surface_surface,
    "chart-exp": chart_change,
    "chart-euler": euler_charts,
}
VIEWS = {"surface-point": (25, -60), "chart-euler": (22, 25), "fitted": (12, -55)}


def picture(name: str) -> Path:
    """One picture, written without its empty margins."""
    figure = plt.figure(figsize=(8.0, 8.0), dpi=90)
    ax: Any = figure.add_subplot(projection="3d", computed_zorder=False)
    PICTURES[name](ax)
    low, high = ax.get_w_lims()[::2], ax.get_w_lims()[1::2]
    ax.set_box_aspect([b - a for a, b in zip(low, high, strict=True)], zoom=0.95)
    ax.set_axis_off()
    ax.view_init(*VIEWS.get(name, (28, -62)))
    figure.subplots_adjust(0.0, 0.0, 1.0, 1.0)
    figure.canvas.draw()
    path = OUT / f"joint-{name}.png"
    plt.imsave(path, cropped(np.asarray(figure.canvas.buffer_rgba())))  # type: ignore
    plt.close(figure)
    return path


def cropped(image: np.ndarray, margin: int = 8) -> np.ndarray:
    """The part of an image that is not white."""
    drawn = np.argwhere((image[..., :3] < 250).any(-1))
    low = np.maximum(drawn.min(0) - margin, 0)
    high = drawn.max(0) + margin
    return image[low[0] : high[0], low[1] : high[1]]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(PICTURES))
    for chosen in parser.parse_args().names:
        print(picture(chosen))
