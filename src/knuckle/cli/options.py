"""Arguments that several commands share, and the types of their values."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from knuckle.cli.errors import UserError

if TYPE_CHECKING:
    from knuckle.model import Model

ROOTS = ("auto", "fixed", "floating")


def add_file(parser: argparse.ArgumentParser, name: str = "file") -> None:
    """FILE and the options of loading it."""
    parser.add_argument(
        name,
        metavar=name.upper(),
        help="a URDF, MJCF or SDF file, or a robot's name such as 'panda'",
    )
    parser.add_argument(
        "--root", choices=ROOTS, default="auto",
        help="how root bodies hang on the world (default: as the format means it)",
    )  # fmt: skip
    parser.add_argument(
        "--package-dir", action="append", default=[], metavar="DIR",
        help="a further folder with packages and meshes; may be repeated",
    )  # fmt: skip


def load(options: argparse.Namespace, name: str = "file") -> Model:
    """The Model of FILE."""
    import knuckle as kn

    path = getattr(options, name)
    if path.lstrip().startswith("<"):
        raise UserError(f"{path[:40]!r}: expected a file or a name, got text")
    return kn.load(path, options.root, package_dirs=options.package_dir)


def number(
    what: str, kind: Callable[[str], Any], low: float, strict: bool = True
) -> Callable[[str], Any]:
    """The type of an option: a finite number of this kind above (or from) `low`."""

    def parsed(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and (value > low or value == low and not strict)):
            above = "above" if strict else "from"
            raise argparse.ArgumentTypeError(
                f"expected {what} {above} {low:g}, got {text!r}"
            )
        return value

    return parsed


count = number("a whole number", int, 0)
positive = number("a number", float, 0.0)
