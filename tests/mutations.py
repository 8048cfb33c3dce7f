"""Small wrongs that a law must notice: a sign, a frame, a missing term.

Each names a file of the package, a text that occurs there exactly once, what is put in
its place, and the laws of which at least one must then fail. There is one for each kind
of joint and one or more for each algorithm and each layer below them.

    python tests/mutants.py                   puts each into a copy and runs its laws
    python tests/mutants.py frame ABA         those whose names hold one of the words
"""

from __future__ import annotations

from typing import NamedTuple


class Mutation(NamedTuple):
    """One wrong: where, instead of what, what, and the laws against it."""

    name: str
    file: str
    old: str
    new: str
    laws: tuple[str, ...]


RULES = "test_derivatives.py::test_rules_are_what_the_text_gives[{}-0]"
SECOND = "test_derivatives.py::test_second_rules_are_what_the_text_gives[{}]"
TREE = "[interpreter-hand-seed0-scalar]"
COMPOSITION = (
    "test_laws_composition.py::test_a_composite_is_the_chain_with_massless_bodies"
)
POSE = "test_laws_composition.py::test_the_pose_is_that_of_the_parts"
REVERSED = (
    "test_laws_composition.py::test_a_joint_reversed_is_the_tree_from_the_other_end"
)
JOINTS = "test_joints_laws.py::"
INVERSE = f"test_laws.py::test_forward_dynamics_undoes_inverse_dynamics{TREE}"
MASS = f"test_laws.py::test_inverse_dynamics_is_the_mass_matrix_and_the_bias{TREE}"
INVERSE_MASS = f"test_laws.py::test_inverse_mass_matrix{TREE}"
HINGES = "test_reduced.py::test_a_tree_of_hinges_on_a_free_body"
HYBRID = f"test_laws.py::test_hybrid_dynamics_is_both{TREE}"
SQUARE = f"test_laws.py::test_bias_is_gravity_and_a_quadratic_form_of_v{TREE}"
KINETIC = (
    f"test_laws.py::test_kinetic_energy_is_the_quadratic_form_of_the_mass_matrix{TREE}"
)
WORLD_FORCE = "test_laws.py::test_a_wrench_made_in_the_world_does_its_work_there"
WAY = f"test_laws.py::test_forward_dynamics_has_many_ways[{{}}-{TREE[1:]}"
CHAIN = "test_divide_and_conquer.py::test_it_is_forward_dynamics[23-chain]"
POWER = f"test_laws_motion.py::test_power_goes_into_energy_or_is_dissipated{TREE}"
GRADIENT = (
    "test_laws_motion.py::"
    f"test_gravity_and_springs_are_the_gradient_of_the_energy{TREE}"
)
MOMENTUM = f"test_laws_motion.py::test_the_momentum_matrix_and_the_centre_of_mass{TREE}"
SKEW = (
    "test_laws_motion.py::"
    f"test_the_rate_of_the_mass_matrix_less_twice_coriolis_is_skew{TREE}"
)
POSES = f"test_laws_kinematics.py::test_velocity_is_the_rate_of_the_pose{TREE}"
JACOBIAN = (
    "test_laws_kinematics.py::test_jacobian_times_velocity_is_the_velocity"
    "[{}-interpreter-hand-seed0-scalar]"
)
RATE = (
    "test_laws_kinematics.py::test_acceleration_is_the_rate_of_the_velocity"
    "[aligned-interpreter-hand-seed0-scalar]"
)
POINT = f"test_laws_kinematics.py::test_point_jacobian_is_the_rate_of_the_point{TREE}"
PRODUCTS = f"test_laws_kinematics.py::test_bodies_have_their_frame_jacobians{TREE}"
DUALITY = (
    "test_laws_kinematics.py::"
    f"test_external_wrenches_act_by_the_transposed_jacobian{TREE}"
)
HOLD = "test_momentum.py::test_joint_wrenches_hold_every_body[0]"
COMPILED = (
    "test_laws.py::test_forward_dynamics_undoes_inverse_dynamics[float64-hand-seed0-8]"
)

COUPLED = "test_couplings.py::test_"
COUPLED_BOOK = "test_couplings_book.py::test_"


def chain(name: str) -> tuple[str, ...]:
    return (f"{COMPOSITION}[{name}-0]",)


MUTATIONS = (
    # One in each kind of joint.
    Mutation(
        "Fixed: loose", "joints/builtin.py",
        "Joint(lambda q: SE3(), 0", "Joint(lambda q: Tx(0.1), 0",
        (f"{POSE}[Fixed-0]",),
    ),
    Mutation(
        "Revolute: sign", "joints/builtin.py",
        "return R(q[0])", "return R(-q[0])",
        chain("Universal"),
    ),
    Mutation(
        "Prismatic: scale", "joints/builtin.py",
        "return T(q[0])", "return T(2 * q[0])",
        chain("PlanarTranslation"),
    ),
    Mutation(
        "Helical: sign of the pitch", "joints/builtin.py",
        "T(pitch * q[0])", "T(-pitch * q[0])",
        chain("Helical"),
    ),
    Mutation(
        "Cylindrical: coordinates exchanged", "joints/builtin.py",
        "R(q[0]) * T(q[1])", "R(q[1]) * T(q[0])",
        chain("Cylindrical"),
    ),
    Mutation(
        "Planar: frame of the velocity", "joints/builtin.py",
        "return x + (c * dx - s * dy), y + (s * dx + c * dy), angle + turn",
        "return x + dx, y + dy, angle + turn",
        (f"{JOINTS}test_difference_inverts_integrate[Planar]",),
    ),
    Mutation(
        "PlanarTranslation: coordinates exchanged", "joints/builtin.py",
        "Tx(q[0]) * Ty(q[1]), 2,", "Tx(q[1]) * Ty(q[0]), 2,",
        chain("PlanarTranslation"),
    ),
    Mutation(
        "Translational: sign", "joints/builtin.py",
        "Tx(q[0]) * Ty(q[1]) * Tz(q[2]), 3", "Tx(q[0]) * Ty(q[1]) * Tz(-q[2]), 3",
        chain("Translational"),
    ),
    Mutation(
        "Universal: order", "joints/builtin.py",
        "Rx(q[0]) * Ry(q[1]), 2", "Ry(q[1]) * Rx(q[0]), 2",
        chain("Universal"),
    ),
    Mutation(
        "Spherical: frame of the velocity", "joints/builtin.py",
        "multiply(q, exp_quaternion(scale(dt, v)))",
        "multiply(exp_quaternion(scale(dt, v)), q)",
        (f"{JOINTS}test_difference_inverts_integrate[Spherical]",),
    ),
    Mutation(
        "SphericalEuler: order", "joints/builtin.py",
        "a(q[0]) * b(q[1]) * c(q[2])", "c(q[0]) * b(q[1]) * a(q[2])",
        chain("SphericalEuler"),
    ),
    Mutation(
        "SphericalExp: sign", "joints/builtin.py",
        "return Joint(lambda q: SE3(exp_so3(q)), 3, **keywords)",
        'del keywords["subspace"]; '
        "return Joint(lambda q: SE3(exp_so3([-x for x in q])), 3, **keywords)",
        (f"{POSE}[SphericalExp-0]",),
    ),
    Mutation(
        "Free: frame of the velocity", "joints/builtin.py",
        "moved = add(q[:3], matvec(to_rotation(q[3:]), shift))",
        "moved = add(q[:3], shift)",
        (f"{JOINTS}test_difference_inverts_integrate[Free]",),
    ),
    Mutation(
        "Free2D: order", "joints/builtin.py",
        "Tx(q[0]) * Ty(q[1]) * Rz(q[2]), 3, **name",
        "Rz(q[2]) * Tx(q[0]) * Ty(q[1]), 3, **name",
        chain("Free2D"),
    ),
    Mutation(
        "RackAndPinion: order", "joints/builtin.py",
        "Tx(radius * q[0]) * Rz(q[0])", "Rz(q[0]) * Tx(radius * q[0])",
        chain("RackAndPinion"),
    ),
    Mutation(
        "Composite: order", "joints/combining.py",
        "total = total * joint.pose(part, *(t if joint.timed else ()))",
        "total = joint.pose(part, *(t if joint.timed else ())) * total",
        chain("Composite"),
    ),
    Mutation(
        "Reversed: not at all", "joints/combining.py",
        "pose = lambda q: joint.pose(q).inverse()", "pose = lambda q: joint.pose(q)",
        (f"{REVERSED}[Revolute]",),
    ),
    # What follows from a pose, and the view of a model.
    Mutation(
        "S: frame of the twists", "joints/deriving.py",
        "Transform.from_pose(tail) @ twist",
        "Transform.from_pose(tail.inverse()) @ twist",
        (f"{JOINTS}test_velocity_is_the_derivative_of_the_pose[SphericalEuler]",),
    ),
    Mutation(
        "c_J: missing term", "joints/deriving.py",
        "terms += a if i == j else add(a, b)", "terms += a",
        (f"{JOINTS}test_bias_is_the_derivative_of_the_velocity[SphericalEuler]",),
    ),
    Mutation(
        "offset: wrong way round", "model/view.py",
        "end = joint.after * body.offset.inverse()", "end = joint.after * body.offset",
        (f"{REVERSED}[Prismatic]",),
    ),
    Mutation(
        "damping: sign", "model/bodies.py", "0.0 - d * x - (f", "0.0 + d * x - (f",
        (POWER,),
    ),
    Mutation(
        "friction: missing sign(0)", "model/bodies.py",
        "where(x < 0.0, -1.0, 0.0)", "where(x < 0.0, -1.0, 1.0)",
        ("test_dynamics.py::test_passive_forces_by_hand", POWER),
    ),
    Mutation(
        "springs: missing half", "model/bodies.py",
        "terms = (0.5 * k * d * d", "terms = (k * d * d", (GRADIENT,),
    ),
    # One or more in each algorithm.
    Mutation(
        "RNEA: missing c_J", "algorithms/inverse_dynamics.py",
        "S[i] @ a[i] + cJ + cross", "S[i] @ a[i] + cross", (INVERSE,),
    ),
    Mutation(
        "RNEA: missing rotors", "algorithms/inverse_dynamics.py",
        "add(S[i].T @ F[i], i.joint.rotor_force(a[i]))", "S[i].T @ F[i]", (MASS,),
    ),
    Mutation(
        "ABA: missing v x v_J", "algorithms/forward_dynamics.py",
        " + cJ + cross(V[i], vJ)", " + cJ", (INVERSE,),
    ),
    Mutation(
        "ABA: sign of U D^-1 u", "algorithms/forward_dynamics.py",
        "p[i] + U[i] @ (D[i].inv @ u[i])", "p[i] - U[i] @ (D[i].inv @ u[i])",
        (INVERSE,),
    ),
    Mutation(
        "felt: no transform to the parent, as printed (9.7)", "model/felt.py",
        "total = parent + X.T @ moved",
        "total = parent + Inertia.of_entries(moved.entries, parent.frame)", (HINGES,),
    ),
    Mutation(
        "felt: moments of a joint that changes them", "model/moments.py",
        "(*(inertia @ s).entries, *inertia.rate(s).entries)", "(inertia @ s).entries",
        ("test_moments.py::test_table_9_7_and_the_other_joints",),
    ),
    Mutation(
        "reframe: the angle of the normals the wrong way", "model/reframe.py",
        "turn - angle", "angle - turn", (HINGES,),
    ),
    Mutation(
        "reframe: homes stay behind", "model/view.py",
        "_exact(back[carrier] * pose)", "pose", (HINGES,),
    ),
    Mutation(
        "external wrenches lost between views", "model/layout.py",
        "i.view.wrenches(self.by_name).forces", "{}",
        ("test_reduced.py::test_wrenches_reach_bodies_of_another_view",),
    ),
    Mutation(
        "turns in the wrong order", "spatial/transform.py",
        "for E in reversed(self.turns):", "for E in self.turns:", (HINGES,),
    ),
    Mutation(
        "one symmetric matrix: sign", "spatial/congruence.py",
        "t = a * (a * difference + b * twice)", "t = a * (a * difference - b * twice)",
        ("test_spatial_counts.py::test_one_symmetric_matrix_turns_about_an_axis",),
    ),
    Mutation(
        "FD by CRBA: missing external wrenches", "algorithms/forward_dynamics_crba.py",
        "still(), f_ext, passive=passive)", "still(), passive=passive)",
        ("test_dynamics.py::test_forward_dynamics_by_the_mass_matrix[0]",),
    ),
    Mutation(
        "hybrid: missing S a (9.9)", "algorithms/hybrid_dynamics.py",
        "A[i] += S[i] @ a_or_tau[i]", "A[i] += S[i] @ v[i]", (HYBRID,),
    ),
    Mutation(
        "CRBA: missing children", "algorithms/mass_matrix.py",
        "I[i.parent] += X[i].T @ I[i]", "pass", (MASS,),
    ),
    Mutation(
        "LTDL: sign", "algorithms/sparse_factorization.py",
        "L[i][j] = L[i][j] - a * L[k][j]", "L[i][j] = L[i][j] + a * L[k][j]",
        (INVERSE_MASS,),
    ),
    Mutation(
        "inverse of LTDL: missing term", "algorithms/sparse_factorization.py",
        "Z[i][i] = Z[i][i] - L[i][k] * Z[k][i]", "Z[i][i] = Z[i][i]", (INVERSE_MASS,),
    ),
    Mutation(
        "M^-1 x: sign", "algorithms/inverse_mass_matrix.py",
        "pa = pA[i] + U[i]", "pa = pA[i] - U[i]", (INVERSE_MASS,),
    ),
    Mutation(
        "bias: with springs", "algorithms/forces.py", "still(), passive=False",
        "still()",
        (MASS,),
    ),
    Mutation(
        "gravity: sign", "algorithms/forces.py",
        "A[model.world] = -model.gravity", "A[model.world] = model.gravity",
        (GRADIENT,),
    ),
    Mutation(
        "kinetic energy: missing half", "algorithms/energies.py",
        "T += 0.5 * speed * moment", "T += speed * moment", (KINETIC,),
    ),
    Mutation(
        "potential energy: sign", "algorithms/energies.py",
        "0.0 - dot(space", "0.0 + dot(space", (GRADIENT,),
    ),
    Mutation(
        "momentum: about the wrong side", "algorithms/momentum.py",
        "return shift(com_of(total_inertia(model, q))).dual",
        "return shift(com_of(total_inertia(model, q))).inverse().dual", (MOMENTUM,),
    ),
    Mutation(
        "centroidal matrix: about the origin", "algorithms/momentum.py",
        "(X0[i] * G).T @", "X0[i].T @", (MOMENTUM,),
    ),
    Mutation(
        "composite mass: missing transform", "algorithms/momentum.py",
        "I[i.parent] += i.joint.transform(q[i]).T @ I[i]",
        "I[i.parent] += Inertia.of_entries(I[i].entries)", (MOMENTUM,),
    ),
    Mutation(
        "poses: missing frame placement", "algorithms/kinematics.py",
        "Transform.from_pose(pose, carrier.name, name) * X0", "X0",
        (POSES,),
    ),
    Mutation(
        "velocity: missing parent", "algorithms/velocities.py",
        "V[i] = X @ V[i.parent] + vJ", "V[i] = vJ", (POSES,),
    ),
    Mutation(
        "acceleration: spatial for classical", "algorithms/velocities.py",
        "return of_point(A, V) if classical else A", "return A", (RATE,),
    ),
    Mutation(
        "Jdot v: spatial in aligned axes", "algorithms/velocities.py",
        'of_point(A, V) if expressed == "aligned" else A', "A",
        (JACOBIAN.format("aligned"),),
    ),
    Mutation(
        "frame Jacobian: wrong origin", "algorithms/jacobians.py",
        "sub(X0[j].r, origin)", "X0[j].r", (JACOBIAN.format("aligned"),),
    ),
    Mutation(
        "point Jacobian: point at the origin", "algorithms/jacobians.py",
        "pose * shift(point).pose()", "pose", (POINT,),
    ),
    Mutation(
        "square factors: (31) without tau", "algorithms/forward_dynamics_square.py",
        "(z[i] + U[i] @ c[i])", "(z[i])", ("test_square.py::test_both_methods[0]",),
    ),
    Mutation(
        "divide and conquer: velocity of the lower half without the upper joints",
        "algorithms/divided.py",
        "self.move(part.lower, X @ V + vJ)", "self.move(part.lower, X @ V)", (CHAIN,),
    ),
    Mutation(
        "divide and conquer: gravity upside down",
        "algorithms/forward_dynamics_divide_and_conquer.py",
        "model.gravity * -1.0", "model.gravity * 1.0",
        (WAY.format("forward_dynamics_divide_and_conquer"),),
    ),
    Mutation(
        "divide and conquer: (7.63) without the active force",
        "algorithms/two_handles.py",
        "lower.b2 + lower.at_second(drive) + Q", "lower.b2 + Q", (CHAIN,),
    ),
    Mutation(
        "divide and conquer: action is not reaction",
        "algorithms/articulated_bodies.py",
        "back = tuple(0.0 - x for x in f)", "back = tuple(0.0 + x for x in f)",
        (CHAIN,),
    ),
    Mutation(
        "articulated bodies: a joint that does not give way for the handles",
        "algorithms/articulated_bodies.py",
        "Phi = _plus_gram(at.Phi, E, moved)", "Phi = at.Phi", (CHAIN,),
    ),
    Mutation(
        "runs: a body without mass by itself", "model/assembly.py",
        "settled = i in regular.full or all(j in regular.alone for j in run)",
        "settled = True",
        ("test_divide_and_conquer.py::"
         "test_bodies_without_mass_share_a_run_with_one_that_has_it",),
    ),
    Mutation(
        "Phi^A: joints do not give way", "algorithms/articulated_inertia.py",
        "k: X.T @ (f - U @ (D.inv @ (S.T @ f)))", "k: X.T @ f",
        ("test_handles.py::"
         "test_inverse_inertia_of_a_set_is_that_of_the_jacobians[body-0]",),
    ),
    Mutation(
        "b^A: spatial in aligned axes", "algorithms/articulated_inertia.py",
        '"classical": expressed == "aligned"', '"classical": False',
        ("test_handles.py::"
         "test_handles_accelerate_as_their_equations_say[aligned-0]",),
    ),
    Mutation(
        "variant 1: the parent does not feel tau",
        "algorithms/forward_dynamics_variant.py",
        "b[i.parent] = b[i.parent] - push - G", "b[i.parent] = b[i.parent] - G",
        ("test_book_assembly.py::"
         "test_check_25_three_articulated_body_algorithms[0]",),
    ),
    Mutation(
        "variant 2: sign of p^A", "algorithms/forward_dynamics_variant.py",
        "Phi[i] @ (f - pA[i])", "Phi[i] @ (f + pA[i])",
        (WAY.format("forward_dynamics_variant"),),
    ),
    Mutation(
        "rotors that constrain: no way given", "spatial/ldl.py",
        "R * reciprocal(1.0 + d * R)", "reciprocal(d)",
        (WAY.format("forward_dynamics_variant"),),
    ),
    Mutation(
        "maximal: the rotor does not know c", "algorithms/forward_dynamics_maximal.py",
        "self.b[r] += rotor * a * offset", "pass",
        (WAY.format("forward_dynamics_maximal"),),
    ),
    Mutation(
        "sparse factors: sign going back", "algorithms/sparse_symmetric.py",
        "x[i] = found[n] - sum", "x[i] = found[n] + sum",
        (WAY.format("forward_dynamics_maximal"),),
    ),
    Mutation(
        "complement: T_a that does work on other axes", "spatial/complement.py",
        "_less(f, power[j], best)", "(_less(f, power[j], best) if j < n else f)",
        (WAY.format("forward_dynamics_variant"),),
    ),
    Mutation(
        "regressor: missing v x v_J", "algorithms/regressor.py",
        " + cJ + cross(V[i], vJ)", " + cJ",
        ("test_regressor.py::test_inverse_dynamics_is_linear_in_the_inertias[0]",),
    ),
    Mutation(
        "dID: the force does not turn",
        "algorithms/derivatives/inverse_dynamics.py",
        "G[i] = G[i] + cross(S[i], F[i])", "pass", (RULES.format("inverse_dynamics"),),
    ),
    Mutation(
        "dID: half the Coriolis matrix", "spatial/coriolis.py",
        "h = scale(2.0, I.h)", "h = I.h", (RULES.format("inverse_dynamics"),),
    ),
    Mutation(
        "d2ID: what the joint of x carries does not turn",
        "algorithms/derivatives/second_inverse_dynamics.py",
        "force + cross(x.s, y.G), False", "force, False", (SECOND.format("q,q"),),
    ),
    Mutation(
        "d2ID: the inertia does not move", "algorithms/derivatives/changes.py",
        "rates=(I.rate(x.s), B.rate", "rates=(I.rate(x.s * 0.0), B.rate",
        (SECOND.format("a,q"),),
    ),
    Mutation(
        "d2ID: its own S rests", "algorithms/derivatives/second_inverse_dynamics.py",
        "if y.turn is not None and n < j.dof:", "if False:", (SECOND.format("q,v"),),
    ),
    Mutation(
        "d2ID: moves of one joint commute", "algorithms/derivatives/changes.py",
        "ds, swung = dS[s][r], cross(before, x.s)",
        "ds, swung = dS[r][s], cross(before, x.s)", (SECOND.format("q,q"),),
    ),
    Mutation(
        "d2ID: rows and columns of joint rates", "joints/second.py",
        "qv=[by_q[r][n * (n + 2) :] for r in every]",
        "qv=[by_q[r][: n] for r in every]", (SECOND.format("q,v"),),
    ),
    Mutation(
        "Coriolis: carried without its moment", "spatial/coriolis.py",
        "+ (along if i == j else 0.0)", "", (SECOND.format("q,q"),),
    ),
    Mutation(
        "Coriolis: couple without the momentum", "spatial/coriolis.py",
        "half = add(cross3(u, U.entries[3:]), ",
        "half = add(cross3(u, (0.0, 0.0, 0.0)), ", (SECOND.format("v,v"),),
    ),
    Mutation(
        "d2FD: one order of the two",
        "algorithms/derivatives/second_forward_dynamics.py",
        "add(crossed[j, k], crossed[k, j])", "add(crossed[j, k], crossed[j, k])",
        ("test_derivatives.py::test_second_rules_of_forward_dynamics[q,q]",),
    ),
    Mutation(
        "D*: a factor of one pair less", "scalar/dstar/factoring.py",
        "pairs = self._dominated(start, end, side)\n        if not pairs:",
        "pairs = self._dominated(start, end, side)\n        if pairs.bit_count() < 2:",
        ("test_scalar_dstar.py::test_one_output_and_one_input_collapse_to_one_edge",),
    ),
    Mutation(
        "D*: guards of both arms", "scalar/dstar/guards.py",
        "return condition.index + 1 if holds else -condition.index - 1",
        "return condition.index + 1",
        ("test_scalar_dstar_guards.py::test_at_the_boundary",),
    ),
    Mutation(
        "vjp: weights in the order of the call", "edge/products.py",
        "{f\"weights[{k!r}]\": found[k] for k in names}",
        "{f\"weights[{k!r}]\": x for k, x in zip(names, found.values())}",
        ("test_derivatives.py::test_weights_of_several_results",),
    ),
    Mutation(
        "zeros: the last block stays", "codegen/zeros.py",
        "%more = icmp ult i64 %i1, {len(starts)}",
        "%more = icmp ult i64 %i1, {len(starts) - 1}",
        ("test_codegen.py::test_many_zeros_are_written",),
    ),
    Mutation(
        "dFD: sign", "algorithms/derivatives/forward_dynamics.py",
        "solve_columns(L, neg(D), parent, part)",
        "solve_columns(L, D, parent, part)", (RULES.format("forward_dynamics"),),
    ),
    Mutation(
        "Jdot x: sign of v_J x", "algorithms/jacobian_products.py",
        "- cross(vJ, carried)", "+ cross(vJ, carried)", (PRODUCTS,),
    ),
    Mutation(
        "J x: missing parent", "algorithms/jacobian_products.py",
        "W[i] = i.joint.transform(q[i]) @ W[i.parent] + i", "W[i] = i", (PRODUCTS,),
    ),
    Mutation(
        "J^T f: missing children", "algorithms/jacobian_products.py",
        "F[i.parent] += i.joint.transform(q[i]).T @ F[i]", "pass", (DUALITY,),
    ),
    Mutation(
        "joint wrenches: sign of external ones", "algorithms/joint_wrenches.py",
        "- b.external", "+ b.external", (HOLD,),
    ),
    Mutation(
        "wrench: lever the wrong way", "spatial/kinematics.py",
        "Force(cross3(point, force), force)", "Force(cross3(force, point), force)",
        (WORLD_FORCE,),
    ),
    # The algebra below, the derivatives and the machine code.
    Mutation(
        "Coriolis: missing half", "spatial/acceleration.py",
        "cross3(both, vJ.linear)", "cross3(v.angular, vJ.linear)", (INVERSE,),
    ),
    Mutation(
        "planar Coriolis: missing half", "spatial/planar_acceleration.py",
        "both, (_, x, y) = v.entries[0] + self.velocity.entries[0], vJ.entries",
        "both, (_, x, y) = v.entries[0], vJ.entries",
        ("test_dynamics.py::test_planar_is_spatial[True]",),
    ),
    Mutation(
        "centripetal: sign", "spatial/acceleration.py",
        "xx, yy, zz = x * x, y * y, z * z", "xx, yy, zz = -x * x, y * y, z * z",
        (POWER,),
    ),
    Mutation(
        "gyroscopic: missing term", "spatial/newton_euler.py",
        "x - dot(K[1], moment[2])", "x", (POWER,),
    ),
    Mutation(
        "X^T I X: sign", "spatial/inertia.py", "yy + (p + s)", "yy + (p - s)",
        (MASS,),
    ),
    Mutation(
        "X^T I^A X: missing term", "spatial/articulated.py",
        "y * (H[0][2] + K[0][2]) - z", "y * H[0][2] - z", (INVERSE,),
    ),
    Mutation(
        "X^T f: sign of the lever", "spatial/transform.py",
        "n = add(X.turned_back(y.moment), cross3(X.r, f))",
        "n = sub(X.turned_back(y.moment), cross3(X.r, f))", (MASS, DUALITY),
    ),
    Mutation(
        "quaternion: sign in the rotation", "spatial/quaternion.py",
        "xz - wy, yz + wx", "xz - wy, yz - wx",
        ("test_laws_groups.py::test_unit_quaternions_are_the_same_group_twice[0]",),
    ),
    Mutation(
        "planar X* f: sign", "spatial/planar.py",
        "neg((c * self.x + s * self.y, c * self.y - s * self.x))",
        "neg((c * self.x - s * self.y, c * self.y + s * self.x))",
        ("test_laws_groups.py::test_planar_transforms_are_a_group[0]",),
    ),
    Mutation(
        "MuJoCo's free joint: missing drift", "convert/world_free.py",
        "np.cross(w, speed)", "0.0 * speed",
        ("test_convert.py::test_mujoco_accelerations_are_the_rates_of_its_velocities[0]",),
    ),
    Mutation(
        "derivative of the cosine: sign", "scalar/derive.py",
        '"cos": lambda r, x: (-sin(x),)', '"cos": lambda r, x: (sin(x),)',
        (f"{JOINTS}test_velocity_is_the_derivative_of_the_pose[bead on a helix]",),
    ),
    Mutation(
        "fused multiply-add: sign of the product", "scalar/fuse.py",
        'op = "fma" if term.sign > 0 else "fnma"', 'op = "fma"', (COMPILED,),
    ),
    Mutation(
        "machine code: sign of the third operand", "codegen/primitive.py",
        '{"fms": 2, "fnma": 0}', '{"fms": 0, "fnma": 0}', (COMPILED,),
    ),
    Mutation(
        "machine code: rows exchanged", "codegen/transpose.py",
        "if not i & step:", "if not i & (step ^ 1):", (COMPILED,),
    ),
    # Couplings.
    Mutation(
        "all joints: missing g", "algorithms/coupled_joints.py",
        "model.lift(q).acceleration(tuple(v), tuple(a))",
        "model.lift(q).velocity(tuple(a))",
        (f"{COUPLED}velocities_are_the_rates_of_positions[0]",),
    ),
    Mutation(
        "forward dynamics, coupled: missing C",
        "algorithms/forward_dynamics_coupled.py",
        "sub(tuple(tau), tuple(C))", "tuple(tau)",
        (INVERSE.replace("hand", "coupled"),),
    ),
    Mutation(
        "couplings: accelerations without g", "edge/coupled.py",
        "full = lift.acceleration(tuple(arguments[v]), x)",
        "full = lift.velocity(x)",
        (INVERSE.replace("hand", "coupled"), f"{COUPLED_BOOK}a_cam_by_hand"),
    ),
    Mutation(
        "couplings: g without its sources", "model/coupled.py",
        "return [a + b for a, b in zip(own, turned, strict=True)]",
        "return list(turned)",
        (f"{COUPLED}velocities_are_the_rates_of_positions[1]",),
    ),
    Mutation(
        "couplings: forces in the order of the laws", "model/coupled.py",
        "zip(reversed(self.ties), reversed(self.slopes), strict=True)",
        "zip(self.ties, self.slopes, strict=True)",
        (f"{COUPLED}reduced_is_the_tree_seen_through_gamma[1]",),
    ),
    Mutation(
        "couplings: one triangle of G^T H G too few", "model/coupled.py",
        "if x >= y or not symmetric:", "if x >= y:",
        (f"{COUPLED}rules_are_what_the_text_gives[1]",),
    ),
    Mutation(
        "couplings: slope along q, not along v", "model/ties.py",
        "dict(zip(q[j], joint.qdot(q[j], unit), strict=True))",
        "dict(zip(q[j], unit, strict=False))",
        (f"{COUPLED}velocities_are_the_rates_of_positions[0]",
         f"{COUPLED}velocities_are_the_rates_of_positions[3]"),
    ),
    Mutation(
        "Jdot x: missing drift of followers", "algorithms/jacobian_products.py",
        "+ S @ dx[i]", "",
        ("test_laws_kinematics.py::test_bodies_have_their_frame_jacobians"
         + TREE.replace("hand", "coupled"),),
    ),
    Mutation(
        "elimination tree: no fill", "algorithms/sparse_factorization.py",
        "left[i] |= rows[k]", "left[i] |= set()",
        tuple(f"{COUPLED}factors_have_the_zeros_of_the_elimination_tree[{seed}]"
              for seed in range(4)) + (f"{COUPLED}what_fills_in_is_below_in_the_tree",),
    ),
    Mutation(
        "hybrid dynamics, coupled: C' at rest", "algorithms/hybrid_dynamics.py",
        "moved = [x if k in given else 0.0 for k, x in enumerate(a_or_tau)]",
        "moved = [0.0 for x in a_or_tau]",
        (HYBRID.replace("hand", "coupled"),),
    ),
    Mutation(
        "derivatives, coupled: missing d(G^T) tau",
        "algorithms/derivatives/inverse_dynamics.py",
        "congruence(G, by_q, n, False), bent.forces,",
        "congruence(G, by_q, n, False),",
        (f"{COUPLED}rules_are_what_the_text_gives[0]",),
    ),
    Mutation(
        "simulation, coupled: missing K g", "sim/dynamics.py",
        "push[k], K[k][k] = x - y * g[k], y", "push[k], K[k][k] = x, y",
        (f"{COUPLED}resistances_are_those_of_all_joints",),
    ),
    Mutation(
        "limits of followers: sign of the offset", "model/limits.py",
        "(x - tie.coupling.offset) / ratio", "(x + tie.coupling.offset) / ratio",
        (f"{COUPLED}limits_of_followers_hold_for_what_they_follow",),
    ),
    Mutation(
        "MJCF's equality: about zero", "io/mjcf/equalities.py",
        "total = coefficient + (x - x0) * total", "total = coefficient + x * total",
        ("test_io_couplings.py::test_polynomials_of_mjcf_are_laws",),
    ),
    Mutation(
        "rolled: shapes are not compared", "model/rolled/parts.py",
        "if entry.shape is not shape:", "if entry is None:",
        ("test_rolled.py::test_many_bodies_take_few_kinds_of_steps"
         "[forward_dynamics-binary]",),
    ),
    Mutation(
        "rolled: equal values stay equal", "model/rolled/parts.py",
        "for a, b in self.equal:", "for a, b in ():",
        ("test_rolled.py::test_values_that_were_one_by_chance_are_told_apart",),
    ),
    Mutation(
        "rolled: one body is enough", "model/rolled/tracer.py",
        "if template.seen > 1 and", "if template.seen > 0 and",
        ("test_rolled.py::test_texts_that_keep_things_to_themselves_are_right[counted]",),
    ),
    Mutation(
        "rolled: memory is free too early", "codegen/rolled/memory.py",
        "max(last, place + 1)", "place + 1",
        ("test_rolled.py::test_many_bodies_take_few_kinds_of_steps"
         "[forward_dynamics-binary]",),
    ),
    Mutation(
        "rolled: an offset for all", "codegen/rolled/body.py",
        "if np.all(gap == gap[0]):", "if len(gap):",
        ("test_rolled.py::test_many_bodies_take_few_kinds_of_steps"
         "[forward_dynamics-binary]",),
    ),
    Mutation(
        "rolled: undone only in part", "model/rolled/tracer.py",
        "while len(self._undo) > count:", "while len(self._undo) > count + 1:",
        ("test_rolled.py::test_what_does_not_fit_to_the_end_is_taken_back",),
    ),
)  # fmt: skip
QUICK = ("RNEA: missing c_J", "Helical: sign of the pitch", "gravity: sign")
"""Those of every day; the others are long."""
