"""The panel of the viewer: playback, layers, joints, and what could not be shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from knuckle.model import ModelError
from knuckle.model.errors import near
from knuckle.view.motion import Motion
from knuckle.view.scene import LAYERS, Scene
from knuckle.view.sliders import Group, groups

if TYPE_CHECKING:
    from knuckle.view.live import Viewer

SPEEDS = ("0.1x", "0.25x", "0.5x", "1x", "2x", "4x")
MANY = 24
"""More sliders than these stay folded at first."""


class Controls:
    """Switches and sliders, which act on a Viewer and follow it."""

    def __init__(self, viewer: Viewer, picture: Scene, moving: Motion) -> None:
        self._gui = viewer.server.gui
        self._gui.configure_theme(
            show_logo=False, show_share_button=False, brand_color=(76, 111, 224)
        )
        self._time: Any = None
        self._speed: Any = None
        if len(moving.t) > 1:
            self._playback(viewer, moving)
        self._switches = self._layers(viewer, picture, bool(moving.f_ext))
        self._sliders = list(self._joints(viewer, picture.size))
        if picture.remarks:
            heading = f"{len(picture.remarks)} remarks"
            with self._gui.add_folder(heading, expand_by_default=False):
                for remark in picture.remarks:
                    text = f"**{remark.severity}** {remark.element}: {remark.reason}"
                    self._gui.add_markdown(text)

    @property
    def speed(self) -> float:
        """How much faster than in truth the motion plays."""
        return 1.0 if self._speed is None else float(self._speed.value[:-1])

    def switch(self, layer: str, on: bool) -> None:
        """Move the switch of a layer, which shows or hides it."""
        if layer not in self._switches:
            raise ModelError(
                f"layer {layer!r}: no such layer; "
                + near(layer, self._switches, "layers")
            )
        self._switches[layer].value = on

    def follow(self, viewer: Viewer) -> None:
        """Sliders to where the viewer is; those of joints rest while it plays."""
        if self._time is not None:
            self._time.value = viewer.t
        if viewer.playing:
            return
        for group, sliders in self._sliders:
            for slider, value in zip(sliders, group.values(viewer.q), strict=True):
                slider.value = float(value)

    def _playback(self, viewer: Viewer, moving: Motion) -> None:
        start, end = float(moving.t[0]), float(moving.t[-1])
        with self._gui.add_folder("Motion"):
            buttons = self._gui.add_button_group("", ("play", "pause"))
            step = (end - start) / 1000.0
            self._time = self._gui.add_slider("time [s]", start, end, step, start)
            self._speed = self._gui.add_dropdown("speed", SPEEDS, initial_value="1x")

        def click(event: Any) -> None:
            (viewer.play if event.target.value == "play" else viewer.pause)()

        buttons.on_click(click)
        self._time.on_update(by_hand(lambda: viewer.seek(self._time.value)))

    def _layers(self, viewer: Viewer, picture: Scene, applied: bool) -> dict[str, Any]:
        """A checkbox for each layer that has anything to show."""
        absent = {"collisions"} - {part.layer for part in picture.parts}
        absent |= set() if applied else {"applied forces"}
        boxes = {}
        with self._gui.add_folder("Show"):
            for layer in (name for name in LAYERS if name not in absent):
                box = self._gui.add_checkbox(layer, layer in picture.shown)
                box.on_update(partial(_switch, viewer, layer))
                boxes[layer] = box
        return boxes

    def _joints(self, viewer: Viewer, size: float) -> Iterator[tuple[Group, list[Any]]]:
        """A slider for each freedom of each joint, and a way back to the start."""
        start, found = viewer.q.copy(), groups(viewer.model, size)
        folder = self._gui.add_folder("Joints", expand_by_default=len(found) <= MANY)
        with folder:
            reset = self._gui.add_button("reset")
            reset.on_click(lambda _: viewer.update(start))
            for group in found:
                yield group, self._group(viewer, group)

    def _group(self, viewer: Viewer, group: Group) -> list[Any]:
        values = group.values(viewer.q)
        sliders = [
            self._gui.add_slider(
                s.label, s.lower, s.upper, max((s.upper - s.lower) / 1000.0, 1e-9), x
            )
            for s, x in zip(group.sliders, values.tolist(), strict=True)
        ]

        def moved() -> None:
            q = viewer.q.copy()
            q[group.q] = group.position([slider.value for slider in sliders])
            viewer.moved(q)

        for slider in sliders:
            slider.on_update(by_hand(moved))
        return sliders


def _switch(viewer: Viewer, layer: str, event: Any) -> None:
    viewer.switched(layer, event.target.value)


def by_hand(act: Callable[[], None]) -> Callable[[Any], None]:
    """A callback for what a user moves in the browser, not for what a program sets."""
    return lambda event: act() if event.client is not None else None
