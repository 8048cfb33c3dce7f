"""Named positions, shapes, actuators, constraints and remarks that a Model carries."""

import pickle

import numpy as np
import pytest

from knuckle import SE3, Body, Inertia, Model, ModelError
from knuckle.joints import Free, Revolute
from knuckle.model import Actuator, Box, Constraint, Mesh, Remark, Shape
from knuckle.spatial import Tx

LINK = Inertia(2.0, (0.1, -0.2, 0.3), (0.5, 0.6, 0.7))
BODIES = [Body("base", None, Free(), inertia=LINK),
          Body("arm", "base", Revolute("z"), inertia=LINK)]  # fmt: skip
HOME = [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.5]


def test_configurations_are_read_only_positions():
    model = Model(BODIES, configurations={"home": HOME})
    assert np.array_equal(model.configurations["home"], HOME)
    with pytest.raises(ValueError):
        model.configurations["home"][0] = 1.0
    with pytest.raises(TypeError):
        model.configurations["away"] = HOME


@pytest.mark.parametrize("q", [HOME[:-1], [*HOME[:-1], np.nan], [HOME]])
def test_a_configuration_is_nq_finite_numbers(q):
    text = r"configurations\['home'\]: expected 8 finite numbers.*model.q_names"
    with pytest.raises(ModelError, match=text):
        Model(BODIES, configurations={"home": q})


def test_every_datum_counts_but_the_report():
    base = Model(BODIES)
    others = [
        base.replace(configurations={"home": HOME}),
        base.replace(actuators=[Actuator("m", "motor", ("arm",), (("gear", 2.0),))]),
        base.replace(actuators=[Actuator("m", "motor", ("arm",), (("gear", 3.0),))]),
        base.replace(constraints=[Constraint("c", "weld", ("arm", "base"))]),
    ]
    assert len({base, *others}) == 5
    remark = Remark("warning", "robot.urdf", 12, "<link name='arm'>", "no inertia")
    told = base.replace(report=[remark])
    assert told == base and told.report == (remark,)
    assert told.replace(gravity=(0, 0, 0)).report == (remark,)
    assert str(remark) == "warning: robot.urdf:12: <link name='arm'>: no inertia"


def test_data_survives_pickling_and_parameters():
    shapes = (Shape(Box((1.0, 2.0, 3.0)), Tx(0.5), "hull", (1.0, 0.0, 0.0, 1.0)),)
    bodies = [BODIES[0], Body("arm", "base", Revolute("z"), inertia=LINK,
                              visuals=shapes)]  # fmt: skip
    model = Model(
        bodies,
        configurations={"home": HOME},
        actuators=[Actuator("m", "motor", ("arm",))],
        constraints=[Constraint("c", "weld", ("arm", "base"))],
        report=[Remark("note", "f", 1, "e", "r")],
    )
    copy = pickle.loads(pickle.dumps(model.with_parameters("arm.mass")))
    assert copy == model.with_parameters("arm.mass")
    assert copy.report == model.report and copy.actuators == model.actuators
    assert np.array_equal(copy.configurations["home"], HOME)
    assert copy.bodies[1].visuals == shapes


def test_where_a_mesh_was_found_is_no_content():
    here, there = (Shape(Mesh("package://a/b.stl", path=p)) for p in ("/x", "/y"))
    assert here == there and hash(here) == hash(there)
    assert here != Shape(Mesh("package://a/c.stl", path="/x"))
    assert here != Shape(here.geometry, SE3(p=(0.0, 0.0, 1.0)))
    assert here != Shape(here.geometry, properties=(("friction", 1.0),))


def test_kinds_are_checked():
    with pytest.raises(ModelError, match=r"actuators\[0\]: expected a Actuator"):
        Model(BODIES, actuators=["motor"])
