"""A passive rollout of the humanoid: steps per second on one core, and MuJoCo's.

4096 rows, 1 ms, semi-implicit Euler, limits on, every 100th state kept. `kn.simulate`
is timed whole, with its checks, records and energies; `steps` is its compiled part.
MuJoCo rolls out the same mechanism with its own Euler, dampers implicit, limits on, no
geometry, one thread. Everyone is timed by the processor's clock as well: a call takes a
tenth of a second, in which neighbours come and go.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import knuckle as kn
from knuckle.sim import SemiImplicitEuler, steps
from robots import MODELS, rows
from timing import interleaved, machine, repeated, save, table, versions

ROBOT, BATCH, KEEP, DT, LIMIT = "hum38", 4096, 100, 1e-3, 6.2
EULER = SemiImplicitEuler()
TARGET = 2e6
"""Steps per second on one core."""
PEER_ROWS = 16
HEADER = ["what", "ns per step", "processor ns", "million steps per second", "ratio"]


def humanoid() -> kn.Model:
    """hum38 with the limits of its URDF."""
    bodies = []
    for k, r in enumerate(rows(MODELS / f"{ROBOT}.txt")):
        bounds = {"lower": -LIMIT, "upper": LIMIT}
        revolute = partial(kn.joints.Revolute, tuple(r.axis), **bounds)
        joint = kn.joints.Free() if r.free else revolute()
        parent = None if r.parent < 0 else f"body{r.parent}"
        place, body = kn.SE3(r.R, r.p), kn.Inertia(r.mass, r.com, r.I_com)
        bodies.append(kn.Body(f"body{k}", parent, joint, place, body))
    return kn.Model(bodies)


def starts(model: kn.Model, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Random positions, velocities of some 1 rad/s."""
    rng = np.random.default_rng(7)
    return model.random(rng, (count,)), rng.normal(size=(count, model.nv))


class Peer:
    """`mujoco.rollout` on the same states; absent where mujoco is not installed."""

    def __init__(self, model: kn.Model, q: np.ndarray, v: np.ndarray) -> None:
        import mujoco
        from mujoco import rollout

        self.roll = rollout.rollout
        self.model = mujoco.MjModel.from_xml_path(str(MODELS / f"{ROBOT}.xml"))
        self.model.jnt_limited[1:] = 1
        self.model.jnt_range[1:] = -LIMIT, LIMIT
        self.model.opt.timestep = DT
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        self.data = mujoco.MjData(self.model)
        self.maps = kn.convert.mujoco(model)
        qpos, qvel = self.maps.to_q(q), self.maps.to_v(q, v)
        self.start = np.concatenate([np.zeros((PEER_ROWS, 1)), qpos, qvel], axis=1)

    def __call__(self) -> np.ndarray:
        states, _ = self.roll(self.model, self.data, self.start, nstep=KEEP)
        return states[:, -1]


def measure(rounds: int, budget: float) -> dict[str, Any]:
    """Everyone in turns; agreement first."""
    model = humanoid()
    q, v = starts(model, BATCH)
    began = time.perf_counter()
    code = kn.compile(steps, model, count=KEEP, integrator=EULER)
    compiled = time.perf_counter() - began
    inputs = q, v, np.zeros(model.nv), DT, 0.0, 0.0
    out = code.ufunc(*inputs)
    span = {"duration": KEEP * DT, "dt": DT, "keep_every": KEEP, "integrator": EULER}
    rollout = partial(kn.simulate, model, q, v, **span)
    found = rollout()
    assert np.array_equal(found.q[:, -1], out[0])
    calls = {
        "kn.simulate": (rollout, BATCH * KEEP),
        "steps": (partial(code.ufunc, *inputs, out=out), BATCH * KEEP),
    }
    record = {"limits": found.settings.limits, "agreement": None}
    try:
        peer = Peer(model, q[:PEER_ROWS], v[:PEER_ROWS])
    except ImportError:
        print("mujoco is not installed: no peer (pip install mujoco)")
    else:
        record["agreement"] = agreement(model, peer, q, v)
        calls["mujoco.rollout"] = (peer, PEER_ROWS * KEEP)
    turns = {name: repeated(*call) for name, call in calls.items()}
    turns |= {f"{name}, processor": processor(*call) for name, call in calls.items()}
    counts = {kind: n // KEEP for kind, n in code.operations.items()}
    return record | {
        "machine": machine(),
        "versions": versions(),
        "date": time.strftime("%Y-%m-%d"),
        "ns": interleaved(turns, rounds, budget),
        "operations": counts,
        "compile_seconds": compiled,
    }


def processor(call: Callable[[], object], evaluations: int) -> Callable[..., float]:
    """A contestant timed by the processor's clock."""

    def contestant(budget: float) -> float:
        best, end = float("inf"), time.perf_counter() + budget
        while time.perf_counter() < end:
            start = time.process_time_ns()
            call()
            best = min(best, float(time.process_time_ns() - start))
        return best / evaluations

    return contestant


def agreement(model: kn.Model, peer: Peer, q: np.ndarray, v: np.ndarray) -> float:
    """The largest difference of a joint angle after the rollout, limits off [rad].

    Limits are a spring here and a soft constraint there.
    """
    some = q[:PEER_ROWS], v[:PEER_ROWS]
    span = {"duration": KEEP * DT, "dt": DT, "keep_every": KEEP, "integrator": EULER}
    found = kn.simulate(model, *some, **span, limits="off")
    peer.model.jnt_limited[:] = 0
    qpos = peer()[:, 1 : 1 + model.nq]
    peer.model.jnt_limited[1:] = 1
    theirs = peer.maps.from_q(qpos)[:, 7:]
    return float(np.abs(found.q[:, -1, 7:] - theirs).max())


def report(record: dict[str, Any]) -> str:
    """The record as Markdown."""
    ns, mine = record["ns"], record["ns"]["kn.simulate, processor"]
    names = [name for name in ns if "processor" not in name]
    own = {name: ns[f"{name}, processor"] for name in names}
    lines = [
        [name, f"{ns[name]:.0f}", f"{t:.0f}", f"{1e3 / t:.2f}", f"{t / mine:.1f}"]
        for name, t in own.items()
    ]
    rate = 1e9 / mine
    told = ", ".join(f"{kind} {n}" for kind, n in record["operations"].items())
    apart = record["agreement"]
    return "\n\n".join([
        f"# Rollout of {ROBOT}, {record['machine']}, {record['date']}",
        ", ".join(f"{k} {v}" for k, v in record["versions"].items()),
        f"{BATCH} rows, one core, double, dt {DT:g} s, semi-implicit Euler, every "
        f"{KEEP}th state kept. Limits: {record['limits']}. MuJoCo: one thread, "
        f"{PEER_ROWS} rows, contacts off. Minima of interleaved rounds; rates and "
        "ratios to kn.simulate by the processor's clock.",
        table(HEADER, lines),
        f"Target: {TARGET / 1e6:.0f} million steps per second; "
        f"{'met' if rate >= TARGET else 'NOT MET'} with {rate / 1e6:.2f}.",
        f"Operations per step: {sum(record['operations'].values())} ({told}). "
        f"Compiled in {record['compile_seconds']:.2f} s.",
        "Largest difference of a joint angle from MuJoCo after the rollout, limits "
        "off: "
        + ("-" if apart is None else f"{apart:.1e} rad."),
    ])  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short; saves nothing")
    quick = parser.parse_args().quick
    record = measure(*((3, 0.3) if quick else (8, 1.0)))
    text = report(record)
    print(text)
    if not quick:
        save(f"rollout-{record['machine']}", record, text)


if __name__ == "__main__":
    main()
