"""Lets a mechanism of Si & Guenter go and writes what happens as a page to look at.

    python examples/general_joints.py tc10 [--seconds 4] [--out tc10.html]

Scenes: rc20, rc50, rc100 (rods on hinges), tc10, tc20 (tori hooked into each other; any
rcN and tcN), windmill, curve (tori on a Bezier curve), surface (a board on a Bezier
surface). The page needs no network. pip install 'knuckle[view]'
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

import knuckle as kn
from scenes import scene


def main() -> None:
    """Simulate, export, and say what the energy did."""
    options = arguments()
    try:
        model, q, v = scene(options.scene)
    except KeyError as error:
        sys.exit(error.args[0])
    motion = kn.simulate(model, q, v, duration=options.seconds, dt=options.dt)
    path = options.out or Path(f"{options.scene}.html")
    page = kn.view.export_html(path, model, motion, title=options.scene)
    drift, most = np.ptp(motion.energies.total), np.max(motion.energies.kinetic)
    print(
        f"{model.nv} freedoms, up to {most:.3g} J of motion; "
        f"the total energy varied by {drift:.1e} J"
    )
    print(f"{page.path}: {page.bytes / 1e6:.1f} MB")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scene")
    parser.add_argument("--seconds", type=float, default=4.0, help="how long")
    parser.add_argument("--dt", type=float, default=0.002, help="step [s]")
    parser.add_argument("--out", type=Path, help="the page; default SCENE.html")
    return parser.parse_args()


if __name__ == "__main__":
    main()
