"""The code on the pages runs: README, recipes and every other page with Python
blocks. A block of text right below one is what it prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```(?:\n+```text\n(.*?)^```)?", re.M | re.S)
WITH_CODE = [page for page in PAGES if BLOCK.search(page.read_text())]
TUTORIALS = (
    *("first-robot", "batches", "frames", "inverse-kinematics", "derivatives"),
    *("add-a-joint", "simulate-and-view"),
)


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda p: p.name)
def test_page_runs(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {"__name__": "page"}
    for code, shown in BLOCK.findall(page.read_text()):
        capsys.readouterr()
        exec(compile(code, str(page), "exec"), names)
        printed = capsys.readouterr().out
        assert not shown or printed == shown, f"{page.name} shows\n{shown}"


def test_the_promised_pages_have_code() -> None:
    promised = {"README.md", "recipes.md", *(f"{name}.md" for name in TUTORIALS)}
    assert promised <= {page.name for page in WITH_CODE}
