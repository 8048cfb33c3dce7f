"""The command `knuckle`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from knuckle.cli.demo import demo


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a subcommand; the exit code is 0 when it did its job."""
    parser = argparse.ArgumentParser(
        prog="knuckle", description="Articulated rigid-body dynamics, compiled."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    show = commands.add_parser("demo", help="the main job in under ten seconds")
    show.add_argument(
        "--rows", type=_positive, default=1_000_000, help="configurations to evaluate"
    )
    chosen = parser.parse_args(arguments)
    demo(chosen.rows)
    return 0


def _positive(text: str) -> int:
    try:
        rows = int(text)
    except ValueError:
        rows = 0
    if rows < 1:
        raise argparse.ArgumentTypeError(
            f"expected a whole number above 0, got {text!r}"
        )
    return rows
