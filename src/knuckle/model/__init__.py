"""The mechanism: bodies, frames and the frozen Model of them."""

from knuckle.model.body import WORLD, Body, Frame
from knuckle.model.check import Finding, check
from knuckle.model.denavit_hartenberg import Row, from_denavit_hartenberg
from knuckle.model.errors import ModelError
from knuckle.model.graph import Arc, SpanningTree, spanning_tree, spanning_trees
from knuckle.model.model import Model, PlacedJoint
from knuckle.model.parameters import Parameter

__all__ = [
    "WORLD",
    "Arc",
    "Body",
    "Finding",
    "Frame",
    "Model",
    "ModelError",
    "Parameter",
    "PlacedJoint",
    "Row",
    "SpanningTree",
    "check",
    "from_denavit_hartenberg",
    "spanning_tree",
    "spanning_trees",
]
