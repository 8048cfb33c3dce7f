"""The numbered checks of the book, and where each is shown.

Featherstone, Rigid Body Dynamics Algorithms (2008), checks 1 - 25, 32, 38 - 42 of the
notes on it, with the errata corrected; and the exponentials and logarithms printed in
Sueda, Rigid body dynamics notes, Sec. 1.3. Most are laws and stand with what they are
laws of: SHOWN names them. Those that are numbers of the book alone are here.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle.algorithms import references
from knuckle.model import spanning_trees, tree
from knuckle.scalar import Program, Trace
from knuckle.spatial import SE3, Inertia, Transform, linear
from mechanisms import error

TESTS = Path(__file__).resolve().parent
ALGEBRA, BODIES = "test_spatial_algebra.py::", "test_spatial_bodies.py::"
JOINT, LAW = "test_joints.py::", "test_joints_laws.py::"
GRAPH, DH = "test_model_graph.py::", "test_model_denavit_hartenberg.py::"
DYNAMICS, SPARSE = "test_dynamics.py::", "test_sparse_factorization.py::"
HERE, ASSEMBLY = "test_book.py::", "test_book_assembly.py::"
SHOWN: dict[str, tuple[str, ...]] = {
    "1": (
        f"{ALGEBRA}test_euclidean_cross_identities_of_table_2_1",
        f"{ALGEBRA}test_spatial_cross_identities_of_table_2_3",
    ),
    "2": (f"{ALGEBRA}test_transforms_and_duals",),
    "3": (
        f"{ALGEBRA}test_transform_derivative_is_minus_velocity_cross",
        f"{ALGEBRA}test_inertia_rate_by_moving_the_body",
    ),
    "4": (
        f"{BODIES}test_uniform_rotation_has_no_spatial_acceleration",
        f"{BODIES}test_spatial_and_classical_acceleration_round_trip",
    ),
    "5": (
        f"{ALGEBRA}test_rigid_inertia",
        f"{ALGEBRA}test_inverse_inertia_closed_form",
        f"{HERE}test_check_5_the_inertia_of_a_body_away_from_the_origin",
    ),
    "6": (
        "test_spatial_planar.py::"
        "test_transforms_products_and_inertias_are_the_spatial_ones",
    ),
    "7": (f"{ALGEBRA}test_equation_of_motion_recovers_newton_and_euler",),
    "8": (f"{BODIES}test_screw_decomposition",),
    "9": (
        f"{LAW}test_velocity_is_the_derivative_of_the_pose",
        f"{LAW}test_bias_is_the_derivative_of_the_velocity",
        f"{LAW}test_constraint_and_actuation_forces",
        f"{JOINT}test_table_4_1",
        f"{JOINT}test_planar_and_free_velocities",
    ),
    "10": (
        f"{JOINT}test_special_cases",
        f"{LAW}test_reversed_twice_is_the_joint",
        f"{LAW}test_reversal_rules_of_table_4_2",
        "test_laws_composition.py::"
        "test_a_joint_reversed_is_the_tree_from_the_other_end",
    ),
    "11": (
        f"{JOINT}test_euler_parameters",
        f"{JOINT}test_yaw_pitch_roll_numbers",
        f"{LAW}test_neutral_and_random_are_configurations",
    ),
    "12": (
        f"{GRAPH}test_crank_slider_has_4_spanning_trees_and_8_regular_numberings",
        f"{HERE}test_check_12_the_crank_slider_has_one_loop",
    ),
    "13": (
        f"{GRAPH}test_sets_of_figure_4_6",
        f"{GRAPH}test_sums_swap",
        f"{HERE}test_check_13_the_sets_of_the_root",
    ),
    "14": (
        f"{DH}test_dynamics_equal_those_of_the_same_robot_written_out",
        f"{DH}test_4n_plus_6_parameters_locate_the_tool",
    ),
    "15": (
        "test_references.py::test_references_give_the_forces_of_the_recursion",
        f"{HERE}test_check_15_gravity_compensation",
    ),
    "16": (
        f"{DYNAMICS}test_columns_of_the_mass_matrix",
        f"{HERE}test_check_16_columns_from_forces_of_unit_accelerations",
    ),
    "17": (
        f"{DYNAMICS}test_forward_dynamics_by_the_mass_matrix",
        f"{HERE}test_check_17_every_way_to_accelerations",
        f"{HERE}test_check_17_to_thirteen_digits",
        "test_divide_and_conquer.py::test_two_handles_meet_two_by_7_63",
    ),
    "18": (
        f"{DYNAMICS}test_forward_dynamics_by_the_mass_matrix",
        f"{HERE}test_check_18_inverse_dynamics_undoes_forward_dynamics",
    ),
    "19": (
        f"{SPARSE}test_zeros_of_the_mass_matrix_are_the_branches",
        f"{SPARSE}test_ltl_reproduces_the_matrix_without_fill_in",
    ),
    "20": (
        f"{SPARSE}test_ltl_reproduces_the_matrix_without_fill_in",
        f"{SPARSE}test_ltdl_reproduces_the_matrix_without_fill_in",
        f"{SPARSE}test_costs_of_table_6_6",
        f"{GRAPH}test_depth_sums",
    ),
    "21": (
        f"{GRAPH}test_expanded_parents_of_the_book",
        f"{SPARSE}test_expanded_parent_array_of_the_book",
    ),
    "22": (
        f"{SPARSE}test_costs_of_table_6_6",
        f"{SPARSE}test_cost_of_factorizing_and_solving_for_six_joints",
        f"{SPARSE}test_costs_of_products_and_solves",
    ),
    "23": (
        f"{ASSEMBLY}test_check_23_the_root_of_a_floating_tree",
        f"{ASSEMBLY}test_check_23_a_joint_hides_its_own_directions",
    ),
    "24": (f"{ASSEMBLY}test_check_24_a_box_and_a_cylinder",),
    "25": (
        f"{ASSEMBLY}test_check_25_the_formulae_of_table_7_2",
        f"{ASSEMBLY}test_check_25_three_articulated_body_algorithms",
    ),
    "32": (
        f"{DYNAMICS}test_hybrid_dynamics_has_both_limits",
        f"{DYNAMICS}test_hybrid_dynamics_is_the_partition_of_the_equations",
    ),
    "38": (f"{ASSEMBLY}test_check_38_the_book_s_own_crba",),
    "39": (f"{ASSEMBLY}test_check_39_branches",),
    "40": (
        f"{ASSEMBLY}test_check_40_where_the_methods_cross",
        f"{ASSEMBLY}test_check_40_our_own_methods_cross_too",
    ),
    "41": (
        "test_spatial_counts.py::test_table_a_4",
        "test_spatial_counts.py::test_axial_screws_of_table_a_5_are_found",
        "test_spatial_counts.py::"
        "test_a_denavit_hartenberg_pair_is_taken_in_two_steps",
    ),
    "42": (f"{HERE}test_check_42_symbolic_simplification_of_table_10_3",),
    "Sueda 1.3": (
        "test_spatial_groups.py::test_the_numbers_printed_in_sueda_1_3",
        f"{HERE}test_sueda_1_3_the_rate_of_a_pose",
    ),
}  # fmt: skip


@pytest.mark.parametrize("check", SHOWN)
def test_every_check_is_shown_by_tests_that_exist(check: str) -> None:
    for place in SHOWN[check]:
        file, name = place.split("::")
        text = (TESTS / file).read_text()
        assert re.search(rf"^def {name}\(", text, re.M), place


def test_no_check_is_left_out() -> None:
    numbers = {*map(str, range(1, 26)), "32", *map(str, range(38, 43)), "Sueda 1.3"}
    assert set(SHOWN) == numbers


def run(alg: Any, model: kn.Model, *arrays: Any, **options: Any) -> Any:
    return kn.interpret(alg, model)(*arrays, **options)


def test_check_5_the_inertia_of_a_body_away_from_the_origin() -> None:
    """I_O = X* I_C X^-1 with X = xlt(-OC): (2.63) from (2.62) and (2.66)."""
    I_C, c, m = np.diag([0.3, 0.4, 0.5]), (0.1, -0.2, 0.3), 2.0
    about_C = np.array(Inertia(m, (0.0, 0.0, 0.0), I_C.tolist()).matrix())
    to_O = Transform(linear.EYE3, tuple(-x for x in c))
    X, dual = (np.array(x.matrix(), float) for x in (to_O, to_O.dual))
    about_O = np.array(Inertia(m, c, I_C.tolist()).matrix())
    np.testing.assert_allclose(dual @ about_C @ np.linalg.inv(X), about_O, atol=1e-15)


def test_check_12_the_crank_slider_has_one_loop() -> None:
    """N_L = N_J - N_B = 4 - 3 (4.1), whichever of the spanning trees is taken."""
    bodies = ["crank", "rod", "slider"]
    arcs = [
        ("world", "crank"),
        ("crank", "rod"),
        ("rod", "slider"),
        ("slider", "world"),
    ]
    joints = [(f"joint{k}", *arc) for k, arc in enumerate(arcs)]
    found = list(spanning_trees(bodies, joints))
    assert len(found) == 4 and {len(t.loops) for t in found} == {1}
    assert sum(tree.regular_numberings(t.parents, 1) for t in found) == 8


def test_check_13_the_sets_of_the_root() -> None:
    """mu(0) = {1, 4} and nu(0) = all of Fig 4.6, on a Model."""
    above = (0, 1, 1, 0, 3, 4, 4, 4)
    hinge, rod = kn.joints.Revolute(), kn.Inertia(1.0, (0.1, 0, 0), (1, 1, 1))
    bodies = [
        kn.Body(str(k), str(p) if p else None, hinge, inertia=rod)
        for k, p in enumerate(above, 1)
    ]
    model = kn.Model(bodies)
    assert model.children("world") == ("1", "4") and model.children("4")[-1] == "8"
    assert set(model.subtree_bodies("world")) == set("12345678")
    assert model.support("8") == ("4", "8") and model.support("3") == ("1", "3")
    assert model.subtree_bodies("1") == ("1", "2", "3", "5")


def test_check_15_gravity_compensation() -> None:
    """(5.12), (5.13): the forces at rest are the weights by the Jacobians."""
    model = mechanisms.hand(2)
    q, _, _ = mechanisms.state(model, 2)
    still = np.zeros(model.nv)
    held = run(kn.inverse_dynamics, model, q, still, still, passive=False)
    assert error(run(kn.gravity_forces, model, q), held) < 1e-13
    weights = np.zeros(model.nv)
    for body in model.bodies:
        if body.inertia.mass:
            J = run(kn.point_jacobian, model, q, body.name, np.array(body.inertia.com))
            weights -= J.T @ (body.inertia.mass * np.array(model.gravity))
    assert error(held, weights) < 1e-12


def test_check_16_columns_from_forces_of_unit_accelerations() -> None:
    """Table 6.1: ID_delta is inverse dynamics at rest without gravity; H delta_i."""
    model = mechanisms.hand(3)
    weightless = model.replace(gravity=(0.0, 0.0, 0.0))
    q, v, _ = mechanisms.state(model, 3)
    still = np.zeros(model.nv)
    H = run(kn.mass_matrix, model, q)
    push = kn.interpret(kn.inverse_dynamics, weightless)
    columns = [push(q, still, unit, passive=False) for unit in np.eye(model.nv)]
    assert error(np.array(columns).T, H) < 1e-13
    bodies = 0.0
    for body in model.bodies:
        V = run(kn.frame_velocity, model, q, v, body.name)
        bodies += 0.5 * V @ np.array(body.inertia.matrix()) @ V
    rotors = 0.5 * np.sum(model.armature * v * v)
    assert 0.5 * v @ H @ v == pytest.approx(bodies + rotors, rel=1e-12)


@pytest.mark.parametrize("seed", [0, 1])
def test_check_17_every_way_to_accelerations(seed: int) -> None:
    """ABA, CRBA, maximal, divided, ..., and the closed form J^T M J solved densely."""
    model = mechanisms.hand(seed)
    q, v, tau = mechanisms.state(model, seed)
    f = mechanisms.wrenches(model, seed)
    H = run(references.closed_form_mass_matrix, model, q)
    C = run(references.closed_form, model, q, v, np.zeros(model.nv), f)
    closed = np.linalg.solve(H, tau - C)
    for way in mechanisms.WAYS:
        a = mechanisms.accelerations(run(getattr(kn, way), model, q, v, tau, f))
        assert error(a, closed) < 1e-10, (way, seed)


@pytest.mark.parametrize("seed", range(4))
def test_check_17_to_thirteen_digits(seed: int) -> None:
    """All methods on a well-conditioned tree of R, P and H joints, 8 bodies."""
    model = well_conditioned(seed)
    q, v, tau = mechanisms.state(model, seed)
    f = mechanisms.wrenches(model, seed)
    usual = run(kn.forward_dynamics, model, q, v, tau, f)
    for way in mechanisms.WAYS:
        for more in ({"variant": 1}, {"variant": 2}) if "variant" in way else ({},):
            a = run(getattr(kn, way), model, q, v, tau, f, **more)
            assert error(mechanisms.accelerations(a), usual) < 1e-13, (way, more)


def well_conditioned(seed: int) -> kn.Model:
    """Eight bodies on R, P and H joints."""
    rng = np.random.default_rng(seed)
    kinds = [
        kn.joints.Revolute,
        kn.joints.Prismatic,
        lambda: kn.joints.Helical("z", 0.2),
    ]
    above, bodies = (-1, 0, 0, 1, 1, 2, 2, 5), []
    for k, parent in enumerate(above):
        ends = mechanisms.placement(rng), mechanisms.inertia(rng)
        name = f"body{parent}" if k else None
        bodies.append(kn.Body(f"body{k}", name, kinds[k % 3](), *ends))
    return kn.Model(bodies)


def test_check_18_inverse_dynamics_undoes_forward_dynamics() -> None:
    """To 1e-14 on a well-conditioned tree (8 bodies, R, P and H joints)."""
    model = well_conditioned(8)
    q, v, tau = mechanisms.state(model, 8)
    a = run(kn.forward_dynamics, model, q, v, tau)
    bias = run(kn.bias_forces, model, q, v)
    off = np.abs(run(kn.inverse_dynamics, model, q, v, a) - tau).max()
    assert off < 1e-14 * np.abs(bias).max() * model.nv


def products(v: Any, I: Any, s: Any) -> Any:
    """tau = (v x I v) . s, as Table 10.3 writes it."""
    p = linear.cross3(v, linear.matvec(I, v))
    return linear.dot(p, s)


def operations(output: Any) -> int:
    return sum(Program.of([output]).operations().values())


def test_check_42_symbolic_simplification_of_table_10_3() -> None:
    """29 operations with unknown I and s, at most 5 with those of the model."""
    trace = Trace()
    v, I, s = trace.inputs("v", 3), trace.inputs("I", 9), trace.inputs("s", 3)
    assert operations(products(v, (I[:3], I[3:6], I[6:]), s)) == 29
    diagonal = ((1.5, 0.0, 0.0), (0.0, 1.6, 0.0), (0.0, 0.0, 1.7))
    tau = products(v, diagonal, (0.0, 0.0, 1.0))
    assert operations(tau) <= 5
    program = Program.of([tau], [x.value for x in v])
    for row in np.random.default_rng(0).normal(size=(5, 3)):
        (value,) = program(*row.tolist())
        assert value == pytest.approx(0.1 * row[0] * row[1], rel=1e-13)


def test_sueda_1_3_the_rate_of_a_pose() -> None:
    """Edot = E [phi] (1.8), as a difference with exp(dt phi) (1.11); printed to 4
    digits."""
    E = np.array([[-0.9227, -0.3845, -0.0274, -0.5020],
                  [0.2865, -0.6364, -0.7162, 0.4564],
                  [0.2579, -0.6687, 0.6973, -1.5617],
                  [0.0, 0.0, 0.0, 1.0]])  # fmt: skip
    phi = np.array([-0.1285, 1.2666, 0.8058, -0.6903, -0.5538, -0.1246])
    printed = [[-0.2751, 0.7470, -1.2181, 0.8533],
               [0.3944, -0.1388, 0.2811, 0.2439],
               [-1.4221, -0.2974, 0.2408, 0.1054],
               [0.0, 0.0, 0.0, 0.0]]  # fmt: skip
    dt = 1e-6
    steps = [np.array(SE3.exp((s * dt * phi).tolist()).matrix()) for s in (1, -1)]
    rate = E @ (steps[0] - steps[1]) / (2.0 * dt)
    np.testing.assert_allclose(rate, printed, atol=2e-4)
