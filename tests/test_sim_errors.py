"""simulate: what it refuses, and how it says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import knuckle as kn
import simulations as sims
from knuckle.model.data import Actuator, Constraint

SHORT = {"duration": 0.05, "dt": 1e-3}


def refused(*args: Any, **options: Any) -> str:
    with pytest.raises(kn.SimulationError) as error:
        kn.simulate(*args, **options)
    return str(error.value)


def data_only() -> kn.Model:
    return sims.double_pendulum().replace(
        constraints=[Constraint("follow", "mimic", ("upper", "lower"))],
        actuators=[Actuator(f"motor{k}", "motor", ("upper",)) for k in range(5)],
    )


def test_data_that_would_not_act_is_refused_unless_it_is_named() -> None:
    model, q = data_only(), [0.1, 0.2]
    assert refused(model, q, **SHORT) == (
        "simulate: the model has 1 constraint ('follow') and 5 actuators ('motor0', "
        "'motor1', 'motor2', ...) that the motion would not obey; remove them, or "
        "leave them out knowingly with ignore=['constraints', 'actuators']"
    )
    text = refused(model, q, **SHORT, ignore=["follow", "motor1"])
    assert "4 actuators ('motor0', 'motor2', 'motor3', ...)" in text
    assert "constraint" not in text
    for ignore in (["constraints", "actuators"], ("follow", "actuators")):
        found = kn.simulate(model, q, **SHORT, ignore=ignore)
        assert found.settings.ignored == tuple(ignore)
    assert kn.simulate(sims.pendulum(), [0.0], **SHORT, ignore=["loops"]).settings


def test_ignore_must_name_what_is_there() -> None:
    assert refused(data_only(), [0, 0], ignore=["motor9", "constraints"]) == (
        "simulate: ignore names 'motor9'; did you mean 'motor4' or 'motor3' or "
        "'motor2'?"
    )
    assert "a list of names, got a string" in refused(data_only(), [0, 0], ignore="x")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"dt": 0.0}, "dt is 0.0, expected a number of seconds above 0"),
        ({"dt": np.nan}, "dt is nan, expected a number of seconds above 0"),
        ({"dt": "1e-3"}, "dt is '1e-3', expected a number of seconds above 0"),
        ({"duration": -1.0}, "duration is -1.0, expected a number of seconds above 0"),
        (
            {"duration": 1.0005},
            "duration = 1.0005 s is no multiple of dt = 0.001 s; 1000 steps take 1 s, "
            "1001 steps take 1.001 s",
        ),
        ({"control_dt": 1.5e-3, "tau": [0.0]}, "control_dt = 0.0015 s is no multiple"),
        (
            {"keep_every": 30},
            "keep_every = 30 does not divide the 1000 steps, and the last state would "
            "be lost; take 25 or 40",
        ),
        ({"keep_every": 0}, "keep_every is 0, expected a whole number of steps"),
        ({"t0": np.inf}, "t0 is inf, expected a time in seconds"),
        ({"integrator": "rk45"}, "integrator='rk45'; did you mean 'rk4'?"),
        ({"limits": "of"}, "limits='of'; did you mean 'off'?"),
        ({"friction_speed": 0}, "friction_speed is 0, expected a number"),
        ({"f_ext": np.zeros(6)}, "f_ext has shape (6,), expected (..., 1, 6)"),
        ({"f_ext": {"rod": [1.0]}}, "f_ext['rod'] has shape (1,), expected (..., 6)"),
        ({"parameters": {"rod.mass": 1.0}}, "there are no declared parameters"),
    ],
)
def test_what_is_asked_for_is_checked(options: dict[str, Any], text: str) -> None:
    found = refused(sims.pendulum(), [0.1], **options)
    assert found.startswith("simulate: ") and text in found


def test_the_start_is_checked() -> None:
    model = sims.mechanism("Free", "Spherical", "Helical", seed=4)
    q, v = sims.state(model, (2,))
    assert refused(model, q[:, 1:], v) == (
        f"simulate: q0: expected shape (..., {model.nq}), got (2, {model.nq - 1})"
    )
    assert "v0: expected shape" in refused(model, q, v[..., None])
    assert "do not broadcast (q0: (2,), v0: (3,))" in refused(
        model, q, np.zeros((3, model.nv))
    )
    far = q.copy()
    far[1, 3:7] *= 2.0
    text = refused(model, far, v)
    assert "q, row (1), joint 'body0': expected a unit quaternion, got norm 2" in text
    assert "model.normalize(q)" in text


def test_a_model_is_wanted() -> None:
    with pytest.raises(TypeError, match="the first argument is a knuckle Model, got s"):
        kn.simulate("panda", [0.0])
