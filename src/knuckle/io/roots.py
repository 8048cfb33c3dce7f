"""How the roots of a mechanism hang on the world (shared by all formats)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from knuckle.joints import Fixed, Free
from knuckle.model import Body, ModelError
from knuckle.spatial import SE3

ROOT_JOINT = "root_joint"
"""What a root's free joint is called where a file has no name for it."""


def rooted(bodies: Iterable[Body], root: str) -> list[Body]:
    """The bodies with those on the world freed ("floating") or held fast ("fixed").

    Only fixed joints to the world are freed and only free ones fixed; "auto" leaves
    all as it is.
    """
    bodies = list(bodies)
    if root == "auto":
        return bodies
    taken = {body.joint_name or body.name for body in bodies}
    changed = [_changed(body, root, taken) for body in bodies]
    if root == "floating" and not any(
        b.parent is None and b.joint.nv == 6 for b in changed
    ):
        raise ModelError(
            "root='floating': expected a body fixed to the world, got none; take "
            "root='auto'"
        )
    return changed


def _changed(body: Body, root: str, taken: set[str]) -> Body:
    if body.parent is not None:
        return body
    if root == "floating" and body.joint.nv == 0:
        name = ROOT_JOINT if ROOT_JOINT not in taken else f"{body.name}_{ROOT_JOINT}"
        taken.add(name)
        return replace(body, joint=Free(), joint_name=name)
    if root == "fixed" and body.joint.nv == 6:
        return replace(body, joint=Fixed(), placement=_at_neutral(body))
    return body


def _at_neutral(body: Body) -> SE3:
    """The placement of the body at the neutral position of its joint."""
    start = body.joint.pose(body.joint.neutral)
    moved = (start.R, start.p) != (SE3().R, SE3().p)
    return body.placement * start if moved else body.placement
