"""`knuckle simulate`: motion from a file to a file, with a picture of it."""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from knuckle.cli.control import script, sources
from knuckle.cli.errors import UserError
from knuckle.cli.options import add_file, count, load, pair, positive
from knuckle.cli.positions import position, velocity
from knuckle.cli.servo import Servo
from knuckle.cli.text import seconds

if TYPE_CHECKING:
    from knuckle.model import Model
    from knuckle.sim import Trajectory

HELP = """Simulate a mechanism: passive, by a PD servo, or by a script of yours.

The trajectory goes to an .npz file (knuckle.sim.Trajectory.load reads it) and its
energies and joints to a .png. Positions are named by a configuration of the file,
'neutral', 'random', or numbers separated by commas. There is no contact.

  knuckle simulate arm.urdf --duration 10
  knuckle simulate arm.urdf --pd 200,20 --target 0,-0.8,0,-2.3,0,1.6,0.8
  knuckle simulate arm.urdf --controller swing.py:torque

A script's function takes (q, v, t) and returns the joint forces tau, (nv,). Numbers
that begin with a minus follow an equals sign: --target=-1,2. The exit code is 1 where
the motion did not stay finite."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `simulate`."""
    add_file(parser)
    how = parser.add_argument_group("motion")
    how.add_argument("--start", metavar="POSITION", help="default: neutral, in limits")
    how.add_argument("--velocity", metavar="NUMBERS", help="default: at rest")
    how.add_argument("--duration", type=positive, default=5.0, help="s (default 5)")
    how.add_argument("--dt", type=positive, default=1e-3, help="s (default 0.001)")
    how.add_argument(
        "--integrator", default="implicit_midpoint", metavar="NAME",
        help="implicit_midpoint (default), semi_implicit_euler, rk4 or adaptive",
    )  # fmt: skip
    how.add_argument("--limits", choices=("spring", "off"), default="spring")
    how.add_argument(
        "--ignore", action="append", default=[], metavar="NAME",
        help="leave out knowingly: constraints, actuators, or one by its name",
    )  # fmt: skip
    forces = parser.add_argument_group("forces")
    drive = forces.add_mutually_exclusive_group()
    drive.add_argument("--pd", type=pair, metavar="KP,KD", help="a servo to --target")
    drive.add_argument("--controller", metavar="FILE.py:FUNCTION")
    forces.add_argument("--target", metavar="POSITION", help="where --pd goes")
    files = parser.add_argument_group("results")
    files.add_argument("--out", metavar="FILE.npz", help="default: FILE's name, here")
    files.add_argument("--plot", metavar="FILE.png", help="default: as --out")
    files.add_argument("--no-plot", action="store_true", help="write no picture")
    files.add_argument(
        "--every", type=count, metavar="N",
        help="steps between kept states (default: 100 states a second)",
    )  # fmt: skip
    files.add_argument("--quiet", action="store_true", help="no progress bar")


def run(options: argparse.Namespace) -> int:
    """Simulates, saves, plots and tells."""
    if options.target is not None and options.pd is None:
        raise UserError("--target needs --pd KP,KD")
    model = load(options)
    if not model.nv:
        raise UserError(f"{options.file}: nothing moves, so there is no motion")
    started = time.perf_counter()
    trajectory = simulated(model, options)
    spent = time.perf_counter() - started
    out = Path(options.out or f"{Path(options.file).stem}.npz")
    saved = trajectory.save(out)
    print(story(trajectory, spent))
    print(f"saved {saved}" + plotted(trajectory, options, saved))
    return int(not np.isfinite(trajectory.q).all())


def simulated(model: Model, options: argparse.Namespace) -> Trajectory:
    """The trajectory that the options ask for."""
    import knuckle as kn

    q0 = position(model, options.start or "inside", "--start")
    v0 = velocity(model, options.velocity)
    every = options.every or max(1, round(0.01 / options.dt))
    every = min(every, max(1, round(options.duration / options.dt)))
    controller = script(options.controller) if options.controller else None
    servo = _servo(model, options)
    try:
        with sources(controller):
            trajectory = kn.simulate(
                servo.driven() if servo else model, q0, v0, controller,
                options.duration, options.dt, options.integrator,
                keep_every=every, limits=options.limits, ignore=options.ignore,
                progress=not options.quiet,
            )  # fmt: skip
    except kn.SimulationError as error:
        raise UserError(in_options(str(error))) from error
    return servo.told(trajectory) if servo else trajectory


def in_options(text: str) -> str:
    """An error of `kn.simulate` in the words of the command line."""
    text = text.removeprefix("simulate: ")
    for name in ("integrator", "limits"):
        text = text.replace(f"{name}=", f"--{name} ")
    named = re.search(r"ignore=\[(.*?)\]", text)
    if named:
        kinds = re.findall(r"'(.*?)'", named[1])
        options = " ".join(f"--ignore {kind}" for kind in kinds)
        text = text.replace(named[0], options)
    return text


def story(trajectory: Trajectory, spent: float) -> str:
    """What happened, in a few lines."""
    kept, settings = trajectory.t, trajectory.settings
    steps = round((kept[-1] - kept[0]) / settings.dt)
    energy = trajectory.energies.total
    change = energy - energy[0]
    largest = float(np.abs(change[np.isfinite(change)]).max(initial=0.0))
    lines = [
        f"{kept[-1] - kept[0]:g} s in {steps} steps of {settings.integrator}, "
        f"{seconds(spent)} with compiling; {len(kept)} states kept",
        f"energy {energy[0]:.6g} J at first, {energy[-1]:.6g} J at last, at most "
        f"{largest:.3g} J away from the first",
        f"forces: {settings.control}; limits: {settings.limits.split(':')[0]}",
    ]
    return "\n".join(lines)


def plotted(trajectory: Trajectory, options: argparse.Namespace, saved: Path) -> str:
    """Writes the picture; what to add to the line on the saved files."""
    if options.no_plot:
        return ""
    target = Path(options.plot) if options.plot else saved.with_suffix(".png")
    try:
        trajectory.plot(target)
    except ValueError as error:
        if options.plot:
            raise UserError(str(error)) from error
        return f"; no picture: {error}"
    return f" and {target}"


def _servo(model: Model, options: argparse.Namespace) -> Servo | None:
    if not options.pd:
        return None
    target = position(model, options.target or "inside", "--target")
    stiffness, damping = options.pd
    return Servo(model, stiffness, damping, target)
