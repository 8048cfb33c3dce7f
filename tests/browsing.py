"""A headless Chromium for tests of pages, and a robot that is easily found in them."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import knuckle as kn
from knuckle.model.shapes import Shape, Sphere

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome")
     if (path := shutil.which(name))), None,
)  # fmt: skip
FLAGS = (
    *("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost"),
)
COLORS = {"red": (1.0, 0, 0, 1.0), "green": (0, 0.8, 0, 1.0), "blue": (0, 0, 1.0, 1.0)}


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser that draws by software and resolves no name but localhost."""
    sync = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed"
    )
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    with sync.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


class Watched:
    """A page that may open no address but `allowed`, and remembers what went wrong."""

    def __init__(self, browser: Any, allowed: str) -> None:
        self.page = browser.new_page(viewport={"width": 960, "height": 480})
        self.page.set_default_timeout(60_000)
        self.problems: list[str] = []
        self.refused: list[str] = []
        self.page.on("console", self._message)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.route("**/*", lambda route: self._route(route, allowed))

    def open(self, address: str) -> None:
        self.page.goto(address)
        assert self.page.evaluate("window.knuckle.ready") is True

    def ask(self, expression: str, argument: Any = None) -> Any:
        return self.page.evaluate(expression, argument)

    def pixels(self) -> np.ndarray:
        """The page as (height, width, 3) integers."""
        return image(self.page.screenshot())

    def _message(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def _route(self, route: Any, allowed: str) -> None:
        if route.request.url.startswith(allowed):
            route.continue_()
        else:
            self.refused.append(route.request.url)
            route.abort()


def image(png: bytes) -> np.ndarray:
    """A picture as (height, width, 3) integers."""
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


SEEN = ("red", "green", "blue", "green")
"""The colours of the beads: one about every body's origin, one at OFF on the last."""
OFF = (0.3, 0.2, 0.1)


def beads() -> kn.Model:
    """Three bodies that swing far, with balls that show where they are and turn."""
    balls = [Shape(Sphere(0.09), color=color) for color in COLORS.values()]
    tip = Shape(Sphere(0.07), kn.SE3(p=OFF), color=COLORS["green"])
    rod = kn.Inertia(1.0, (0.0, 0.0, -0.1), (0.02, 0.02, 0.01))
    hang, turn = kn.SE3(p=(0.0, 0.0, -0.5)), kn.joints.Revolute("x")
    down = kn.SE3(p=(0.0, 0.5, 0.0))
    return kn.Model(
        [
            kn.Body("red", None, kn.joints.Free(), kn.SE3(), rod, visuals=(balls[0],)),
            kn.Body("green", "red", turn, hang, rod, visuals=(balls[1],)),
            kn.Body("blue", "green", turn, down, rod, visuals=(balls[2], tip)),
        ]
    )


def centers(model: kn.Model, q: np.ndarray) -> np.ndarray:
    """The centres of the beads in the world, (4, 3), in the order of SEEN."""
    R, p = kn.forward_kinematics(model, q)
    return np.concatenate([p, [p[2] + R[2] @ OFF]])


def swing(model: kn.Model, seconds: float = 2.0, rate: float = 100.0) -> tuple:
    """(t, q) of a smooth motion of all joints, far enough to be seen."""
    t = np.arange(0.0, seconds + 0.5 / rate, 1.0 / rate)
    v = 0.6 * np.cos(1.0 + np.arange(model.nv))
    q = model.integrate(model.neutral(), np.sin(1.1 * t)[:, None] * v)
    return t, q


def projected(camera: dict[str, Any], points: np.ndarray, size: tuple) -> np.ndarray:
    """Pixels (n, 2) of points (n, 3): a pinhole camera, written down once more."""
    eye, target, up = (np.array(camera[k]) for k in ("position", "target", "up"))
    forward = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    x = (points - eye) @ np.stack([right, np.cross(right, forward), forward], axis=1)
    width, height = size
    focal = 0.5 * height / np.tan(0.5 * np.radians(camera["fov"]))
    flat = focal * x[:, :2] / x[:, 2:]
    return np.stack([0.5 * width + flat[:, 0], 0.5 * height - flat[:, 1]], axis=1)


def hue(pixels: np.ndarray, at: np.ndarray) -> str:
    """The name in COLORS of the pixel at (x, y), '' where it is none of them."""
    x, y = np.round(at).astype(int)
    r, g, b = pixels[y, x]
    best = max((r, "red"), (g, "green"), (b, "blue"))
    others = sorted((r, g, b))[1]
    return best[1] if best[0] > 1.35 * others + 20 else ""
