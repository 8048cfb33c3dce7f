"""A robot's SDF in Drake: the same states in its variables, and how far it differs."""

from __future__ import annotations

from typing import Any

import numpy as np

import knuckle as kn
from agreement import poses
from oracles import required


def plant_of(text: str) -> Any:
    """A finalized Drake plant of SDF text."""
    required("pydrake", "drake")
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    plant = MultibodyPlant(0.0)
    Parser(plant).AddModelsFromString(text, "sdf")
    plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -9.81])
    plant.Finalize()
    return plant


def deviations(
    model: kn.Model, plant: Any, rng: np.random.Generator
) -> dict[str, float]:
    """Largest deviations of poses, M and ID at a random q, v, a."""
    q, v = model.random(rng), rng.normal(size=model.nv)
    a = rng.normal(size=model.nv)
    R, p = kn.interpret(kn.forward_kinematics, model)(q)
    context = plant.CreateDefaultContext()
    T, drift = _place(model, plant, context, q, v, np.asarray(R), np.asarray(p))
    plant.SetVelocities(context, T @ v)
    theirs = plant.CalcInverseDynamics(context, T @ a + drift, _gravity(plant, context))
    M = T.T @ plant.CalcMassMatrix(context) @ T
    pairs = {
        "forward_kinematics": (poses((R, p)), _poses(model, plant, context)),
        "mass_matrix": (kn.interpret(kn.mass_matrix, model)(q), M),
        "inverse_dynamics": (
            kn.interpret(kn.inverse_dynamics, model)(q, v, a, passive=False),
            T.T @ theirs,
        ),
    }
    return {k: float(np.abs(x - np.asarray(y)).max()) for k, (x, y) in pairs.items()}


def _gravity(plant: Any, context: Any) -> Any:
    from pydrake.multibody.tree import MultibodyForces

    forces = MultibodyForces(plant)
    forces.mutable_generalized_forces()[:] = plant.CalcGravityGeneralizedForces(context)
    return forces


def _place(
    model: kn.Model, plant: Any, context: Any, q: Any, v: Any, R: Any, p: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Sets the positions; T with v' = T v, and dT/dt v."""
    T, drift = np.zeros((plant.num_velocities(), model.nv)), np.zeros(model.nv)
    for place in model.joints:
        if place.joint.name == "Free":
            body = _body(plant, place.body.name)
            turn = R[place.index]
            _set_free(plant, context, body, turn, p[place.index])
            start = body.floating_velocities_start_in_v()
            w, u = v[place.v][:3], v[place.v][3:]
            T[start : start + 3, place.v.start : place.v.start + 3] = turn
            T[start + 3 : start + 6, place.v.start + 3 : place.v.stop] = turn
            drift[start + 3 : start + 6] = turn @ np.cross(w, u)
        elif place.joint.nv:
            *scope, name = place.name.split("::")
            joint = plant.GetJointByName(name, _instance(plant, scope))
            turn = np.eye(place.joint.nv)
            if place.joint.name == "Spherical":
                turn = np.array(place.joint.pose(q[place.q]).R)
                joint.set_angles(context, _rpy(turn))
            else:
                _set(plant, context, joint, q[place.q])
            start = joint.velocity_start()
            T[start : start + place.joint.nv, place.v] = turn
    return T, drift


def _set(plant: Any, context: Any, joint: Any, values: Any) -> None:
    positions = plant.GetPositions(context)
    start = joint.position_start()
    positions[start : start + len(values)] = values
    plant.SetPositions(context, positions)


def _set_free(plant: Any, context: Any, body: Any, R: Any, p: Any) -> None:
    from pydrake.math import RigidTransform, RotationMatrix

    plant.SetFreeBodyPose(context, body, RigidTransform(RotationMatrix(R), p))


def _rpy(R: Any) -> Any:
    from pydrake.math import RollPitchYaw, RotationMatrix

    return RollPitchYaw(RotationMatrix(R)).vector()


def _instance(plant: Any, scope: list[str]) -> Any:
    """The model instance of a scope; Drake's names begin with that of the outermost."""
    from pydrake.multibody.tree import ModelInstanceIndex

    names = [
        plant.GetModelInstanceName(ModelInstanceIndex(k))
        for k in range(2, plant.num_model_instances())
    ]
    inner = "::".join(scope)
    found = [n for n in names if inner in (n, n.partition("::")[2])]
    return plant.GetModelInstanceByName(found[0])


def _body(plant: Any, full: str) -> Any:
    *scope, name = full.split("::")
    return plant.GetBodyByName(name, _instance(plant, scope))


def _poses(model: kn.Model, plant: Any, context: Any) -> np.ndarray:
    rows = []
    for body in model.bodies:
        X = plant.EvalBodyPoseInWorld(context, _body(plant, body.name))
        rows.append([*X.rotation().matrix().ravel(), *X.translation()])
    return np.array(rows)
