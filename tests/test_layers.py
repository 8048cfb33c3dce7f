"""Imports go downwards only, and words of the machine stay out of the algorithms."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import knuckle

PACKAGE = Path(knuckle.__file__).parent
LAYERS = (
    "scalar", "codegen", "spatial", "joints", "model", "edge", "algorithms", "convert",
    "sim", "io", "view", "interop", "cluster", "cli",
)  # fmt: skip
"""From below; each may import from those before it, and codegen knows scalar alone."""
FILES = sorted(PACKAGE.rglob("*.py"))


def layer(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def typing(node: ast.AST) -> bool:
    """Is it what only a type checker reads?"""
    test = node.test if isinstance(node, ast.If) else None
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """(module of knuckle, whether it is imported when the file is)."""
    tree = ast.parse(path.read_text())
    late = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or typing(node)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
            if node.module == "knuckle":
                names = [f"knuckle.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name.split(".")[0] == "knuckle":
                yield name, node not in late


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_downwards(path: Path) -> None:
    own = layer(path)
    if own in ("__init__", "__main__"):
        return
    assert own in LAYERS, f"{own}: a new layer has its place in LAYERS"
    for name, early in imports(path):
        other = name.split(".")[1] if "." in name else "__init__"
        if own == "codegen":
            assert other in ("codegen", "scalar"), f"{path}: imports {name}"
        elif other in LAYERS and early:
            ok = LAYERS.index(other) <= LAYERS.index(own)
            assert ok, f"{path}: {own} imports {name}, which lies above it"


@pytest.mark.parametrize(
    "path", sorted((PACKAGE / "algorithms").glob("*.py")), ids=lambda p: p.name
)
def test_algorithms_know_no_machine(path: Path) -> None:
    text = path.read_text()
    for word in ("batch", "lane", "thread", "device", "dtype", "numpy", "kernel"):
        assert not re.search(rf"\b{word}s?\b", text, re.I), f"{path.name}: {word!r}"


def test_no_joint_is_named_outside_its_layer() -> None:
    """Joints are expressions: no algorithm or model asks which one it has."""
    named = re.compile(r"\b(Revolute|Prismatic|Spherical|Universal|Cylindrical)\b")
    for folder in ("scalar", "codegen", "spatial", "algorithms", "edge"):
        for path in (PACKAGE / folder).rglob("*.py"):
            code = re.sub(r'""".*?"""|#.*', "", path.read_text(), flags=re.S)
            assert not named.search(code), path


def test_importing_is_lazy() -> None:
    """`import knuckle` loads NumPy's dependants and llvmlite when they are needed."""
    code = (
        "import sys, knuckle; "
        "loaded = [m for m in sys.modules if m.startswith('knuckle.')]; "
        "print(loaded, 'llvmlite' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["[]", "False"]


def test_every_public_name_is_there() -> None:
    for name in knuckle.__all__:
        assert getattr(knuckle, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        knuckle.nothing  # noqa: B018


def test_pages_of_algorithms_are_read_when_asked_for() -> None:
    """One page is one import; its name is the algorithm's, whoever imported it."""
    code = (
        "import sys, knuckle as kn; kn.forward_dynamics\n"
        "print('knuckle.algorithms.mass_matrix' in sys.modules)\n"
        "import knuckle.algorithms.mass_matrix\n"
        "from knuckle.algorithms import mass_matrix\n"
        "print(mass_matrix is kn.mass_matrix is kn.algorithms.mass_matrix)\n"
        "print(sorted(kn.inverse_dynamics.rules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["False", "True", "[('q', 'v', 'a')]"]


def test_every_algorithm_has_a_page() -> None:
    from knuckle import algorithms

    for name in algorithms.__all__:
        assert getattr(algorithms, name).__name__ == name
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        algorithms.nothing  # noqa: B018
