"""Puts each mutation into a copy of the package and runs its laws there.

python tests/mutants.py                   all of them
python tests/mutants.py frame ABA         those whose names hold one of the words
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from mutations import MUTATIONS, Mutation

TESTS = Path(__file__).resolve().parent
PACKAGE = TESTS.parent / "src" / "knuckle"
BROKEN = ("SyntaxError", "NameError", "ImportError", "AttributeError", "TypeError")


def mutated(mutation: Mutation, folder: Path) -> Path:
    """A copy of the package in the folder, wrong in this one place."""
    copy = folder / "knuckle"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    path = copy / mutation.file
    text = path.read_text()
    found = text.count(mutation.old)
    if found != 1:
        raise ValueError(
            f"mutation {mutation.name!r}: expected its text once in {mutation.file}, "
            f"found it {found} times: {mutation.old!r}; the source has changed, "
            "write the mutation anew"
        )
    path.write_text(text.replace(mutation.old, mutation.new))
    return folder


RUN = (
    "import sys, knuckle, pytest; "
    "assert knuckle.__file__.startswith(sys.argv[1]), knuckle.__file__; "
    "options = ['-q', '-x', '-p', 'no:cacheprovider', '--tb=short', '-m', '']; "
    "sys.exit(pytest.main([*options, *sys.argv[2:]]))"
)


def laws_under(mutation: Mutation) -> subprocess.CompletedProcess[str]:
    """What pytest says of the laws when the package is wrong."""
    with tempfile.TemporaryDirectory() as name:
        folder = mutated(mutation, Path(name).resolve())
        path = os.pathsep.join([str(folder), str(TESTS)])
        return subprocess.run(
            [sys.executable, "-c", RUN, str(folder), *mutation.laws],
            cwd=TESTS,
            env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
        )


def problem(mutation: Mutation) -> str | None:
    """Why this mutation counts as unnoticed; None if a law failed."""
    done = laws_under(mutation)
    if done.returncode == 0:
        return f"{mutation.name}: no law failed of {', '.join(mutation.laws)}"
    for kind in BROKEN:
        if f"E   {kind}" in done.stdout:
            return f"{mutation.name}: broken code, no law: {kind}\n{done.stdout}"
    if done.returncode != 1:
        return f"{mutation.name}: the laws did not run\n{done.stdout}{done.stderr}"
    return None


def main() -> int:
    words = sys.argv[1:]
    unnoticed = 0
    for mutation in MUTATIONS:
        if words and not any(word in mutation.name for word in words):
            continue
        found = problem(mutation)
        unnoticed += found is not None
        print(found or f"{mutation.name}: noticed", flush=True)
    print(f"{unnoticed} unnoticed")
    return int(unnoticed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
