"""A constant as an input is the constant: at its default, and at any other value."""

from __future__ import annotations

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle import algorithms
from knuckle.joints import Composite
from mechanisms import arguments, error, numbers

JOINT = ("armature", "damping", "friction")
SCALED = ("mass", "com", "inertia", *JOINT)
Values = dict[str, np.ndarray]


@pytest.mark.parametrize("name", algorithms.__all__)
def test_defaults_are_the_constants(name: str) -> None:
    model, alg = mechanisms.hand(0), getattr(algorithms, name)
    given = arguments(alg, model, 0)
    expected = numbers(kn.interpret(alg, model)(**given))
    free = kn.interpret(alg, model.with_parameters("*"))
    assert error(numbers(free(**given)), expected) < 1e-12, name


def others(model: kn.Model, seed: int) -> Values:
    """Every constant that is no placement within ten percent of its default."""
    rng = np.random.default_rng(seed)
    return {
        name: value * rng.uniform(0.9, 1.1) if name.endswith(SCALED) else value
        for name, value in model.parameter_defaults().items()
    }


def rebuilt(model: kn.Model, values: Values) -> kn.Model:
    """The model with these values written into its bodies and joints."""
    bodies = []
    for body in model.bodies:
        kinds = [k for k in JOINT if f"{body.joint_name}.{k}" in values]
        new = {k: values[f"{body.joint_name}.{k}"] for k in kinds}
        joint = body.joint
        if joint.nv:
            physical = {**joint.physical, **new}
            joint = Composite(joint, name=joint.name, **physical)
        mass = float(values[f"{body.name}.mass"])
        xx, yy, zz, xy, xz, yz = values[f"{body.name}.inertia"]
        I = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        inertia = kn.Inertia(mass, values[f"{body.name}.com"], I) if mass else None
        ends = body.placement, inertia, body.offset
        bodies.append(kn.Body(body.name, body.parent, joint, *ends))
    return model.replace(bodies=bodies)


@pytest.mark.parametrize(
    "name",
    ["inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_mass_matrix",
     "kinetic_energy", "passive_forces", "center_of_mass", "momentum"],
)  # fmt: skip
@pytest.mark.parametrize("seed", [0, 3])
def test_other_values_are_another_model(name: str, seed: int) -> None:
    usual = mechanisms.hand(seed)
    model, alg = usual.with_parameters("*"), getattr(algorithms, name)
    given, values = arguments(alg, model, seed), others(model, seed)
    built = kn.interpret(alg, rebuilt(usual, values))(**given)
    found = kn.interpret(alg, model)(**given, parameters=values)
    assert error(numbers(found), numbers(built)) < 1e-11, (name, seed)
    same = numbers(kn.interpret(alg, usual)(**given))
    assert error(same, numbers(built)) > 1e-3, "the law would say nothing"


def test_every_row_may_be_another_robot() -> None:
    chain = mechanisms.chain(2, 4, mixed=True)
    model = chain.with_parameters("*.mass", "*.com", "gravity", "*.damping")
    rows = [others(model, seed) for seed in range(5)]
    values = {name: np.stack([row[name] for row in rows]) for name in rows[0]}
    q, v, a = mechanisms.state(model, 2, (5,))
    tau = kn.inverse_dynamics(model, q, v, a, parameters=values)
    for k, row in enumerate(rows):
        alone = kn.inverse_dynamics(model, q[k], v[k], a[k], parameters=row)
        assert np.array_equal(tau[k], alone)
    assert error(tau, kn.inverse_dynamics(chain, q, v, a)) > 1e-3
    back = kn.forward_dynamics(model, q, v, tau, parameters=values)
    assert error(back, a) < 1e-10


def test_a_parameter_is_an_input_even_when_its_default_is_zero() -> None:
    rod = kn.Inertia(1.0, (0.0, 0.0, -0.5), (0.1, 0.1, 0.01))
    body = kn.Body("rod", None, kn.joints.Revolute("y"), inertia=rod)
    model = kn.Model([body]).with_parameters("rod.com", "rod.damping")
    still = kn.inverse_dynamics(model, [0.3], [2.0], [0.0])
    moved = {"rod.com": [0.2, 0.0, -0.5], "rod.damping": [3.0]}
    found = kn.inverse_dynamics(model, [0.3], [2.0], [0.0], parameters=moved)
    com = kn.Inertia(1.0, (0.2, 0.0, -0.5), (0.1, 0.1, 0.01))
    damped = kn.joints.Revolute("y", damping=3.0)
    other = kn.Model([kn.Body("rod", None, damped, inertia=com)])
    assert found == pytest.approx(kn.inverse_dynamics(other, [0.3], [2.0], [0.0]))
    assert found != pytest.approx(still)
