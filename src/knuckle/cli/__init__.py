"""The command `knuckle`: one module for each of its commands."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from knuckle import __version__
from knuckle.cli.errors import explained

COMMANDS = (
    "demo", "info", "check", "bench", "simulate", "view", "convert", "cache"
)  # fmt: skip
"""Every command is a module of this package with `HELP` (its first line is the
summary), `arguments(parser)` and `run(options)`, which gives the exit code."""

EPILOG = """exit codes: 0 done; 1 `check` found errors; 2 the command line, a file or an
input is wrong, and one line on stderr says how. `knuckle COMMAND --help` tells more."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; its exit code."""
    options = parser().parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _tell  # type: ignore[assignment]
            return int(options.run(options))
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output, such as `head`, has left
        return 0
    except KeyboardInterrupt:
        print("knuckle: stopped", file=sys.stderr)
        return 130
    except Exception as error:
        line = explained(error)
        if line is None:
            raise
        print(f"knuckle {options.command}: {line}", file=sys.stderr)
        return 2


def _tell(message: Warning | str, *_: Any) -> None:
    """A warning as one line, without the source that gave it."""
    print(f"knuckle: {str(message).removeprefix('simulate: ')}", file=sys.stderr)


def parser() -> argparse.ArgumentParser:
    """The parser of the command line, with every command in it."""
    whole = argparse.ArgumentParser(
        prog="knuckle",
        description="Articulated rigid-body dynamics: the textbook, compiled.",
        epilog=EPILOG,
    )
    whole.add_argument("--version", action="version", version=f"knuckle {__version__}")
    commands = whole.add_subparsers(dest="command", required=True, metavar="command")
    for name in COMMANDS:
        module = import_module(f"knuckle.cli.{name}")
        summary = module.HELP.strip().split("\n")[0]
        part = commands.add_parser(
            name,
            help=summary,
            description=module.HELP.strip(),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.arguments(part)
        part.set_defaults(run=module.run)
    return whole
