"""The pictures on the page of joints are all there, and their script draws them."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from knuckle.joints import general

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "joints.md").read_text()
SHOWN = set(re.findall(r"\]\(pictures/joint-([a-z-]+)\.png\)", PAGE))


def test_every_general_joint_is_on_the_page() -> None:
    for row in general.TABLE:
        assert f"`{row.call.split('(')[0]}" in PAGE


@pytest.fixture
def script() -> ModuleType:
    """The script as a module."""
    pytest.importorskip("matplotlib")
    place = ROOT / "tools" / "joint_pictures.py"
    spec = importlib.util.spec_from_file_location("joint_pictures", place)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_picture_is_there_and_drawn_by_the_script(script: ModuleType) -> None:
    files = (ROOT / "docs" / "pictures").glob("joint-*.png")
    assert {path.stem.removeprefix("joint-") for path in files} == SHOWN
    assert set(script.PICTURES) == SHOWN
    image = np.full((50, 60, 4), 255, np.uint8)
    image[20:30, 25:40, :3] = 0
    assert script.cropped(image, 3).shape == (15, 20, 4)


@pytest.mark.parametrize("name", ["surface-surface", "chart-exp"])
def test_the_script_runs(script: ModuleType, name: str, tmp_path: Path) -> None:
    script.OUT = tmp_path
    written = script.picture(name)
    assert written.parent == tmp_path and written.stat().st_size > 5_000
