"""What the commands are made of: positions, servos, users' scripts."""

import argparse

import numpy as np
import pytest

import knuckle as kn
from knuckle.cli.control import script, sources
from knuckle.cli.errors import UserError
from knuckle.cli.options import count, pair, positive
from knuckle.cli.positions import inside, position, velocity
from knuckle.cli.servo import Servo
from knuckle.joints import Free, Revolute, Spherical
from knuckle.model import Actuator, Body, Model
from mechanisms import error, inertia

RNG = np.random.default_rng(0)
LINK = inertia(RNG)


def walker(**more):
    """A floating trunk with a hip and a ball for a foot."""
    return Model(
        [
            Body("trunk", None, Free(), inertia=LINK),
            Body("leg", "trunk", Revolute("y", lower=0.5, upper=1), inertia=LINK),
            Body("foot", "leg", Spherical(), inertia=LINK),
        ],
        **more,
    )


def test_positions_by_name_and_by_number():
    home = walker().random(RNG)
    model = walker(configurations={"home": home})
    assert np.array_equal(position(model, "home", "--start"), home)
    assert np.array_equal(position(model, "neutral", "--start"), model.neutral())
    numbers = "0,0,1, 2,0,0,0, 0.7 1,0,0,0"
    q = position(model, numbers, "--start")
    assert q.tolist() == [0, 0, 1, 1, 0, 0, 0, 0.7, 1, 0, 0, 0]
    model.validate(position(model, "random", "--start"))
    assert inside(model)[7] == 0.5 and model.neutral()[7] == 0.0


@pytest.mark.parametrize(
    "text, got",
    [("hom", "'hom'"), ("1,2", "2 numbers"), ("1,nan", "'1,nan'"), ("", "''")],
)
def test_positions_that_are_none(text, got):
    expected = f"--start: expected 'home', 'neutral', 'random', or 12 .* got {got}"
    model = walker(configurations={"home": walker().neutral()})
    with pytest.raises(UserError, match=expected):
        position(model, text, "--start")


def test_velocities():
    assert not velocity(walker(), None).any()
    assert velocity(walker(), "1,2,3,4,5,6,7,8,9,10")[-1] == 10.0
    with pytest.raises(UserError, match="--velocity: expected 10 numbers with commas"):
        velocity(walker(), "1,2")


def test_a_servo_pulls_along_the_difference_on_what_is_actuated():
    model = walker()
    q, goal = model.random(RNG, 2)
    v = RNG.normal(size=model.nv)
    servo = Servo(model, 30.0, 2.0, goal)
    tau = servo.forces(q, v)
    expected = 30.0 * model.difference(q, goal) - 2.0 * v
    assert np.array_equal(tau[6:], expected[6:]) and not tau[:6].any()
    weak = walker(actuators=[Actuator("m", "motor", ("leg",))])
    assert np.flatnonzero(Servo(weak, 30.0, 2.0, goal).forces(q, v)).tolist() == [6]


def test_a_driven_model_is_the_model_under_the_servos_forces():
    soft = Revolute("y", lower=0.5, upper=1, stiffness=4.0, rest=0.3, damping=0.7)
    model = walker().replace("leg", joint=soft)
    goal = model.random(RNG)
    q = model.integrate(goal, 0.3 * RNG.normal(size=model.nv))
    v = RNG.normal(size=model.nv)
    servo = Servo(model, 30.0, 2.0, goal)
    driven = kn.interpret(kn.passive_forces, servo.driven())(q, v)
    own = np.array(kn.interpret(kn.passive_forces, model)(q, v))
    difference = np.array(driven) - own - servo.forces(q, v)
    # a ball's spring pulls along log(rest^-1 q), the servo along log(q^-1 goal): equal
    assert error(difference + own, own) < 1e-12


def test_a_servo_on_a_ball_with_a_spring_is_refused():
    model = walker().replace("foot", stiffness=1.0)
    with pytest.raises(UserError, match="joint 'foot' has a spring of its own"):
        Servo(model, 30.0, 2.0, model.neutral()).driven()
    assert Servo(model, 0.0, 2.0, model.neutral()).driven().damping[-1] == 2.0


def test_gains_are_two_numbers():
    assert pair("200,20") == (200.0, 20.0)
    for text in ("200", "a,b", "1,2,3", "-1,2", "nan,1", "inf,1"):
        with pytest.raises(argparse.ArgumentTypeError, match="two numbers from 0"):
            pair(text)


def test_numbers_of_options():
    assert count("3") == 3 and positive("0.5") == 0.5
    for kind, text in (
        (count, "0"),
        (count, "1.5"),
        (positive, "0"),
        (positive, "inf"),
    ):
        with pytest.raises(argparse.ArgumentTypeError, match=f"above 0, got '{text}'"):
            kind(text)


def test_a_script_gives_its_function(tmp_path):
    path = tmp_path / "swing.py"
    path.write_text(
        "import math\ndef torque(q, v, t):\n    return [math.sin(t), 0.0]\n"
    )
    assert script(f"{path}:torque")(None, None, 0.0) == [0.0, 0.0]


@pytest.mark.parametrize(
    "source, name, text",
    [
        ("def torque(q, v, t): pass", "torqe", "no function 'torqe'; it has torque"),
        ("x = 1", "torque", "it has no function"),
        ("import nothing_of_this_name", "torque", "swing.py:1: ModuleNotFoundError"),
        ("\n\ndef torque(", "torque", "swing.py:3: SyntaxError"),
        (
            "x = 1\ny = x / 0",
            "torque",
            "swing.py:2: ZeroDivisionError: division by zero",
        ),
    ],
)
def test_scripts_that_do_not_work(source, name, text, tmp_path):
    path = tmp_path / "swing.py"
    path.write_text(source)
    with pytest.raises(UserError, match=text):
        script(f"{path}:{name}")


@pytest.mark.parametrize(
    "given, text",
    [
        ("swing.py", "expected FILE.py:FUNCTION, got 'swing.py'"),
        ("swing.txt:torque", "expected FILE.py:FUNCTION"),
        ("swing.py:a b", "expected FILE.py:FUNCTION"),
        ("not_there.py:torque", "no file 'not_there.py'"),
    ],
)
def test_what_names_no_script(given, text):
    with pytest.raises(UserError, match=text):
        script(given)


def test_an_error_inside_a_script_is_told_by_its_line(tmp_path):
    path = tmp_path / "swing.py"
    path.write_text("def torque(q, v, t):\n    return q / missing\n")
    function = script(f"{path}:torque")
    with pytest.raises(UserError, match="swing.py:2: NameError: name 'missing'"):
        with sources(function):
            function(1.0, 2.0, 0.0)
    with pytest.raises(ValueError, match="ours"):
        with sources(function):
            raise ValueError("ours")
    with pytest.raises(ZeroDivisionError):
        with sources(None):
            raise ZeroDivisionError
