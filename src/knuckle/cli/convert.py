"""`knuckle convert`: from one format to another, through the Model."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from knuckle.cli.errors import UserError
from knuckle.cli.options import add_file, load

if TYPE_CHECKING:
    from knuckle.model import Model

HELP = """Write a robot's file anew in another format.

B is what its name ends in: .urdf, or .xml or .mjcf for MuJoCo. It is written from the
Model, not from the text of FILE. What B's format cannot say is refused by name; with
--allow-loss it is left out and listed."""
FORMATS = {".urdf": "URDF", ".xml": "MJCF", ".mjcf": "MJCF"}
LOSS = re.compile(r"<!-- left out: (.*?) -->", re.S)
"""How a written file says what is not in it."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `convert`."""
    add_file(parser)
    parser.add_argument("out", metavar="B", help="the file to write")
    parser.add_argument(
        "--allow-loss", action="store_true",
        help="write what can be said, and list the rest",
    )  # fmt: skip
    parser.add_argument("--force", action="store_true", help="replace B if it exists")


def run(options: argparse.Namespace) -> int:
    """Loads, writes, and lists what was lost."""
    out = Path(options.out)
    form = FORMATS.get(out.suffix.lower())
    if form is None:
        known = ", ".join(FORMATS)
        raise UserError(f"{out}: expected a name that ends in {known}")
    if out.exists() and not options.force:
        raise UserError(f"{out}: exists already; take --force to replace it")
    model = load(options)
    text = written(model, form, out.stem, options.allow_loss)
    out.write_text(text, encoding="utf-8")
    losses = LOSS.findall(text)
    for loss in losses:
        print(f"left out: {loss}")
    for remark in model.report:
        if remark.severity == "error":
            print(f"not loaded as the file means it: {remark}")
    print(f"wrote {out} as {form}, {len(losses) or 'nothing'} left out")
    return 0


def written(model: Model, form: str, name: str, allow_loss: bool) -> str:
    """The text of the Model; what the format cannot say is told in our options."""
    from knuckle.model import ModelError

    try:
        if form == "URDF":
            return model.to_urdf(name, allow_loss=allow_loss)
        return model.to_mjcf(allow_loss=allow_loss)
    except ModelError as error:
        text = str(error).replace("allow_loss=True", "--allow-loss")
        text = text.replace(":\n  ", ": ").replace("\n  ", "; ")
        raise UserError(text.replace("lists it in .losses", "lists it")) from error
