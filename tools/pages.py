"""Pages of the site that stand elsewhere in the project: MkDocs runs this as a hook.

The home page is the README, the changelog and the benchmarks are their files, and the
reference is made of the docstrings; so none of them can be out of date.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

import reference

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
WIDE = ("benchmarks.md",)
ELSEWHERE = re.compile(
    r"<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)=\"?(?:https?:)?//[^>]*>"
)


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages that are no file in docs."""
    for name, text in pages().items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Gives the room of the side columns to the text where it has more use for it."""
    if "\n## " not in markdown or page.file.src_uri in WIDE:
        page.meta.setdefault("hide", []).append("toc")
    if page.is_homepage:
        page.meta.setdefault("hide", []).append("navigation")
    return markdown


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Refuses a page that would fetch anything from another host."""
    found = ELSEWHERE.search(output)
    if found:
        raise PluginError(f"{page.file.src_uri}: fetches from elsewhere: {found[0]}")
    return output


def pages() -> dict[str, str]:
    """The added pages, as Markdown by name."""
    return {
        "index.md": inside(ROOT / "README.md"),
        "changelog.md": inside(ROOT / "CHANGELOG.md"),
        "benchmarks.md": benchmarks(),
        "reference.md": reference.page(),
    }


def inside(path: Path) -> str:
    """A page of the project's root, its links as they are within the site."""
    text = re.sub(r"\[docs/([\w-]+)\.md\]", _titled, path.read_text())
    text = re.sub(r"\]\(docs/", "](", text)
    return re.sub(
        r"\]\(benchmarks/results/([\w-]+)\.md\)", r"](benchmarks.md#\1)", text
    )


def _titled(link: re.Match[str]) -> str:
    """The heading of a page in place of its file's name."""
    first = (ROOT / "docs" / f"{link[1]}.md").read_text().partition("\n")[0]
    return f"[{first.removeprefix('# ')}]"


def benchmarks() -> str:
    """How the measurements are made, and every committed table."""
    parts = [(RESULTS.parent / "README.md").read_text()]
    for path in sorted(RESULTS.glob("*.md")):
        text = re.sub(r"^#", "##", path.read_text(), flags=re.M)
        if not text.startswith("## "):
            text = f"## {path.stem.capitalize().replace('-', ', ', 1)}\n\n{text}"
        parts.append(re.sub(r"^(## .*)", rf"\1 {{ #{path.stem} }}", text, count=1))
    return "\n".join(parts)
