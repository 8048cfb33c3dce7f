"""A motion as one HTML file that needs no server and no network."""

from __future__ import annotations

import base64
import html
import json
import re
import zlib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from knuckle.model import Model
from knuckle.model.data import Remark
from knuckle.view.arrows import Arrows, arrows, scale
from knuckle.view.motion import motion
from knuckle.view.part import Part
from knuckle.view.poses import Poses, poses
from knuckle.view.rotations import quaternions
from knuckle.view.scene import INNER, LAYERS, Scene, Tag, scene
from knuckle.view.surfaces import Surface

Array = np.ndarray
SCRIPTS = ("decode.js", "stage.js", "figures.js", "player.js")


class Page(NamedTuple):
    """The file that was written, its size, and what could not be shown in it."""

    path: Path
    bytes: int
    remarks: tuple[Remark, ...]


def export_html(
    path: str | Path,
    model: Model,
    trajectory: Any = None,
    q: Any = None,
    *,
    f_ext: Any = None,
    fps: float = 60.0,
    title: str = "knuckle",
) -> Page:
    """Write a page that plays the trajectory, or shows the one position q.

    `trajectory` has t (steps,) [s] and q (steps, nq), or is the pair (t, q); v and a
    are used for the joint forces where they are there. At most `fps` of its states a
    second are kept. `f_ext` {body or frame: (6,) or (steps, 6)} is drawn as applied
    forces.
    """
    moving = motion(model, trajectory, q, f_ext).thinned(fps)
    along = poses(model, moving)
    shown = scene(model, along, moving.remarks)
    forces = arrows(model, moving, along, shown.size)
    buffer = Buffer()
    data = {
        "title": title, "legend": legend(model, shown), **still(shown),
        **layers(shown, forces), **moved(moving.t, along, buffer),
        **parts(shown, buffer), "arrows": [arrow(x, buffer) for x in forces],
    }  # fmt: skip
    text = filled(title, json.dumps(data, default=_plain), buffer.text())
    Path(path).write_text(text, encoding="utf-8")
    return Page(Path(path), len(text.encode()), shown.remarks)


class Buffer:
    """Numbers of the page, one after another; `add` gives the reference to them."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def add(self, values: Array, kind: str = "f4") -> dict[str, Any]:
        data = np.ascontiguousarray(values, dtype=f"<{kind}").tobytes()
        reference = {"kind": kind, "at": self.size, "count": int(np.size(values))}
        self.parts.append(data + bytes(-len(data) % 8))
        self.size += len(self.parts[-1])
        return reference

    def text(self) -> str:
        """Deflated, in base64."""
        return base64.b64encode(zlib.compress(b"".join(self.parts), 9)).decode()


def moved(t: Array, along: Poses, buffer: Buffer) -> dict[str, Any]:
    """The times, and the poses of bodies and of the centre of mass."""
    p, turns = along.movers()
    return {
        "start": t[0], "end": t[-1], "times": buffer.add(t),
        "positions": buffer.add(p), "quaternions": buffer.add(turns),
    }  # fmt: skip


def still(scene: Scene) -> dict[str, Any]:
    """What does not change in time, but for the parts of bodies."""
    return {
        "up": scene.up, "ground": scene.ground, "size": scene.size, "cell": scene.cell,
        "camera": camera(scene), "movers": [*scene.bodies, "centre of mass"],
        "tags": [{"name": x.name, "body": x.body, **pose(x)} for x in scene.tags],
        "remarks": [(r.severity, f"{r.element}: {r.reason}") for r in scene.remarks],
    }  # fmt: skip


def layers(scene: Scene, forces: Sequence[Arrows]) -> dict[str, Any]:
    """Those that have anything to show, and those that are shown at first."""
    filled = {part.layer for part in scene.parts} | {kind.layer for kind in forces}
    filled |= {"visuals", "frames", "names"}
    return {
        "layers": [name for name in LAYERS if name in filled],
        "shown": sorted(scene.shown), "inner": INNER,
    }  # fmt: skip


def parts(scene: Scene, buffer: Buffer) -> dict[str, Any]:
    """The parts, and their surfaces once each."""
    numbers: dict[Surface, int] = {}
    surfaces: list[dict[str, Any]] = []
    found = []
    for part in scene.parts:
        surface = part.surface
        if surface not in numbers:
            numbers[surface] = len(surfaces)
            kind = "u2" if len(surface.vertices) < 65536 else "u4"
            surfaces.append({"vertices": buffer.add(surface.vertices),
                             "faces": buffer.add(surface.faces, kind)})  # fmt: skip
        found.append({"layer": part.layer, "body": part.body, "color": part.color,
                      "surface": numbers[surface], **pose(part)})  # fmt: skip
    return {"surfaces": surfaces, "parts": found}


def arrow(arrows: Arrows, buffer: Buffer) -> dict[str, Any]:
    """A set of arrows over all times."""
    return {
        "layer": arrows.layer, "color": arrows.color, "count": arrows.points.shape[1],
        "points": buffer.add(arrows.points), "vectors": buffer.add(arrows.vectors),
    }  # fmt: skip


def camera(scene: Scene) -> dict[str, Any]:
    """The camera, its angle of view in degrees."""
    eye = scene.camera
    return {
        "position": eye.position, "target": eye.target, "fov": np.degrees(eye.fov),
        "radius": eye.radius, "distance": np.linalg.norm(eye.position - eye.target),
    }  # fmt: skip


def pose(thing: Part | Tag) -> dict[str, Any]:
    """Where a thing lies on its body."""
    return {"p": thing.p, "q": quaternions(thing.R)}


def legend(model: Model, scene: Scene) -> str:
    """What lengths in the picture mean."""
    force = scene.cell / scale(model, scene.size).force
    return (
        f"One cell of the grid is {scene.cell:g} m; an arrow as long stands for "
        f"{force:.3g} N."
    )


def filled(title: str, scene: str, buffer: str) -> str:
    """The template with its places filled, each once."""
    library = asset("three.min.js")
    places = {
        "title": html.escape(title), "style": asset("page.css"),
        "scene": scene.replace("<", "\\u003c"), "buffer": buffer,
        "library": library, "program": "\n".join(asset(name) for name in SCRIPTS),
        "licence": asset("three.LICENSE"),
    }  # fmt: skip
    return re.sub(r"@(\w+)@", lambda m: places[m[1]], asset("page.html"))


def asset(name: str) -> str:
    """A file that comes with the package."""
    folder = resources.files("knuckle.view") / "assets"
    return (folder / name).read_text(encoding="utf-8")


def _plain(x: Any) -> Any:
    """Arrays and numbers of NumPy for JSON."""
    return np.asarray(x).round(9).tolist()
