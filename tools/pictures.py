"""The pictures of the tutorials, from the code of the pages themselves.

    python tools/pictures.py

runs the Python blocks of the pages and writes docs/pictures/*.png. Needs Matplotlib,
Pillow, Playwright and a Chromium, which is asked for pages on disk and nothing else.
"""

from __future__ import annotations

import io
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import knuckle as kn

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
SIZE = {"width": 600, "height": 400}
FLAGS = ("--use-gl=angle", "--use-angle=swiftshader", "--no-sandbox")
COLORS = 128
"""Enough for a chart, and a third of the bytes."""


def names_of(page: str) -> dict[str, Any]:
    """What the blocks of a page define."""
    names: dict[str, Any] = {"__name__": "page"}
    for block in BLOCK.findall((ROOT / "docs" / page).read_text()):
        exec(compile(block, page, "exec"), names)
    return names


def save(name: str, png: bytes, chart: bool = True) -> None:
    """A picture, charts in few colours, and how large it is."""
    from PIL import Image

    path, image = PICTURES / f"{name}.png", Image.open(io.BytesIO(png)).convert("RGB")
    (image.quantize(COLORS) if chart else image).save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB")


def rendered(figure: Any) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=110)
    return buffer.getvalue()


def acrobot() -> None:
    """Two rods that are balanced by the joint between them."""
    from matplotlib.figure import Figure

    stands = names_of("derivatives.md")["stands"]
    figure = Figure(figsize=(7.0, 3.0), layout="constrained")
    axes = figure.subplots()
    axes.plot(stands.t, stands.q, label=stands.model.q_names)
    axes.set(xlabel="t [s]", ylabel="angle [rad]", xlim=(0.0, 6.0))
    axes.legend()
    axes.grid(alpha=0.3)
    save("acrobot", rendered(figure))


def knee() -> None:
    """The shin of the rolling knee at seven angles, seen from the side."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle

    page = names_of("add-a-joint.md")
    figure = Figure(figsize=(5.0, 3.9), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 0], [0, -0.4], color="black", linewidth=6, solid_capstyle="round")
    axes.add_patch(Circle((0, -0.4), page["r"], color="0.25"))
    for k, q in enumerate(np.linspace(0.0, 2.4, 7)):
        p = kn.forward_kinematics(page["leg"], [0, q], frames=["shin", "ankle"]).p
        color = f"C{k}"
        axes.plot(p[:, 0], p[:, 2], color=color, linewidth=3, label=f"{q:.1f} rad")
        axes.add_patch(Circle(p[0, ::2], page["r"], color=color, alpha=0.35))
    axes.set(xlabel="x [m]", ylabel="z [m]", aspect="equal")
    figure.legend(title="q", loc="outside right upper", fontsize="small")
    save("knee", rendered(figure))


def motions() -> None:
    """The falling arm as curves; the arm at its goal in the page of its motion."""
    page = names_of("simulate-and-view.md")
    save("fall", rendered(page["fall"].plot()))
    save("reach", screenshot(page["page"].path, "t=3&layers=visuals,frames"), False)


def humanoid() -> None:
    """The humanoid of the benchmarks, with the cuboids of its inertias."""
    model = kn.load(ROOT / "benchmarks" / "models" / "hum38.urdf")
    with tempfile.TemporaryDirectory() as folder:
        page = kn.view.export_html(Path(folder) / "humanoid.html", model)
        save("humanoid", screenshot(page.path, "layers=visuals,inertia"), False)


def screenshot(path: Path, state: str) -> bytes:
    """An exported page in a headless browser."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=program, args=list(FLAGS))
        tab = browser.new_page(viewport=SIZE)
        tab.set_default_timeout(60_000)
        tab.goto(f"{path.as_uri()}#{state}")
        assert tab.evaluate("window.knuckle.ready") is True
        png: bytes = tab.screenshot()
        browser.close()
    return png


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for draw in (acrobot, knee, motions, humanoid):
        draw()
