"""`knuckle cache`: the compiled kernels that are kept on disk."""

from __future__ import annotations

import argparse

from knuckle.cli.errors import UserError
from knuckle.cli.text import plural
from knuckle.codegen import store

HELP = """What is kept of compiled kernels on disk, and its removal.

`info` tells where they are and what they take, `clear` removes them. The variable
KNUCKLE_CACHE names another folder; KNUCKLE_CACHE=off keeps and reads nothing."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `cache`."""
    parser.add_argument("action", choices=("info", "clear"))


def run(options: argparse.Namespace) -> int:
    """Prints what is kept, or removes it."""
    kept = store.opened()
    if kept is None:
        print(f"off: {store.VARIABLE}={store.OFF}")
        return 0
    flaw = kept.flaw()
    if flaw:
        raise UserError(f"{kept.folder} is not used: {flaw}")
    if options.action == "clear":
        print(f"removed {_amount(kept.clear())} from {kept.folder}")
    else:
        print(f"{kept.folder}: {_amount(kept.usage())} of at most {_size(kept.limit)}")
    return 0


def _amount(usage: store.Usage) -> str:
    return f"{plural(usage.files, 'kernel')}, {_size(usage.bytes)}"


def _size(count: int) -> str:
    """Bytes as '3.2 MB'."""
    return f"{count / 1e6:.1f} MB"
