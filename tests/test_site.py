"""The site: what is generated is complete, its pictures are small, and it builds."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import knuckle as kn

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PICTURE = re.compile(r"!\[[^\]]+\]\(pictures/(\S+\.png)\)")
sys.path.append(str(ROOT / "tools"))


def test_the_page_of_joints_has_what_is_printed() -> None:
    command = [sys.executable, "-m", "knuckle.joints"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert f"\n{printed.strip()}\n" in (DOCS / "joint-table.md").read_text()
    for name in kn.joints.__all__:
        if callable(getattr(kn.joints, name)) and name != "Joint":
            assert f"`{name}(" in printed, f"{name} has no row in the table"


def test_the_reference_has_every_public_name_and_its_words() -> None:
    import reference

    page = reference.page()
    sections = dict(re.findall(r"^### (\S+)\n\n(.*?)(?=^##|\Z)", page, re.M | re.S))
    for name in set(kn.__all__) - set(kn._MODULES) - {"references"}:
        text = re.sub(r"```.*?```", "", sections[name], flags=re.S)
        assert len(text.split()) >= 4, f"kn.{name} has no docstring"
    for name in kn._MODULES:
        assert f"## kn.{name}\n" in page
    assert "kn.simulate(\n    model: Any," in page
    assert "passive: bool = True" in sections["inverse_dynamics"]


def test_a_docstring_keeps_its_stars() -> None:
    import reference

    assert reference.words("v x* f_i is `a * b_c`, **not** <c>") == (
        r"v x\* f\_i is `a * b_c`, \*\*not\*\* \<c>"
    )


def test_every_picture_is_small_and_on_a_page() -> None:
    shown = {
        name for page in DOCS.glob("*.md") for name in PICTURE.findall(page.read_text())
    }
    files = {path.name: path for path in (DOCS / "pictures").iterdir()}
    assert files.keys() == shown
    for path in files.values():
        assert path.stat().st_size < 200_000, path
        assert path.read_bytes().startswith(b"\x89PNG")


def test_the_home_page_links_within_the_site() -> None:
    pytest.importorskip("mkdocs", reason="MkDocs is not installed")
    import pages

    home, measured = pages.inside(ROOT / "README.md"), pages.benchmarks()
    assert "](docs/" not in home and "](benchmarks/results/" not in home
    assert "[Notation and conventions](notation.md)" in home
    for anchor in re.findall(r"\]\(benchmarks\.md#([\w-]+)\)", home):
        assert f"{{ #{anchor} }}" in measured


def test_pages_that_fetch_from_elsewhere_are_refused() -> None:
    exceptions = pytest.importorskip("mkdocs.exceptions", reason="no MkDocs")
    from types import SimpleNamespace

    import pages

    page = SimpleNamespace(file=SimpleNamespace(src_uri="batches.md"))
    own = '<script src="assets/a.js"></script><a href="https://python.org">out</a>'
    assert pages.on_post_page(own, page, None) == own
    for tag in ('<script src="https://a.org/b.js">', '<link href="//a.org/b.css">'):
        with pytest.raises(exceptions.PluginError, match="batches.md: fetches from"):
            pages.on_post_page(own + tag, page, None)


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("material", reason="mkdocs-material is not installed")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    done = subprocess.run(
        [*command, "--site-dir", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    home = (tmp_path / "index.html").read_text()
    assert "The textbook, compiled" in home and 'href="batches.html"' in home
    assert (tmp_path / "pictures" / "knee.png").exists()
