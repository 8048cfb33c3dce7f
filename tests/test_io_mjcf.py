"""MJCF: what becomes physics, compared with MuJoCo; what becomes data or a remark."""

from __future__ import annotations

import numpy as np
import pytest

import agreement_mujoco as agreement
import knuckle as kn
from knuckle.io.load import load
from mjcf_texts import (
    EULERS,
    GEOMS,
    HINGE,
    JOINTS,
    ORIENTATIONS,
    SCENES,
    TAIL,
    body,
    compiled,
    world,
)

TEXTS = {
    **{f"joint {name}": world(body(x + TAIL)) for name, x in JOINTS.items()},
    **{
        f"orientation {name}": world(body(HINGE, place=f'pos="1 2 3" {x}'))
        for name, x in ORIENTATIONS.items()
    },
    **{
        f"euler {order}": world(body(HINGE), compiled(f'eulerseq="{order}"'))
        for order in EULERS
    },
    **{
        f"{thin}geom {name}": world(
            body(f'{HINGE}<geom {x} shellinertia="{bool(thin)}"/>'.lower(), mass="")
        )
        for name, x in GEOMS.items()
        for thin in ("", "thin ")
    },
    **SCENES,
}


def reasons(model: kn.Model, severity: str = "") -> list[str]:
    return [r.reason for r in model.report if severity in r.severity]


@pytest.mark.parametrize("name", TEXTS)
def test_the_dynamics_are_those_of_mujoco(name: str) -> None:
    model, peer = load(TEXTS[name]), agreement.mujoco_file(TEXTS[name])
    assert agreement.smooth(peer) == []
    assert model.nv == peer.nv
    found = agreement.deviations(model, peer, np.random.default_rng(0), rows=3)
    turned = 1e-6 if name.startswith("mesh") else 1e-10
    assert max(found.values()) < turned, (
        found
    )  # MuJoCo's axes of meshes are off by 1e-7
    assert not reasons(model, "error")


@pytest.mark.parametrize("name", TEXTS)
def test_q_is_qpos_number_by_number(name: str) -> None:
    model, peer = load(TEXTS[name]), agreement.mujoco_file(TEXTS[name])
    np.testing.assert_allclose(model.neutral(), peer.qpos0, atol=1e-15)
    there = kn.convert.mujoco(model, peer)
    q = model.random(np.random.default_rng(0))
    np.testing.assert_allclose(there.to_q(q), q, atol=1e-15)


@pytest.mark.parametrize("name", [x for x in SCENES if x.startswith("mesh")])
def test_meshes_have_the_principal_moments_of_mujoco(name: str) -> None:
    ours, theirs = (
        load(SCENES[name]).bodies[0].rigid,
        agreement.mujoco_file(SCENES[name]),
    )
    moments = np.linalg.eigvalsh(np.array(ours.I_com))
    exact = 1e-6 if "fitted" in name else 1e-12  # a fit lies along MuJoCo's axes
    np.testing.assert_allclose(moments, np.sort(theirs.body_inertia[1]), rtol=exact)
    np.testing.assert_allclose(ours.com, theirs.body_ipos[1], atol=1e-2 * exact)
    np.testing.assert_allclose(ours.mass, theirs.body_mass[1], rtol=exact)
