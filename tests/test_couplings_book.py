"""The couplings of the book: the geared arm of 9.6, the closed loop of 8.11, rotors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle.model.coupled import congruence
from knuckle.scalar import Program, Trace
from knuckle.spatial import Rx

Random = np.random.Generator
RATIO = (7.0, -5.0)
TILT = 0.5


def rotor(axial: float) -> kn.Inertia:
    """A disc about y, its centre of mass on the axis."""
    return kn.Inertia(0.3, (0.0, 0.02, 0.0), (0.6 * axial, axial, 0.6 * axial))


def geared_arm(axial: float = 2e-3, ratio: tuple[float, float] = RATIO) -> kn.Model:
    """Fig 9.2: two links, and rotors on the base and, tilted, on the upper arm."""
    rng = np.random.default_rng(5)
    hinge = kn.joints.Revolute("y")
    far = kn.SE3(p=(0.4, 0.1, 0.0))
    tilted = kn.SE3(Rx(TILT).R, (0.1, 0.0, 0.0))
    bodies = [
        kn.Body("upper", None, hinge, inertia=mechanisms.inertia(rng)),
        kn.Body("rotor1", None, hinge, kn.SE3(p=(0, 0.2, 0)), rotor(axial)),
        kn.Body("fore", "upper", hinge, far, mechanisms.inertia(rng)),
        kn.Body("rotor2", "upper", hinge, tilted, rotor(axial)),
    ]
    gears = zip(("rotor1", "rotor2"), ("upper", "fore"), ratio, strict=True)
    return kn.Model(bodies, couplings=[kn.Coupling(*gear) for gear in gears])


def cost(program: Program) -> tuple[int, int]:
    """(multiplications, additions)."""
    counts = program.operations()
    assert not counts.keys() - {"mul", "add"}
    return counts.get("mul", 0), counts.get("add", 0)


def product(pattern: Any, slopes: Any) -> Program:
    """G^T H G as a program; 0 and 1 are structural, other entries are inputs."""
    trace = Trace()

    def entry(name: str, x: float) -> Any:
        return trace.input(name) if x not in (0.0, 1.0) else x

    H: list[list[Any]] = [[0.0] * len(pattern) for _ in pattern]
    for i, row in enumerate(pattern):
        for j in range(i + 1):
            x = trace.input(f"H{i}{j}") if row[j] else 0.0
            H[i][j] = H[j][i] = x
    rows = [
        {y: entry(f"G{k}{y}", x) for y, x in enumerate(row) if x}
        for k, row in enumerate(slopes)
    ]
    M = congruence(rows, H, 2, True)
    return Program.of([M[0][0], M[1][0], M[1][1]])


def test_the_geared_arm_costs_five_multiplications_and_three_additions() -> None:
    """Check 34: (9.27) in 5 m + 3 a, where dense matrices take 44 m + 33 a."""
    arm = [[1, 0, 1, 1], [0, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]]
    gears = [[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, 2.0]]
    assert cost(product(arm, gears)) == (5, 3)
    assert cost(product(np.ones((4, 4)), np.full((4, 2), 2.0))) == (44, 33)


def test_so_does_the_model_of_the_arm() -> None:
    """With gear ratios as parameters, and hence no constants to fold."""
    model = geared_arm().with_parameters("*.ratio")

    def counts(model: kn.Model) -> tuple[int, int]:
        given = {name: None for name in model.parameters}
        made = kn.mass_matrix.traced(model, bound(), tuple(given))
        found = made.program.operations()
        assert not found.keys() - {"mul", "add", "sub", "neg", "sin", "cos"}
        return found["mul"], found["add"]

    tree, arm = counts(model.uncoupled), counts(model)
    assert (arm[0] - tree[0], arm[1] - tree[1]) == (5, 3)


def bound() -> Any:
    from knuckle.edge.signature import Given

    return Given({"q": 0.0}, {}, {})


def test_the_matrix_of_the_arm_is_that_of_the_book() -> None:
    """(9.27), and dense G^T H G."""
    model, (r1, r2) = geared_arm(), RATIO
    q = np.array([0.4, -1.1])
    H = kn.mass_matrix(model.uncoupled, kn.joint_positions(model, q))
    M = kn.mass_matrix(model, q)
    book = [
        [H[0, 0] + r1**2 * H[1, 1], H[0, 2] + r2 * H[0, 3]],
        [H[0, 2] + r2 * H[0, 3], H[2, 2] + r2**2 * H[3, 3]],
    ]
    np.testing.assert_allclose(M, book, rtol=1e-14)
    G = np.array([[1.0, 0.0], [r1, 0.0], [0.0, 1.0], [0.0, r2]])
    np.testing.assert_allclose(M, G.T @ H @ G, rtol=1e-14)


def shortcut(model: kn.Model, axial: float, ratio: tuple[float, float]) -> kn.Model:
    """Example 9.5: the rotors stand still, ratio^2 I_rot is the joints' armature."""
    bodies = []
    for body in model.bodies:
        joint = kn.joints.Fixed() if body.name.startswith("rotor") else body.joint
        if body.name in ("upper", "fore"):
            reflected = ratio[body.name == "fore"] ** 2 * axial
            joint = joint.replace(armature=reflected)
        at = body.placement, body.inertia
        bodies.append(kn.Body(body.name, body.parent, joint, *at))
    return kn.Model(bodies)


@pytest.mark.parametrize("scale", [1.0, 10.0, 100.0])
def test_rotors_are_armature_in_the_limit(scale: float) -> None:
    """Ex 9.5: with ratio^2 I_rot fixed, what the shortcut leaves out falls as 1/ratio.

    It is exact for the rotor on the base.
    """
    ratio = (RATIO[0] * scale, RATIO[1] * scale)
    axial = 2e-3 / scale**2
    model = geared_arm(axial, ratio)
    quick = shortcut(model, axial, ratio)
    q, v, a = np.array([0.4, -1.1]), np.array([0.7, -0.3]), np.array([1.0, 2.0])
    M, there = kn.mass_matrix(model, q), kn.mass_matrix(quick, q)
    np.testing.assert_allclose(M[0, 0], there[0, 0], rtol=1e-14)
    np.testing.assert_allclose(M[1, 1], there[1, 1], rtol=1e-14)
    left_out = ratio[1] * axial * np.cos(TILT)
    np.testing.assert_allclose(M[0, 1] - there[0, 1], left_out, rtol=1e-10)
    off = kn.inverse_dynamics(model, q, v, a) - kn.inverse_dynamics(quick, q, v, a)
    np.testing.assert_allclose(off, left_out * a[::-1], rtol=1e-9)
    assert abs(left_out) < 0.01 / scale


def lagrange(q: Any, v: Any, a: Any) -> np.ndarray:
    """tau of a cart on rails with a bob that a cam swings out, by hand.

    x slides and z = h(x) = 0.3 sin 2x + 0.1 x^2 lifts; the masses are M and m:
    T = 1/2 (M + m) x'^2 + 1/2 m h'^2 x'^2, U = m g h.
    """
    M, m, g = 2.0, 0.7, 9.81
    h1, h2 = 0.6 * np.cos(2 * q) + 0.2 * q, -1.2 * np.sin(2 * q) + 0.2
    return (M + m + m * h1**2) * a + m * h1 * h2 * v**2 + m * g * h1


def cam(x: Any) -> Any:
    return 0.3 * np.sin(2 * x) + 0.1 * x * x


def test_a_cam_by_hand() -> None:
    """Lagrange's equation with one coordinate, its centrifugal term from h'' alone."""
    cart, bob = (kn.Inertia(mass, (0, 0, 0), (1, 1, 1)) for mass in (2.0, 0.7))
    model = kn.Model(
        [
            kn.Body("cart", None, kn.joints.Prismatic("x"), inertia=cart),
            kn.Body("bob", "cart", kn.joints.Prismatic("z"), inertia=bob),
        ],
        couplings=[
            kn.Coupling(
                "bob", "cart", function=lambda x: 0.3 * np.sin(2 * x) + 0.1 * x * x
            )
        ],
    )
    q, v, a = np.random.default_rng(0).normal(size=(3, 20, 1))
    tau = kn.inverse_dynamics(model, q, v, a)
    np.testing.assert_allclose(tau, lagrange(q, v, a), rtol=1e-13)
    np.testing.assert_allclose(kn.forward_dynamics(model, q, v, tau), a, rtol=1e-12)


L1, L2 = 1.0, 0.6


def closed_loop() -> kn.Model:
    """Fig 8.3: a crank y1 and a slide that swings on a pivot, q = [y1, theta2, d, y2].

    The pivot stands L1 along x; the slide's end is the crank's.
    """
    rng = np.random.default_rng(3)
    masses = [mechanisms.inertia(rng) for _ in range(4)]
    hinge, slide = kn.joints.Revolute("z"), kn.joints.Prismatic("x")
    pivot, end = kn.SE3(p=(L1, 0, 0)), kn.SE3(p=(L2, 0, 0))
    bodies = [
        kn.Body("crank", None, hinge, inertia=masses[0]),
        kn.Body("swing", None, hinge, pivot, masses[1]),
        kn.Body("slide", "swing", slide, inertia=masses[2]),
        kn.Body("tip", "crank", hinge, end, masses[3]),
    ]
    angle = lambda y: np.arctan2(L2 * np.sin(y), L2 * np.cos(y) - L1)  # noqa: E731
    length = lambda y: np.sqrt(L1**2 + L2**2 - 2 * L1 * L2 * np.cos(y))  # noqa: E731
    return kn.Model(
        bodies,
        gravity=(0.0, -9.81, 0.0),
        couplings=[
            kn.Coupling("swing", "crank", function=angle),
            kn.Coupling("slide", "crank", function=length),
        ],
    )


def test_the_closed_loop_has_the_slopes_of_the_book() -> None:
    """8.11: G and g of q = gamma(y), with u1 to u4 as printed."""
    model = closed_loop()
    q, v = np.array([0.9, 0.4]), np.array([1.3, -0.7])
    c, s = np.cos(q[0]), np.sin(q[0])
    d = np.sqrt(L1**2 + L2**2 - 2 * L1 * L2 * c)
    u1, u2 = (L2**2 - L1 * L2 * c) / d**2, L1 * L2 * s / d
    u3 = (L1**2 - L2**2) * L1 * L2 * s * v[0] ** 2 / d**4
    u4 = (L1 * L2 * c - u2**2) * v[0] ** 2 / d
    G = kn.jacobian(kn.joint_positions, "q")(model, q)
    np.testing.assert_allclose(G, [[1, 0], [u1, 0], [u2, 0], [0, 1]], atol=1e-15)
    g = kn.joint_accelerations(model, q, v, np.zeros(2))
    np.testing.assert_allclose(g, [0.0, u3, u4, 0.0], atol=1e-14)


def test_the_closed_loop_stays_closed_and_keeps_its_energy() -> None:
    model = closed_loop()
    run = kn.simulate(model, [0.9, 0.4], [1.0, 0.0], duration=1.0, dt=1e-3)
    total = run.energies.total
    assert np.ptp(total) < 1e-4 * np.ptp(run.energies.kinetic)
    frames = [kn.Frame("pin", "crank", kn.SE3(p=(L2, 0, 0)))]
    seen = model.replace(frames=frames)
    R, p = kn.forward_kinematics(seen, run.q, frames=["pin", "slide"])
    np.testing.assert_allclose(p[:, 0], p[:, 1], atol=1e-14)


def test_a_screw_is_a_cylinder_whose_slide_follows() -> None:
    """The same mechanism with a helical joint: all of its dynamics and motion."""
    rng, pitch = np.random.default_rng(1), 0.07
    at, mass, base = mechanisms.placement(rng), mechanisms.inertia(rng), mechanisms
    root = kn.Body("root", None, kn.joints.Spherical(), inertia=base.inertia(rng))
    turn = kn.joints.Revolute("z", damping=0.2, stiffness=3.0, lower=-0.4, upper=0.3)
    screw = kn.joints.Helical("z", pitch).replace(
        damping=0.2, stiffness=3.0, lower=-0.4, upper=0.3
    )
    one = kn.Model([root, kn.Body("nut", "root", screw, at, mass)])
    two = kn.Model(
        [
            root,
            kn.Body("spin", "root", turn, at),
            kn.Body("nut", "spin", kn.joints.Prismatic("z"), inertia=mass),
        ],
        couplings=[kn.Coupling("nut", "spin", ratio=pitch)],
    )
    q, v, a = mechanisms.state(one, 0, (5,))
    for alg, arrays in (
        (kn.inverse_dynamics, (q, v, a)),
        (kn.forward_dynamics, (q, v, a)),
        (kn.mass_matrix, (q,)),
        (kn.kinetic_energy, (q, v)),
        (kn.potential_energy, (q,)),
        (kn.jacobian(kn.inverse_dynamics, "q"), (q, v, a)),
        (kn.jacobian(kn.forward_dynamics, ("q", "v", "tau")), (q, v, a)),
    ):
        np.testing.assert_allclose(
            mechanisms.numbers(alg(two, *arrays)),
            mechanisms.numbers(alg(one, *arrays)), rtol=1e-11, atol=1e-11,
        )  # fmt: skip
    runs = [kn.simulate(m, q, v, duration=0.2, dt=1e-3) for m in (one, two)]
    near = np.abs(runs[0].q[..., 4]).max()
    assert near > 0.3, "no limit was met"
    # A limit feels S^T I^A S there and the diagonal of M here
    free = [
        kn.simulate(m, q, v, duration=0.2, dt=1e-3, limits="off") for m in (one, two)
    ]
    np.testing.assert_allclose(free[0].q, free[1].q, atol=1e-10)
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=0.05)
