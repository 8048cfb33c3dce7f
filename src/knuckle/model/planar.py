"""What a planar Model may hold: motion in the x-y plane, turning about z."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from knuckle.model import coordinates
from knuckle.model.body import Body, Frame
from knuckle.model.errors import Problems
from knuckle.spatial import SE3

REPAIR = "turn the mechanism into the x-y plane, or take planar=False"


def check_planar(
    bodies: Sequence[Body], frames: Sequence[Frame], problems: Problems
) -> None:
    """Every placement, offset and joint keeps the z axis."""
    for body in bodies:
        where = f"body {body.name!r}"
        _check_pose(body.placement, f"{where}: placement", problems)
        _check_pose(body.offset, f"{where}: offset", problems)
        out = leaves_plane(body)
        if out:
            problems.add(
                f"{where}: joint {body.joint_name!r}",
                "a joint that moves in the x-y plane, as the model is planar",
                out,
                REPAIR,
            )
    for frame in frames:
        _check_pose(frame.placement, f"frame {frame.name!r}: placement", problems)


def _check_pose(pose: SE3, where: str, problems: Problems) -> None:
    if pose.R[2] != (0.0, 0.0, 1.0):
        problems.add(
            where, "a rotation about z, as the model is planar",
            f"a z axis along {tuple(row[2] for row in pose.R)}", REPAIR,
        )  # fmt: skip


def leaves_plane(body: Body) -> str:
    """How the joint leaves the plane at a few random positions; empty if not."""
    q = coordinates.random_of(body.joint, np.random.default_rng(0), (4,))
    R, p, S = coordinates.motion(body.joint, q)
    if np.abs(R[:, 2] - [0.0, 0.0, 1.0]).max() > 1e-12:
        return "a joint that tilts the z axis"
    if np.abs(p[:, 2]).max() > 1e-12 * (1.0 + np.abs(p).max()):
        return "a joint that moves along z"
    if S.size and np.abs(S[:, [0, 1, 5]]).max() > 1e-12:
        return "a velocity out of the plane"
    return ""
