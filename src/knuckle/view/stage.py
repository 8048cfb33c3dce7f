"""A scene on a viser server: nodes for bodies and parts, which then only move."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from knuckle.view.arrows import Arrows
from knuckle.view.part import WORLD, Part
from knuckle.view.poses import Poses
from knuckle.view.rotations import quaternions, towards
from knuckle.view.scene import ARROWS, INNER, LAYERS, Scene, Tag

if TYPE_CHECKING:
    import viser

Array = np.ndarray
GLASS = 0.45
"""The opacity of bodies while something inside them is shown."""


class Stage:
    """The nodes of a scene by layer."""

    def __init__(self, server: viser.ViserServer, picture: Scene) -> None:
        self._server, self._scene = server, server.scene
        self._size = picture.size
        self._layers: dict[str, list[Any]] = defaultdict(list)
        self._arrows: dict[tuple[str, int], Any] = {}
        self._on = {layer: layer in picture.shown for layer in LAYERS}
        self._lights(picture)
        self._ground(picture)
        self._eye(picture)
        movers = [*picture.bodies, "centre of mass"]
        self._names = [f"/{i} {_plain(name)}" for i, name in enumerate(movers)]
        self._movers = [
            self._scene.add_frame(name, show_axes=False) for name in self._names
        ]
        for k, part in enumerate(picture.parts):
            self._layers[part.layer].append(self._part(k, part))
        solid = [part for part in picture.parts if part.layer == "visuals"]
        self._alphas = [part.color[3] for part in solid]
        for k, tag in enumerate(picture.tags):
            self._tag(k, tag)

    @property
    def wants_arrows(self) -> bool:
        """Whether a layer of forces is on."""
        return any(self._on[layer] for layer in ARROWS)

    def pose(self, along: Poses, forces: Sequence[Arrows]) -> None:
        """Everything to its first pose."""
        p, turned = along.movers()
        with self._server.atomic():
            for mover, position, wxyz in zip(self._movers, p[0], turned[0]):
                mover.position, mover.wxyz = position, wxyz
            for node in self._arrows.values():
                node.points = np.zeros((0, 2, 3), np.float32)
            for k, kind in enumerate(forces):
                self._aim(k, kind)

    def show(self, layer: str, on: bool) -> None:
        """Show or hide a layer; the bodies turn to glass around what lies inside."""
        self._on[layer] = on
        with self._server.atomic():
            for node in self._layers[layer]:
                node.visible = on
            glass = any(self._on[name] for name in INNER)
            for node, alpha in zip(self._layers["visuals"], self._alphas, strict=True):
                node.opacity = _opacity(alpha * (GLASS if glass else 1.0))

    def _lights(self, picture: Scene) -> None:
        """A sky, the sun above that viser has, and a lamp beside the eye."""
        scene, up, camera = self._scene, picture.up, picture.camera
        scene.configure_environment_map(None, environment_intensity=0.0)
        scene.configure_default_lights(enabled=True, cast_shadow=True)
        scene.add_light_hemisphere(
            "/sky", sky_color=(246, 248, 255), ground_color=(196, 203, 218),
            intensity=1.5, position=tuple(up),
        )  # fmt: skip
        ahead = camera.position - camera.target
        aside = ahead + 0.8 * np.cross(ahead, up)
        scene.add_light_directional(
            "/lamp", intensity=1.2, position=tuple(20.0 * aside)
        )

    def _ground(self, picture: Scene) -> None:
        scene, up = self._scene, picture.up
        scene.set_up_direction(tuple(up))
        scene.world_axes.visible = False
        scene.add_grid(
            "/ground", infinite_grid=True, cell_size=picture.cell,
            section_size=5.0 * picture.cell,
            fade_distance=8.0 * picture.camera.radius,
            cell_color=(208, 214, 226), section_color=(168, 178, 198),
            shadow_opacity=0.25, wxyz=quaternions(towards(up)),
            position=(picture.ground - 0.002 * picture.size) * up,
        )  # fmt: skip

    def _eye(self, picture: Scene) -> None:
        eye, camera = self._server.initial_camera, picture.camera
        eye.position, eye.look_at, eye.up = camera.position, camera.target, picture.up
        eye.fov = camera.fov
        eye.near, eye.far = 0.005 * camera.radius, 100.0 * camera.radius

    def _on_body(self, body: int, name: str) -> str:
        return f"/world/{name}" if body == WORLD else f"{self._names[body]}/{name}"

    def _part(self, k: int, part: Part) -> Any:
        opacity = part.color[3]
        return self._scene.add_mesh_simple(
            self._on_body(part.body, f"{part.layer} {k}"),
            part.surface.vertices, part.surface.faces,
            color=part.color[:3], opacity=_opacity(opacity), side="double",
            wxyz=quaternions(part.R), position=part.p,
            # a surface of two sides would throw its shadow on itself
            cast_shadow=opacity == 1.0, receive_shadow=False,
            visible=self._on[part.layer],
        )  # fmt: skip

    def _tag(self, k: int, tag: Tag) -> None:
        length = 0.07 * self._size
        where = self._on_body(tag.body, f"frame {k}")
        axes = self._scene.add_frame(
            where, axes_length=length, axes_radius=0.04 * length,
            wxyz=quaternions(tag.R), position=tag.p, visible=self._on["frames"],
        )  # fmt: skip
        self._layers["frames"].append(axes)
        label = self._scene.add_label(
            self._on_body(tag.body, f"name {k}"), tag.name, position=tag.p,
            visible=self._on["names"], font_screen_scale=0.8,
        )  # fmt: skip
        self._layers["names"].append(label)

    def _aim(self, k: int, kind: Arrows) -> None:
        """The arrows of one kind, made when they are first seen."""
        points = np.stack([kind.points[0], kind.points[0] + kind.vectors[0]], axis=1)
        long = np.linalg.norm(kind.vectors[0], axis=-1) > 1e-4 * self._size
        points = points[long].astype(np.float32)
        key = kind.layer, k
        if key in self._arrows:
            self._arrows[key].points = points
            return
        thick = 0.006 * self._size
        made = self._scene.add_arrows(
            f"/forces/{_plain(kind.layer)} {k}", points, kind.color[:3],
            shaft_radius=thick, head_radius=2.4 * thick, head_length=6.0 * thick,
            visible=self._on[kind.layer],
        )  # fmt: skip
        self._arrows[key] = made
        self._layers[kind.layer].append(made)


def _opacity(alpha: float) -> float | None:
    return None if alpha == 1.0 else alpha


def _plain(name: str) -> str:
    """Names of nodes have no slashes in them: those make a tree."""
    return name.replace("/", "|")
