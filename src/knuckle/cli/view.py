"""`knuckle view`: a mechanism in the browser, or as a page that needs no server."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knuckle.cli.errors import UserError
from knuckle.cli.options import add_file, load, port
from knuckle.cli.positions import position

if TYPE_CHECKING:
    from knuckle.model import Model

HELP = """Look at a mechanism, or play a trajectory of `knuckle simulate`.

Opens a viewer in the browser, with a slider for every joint where there is no
trajectory; Ctrl-C ends it. With --html a page is written instead, which plays the
motion without a server and without a network."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `view`."""
    add_file(parser)
    parser.add_argument(
        "trajectory", nargs="?", metavar="TRAJECTORY", help="an .npz of `simulate`"
    )
    parser.add_argument(
        "--position", metavar="POSITION",
        help="a configuration's name, 'neutral', 'random' or numbers with commas",
    )  # fmt: skip
    parser.add_argument("--html", metavar="OUT.html", help="write a page and stop")
    parser.add_argument("--port", type=port, help="the viewer's (default: a free one)")
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address, open nothing"
    )


def run(options: argparse.Namespace) -> int:
    """Shows the model until it is stopped, or writes the page."""
    from knuckle.view import export_html, view

    if options.trajectory and options.position:
        raise UserError("--position: a trajectory has positions of its own")
    model = load(options)
    shown = motion(model, options)
    title = Path(options.file).stem
    if options.html:
        page = export_html(options.html, model, title=title, **shown)
        for remark in page.remarks:
            print(remark)
        print(f"wrote {page.path}, {page.bytes / 1e6:.2f} MB")
        return 0
    viewer = view(
        model, port=options.port, open_browser=not options.no_browser, title=title,
        **shown,
    )  # fmt: skip
    for remark in viewer.remarks:
        print(remark)
    print(f"{viewer.url}: Ctrl-C ends it", flush=True)
    viewer.wait()
    return 0


def motion(model: Model, options: argparse.Namespace) -> dict[str, Any]:
    """What to show: a trajectory, or one position."""
    if options.trajectory:
        from knuckle.sim import Trajectory

        return {"trajectory": Trajectory.load(options.trajectory, model)}
    return {"q": position(model, options.position or "inside", "--position")}
