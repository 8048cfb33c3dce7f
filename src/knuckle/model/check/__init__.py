"""Diagnostics: what is legal and doubtful. `model.check()` lists it, worst first.

A rule is a function from a Model to findings; RULES lists them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from knuckle.model.check.couplings import couplings
from knuckle.model.check.data import configurations, names, references, trees
from knuckle.model.check.extents import bounds, densities, extents
from knuckle.model.check.finding import SEVERITIES, Finding
from knuckle.model.check.joints import joint_poses, joint_subspaces, limits
from knuckle.model.check.masses import inertias, limiting_inertias, masses, ratios
from knuckle.model.check.matrix import mass_matrix
from knuckle.model.check.places import far_frames, nearly_exact_rotations
from knuckle.model.check.world import gravity, planar_offsets, report

if TYPE_CHECKING:
    from knuckle.model.model import Model

RULES: tuple[Callable[[Model], Iterator[Finding]], ...] = (
    report,
    nearly_exact_rotations,
    far_frames,
    masses,
    ratios,
    inertias,
    limiting_inertias,
    extents,
    bounds,
    densities,
    joint_subspaces,
    joint_poses,
    limits,
    couplings,
    names,
    references,
    trees,
    configurations,
    gravity,
    planar_offsets,
    mass_matrix,
)


def check(model: Model) -> list[Finding]:
    """Every finding of every rule, errors first."""
    found = [finding for rule in RULES for finding in rule(model)]
    return sorted(found, key=lambda f: SEVERITIES.index(f.severity))


__all__ = ["RULES", "SEVERITIES", "Finding", "check"]
