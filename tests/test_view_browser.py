"""The pictures themselves: pages and the live viewer in a headless Chromium."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import knuckle as kn
from browsing import (
    SEEN,
    Watched,
    beads,
    centers,
    chromium,
    hue,
    image,
    projected,
    swing,
)
from knuckle.view import export_html
from oracles import robots

SIZE = (960, 480)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def opened(browser: Any, tmp_path_factory: Any) -> Iterator[Watched]:
    """The beads as a page, opened from disk without a network."""
    model = beads()
    path = tmp_path_factory.mktemp("page") / "beads.html"
    export_html(path, model, swing(model), fps=100, title="three <beads> & more")
    page = Watched(browser, "file:")
    page.open(f"{path.as_uri()}#t=0")
    yield page
    page.page.close()


def beads_at(model: kn.Model, t: np.ndarray, q: np.ndarray, at: float) -> np.ndarray:
    return centers(model, q[np.argmin(np.abs(t - at))])


def test_bodies_are_where_the_kinematics_say(opened: Watched) -> None:
    model = beads()
    t, q = swing(model)
    seen = []
    for at in (0.3, 1.3):
        opened.ask("t => window.knuckle.seek(t)", at)
        pixels, camera = opened.pixels(), opened.ask("window.knuckle.camera()")
        p = beads_at(model, t, q, at)
        places = projected(camera, p, SIZE)
        for body, point, place in zip(model.bodies, p[:3], places[:3], strict=True):
            assert np.allclose(
                opened.ask("n => window.knuckle.position(n)", body.name),
                point,
                atol=1e-5,
            )
            told = opened.ask("n => window.knuckle.project(n)", body.name)
            assert np.allclose(told, place, atol=0.2)
        assert tuple(hue(pixels, place) for place in places) == SEEN
        seen.append((pixels, places))
    for color, place in zip(SEEN, seen[0][1], strict=True):
        assert hue(seen[1][0], place) != color, "the picture did not change"


def test_between_two_states_the_picture_goes_straight(opened: Watched) -> None:
    model = beads()
    t, q = swing(model)
    opened.ask("t => window.knuckle.seek(t)", float(0.25 * t[70] + 0.75 * t[71]))
    p = kn.forward_kinematics(model, q[70:72]).p
    between = 0.25 * p[0] + 0.75 * p[1]
    for body, point in zip(model.bodies, between, strict=True):
        told = opened.ask("n => window.knuckle.position(n)", body.name)
        assert np.allclose(told, point, atol=1e-5)


def test_switches_show_and_hide(opened: Watched) -> None:
    opened.ask("window.knuckle.seek(0.3)")
    shown = opened.pixels()[:, :600]
    for layer in ("frames", "inertia", "centre of mass", "gravity", "joint forces"):
        box = opened.page.get_by_label(layer)
        assert not box.is_checked()
        box.check()
        assert np.abs(opened.pixels()[:, :600] - shown).max() > 60, layer
        box.uncheck()
        assert np.array_equal(opened.pixels()[:, :600], shown), layer
    opened.page.get_by_label("names").check()
    assert opened.page.locator(".name", has_text="green").is_visible()
    opened.page.get_by_label("names").uncheck()
    assert opened.page.locator(".name", has_text="green").is_hidden()


def test_the_bar_plays_and_seeks(opened: Watched) -> None:
    opened.ask("window.knuckle.seek(0.5)")
    assert opened.page.get_by_role("status").inner_text() == "0.50 / 2.00 s"
    opened.page.get_by_label("play or pause").click()
    until(lambda: opened.ask("window.knuckle.clock.t") != 0.5)
    opened.page.keyboard.press("Space")
    stopped = opened.ask("window.knuckle.clock.t")
    assert not opened.ask("window.knuckle.clock.playing")
    opened.page.keyboard.press("ArrowRight")
    assert opened.ask("window.knuckle.clock.t") == pytest.approx(
        min(stopped + 0.02, 2.0)
    )
    opened.page.get_by_label("time").fill("1.25")
    assert opened.ask("window.knuckle.clock.t") == 1.25


def test_nothing_went_wrong_and_nothing_was_asked_of_the_network(
    opened: Watched,
) -> None:
    assert opened.page.title() == "three <beads> & more"
    assert opened.problems == [] and opened.refused == []
    fetched = "fetch('https://example.org/').then(() => 'open', () => 'closed')"
    assert opened.ask(fetched) == "closed"


def test_ten_seconds_of_a_humanoid(browser: Any, tmp_path: Path) -> None:
    """Under 20 MB; every body's origin lies in something that is drawn."""
    model = robots.robot("hum38")
    t, q = swing(model, 10.0, 100.0)
    written = export_html(tmp_path / "humanoid.html", model, (t, q), fps=100)
    assert written.bytes == (tmp_path / "humanoid.html").stat().st_size < 20e6
    page = Watched(browser, "file:")
    page.open(f"{written.path.as_uri()}#t=2&layers=visuals")
    assert page.ask("window.knuckle.end - window.knuckle.start") == 10.0
    for at in (2.0, 7.0):
        page.ask("t => window.knuckle.seek(t)", at)
        places = [
            page.ask("n => window.knuckle.project(n)", b.name) for b in model.bodies
        ]
        x, y = np.round(places).astype(int).T
        shown = page.pixels()
        page.ask("window.knuckle.show('visuals', false)")
        drawn = np.abs(shown - page.pixels()).sum(axis=-1)[y, x] > 30
        page.ask("window.knuckle.show('visuals', true)")
        assert drawn.all(), [b.name for b, d in zip(model.bodies, drawn) if not d]
    assert page.problems == [] and page.refused == []
    page.page.close()


class Live:
    """The live viewer of the beads and a browser that looks at it."""

    def __init__(self, browser: Any) -> None:
        self.model = beads()
        self.t, self.q = swing(self.model)
        self.viewer = kn.view(self.model, (self.t, self.q), port=0, open_browser=False)
        self.watched = Watched(browser, "")
        self.watched.page.goto(self.viewer.url)
        until(lambda: self.viewer.server.get_clients())

    def places(self, points: np.ndarray) -> np.ndarray:
        """Their pixels, by the camera of the browser as the server hears of it."""
        eye = next(iter(self.viewer.server.get_clients().values())).camera
        camera = {
            "position": eye.position, "target": eye.look_at,
            "up": eye.up_direction, "fov": np.degrees(eye.fov),
        }  # fmt: skip
        return projected(camera, points, SIZE)

    def hues(self, at: np.ndarray) -> list[str]:
        pixels = image(self.watched.page.screenshot())
        return [hue(pixels, place) for place in at]


def until(done: Any, seconds: float = 60.0) -> None:
    """Wait for something that another program does."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def live(browser: Any) -> Iterator[Live]:
    pytest.importorskip("viser", reason="viser is not installed")
    shown = Live(browser)
    yield shown
    shown.watched.page.close()
    shown.viewer.close()


def test_the_live_viewer_shows_the_bodies(live: Live) -> None:
    before = None
    for at in (0.3, 1.3):
        live.viewer.seek(at)
        p = beads_at(live.model, live.t, live.q, at)
        until(lambda p=p: live.hues(live.places(p)) == list(SEEN))
        if before is not None:
            moved = zip(SEEN, live.hues(before), strict=True)
            assert all(then != now for then, now in moved)
        before = live.places(p)
    live.viewer.update(live.q[60])
    p = centers(live.model, live.q[60])
    until(lambda: live.hues(live.places(p)) == list(SEEN))


def test_a_hand_on_a_slider_moves_its_joint(live: Live) -> None:
    live.viewer.update(live.model.neutral())
    sliders = live.watched.page.get_by_role("slider")
    until(lambda: sliders.count() == 1 + live.model.nv)
    slider = sliders.nth(1 + live.model.nv - 2)
    until(lambda: slider.get_attribute("aria-valuenow") == "0")
    slider.focus()
    live.watched.page.keyboard.press("ArrowRight")
    green = live.model.joint("green").q
    until(lambda: live.viewer.q[green][0] != 0.0)
    others = np.delete(live.viewer.q - live.model.neutral(), green)
    assert live.viewer.q[green][0] == pytest.approx(np.pi / 500, rel=1e-3)
    assert not others.any()


def test_the_live_viewer_plays(live: Live) -> None:
    live.viewer.seek(0.1)
    live.viewer.play()
    until(lambda: live.viewer.t > 0.4)
    live.viewer.pause()
    stopped = live.viewer.t
    time.sleep(0.1)
    assert live.viewer.t == stopped


def test_live_layers_change_the_picture(live: Live) -> None:
    live.viewer.seek(0.3)
    boxes = live.watched.page.get_by_role("checkbox")
    before = image(live.watched.page.screenshot())
    live.viewer.show("joint forces")
    until(lambda: boxes.nth(6).is_checked())
    until(lambda: _changed(live, before) > 50)
    live.viewer.show("joint forces", False)
    with pytest.raises(kn.ModelError, match="'force'.* did you mean"):
        live.viewer.show("force")


def _changed(live: Live, before: np.ndarray) -> int:
    """How many pixels left of the panel differ."""
    after = image(live.watched.page.screenshot())
    return int((np.abs(after - before).max(axis=-1)[150:, :600] > 60).sum())


def test_the_live_viewer_has_no_errors(live: Live) -> None:
    assert [p for p in live.watched.problems if "deprecated" not in p] == []
