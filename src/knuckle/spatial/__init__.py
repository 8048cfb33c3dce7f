"""Spatial algebra: motions, forces, inertias, transforms and the groups SO3, SE3."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from knuckle.spatial import euler, quaternion
from knuckle.spatial.articulated import ArticulatedInertia, articulated
from knuckle.spatial.coriolis import Coriolis, PlanarCoriolis, coriolis
from knuckle.spatial.euler import euler_pose
from knuckle.spatial.frames import Frame, FrameError
from knuckle.spatial.inertia import Inertia
from knuckle.spatial.ldl import LDL
from knuckle.spatial.log_cholesky import from_log_cholesky, log_cholesky
from knuckle.spatial.planar import (
    PlanarArticulatedInertia,
    PlanarInertia,
    PlanarTransform,
)
from knuckle.spatial.projection import planar
from knuckle.spatial.se3 import (
    SE3,
    Rx,
    Ry,
    Rz,
    Tx,
    Ty,
    Tz,
    ad,
    left_jacobian_inverse_se3,
    left_jacobian_se3,
    right_jacobian_inverse_se3,
    right_jacobian_se3,
)
from knuckle.spatial.so3 import (
    exp_so3,
    left_jacobian_inverse_so3,
    left_jacobian_so3,
    log_so3,
    right_jacobian_inverse_so3,
    right_jacobian_so3,
)
from knuckle.spatial.subspace import (
    ForceSubspace,
    PlanarForceSubspace,
    PlanarSubspace,
    Subspace,
)
from knuckle.spatial.transform import Transform
from knuckle.spatial.vectors import (
    Force,
    Motion,
    PlanarForce,
    PlanarMotion,
    cross,
)

if TYPE_CHECKING:
    from knuckle.spatial import solids
    from knuckle.spatial.kinematics import (
        Screw,
        classical_to_spatial,
        force_at,
        is_free_vector,
        is_line_vector,
        point_acceleration,
        point_velocity,
        screw,
        screw_parts,
        spatial_to_classical,
    )

LATER = (
    "Screw",
    "classical_to_spatial",
    "force_at",
    "is_free_vector",
    "is_line_vector",
    "point_acceleration",
    "point_velocity",
    "screw",
    "screw_parts",
    "spatial_to_classical",
)
"""Imported from `kinematics` when first asked for, so that `import knuckle` stays
quick."""

__all__ = [
    "LDL", "SE3", "ArticulatedInertia", "Coriolis", "Force", "ForceSubspace",
    "Frame", "FrameError", "Inertia", "Motion", "PlanarArticulatedInertia",
    "PlanarCoriolis", "PlanarForce", "PlanarForceSubspace", "PlanarInertia",
    "PlanarMotion", "PlanarSubspace", "PlanarTransform", "Rx", "Ry", "Rz", "Screw",
    "Subspace", "Transform", "Tx", "Ty", "Tz", "ad", "articulated",
    "classical_to_spatial", "coriolis", "cross", "euler", "euler_pose", "exp_so3",
    "force_at", "is_free_vector", "is_line_vector", "left_jacobian_inverse_se3",
    "left_jacobian_inverse_so3", "left_jacobian_se3", "left_jacobian_so3",
    "log_so3", "planar", "point_acceleration", "point_velocity", "quaternion",
    "right_jacobian_inverse_se3", "right_jacobian_inverse_so3",
    "right_jacobian_se3", "right_jacobian_so3", "screw", "screw_parts", "solids",
    "spatial_to_classical", "from_log_cholesky", "log_cholesky",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "solids":
        return import_module(f"{__name__}.solids")
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.kinematics"), name)
