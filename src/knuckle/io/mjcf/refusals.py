"""The closed list of reasons for which a valid file is refused."""

from __future__ import annotations

from knuckle.io.errors import LoadError
from knuckle.io.xml import Element

COMPILED = "save the model compiled with MuJoCo and load that"
REFUSED = {
    "flexcomp": ("bodies that the file itself writes", "a flexcomp", COMPILED),
    "composite": ("bodies that the file itself writes", "a composite", COMPILED),
    "scaled frame": ("frames that keep their scale", "a frame that scales", COMPILED),
    "global coordinates": (
        "coordinate='local'", "'global', which MJCF no longer has",
        "save the file anew with MuJoCo 2.3.3 or earlier",
    ),
    "many bodies": (
        "at most 100000 bodies", "more", "lower the counts of <replicate>",
    ),
    "many attachments": (
        "at most 1000 attachments", "more", "look for a circle of <attach>",
    ),
}  # fmt: skip
"""Expected, got and repair of each; all other errors are faults of the file."""


def refused(element: Element, reason: str) -> LoadError:
    """The error of a refusal."""
    return element.error(*REFUSED[reason])
