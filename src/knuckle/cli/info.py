"""`knuckle info`: the tree of a mechanism, its masses, joints, limits and costs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from knuckle.cli.options import add_file, load
from knuckle.cli.text import plural, table

if TYPE_CHECKING:
    from knuckle.model import Body, Model, PlacedJoint

HELP = """Show a mechanism: tree, masses, joints with limits, operation counts.

The column `v` says where the joint's velocities stand in v; limits are in rad or m,
speeds in rad/s or m/s, efforts in N m or N."""
ALGORITHMS = (
    "inverse_dynamics", "forward_dynamics", "mass_matrix", "bias_forces",
    "forward_kinematics", "kinetic_energy",
)  # fmt: skip
KINDS = {
    "fused": ("fma", "fms", "fnma", "fnms"),
    "products": ("mul",),
    "sums": ("add", "sub", "neg"),
    "sin, cos": ("sin", "cos"),
    "divisions": ("div", "rcp", "sqrt"),
}

COUNTED = 300
DEEP = 20
"""Deeper bodies are indented as far as this, with their depth as a number."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `info`."""
    add_file(parser)
    parser.add_argument(
        "--operations", action=argparse.BooleanOptionalAction,
        help=f"count operations (default: up to {COUNTED} velocities)",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Prints what there is to know of the Model of a file."""
    model = load(options)
    print(summary(model), tree(model), sep="\n\n")
    extra = "\n".join(data(model))
    print(*([f"\n{extra}"] if extra else []), sep="")
    few = 0 < model.nv <= COUNTED
    if few if options.operations is None else options.operations:
        print(f"operations of one evaluation\n{operations(model)}")
    return 0


def summary(model: Model) -> str:
    """Counts, mass and gravity in two lines."""
    mass = sum(b.rigid.mass for b in model.bodies)
    fixed = sum(p.joint.nv == 0 for p in model.joints)
    driven = int(model.actuated.sum())
    source = "actuators" if model.actuators else "all but free roots"
    gravity = ", ".join(f"{x:g}" for x in model.gravity)
    return (
        f"{plural(len(model.bodies), 'body')} ({fixed} fixed), nq {model.nq}, "
        f"nv {model.nv}, mass {mass:.6g} kg, gravity ({gravity}) m/s^2\n"
        f"{driven} of {plural(model.nv, 'velocity')} actuated ({source}); "
        f"content {model.digest[:12]}"
    )


def tree(model: Model) -> str:
    """The bodies, indented by what carries them, beside their joints."""
    head = ("body", "joint", "kind", "v", "mass kg", "limits", "speed", "effort")
    rows = [("world", "", "", "", "", "", "", "")]
    for branch, i in branches(model):
        body, placed = model.bodies[i], model.joints[i]
        joint = placed.joint
        rows.append(
            (
                branch + body.name,
                placed.name,
                joint.name,
                _columns(placed) if placed in model.independent else "follows",
                f"{body.rigid.mass:.4g}" if body.rigid.mass else "-",
                _limits(body),
                _bound(joint.velocity_limit),
                _bound(joint.effort_limit),
            )
        )
    return table(head, rows, left=4)


def branches(model: Model) -> Iterator[tuple[str, int]]:
    """(the lines that lead to a body, its number), parents first."""
    below: dict[int, list[int]] = {}
    for i, parent in enumerate(model.parents):
        below.setdefault(parent, []).append(i)
    stack = [("", 0, -1, True)]
    while stack:
        lead, depth, i, last = stack.pop()
        if i >= 0:
            number = f"{depth}: " if depth > DEEP else ""
            yield lead + ("`- " if last else "|- ") + number, i
            lead += ("   " if last else "|  ") if depth < DEEP else ""
        children = below.get(i, [])
        for k in reversed(range(len(children))):
            stack.append((lead, depth + 1, children[k], k == len(children) - 1))


def data(model: Model) -> Iterator[str]:
    """What the Model carries beside its tree, a line for each kind."""
    for name, kind in (("configurations", "position"), ("frames", "frame")):
        names = [getattr(x, "name", x) for x in getattr(model, name)]
        if names:
            yield f"{plural(len(names), kind)}: {_listed(names)}"
    if model.actuators:
        kinds = [a.kind.rpartition("/")[2] for a in model.actuators]
        pairs = zip(model.actuators, kinds, strict=True)
        names = [f"{a.name} ({kind})" for a, kind in pairs]
        yield f"{plural(len(names), 'actuator')}: {_listed(names)}"
    if model.couplings:
        names = [f"{c.joint} of {', '.join(c.sources)}" for c in model.couplings]
        yield f"{plural(len(names), 'coupling')}: {_listed(names, 4)}"
    if model.constraints:
        names = [f"{c.kind} of {' and '.join(c.between)}" for c in model.constraints]
        yield f"{plural(len(names), 'constraint')}, kept as data: {_listed(names, 4)}"
    for what in ("visuals", "collisions"):
        count = sum(len(getattr(b, what)) for b in model.bodies)
        if count:
            yield plural(count, what[:-1] + " shape")
    if model.report:
        yield (
            f"{plural(len(model.report), 'remark')} of the loader: "
            "`knuckle check` lists them"
        )


def operations(model: Model) -> str:
    """The operation counts of the main algorithms, by kind."""
    import knuckle as kn
    from knuckle.edge.counting import operations as counted

    rows = []
    for name in ALGORITHMS:
        counts = counted(getattr(kn, name), model)
        cells = [sum(counts.get(x, 0) for x in kinds) for kinds in KINDS.values()]
        total = sum(counts.values())
        rows.append([name, *map(str, (total, *cells, total - sum(cells)))])
    return table(("algorithm", "total", *KINDS, "other"), rows)


def _columns(placed: PlacedJoint) -> str:
    start, stop = placed.v.start, placed.v.stop
    if start == stop:
        return "-"
    return f"{start}" if stop == start + 1 else f"{start}:{stop}"


def _limits(body: Body) -> str:
    """The limits of a joint of one coordinate; '...' where there are several."""
    lower, upper = body.joint.lower, body.joint.upper
    if not np.isfinite([*lower, *upper]).any():
        return "-"
    if len(lower) > 1:
        return "..."
    return f"{lower[0]:.4g} .. {upper[0]:.4g}"


def _bound(values: tuple[float, ...]) -> str:
    finite = [x for x in values if np.isfinite(x)]
    return f"{max(finite):.4g}" if finite else "-"


def _listed(names: list[str], count: int = 8) -> str:
    more = f" and {len(names) - count} more" if len(names) > count else ""
    return ", ".join(names[:count]) + more
