"""`kn.load`: a robot from a file, from XML text or by name, in whichever format."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType

from knuckle.io.errors import LoadError
from knuckle.io.expand import expanded, is_xacro
from knuckle.io.source import Source
from knuckle.io.xml import Element
from knuckle.model import Model

READERS = {
    "robot": "knuckle.io.urdf",
    "mujoco": "knuckle.io.mjcf",
    "sdf": "knuckle.io.sdf",
}
"""The module that reads a document with this root element."""
SUFFIXES = (".urdf", ".xml", ".mjcf", ".sdf", ".world", ".xacro")
ROOTS = ("auto", "fixed", "floating")


def load(
    path_or_text: str | os.PathLike[str],
    root: str = "auto",
    *,
    package_dirs: Sequence[str | os.PathLike[str]] = (),
    srdf: str | os.PathLike[str] | bool = True,
    xacro: Mapping[str, str] = MappingProxyType({}),
) -> Model:
    """The Model of a URDF, MJCF or SDF file, of such text, or of a robot's name.

    `root`: how root bodies hang on the world. "auto" is as the format means it (URDF:
    fixed; SDF: free unless static or joined to the world; MJCF: as written),
    "floating" puts a free joint there, "fixed" none. `package_dirs` are further folders
    in which packages, models and meshes are found. `srdf` is a file of group states,
    which become `model.configurations`; True takes the one of the same name in the same
    folder or in ../srdf, if there is one. `xacro` are arguments of a xacro file.
    `model.report` tells what was not used.
    """
    if root not in ROOTS:
        expected = ", ".join(map(repr, ROOTS))
        raise ValueError(f"load: root is {root!r}, expected one of {expected}")
    given = tuple(Path(p) for p in package_dirs)
    source = _source(os.fspath(path_or_text), given)
    element = source.parse()
    if is_xacro(element, source):
        element = expanded(element, source, xacro)
    model, states = read(element, source, root), _srdf(source, srdf)
    if states is None:
        return model
    from knuckle.io.srdf import with_srdf

    return with_srdf(model, Source.of_file(states, given))


def read(element: Element, source: Source, root: str = "auto") -> Model:
    """The Model of a parsed document."""
    if element.tag not in READERS:
        raise LoadError(
            element.file, element.line, "", "a root element <robot> (URDF), <mujoco> "
            "(MJCF) or <sdf>", f"<{element.tag}>", "check that this is a robot's file",
        )  # fmt: skip
    model: Model = import_module(READERS[element.tag]).read(element, source, root)
    return model


def _source(text: str, given: tuple[Path, ...]) -> Source:
    """XML text, a file, or the file of a robot by its name."""
    bare = text.lstrip("\ufeff \t\r\n")
    if bare.startswith("<"):
        told = bare if bare.startswith("<?xml") else text.lstrip("\ufeff")
        return Source.of_text(told, given)
    if "\0" in text:
        raise LoadError(
            "<text>", 0, "", "a path, XML text or a robot's name", "binary data",
            "pass the path of the file",
        )  # fmt: skip
    path = Path(text).expanduser()
    if len(path.parts) == 1 and path.suffix not in SUFFIXES:
        if not os.path.exists(path):
            from knuckle.io.names import find

            path = find(text)
    return Source.of_file(path, given)


def _srdf(source: Source, srdf: str | os.PathLike[str] | bool) -> Path | None:
    """The SRDF file to read as well."""
    if not isinstance(srdf, bool):
        return Path(srdf)
    if not srdf or source.path is None or source.path.suffix not in (".urdf", ".sdf"):
        return None
    from knuckle.io.srdf import beside

    return beside(source.path)
