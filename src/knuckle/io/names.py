"""Robots by name: the files of example-robot-data, and those robot_descriptions keeps.

Nothing is fetched: robot_descriptions clones from the network when one of its modules
is imported, so that only what its cache holds already is used.
"""

from __future__ import annotations

import os
import re
from functools import cache
from importlib import import_module, metadata, util
from pathlib import Path
from typing import Any

from knuckle.io.errors import LoadError
from knuckle.model.errors import near

ENDINGS = ("_simple_description", "_description", "_data")
PLACES = ("urdf", "robots")
SUFFIXES = (".urdf", ".sdf")
CLONES = re.compile(r"clone_to_cache\(\s*[\"']([^\"']+)")


def find(name: str) -> Path:
    """The file of a robot, or the error that names those near to it."""
    examples = example_robots()
    if name in examples:
        return examples[name]
    described = descriptions()
    for key in (name, f"{name}_description"):
        if key in described:
            return _described(key)
    if not examples and not described:
        raise _unknown(
            name, "no package of robots is installed",
            "pip install example-robot-data, or check the path",
        )  # fmt: skip
    hint = near(name, [*examples, *described], "robots").removesuffix("?")
    raise _unknown(name, "neither", f"{hint}, or is the path wrong?")


@cache
def example_robots() -> dict[str, Path]:
    """The files of example-robot-data by name.

    A name is that of a file where no other file has it ('solo12'), also without
    '_robot' ('ur5'), or that of a folder with one robot in it ('anymal_c').
    """
    try:
        wheel = metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        return {}
    top = Path(str(wheel.locate_file("cmeel.prefix/share/example-robot-data/robots")))
    names: dict[str, list[Path]] = {}
    for folder in sorted(top.glob("*")):
        files = [f for p in PLACES for f in sorted((folder / p).glob("*"))]
        files = [f for f in files if f.suffix in SUFFIXES]
        for file in files:
            for key in dict.fromkeys((file.stem, file.stem.removesuffix("_robot"))):
                names.setdefault(key, []).append(file)
        robot = _robot_of(folder.name)
        main = [f for f in files if robot.startswith(f.stem)] or files
        if len({f.stem for f in main}) == 1:
            names.setdefault(robot, main[:1])
    return {key: files[0] for key, files in sorted(names.items()) if len(files) == 1}


def _robot_of(folder: str) -> str:
    for ending in ENDINGS:
        if folder.endswith(ending):
            return folder.removesuffix(ending)
    return folder


@cache
def descriptions() -> tuple[str, ...]:
    """The names of all descriptions that robot_descriptions knows, cached or not."""
    if util.find_spec("robot_descriptions") is None:
        return ()
    table: Any = import_module("robot_descriptions._descriptions")
    return tuple(sorted(table.DESCRIPTIONS))


def _fetch(name: str) -> str:
    robot = name.partition("_")[0]
    ready = [repr(key) for key in example_robots() if key.startswith(robot)]
    instead = f"; there are {', '.join(ready[:5])}" if ready else ""
    run = f"python -c 'import robot_descriptions.{name}'"
    return f"run `{run}` once, which downloads it{instead}"


def _described(name: str) -> Path:
    """The file of a description whose repository is in the cache."""
    spec = util.find_spec(f"robot_descriptions.{name}")
    if spec is None or spec.origin is None:
        raise _unknown(name, "a description without a module", "pip install -U it")
    clones = CLONES.search(Path(spec.origin).read_text())
    if clones is None or not _is_cached(clones[1]):
        raise _unknown(
            name, "a description that is not in the cache of robot_descriptions",
            _fetch(name),
        )  # fmt: skip
    module = import_module(f"robot_descriptions.{name}")
    for kind in ("URDF_PATH", "MJCF_PATH", "XACRO_PATH"):
        if hasattr(module, kind):
            return Path(getattr(module, kind))
    raise _unknown(name, "a description without URDF, MJCF or xacro", "pass its file")


def _is_cached(repository: str) -> bool:
    """Whether a repository lies in the cache at the commit that is asked for."""
    table: Any = import_module("robot_descriptions._repositories")
    entry = table.REPOSITORIES.get(repository)
    folder = os.environ.get("ROBOT_DESCRIPTIONS_CACHE", "~/.cache/robot_descriptions")
    head = Path(folder).expanduser() / (entry.cache_path if entry else "") / ".git/HEAD"
    if entry is None or not head.is_file():
        return False
    wanted = os.environ.get("ROBOT_DESCRIPTION_COMMIT", entry.commit)
    return head.read_text().strip() == wanted


def _unknown(name: str, got: str, repair: str) -> LoadError:
    shown = name if len(name) <= 60 else name[:57] + "..."
    return LoadError(shown, 0, "", "a file or the name of a robot", got, repair)
