"""The joint-space inertia matrix by the composite-rigid-body algorithm."""

from __future__ import annotations

from typing import Any

from knuckle.edge import algorithm
from knuckle.model.layout import Position


@algorithm
def mass_matrix(model: Any, q: Position) -> Any:
    """M(q), both triangles [kg m^2, kg m, kg].  Featherstone Table 6.2.

    Contains the armature.  Entries between joints of different branches are exact
    zeros.
    """
    X, S, I, F = model.per_body(4)
    M = model.joint_matrix()
    for i in model.outward():
        X[i], S[i] = i.joint.transform(q[i]), i.joint.subspace(q[i])
        I[i] = i.felt
    for i in model.inward():
        I[i.parent] += X[i].T @ I[i]
        F[i] = I[i] @ S[i]
        M[i, i] = i.joint.with_rotor(S[i].T @ F[i])
        for j in model.rootward(i):
            F[j.parent] = X[j].T @ F[j]
            M[i, j.parent] = F[j.parent].T @ S[j.parent]
    return M
