"""States, accelerations and forces in the conventions of other engines, both ways.

With T(q) the peer's velocity per velocity of ours: v' = T v, a' = T a + dT/dt v and
tau' = T^-T tau, so that tau . v is the same power [W] in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knuckle.convert.convention import Convention, Coordinates, Place
from knuckle.convert.joints import for_mujoco, for_pinocchio
from knuckle.model import Model, ModelError, PlacedJoint

__all__ = ["Convention", "mujoco", "pinocchio"]


def pinocchio(model: Model, pin_model: Any = None) -> Convention:
    """Pinocchio: quaternions x, y, z, w; free joints linear first, in body axes.

    Joints are paired by name with those of `pin_model`; without one they are taken in
    the order of declaration, as a model built joint by joint has them.
    """
    _refuse_couplings(model)
    joints = [place for place in model.joints if place.joint.nv]
    if pin_model is None:
        return _in_row(model, [(place, for_pinocchio(place, 0)) for place in joints])
    names = list(pin_model.names)
    places = []
    for place in joints:
        peer = pin_model.joints[_paired(place.name, names, "Pinocchio")]
        found = for_pinocchio(place, peer.nq)
        _same_size(place, found.nq, peer.nq, peer.nv, "Pinocchio")
        places.append(_placed(place, found, peer.idx_q, peer.idx_v))
    return Convention(model, places, pin_model.nq, pin_model.nv)


def mujoco(model: Model, mj_model: Any = None) -> Convention:
    """MuJoCo: free joints have world linear velocity, then body angular velocity.

    Joints are paired by name with those of `mj_model` (a joint of several velocities
    with that of its first slide or hinge), those that have none in MuJoCo in order;
    without `mj_model` all are taken depth first, as MuJoCo numbers them.  The trap:
    MuJoCo's free joint moves the body's own frame.
    """
    _refuse_couplings(model)
    order = [model.joints[k] for k in model.order if model.joints[k].joint.nv]
    pairs = [(place, for_mujoco(place)) for place in order]
    if mj_model is None:
        return _in_row(model, pairs)
    names = [mj_model.joint(k).name for k in range(mj_model.njnt)]
    nameless = [k for k, name in enumerate(names) if not name]
    places = []
    for place, found in pairs:
        if place.name not in names and nameless:
            number = nameless.pop(0)
        else:
            number = _paired(place.name, names, "MuJoCo")
        peer = mj_model.joint(number)
        iq, iv = int(peer.qposadr[0]), int(peer.dofadr[0])
        places.append(_placed(place, found, iq, iv))
    return Convention(model, places, mj_model.nq, mj_model.nv)


def _refuse_couplings(model: Model) -> None:
    if model.ties:
        raise ModelError(
            "convert: expected a model without couplings, as the peer has coordinates "
            "for every joint; convert model.uncoupled, whose q is "
            "kn.joint_positions(model, q)"
        )


def _in_row(
    model: Model, pairs: Sequence[tuple[PlacedJoint, Coordinates]]
) -> Convention:
    places, iq, iv = [], 0, 0
    for place, found in pairs:
        places.append(_placed(place, found, iq, iv))
        iq, iv = places[-1].q.stop, places[-1].v.stop
    return Convention(model, places, iq, iv)


def _placed(place: PlacedJoint, found: Coordinates, iq: int, iv: int) -> Place:
    return Place(place, found, slice(iq, iq + found.nq), slice(iv, iv + place.joint.nv))


def _paired(name: str, names: Sequence[str], engine: str) -> int:
    if name not in names:
        raise ModelError(
            f"joint {name!r}: the {engine} model has no joint of this name; it has "
            + ", ".join(names)
        )
    return list(names).index(name)


def _same_size(
    place: PlacedJoint, nq: int, peer_nq: int, peer_nv: int, engine: str
) -> None:
    if (nq, place.joint.nv) != (peer_nq, peer_nv):
        raise ModelError(
            f"joint {place.name!r}: expected nq, nv = {nq}, {place.joint.nv} in the "
            f"{engine} model, got {peer_nq}, {peer_nv}; build both from the same joints"
        )
