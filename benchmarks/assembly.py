"""What each method of forward dynamics takes: operations, and how many must wait.

    python benchmarks/assembly.py [--update]

The depth is the longest chain of operations of a trace that wait for one another, sines
and all: the time on as many processors as can be used. Nothing is compiled, and the
numbers are the same on every machine; --update saves results/assembly.md and .json.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

import knuckle as kn
from knuckle.edge.signature import bind
from knuckle.edge.tracing import trace
from knuckle.scalar import Program
from robots import ROBOTS, gu, random_inertia, robot
from timing import save, table

WAYS = {
    "articulated bodies": (kn.forward_dynamics, {}),
    "composite bodies": (kn.forward_dynamics_crba, {}),
    "square factors": (kn.forward_dynamics_square, {}),
    "variant 1": (kn.forward_dynamics_variant, {"variant": 1}),
    "variant 2": (kn.forward_dynamics_variant, {"variant": 2}),
    "maximal": (kn.forward_dynamics_maximal, {}),
    "divide and conquer": (kn.forward_dynamics_divide_and_conquer, {}),
    "the same, inverse": (kn.forward_dynamics_divide_and_conquer, {"inverse": True}),
}
SHAPES: dict[str, Callable[[int], int]] = {
    "chain": lambda k: k - 1,
    "binary tree": lambda k: (k - 1) // 2 if k else -1,
    "star": lambda k: 0 if k else -1,
}
SIZES = (8, 16, 32, 64, 128)
Figures = dict[str, dict[str, list[int]]]


def main() -> None:
    """Count, print, save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="save the tables")
    options = parser.parse_args()
    found = {name: of_robot(name) for name in (*ROBOTS, "GU(6)")}
    grown = {name: of_shape(name) for name in SHAPES}
    text = page(found, grown)
    print(text)
    if options.update:
        save("assembly", {"robots": found, "shapes": grown}, text)


def traced(alg: Any, model: kn.Model, **options: Any) -> Program:
    """The trace of an algorithm without its optional arrays."""
    arrays = [p for p in alg.parameters if not p.static and p.default is not None]
    given = {**{p.name: 0.0 for p in arrays}, **options}
    call = bind(alg.__name__, alg.parameters, (), given)
    return trace(alg.function, model, alg.parameters, call, {}).program


def figures(alg: Any, model: kn.Model, **options: Any) -> list[int]:
    """[operations, depth]; products and sums are counted one by one."""
    program = traced(alg, model, **options)
    return [sum(program.operations().values()), program.depth()]


def of_robot(name: str) -> dict[str, list[int]]:
    """Every method on one robot, and the inverse inertias of its tips."""
    model = gu(6, 0) if name == "GU(6)" else robot(name)
    found = {way: figures(alg, model, **given) for way, (alg, given) in WAYS.items()}
    found["Phi^A of the tips"] = figures(kn.inverse_articulated_inertia, model)
    return found


def of_shape(name: str) -> dict[str, list[int]]:
    """[operations, depth] twice: articulated bodies, and divided."""
    ways = kn.forward_dynamics, kn.forward_dynamics_divide_and_conquer
    models = {str(n): tree(n, SHAPES[name]) for n in SIZES}
    return {n: [x for w in ways for x in figures(w, m)] for n, m in models.items()}


def tree(count: int, parent: Callable[[int], int]) -> kn.Model:
    """Hinges between bodies that have no zeros in their constants."""
    rng = np.random.default_rng(0)
    bodies = []
    for k in range(count):
        R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        place = kn.SE3(R * np.linalg.det(R), rng.uniform(-0.5, 0.5, 3))
        above = None if parent(k) < 0 else f"body{parent(k)}"
        hinge = kn.joints.Revolute("z")
        bodies.append(kn.Body(f"body{k}", above, hinge, place, random_inertia(rng)))
    return kn.Model(bodies)


def page(found: Figures, grown: Figures) -> str:
    """Both tables with what they are about."""
    names = list(found)
    rows = [
        [way, *(f"{found[n][way][0]} / {found[n][way][1]}" for n in names)]
        for way in found[names[0]]
    ]
    head = ["shape", "bodies", "articulated bodies", "divide and conquer"]
    more = [
        [name, n, f"{a} / {b}", f"{c} / {d}"]
        for name, sizes in grown.items()
        for n, (a, b, c, d) in sizes.items()
    ]
    return "\n".join(
        [
            "# Ways of forward dynamics: operations / depth",
            "",
            "Products and sums of the trace one by one, before they are fused; depth",
            "is the longest chain of operations that wait for one another",
            "(`python benchmarks/assembly.py`).",
            "",
            table(["way", *names], rows),
            "",
            table(head, more),
        ]
    )


if __name__ == "__main__":
    main()
