"""check() names joint, coordinate and value of a pose that is not smooth or rigid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle.joints import GENERAL, REGISTRY, curves
from knuckle.joints.flaws import flaws
from knuckle.scalar import absolute, floor, maximum, where
from knuckle.spatial import Rx, Rz, Tx, Ty, Tz

RNG = np.random.default_rng


@pytest.mark.parametrize("name", {**REGISTRY, **GENERAL})
def test_no_joint_of_ours_has_flaws(name: str) -> None:
    """Splines are walked across all their knots."""
    assert flaws({**REGISTRY, **GENERAL}[name](RNG(1))) == []


def cubic(points: Any) -> curves.Curve:
    """A cubic B-spline, whose tangent's second derivative jumps at its knots."""
    from knuckle.joints.bsplines import cubic, segment
    from knuckle.joints.curves import blend
    from knuckle.scalar import lookup

    table = [[x for p in points[k : k + 4] for x in p] for k in range(len(points) - 3)]

    def point(s: Any) -> Any:
        i, u = segment(s, len(table))
        row = lookup(table, i)
        return blend(cubic(u), [row[3 * k : 3 * k + 3] for k in range(4)])

    return curves.curve(point, lower=0.0, upper=float(len(table)))


BENT = [[float(k), 0.3 * (k % 2), 0.1 * (k % 3)] for k in range(6)]
FLAWS = {
    "abs": (lambda q: Tx(q[0]) * Ty(absolute(q[0] - 0.5)), 1, "q[0]", 0.5, "S jumps"),
    "floor": (lambda q: Tx(q[0]) * Tz(0.1 * floor(q[0] / 3.0)), 1, "q[0]", 0.0,
              "the pose jumps"),
    "where": (
        lambda q: Rz(q[0]) * Tx(where(q[1] < -1.0, 2.0 * q[1] + 1.0, q[1])), 2, "q[1]",
        -1.0, "S jumps",
    ),
    "max": (lambda q: Tx(q[0]) * Rx(maximum(q[0], 0.25) ** 2), 1, "q[0]", 0.25, "S"),
    "second derivative": (
        lambda q: Tx(q[0]) * Ty(where(q[0] > 0.7, (q[0] - 0.7) ** 2, 0.0)), 1, "q[0]",
        0.7, "c_J jumps",
    ),
    "tangent of a cubic spline": (
        lambda q: cubic(BENT).frame(q[0] + 1.5), 1, "q[0]", -0.5, "c_J jumps",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FLAWS)
def test_flaws_are_named_with_joint_coordinate_and_value(name: str) -> None:
    pose, nq, coordinate, value, message = FLAWS[name]
    joint = kn.Joint(pose, nq, lower=-1.4, upper=1.4)
    body = kn.Body("slider", None, joint, inertia=mechanisms.inertia(RNG(0)))
    found = kn.Model([body]).check()
    texts = [str(f) for f in found if "jumps" in f.message]
    assert texts and texts[0].startswith(f"warning: joint 'slider': at {coordinate} = ")
    assert message in texts[0] and "two continuous derivatives" in texts[0]
    first = flaws(joint)[0]
    assert first.value == pytest.approx(value, abs=1e-12)


def test_limits_keep_away_from_flaws() -> None:
    pose = FLAWS["abs"][0]
    assert flaws(kn.Joint(pose, 1, lower=0.6, upper=2.0, neutral=(1.0,))) == []


def test_smooth_choices_pass() -> None:
    """A decision whose arms meet to the second derivative is no flaw."""
    pose = lambda q: Tx(where(q[0] > 0.3, q[0] + (q[0] - 0.3) ** 3, q[0]))  # noqa: E731
    assert flaws(kn.Joint(pose, 1)) == []


def test_rigid_near_neutral_and_not_beyond() -> None:
    def pose(q: Any) -> Any:
        size = where(q[0] > 2.7, 1.1, 1.0)
        R = ((size * 1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        return R, (q[0], 0.0, 0.0)

    joint = kn.Joint(pose, 1)
    (flaw,) = flaws(joint)
    assert flaw.coordinate == "q[0]" and flaw.value > 2.7
    model = kn.Model([kn.Body("a", None, joint, inertia=mechanisms.inertia(RNG(0)))])
    assert "error: joint 'a': at q[0] = " in str(model.check()[0])
    assert "the pose is no rigid motion" in str(model.check()[0])


def test_no_rigid_motion_is_refused_when_built() -> None:
    with pytest.raises(ValueError, match=r"'bent'.*no rigid motion: at q = \("):
        kn.Joint(lambda q: (((1.0, q[0], 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
                            (0.0, 0.0, 0.0)), 1, name="bent")  # fmt: skip


def test_rank_loss_names_the_velocities() -> None:
    """A coordinate that moves nothing, and two that do the same, at neutral."""
    square = kn.Joint(lambda q: Tx(q[0]) * Ty(q[1] * q[1]), 2)
    gimbal = kn.joints.SphericalEuler("zxz")
    twins = kn.Joint(lambda q: Tx(q[0] + q[1]) * Ty(0.0 * q[0]), 2)
    texts = {}
    for name, joint in (("square", square), ("gimbal", gimbal), ("twins", twins)):
        body = kn.Body(name, None, joint, inertia=mechanisms.inertia(RNG(0)))
        texts[name] = "\n".join(map(str, kn.Model([body]).check()))
    assert (
        "joint 'square': at its neutral position (0.0, 0.0) it has 1 of 2"
        in (texts["square"])
    )
    assert "velocity 1 moves nothing" in texts["square"]
    assert "velocities 0, 2 depend on each other" in texts["gimbal"]
    assert "error: joint 'twins'" in texts["twins"]
    assert "velocities 0, 1 depend on each other" in texts["twins"]
