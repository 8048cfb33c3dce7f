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


def pair(text: str) -> tuple[float, float]:
    """'200,20' as two numbers from 0."""
    try:
        stiffness, damping = (float(x) for x in text.split(","))
    except ValueError:
        stiffness = damping = -1.0
    if not (0.0 <= stiffness < math.inf and 0.0 <= damping < math.inf):
        raise argparse.ArgumentTypeError(
            f"expected two numbers from 0, such as 200,20, got {text!r}"
        )
    return stiffness, damping


def port(text: str) -> int:
    """The number of a port."""
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"expected 1 to 65535, got {text!r}")
    return int(text)
