"""The mechanism: bodies, frames and the frozen Model of them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from knuckle.model.body import WORLD, Body, Frame, PlacedJoint
from knuckle.model.coupling import Coupling
from knuckle.model.data import Actuator, Constraint, Remark
from knuckle.model.errors import ModelError
from knuckle.model.model import Model
from knuckle.model.parameters import Parameter

if TYPE_CHECKING:
    from knuckle.model.check import Finding
    from knuckle.model.denavit_hartenberg import Row, from_denavit_hartenberg
    from knuckle.model.graph import Arc, SpanningTree, spanning_tree, spanning_trees
    from knuckle.model.shapes import (
        Box,
        Capsule,
        Cylinder,
        Ellipsoid,
        HeightField,
        Mesh,
        Plane,
        Shape,
        Sphere,
    )

LATER = {
    "Finding": "check",
    "Row": "denavit_hartenberg",
    "from_denavit_hartenberg": "denavit_hartenberg",
    "Arc": "graph",
    "SpanningTree": "graph",
    "spanning_tree": "graph",
    "spanning_trees": "graph",
    "Box": "shapes",
    "Capsule": "shapes",
    "Cylinder": "shapes",
    "Ellipsoid": "shapes",
    "HeightField": "shapes",
    "Mesh": "shapes",
    "Plane": "shapes",
    "Shape": "shapes",
    "Sphere": "shapes",
}
"""Imported when first asked for, so that `import knuckle` stays quick."""

__all__ = [
    "WORLD",
    "Actuator",
    "Arc",
    "Body",
    "Box",
    "Capsule",
    "Constraint",
    "Coupling",
    "Cylinder",
    "Ellipsoid",
    "Finding",
    "Frame",
    "HeightField",
    "Mesh",
    "Model",
    "ModelError",
    "Parameter",
    "PlacedJoint",
    "Plane",
    "Remark",
    "Row",
    "Shape",
    "SpanningTree",
    "Sphere",
    "from_denavit_hartenberg",
    "spanning_tree",
    "spanning_trees",
]


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{LATER[name]}"), name)
