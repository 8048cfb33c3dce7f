"""The viewer in the browser: the scene on a viser server, with switches and sliders."""

from __future__ import annotations

import os
import sys
import threading
import time
import webbrowser
from contextlib import redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np

from knuckle.model import Model
from knuckle.model.data import Remark
from knuckle.view.arrows import arrows
from knuckle.view.controls import Controls
from knuckle.view.motion import Motion, motion
from knuckle.view.poses import poses
from knuckle.view.scene import scene
from knuckle.view.stage import Stage

if TYPE_CHECKING:
    import viser

Array = np.ndarray
PORT = 8080
FRAME = 1.0 / 30.0
"""Seconds between two pictures while a motion plays."""


def view(
    model: Model,
    trajectory: Any = None,
    q: Any = None,
    *,
    f_ext: Any = None,
    port: int | None = None,
    host: str = "localhost",
    open_browser: bool = True,
    title: str = "knuckle",
) -> Viewer:
    """Show a model in the browser: a trajectory to play, or a position to change.

    `trajectory` has t (steps,) [s] and q (steps, nq), or is the pair (t, q); without
    it and q, the model is shown neutral but within its limits. Without a
    `port` it is the first free one from 8080 on. The server lives in the background
    as long as the program, or until `close()`; `wait()` keeps a script alive.
    """
    server = _server(host, port, title)
    try:
        shown = Viewer(server, model, motion(model, trajectory, q, f_ext))
    except BaseException:
        server.stop()
        raise
    print(f"knuckle: {shown.url}", file=sys.stderr)
    if open_browser and _has_display():
        webbrowser.open(shown.url)
    return shown


class Viewer:
    """A running viewer; `update(q)` moves the model, `seek(t)` the trajectory."""

    def __init__(self, server: viser.ViserServer, model: Model, moving: Motion) -> None:
        along = poses(model, moving)
        picture = scene(model, along, moving.remarks)
        self.model, self.server = model, server
        self.remarks: tuple[Remark, ...] = picture.remarks
        self.q: Array = moving.q[0]
        self.t = float(moving.t[0])
        self.playing = False
        self._motion, self._size = moving, picture.size
        self._stage = Stage(server, picture)
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._show(moving.at(slice(0, 1)))
        self._controls = Controls(self, picture, moving)
        self.play()
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where the browser finds it."""
        return f"http://{self.server.get_host()}:{self.server.get_port()}"

    def __repr__(self) -> str:
        return f"<Viewer of {self.model!r} at {self.url}>"

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def update(self, q: Any) -> None:
        """Show the model at the position q (nq,), at rest; a motion stops playing."""
        self.moved(q)
        self._controls.follow(self)

    def moved(self, q: Any) -> None:
        """As `update`, for a hand on a slider: the sliders stay where they are."""
        still = motion(self.model, q=q)
        with self._lock:
            self.playing = False
            self._show(still)

    def seek(self, t: float) -> None:
        """Show the state of the trajectory next to the time t [s], and pause there."""
        with self._lock:
            self.playing = False
            self._go(t)

    def play(self) -> None:
        """Let the trajectory run, round and round."""
        self.playing = len(self._motion.t) > 1

    def pause(self) -> None:
        """Let the trajectory stand still."""
        with self._lock:
            self.playing = False
            self._controls.follow(self)

    def show(self, layer: str, on: bool = True) -> None:
        """Show or hide a layer: 'visuals', 'frames', 'inertia' ..."""
        self._controls.switch(layer, on)

    def switched(self, layer: str, on: bool) -> None:
        """What a switch does, whoever moved it."""
        with self._lock:
            self._stage.show(layer, on)
        if on:
            self._show(self._now)

    def wait(self) -> None:
        """Until Ctrl-C or `close()`: keeps a script alive."""
        try:
            self._closed.wait()
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """Stop the server; the page in the browser stays as it is."""
        if not self._closed.is_set():
            self._closed.set()
            self._thread.join()
            self.server.stop()

    def _go(self, t: float) -> None:
        times = self._motion.t
        k = int(np.argmin(np.abs(times - t)))
        self.t = float(np.clip(t, times[0], times[-1]))
        self._show(self._motion.at(slice(k, k + 1)))
        self._controls.follow(self)

    def _show(self, now: Motion) -> None:
        """One state: its poses, and its forces where they are to be seen."""
        with self._lock:
            self._now, self.q = now, now.q[0]
            along = poses(self.model, now)
            forces = []
            if self._stage.wants_arrows:
                forces = arrows(self.model, now, along, self._size)
            self._stage.pose(along, forces)

    def _play(self) -> None:
        """The clock of the motion, in a thread of its own."""
        start, end = self._motion.t[0], self._motion.t[-1]
        last = time.monotonic()
        while not self._closed.wait(FRAME):
            now = time.monotonic()
            step, last = self._controls.speed * (now - last), now
            with self._lock:
                if self.playing:
                    self._go(self.t + step if self.t + step <= end else start)


def _server(host: str, port: int | None, title: str) -> Any:
    try:
        import trimesh  # noqa: F401
        import viser
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"kn.view needs {error.name}: pip install 'knuckle[view]'", name=error.name
        ) from None
    with redirect_stdout(StringIO()):  # viser frames its addresses; ours is one line
        server = viser.ViserServer(host, PORT if port is None else port, title)
    if port and server.get_port() != port:
        server.stop()
        raise OSError(
            f"kn.view: port {port} is in use; choose another, or leave port out for "
            "the first that is free"
        )
    return server


def _has_display() -> bool:
    """Whether a browser could open a window."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
