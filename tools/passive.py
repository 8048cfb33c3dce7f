"""Serial arms and humanoids left to themselves for ten seconds: what energy does.

    python tools/passive.py docs/passive.md

writes the table. Needs: pip install example-robot-data
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src")]
import knuckle as kn  # noqa: E402

MODELS = ROOT / "benchmarks" / "models"
ARMS = ("ur5", "ur10", "kinova", "panda", "xarm7", "z1", "so100", "talos_left_arm")
HUMANOIDS = ("talos_reduced", "icub_reduced", "romeo_small", "simple_humanoid", "human")
ROWS, DURATION, DT = 4, 10.0, 1e-3
HEAD = """# Ten seconds to themselves

Written by `python tools/passive.py docs/passive.md`.

{rows} random starts with velocities of the size of 1 rad/s, {duration:g} s in steps
of {ms:g} ms by the implicit midpoint rule, arms on a fixed base and humanoids on a
free one. `as it is`: with the dampers, friction and limits of the file; the share of
rows that stay finite. `drift`: dampers, friction and limits taken off; the largest
change of the energy from its start, over the range of the kinetic energy. The time is
that of this run, all rows together, without compiling.

`human` chains hinges of massless bodies into balls: where two axes fall together its
coordinates run away (thousands of rad/s at 1 ms), and a limit met there throws.

| robot | nv | as it is | finite without | drift | ms |
|---|---|---|---|---|---|
"""


def main(arguments: list[str]) -> int:
    """Print the table, and write it where one says."""
    robots = [(name, "fixed") for name in (str(MODELS / "arm7.urdf"), *ARMS)]
    robots += [(name, "floating") for name in (str(MODELS / "hum38.urdf"), *HUMANOIDS)]
    lines = []
    for name, root in robots:
        lines.append(row(name, root))
        print(lines[-1], flush=True)
    head = HEAD.format(rows=ROWS, duration=DURATION, ms=1e3 * DT)
    if arguments:
        Path(arguments[0]).write_text(head + "\n".join(lines) + "\n")
    return 0


def row(name: str, root: str) -> str:
    """One robot, as it is and without what takes energy."""
    model = kn.load(name, root=root)
    loosened = [loose(body) for body in model.bodies]
    bare = kn.Model(loosened, model.frames, model.gravity, couplings=model.couplings)
    rng = np.random.default_rng(1)
    q, v = model.random(rng, (ROWS,)), rng.normal(size=(ROWS, model.nv))
    first, _ = motion(model, q, v, "spring")
    whole, seconds = motion(bare, q, v, "off")
    energy = whole.energies.total
    span = np.ptp(whole.energies.kinetic, axis=-1)
    drift = np.max(np.abs(energy - energy[:, :1]), axis=-1) / span
    cells = [
        f"`{Path(name).stem}`", str(model.nv), share(first), share(whole),
        f"{np.nanmax(drift):.0e}", f"{1e3 * seconds:.0f}",
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def loose(body: kn.Body) -> kn.Body:
    """The body on a joint without damping and friction."""
    from dataclasses import replace

    return replace(body, joint=body.joint.replace(damping=0.0, friction=0.0))


def motion(
    model: kn.Model, q: np.ndarray, v: np.ndarray, limits: str
) -> tuple[kn.Trajectory, float]:
    """The trajectory, and the seconds of a second run of it."""
    ignore = ["constraints"] if model.constraints else []
    ignore += ["actuators"] if model.actuators else []
    options = {"dt": DT, "keep_every": 100, "limits": limits, "ignore": ignore}
    kn.simulate(model, q, v, duration=0.1, **options)
    started = time.perf_counter()
    return kn.simulate(model, q, v, duration=DURATION, **options), (
        time.perf_counter() - started
    )


def share(trajectory: kn.Trajectory) -> str:
    """How many rows are finite at the end."""
    finite = np.isfinite(trajectory.q[:, -1]).all(-1) & np.isfinite(
        trajectory.v[:, -1]
    ).all(-1)
    return f"{int(finite.sum())} of {len(finite)}"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
