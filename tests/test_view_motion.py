"""What a viewer is given, what it refuses, and the text of the page."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import zlib
from base64 import b64decode
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import knuckle as kn
from browsing import beads, swing
from knuckle.view import export_html
from knuckle.view.html import Buffer
from knuckle.view.motion import accelerations, motion, velocities

MODEL = beads()
T, Q = swing(MODEL)


def contents(path: Path) -> tuple[dict[str, Any], Any]:
    """The scene of a page, and a function that reads its buffer."""
    text = path.read_text()
    scene = re.search(r'<script id="scene"[^>]*>(.*?)</script>', text, re.S)
    packed = re.search(r'<script id="buffer"[^>]*>(.*?)</script>', text, re.S)
    assert scene and packed
    plain = zlib.decompress(b64decode(packed[1]))

    def read(reference: dict[str, Any]) -> np.ndarray:
        kind = f"<{reference['kind']}"
        return np.frombuffer(plain, kind, reference["count"], reference["at"])

    return json.loads(scene[1]), read


def test_a_trajectory_is_an_object_or_a_pair() -> None:
    pair = motion(MODEL, (T, Q))
    thing = motion(MODEL, SimpleNamespace(t=T, q=Q, energies=None))
    for a, b in ((pair.t, thing.t), (pair.q, thing.q), (pair.v, thing.v)):
        assert np.array_equal(a, b)
    known = motion(MODEL, SimpleNamespace(t=T, q=Q, v=pair.v + 1.0))
    assert np.array_equal(known.v, pair.v + 1.0)


def test_models_start_within_their_limits() -> None:
    rod = kn.spatial.solids.rod(0.5, mass=1.0)
    bent = kn.joints.Revolute("x", lower=-3.0, upper=-0.1)
    bodies = [
        kn.Body("free", None, kn.joints.Free(), inertia=rod),
        kn.Body("bent", "free", bent, inertia=rod),
    ]
    q = motion(kn.Model(bodies)).q[0]
    assert q.tolist() == [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -0.1]


def test_velocities_are_those_of_the_motion() -> None:
    """A constant twist, and one that grows evenly."""
    v = np.random.default_rng(0).normal(size=MODEL.nv)
    q = MODEL.integrate(MODEL.neutral(), T[:, None] * v)
    assert np.abs(velocities(MODEL, T, q) - v).max() < 1e-9
    assert np.abs(accelerations(T, 3.0 * T[:, None] * v) - 3.0 * v).max() < 1e-9
    still = motion(MODEL, q=Q[3])
    assert not still.v.any() and not still.a.any() and still.t.tolist() == [0.0]


def test_thinning_keeps_given_states() -> None:
    whole = motion(MODEL, (T, Q))
    few = whole.thinned(25.0)
    assert len(few.t) == 51 and few.t[-1] == T[-1]
    rows = np.searchsorted(T, few.t)
    assert np.array_equal(few.q, Q[rows]) and np.array_equal(few.v, whole.v[rows])
    assert len(whole.thinned(1e6).t) == len(T)
    uneven = motion(MODEL, (np.array([0.0, 0.1, 5.0]), Q[:3])).thinned(30.0)
    assert uneven.t.tolist() == [0.0, 0.1, 5.0]


def test_a_motion_that_blows_up_is_shown_up_to_there() -> None:
    q = Q.copy()
    q[20:, 7] = np.nan
    whole = motion(MODEL, (T, q), f_ext={"red": np.zeros((len(T), 6))})
    assert len(whole.t) == len(whole.v) == len(whole.f_ext["red"]) == 20
    (remark,) = whole.remarks
    assert remark.severity == "error"
    assert remark.reason == "'green' is nan at step 20, t = 0.2 s; shown up to there"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"q": Q}, r"q: expected one position of shape \(9,\), got \(201, 9\); pass "),
        (
            {"q": Q[0] * np.nan},
            "a first state where 'red.0.' is nan at step 0, t = 0 s",
        ),
        ({"q": Q[0], "trajectory": (T, Q)}, "expected trajectory or q, got both"),
        (
            {"trajectory": Q},
            r"or a pair \(t, q\), got ndarray; write trajectory=\(t, q",
        ),
        (
            {"trajectory": (T, Q[:, 1:])},
            r"q of shape \(steps, 9\), got \(201, 8\); show",
        ),
        (
            {"trajectory": (T, Q[None])},
            r"got a batch \(1, 201, 9\); choose one, such as",
        ),
        (
            {"trajectory": (T[1:], Q)},
            r"one time for each of the 201 rows of q, got t of",
        ),
        ({"trajectory": (T[::-1], Q)}, "got 2.0 s and then 1.99 s at step 0; sort the"),
        ({"trajectory": (T, Q, Q)}, r"expected v of shape \(201, 8\), got \(201, 9\);"),
        ({"f_ext": {"rod": np.zeros(6)}}, "'rod'.* did you mean 'red'?"),
        ({"f_ext": {"red": np.zeros(3)}}, r"shape \(6,\) or \(1, 6\), got \(3,\)"),
        ({"f_ext": {"world": np.zeros(6)}}, "'world' is fixed to the world; name a"),
    ],
)
def test_what_cannot_be_shown(given: dict[str, Any], message: str) -> None:
    with pytest.raises(kn.ModelError, match=message):
        motion(MODEL, **given)


def test_joints_that_depend_on_time_and_parameters(tmp_path: Path) -> None:
    from knuckle.spatial import Rz, Tx

    lift = kn.Joint(lambda q, t: Tx(0.3 * t) * Rz(q[0]), 1)
    rod = kn.Inertia(1.0, (0.1, 0.0, 0.0), (0.1, 0.1, 0.1))
    model = kn.Model([kn.Body("cart", None, lift, inertia=rod)])
    given = SimpleNamespace(t=T, q=np.zeros((len(T), 1)))
    scene, read = contents(export_html(tmp_path / "cart.html", model, given).path)
    p = read(scene["positions"]).reshape(-1, 2, 3)
    assert p[-1, 0] == pytest.approx((0.3 * T[-1], 0.0, 0.0))
    moved = model.with_parameters("cart.placement")
    table = {"cart.placement": moved.parameter_defaults()["cart.placement"]}
    shown = motion(moved, SimpleNamespace(t=T, q=given.q, parameters=table))
    assert set(shown.options(moved)) == {"t", "parameters"}


def test_the_page_holds_the_poses(tmp_path: Path) -> None:
    written = export_html(tmp_path / "page.html", MODEL, (T, Q), fps=50.0)
    scene, read = contents(written.path)
    t = read(scene["times"])
    assert np.allclose(t, T[::2]) and (scene["start"], scene["end"]) == (0.0, 2.0)
    p = read(scene["positions"]).reshape(len(t), 4, 3)
    expected = kn.forward_kinematics(MODEL, Q[::2])
    assert np.abs(p[:, :3] - expected.p).max() < 1e-6
    assert np.abs(p[:, 3] - kn.center_of_mass(MODEL, Q[::2])).max() < 1e-6
    assert scene["movers"] == ["red", "green", "blue", "centre of mass"]
    assert scene["layers"] == [
        *("visuals", "frames", "names", "inertia", "centre of mass"),
        *("gravity", "joint forces"),
    ]


def test_equal_surfaces_are_written_once(tmp_path: Path) -> None:
    scene, _ = contents(export_html(tmp_path / "page.html", MODEL).path)
    balls = [part for part in scene["parts"] if part["layer"] == "visuals"]
    assert len({part["surface"] for part in balls}) == 2 and len(balls) == 4


def test_a_page_of_one_position(tmp_path: Path) -> None:
    path = export_html(tmp_path / "still.html", MODEL, q=Q[9]).path
    scene, read = contents(path)
    assert scene["start"] == scene["end"] == 0.0
    assert np.allclose(
        read(scene["positions"])[:3], kn.forward_kinematics(MODEL, Q[9]).p[0]
    )


def test_names_cannot_break_out_of_the_page(tmp_path: Path) -> None:
    evil = "</script><script>alert('@title@')</script>"
    mass = kn.spatial.solids.sphere(0.1, mass=1.0)
    body = kn.Body(evil, None, kn.joints.Free(), inertia=mass)
    path = export_html(tmp_path / "evil.html", kn.Model([body]), title=evil).path
    text = path.read_text()
    assert "<script>alert" not in text
    assert contents(path)[0]["movers"][0] == evil


def test_a_page_asks_for_nothing(tmp_path: Path) -> None:
    text = export_html(tmp_path / "page.html", MODEL).path.read_text()
    assert "default-src 'none'" in text and "Permission is hereby granted" in text
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=[\"'](?!data:)", text)


def test_the_buffer_is_aligned() -> None:
    buffer = Buffer()
    first, second = buffer.add(np.arange(3), "u2"), buffer.add(np.ones(2))
    assert (first["at"], second["at"], second["count"]) == (0, 8, 2)
    assert len(zlib.decompress(b64decode(buffer.text()))) == 16


def test_the_viewer_says_how_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "viser", None)
    message = r"^kn.view needs viser: pip install 'knuckle\[view\]'$"
    with pytest.raises(ModuleNotFoundError, match=message):
        kn.view(MODEL)


def test_a_port_in_use_is_refused() -> None:
    pytest.importorskip("viser", reason="viser is not installed")
    with socket.socket() as taken:
        taken.bind(("localhost", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=f"port {port} is in use; choose another"):
            kn.view(MODEL, port=port, open_browser=False)


def test_a_viewer_opens_updates_and_closes(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("viser", reason="viser is not installed")
    with kn.view(MODEL, port=0, open_browser=False) as viewer:
        assert f"knuckle: {viewer.url}\n" in capsys.readouterr().err
        assert viewer.url in repr(viewer)
        viewer.update(Q[5])
        assert np.array_equal(viewer.q, Q[5])
        with pytest.raises(kn.ModelError, match="expected one position"):
            viewer.update(Q)
        viewer.play()
        assert not viewer.playing, "there is no trajectory"
    viewer.wait()
    viewer.close()


def test_the_module_can_be_called_whatever_came_first() -> None:
    code = (
        "import sys, knuckle as kn; assert 'viser' not in sys.modules\n"
        "import knuckle.view; assert callable(kn.view) and kn.view.export_html\n"
        "assert not {'viser', 'trimesh'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
