"""Solids between triangles: against the formulas, trimesh, and their own symmetries."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from knuckle.spatial import SE3, solids
from knuckle.spatial.polyhedron import open_edges, polyhedron, volume

CORNERS = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
SQUARES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4),
           (1, 5, 7, 3)]  # fmt: skip
FACES = np.array([t for a, b, c, d in SQUARES for t in ((a, b, c), (a, c, d))])


def close(a, b, tolerance=1e-14):
    x, y = np.array(a.entries), np.array(b.entries)
    return np.allclose(x, y, rtol=0, atol=tolerance * np.abs(y).max())


@pytest.mark.parametrize("size", [(1.0, 1.0, 1.0), (0.1, 2.0, 30.0)])
def test_a_box_of_twelve_triangles_is_a_box(size):
    place = SE3.exp((0.3, -0.4, 0.5, 1.0, 2.0, 3.0))
    corners = CORNERS * size
    assert close(polyhedron(corners, FACES, mass=3.0), solids.box(size, mass=3.0))
    ours = polyhedron(corners, FACES, density=7.0, at=place)
    assert close(ours, solids.box(size, density=7.0, at=place))
    moved = np.array([place @ tuple(c) for c in corners])
    assert close(polyhedron(moved, FACES, density=7.0), ours, 1e-12)
    assert volume(corners, FACES) == pytest.approx(np.prod(size), rel=1e-14)


def test_orientation_and_repeated_vertices_do_not_matter():
    whole = polyhedron(CORNERS, FACES, density=1.0)
    assert close(polyhedron(CORNERS, FACES[:, ::-1], density=1.0), whole)
    soup = CORNERS[FACES].reshape(-1, 3)
    assert close(polyhedron(soup, np.arange(36).reshape(-1, 3), density=1.0), whole)


def test_far_from_the_origin_nothing_is_lost():
    far = polyhedron(CORNERS + (1e6, -2e6, 3e6), FACES, mass=1.0)
    assert np.allclose(far.com, (1e6, -2e6, 3e6), rtol=1e-15)
    assert close(polyhedron(CORNERS, FACES, mass=1.0), solids.box((1, 1, 1), mass=1.0))


def test_a_hollow_counts_with_its_sign():
    faces = np.concatenate([FACES, FACES[:, ::-1] + 8])
    both = polyhedron(np.concatenate([CORNERS, 0.5 * CORNERS]), faces, density=1.0)
    inner = solids.box((0.5, 0.5, 0.5), density=1.0)
    assert close(both, solids.box((1.0, 1.0, 1.0), density=1.0) - inner)


def test_agrees_with_trimesh():
    trimesh = pytest.importorskip("trimesh", reason="pip install trimesh")
    rng = np.random.default_rng(0)
    make = trimesh.creation
    for mesh in (make.icosphere(2), make.annulus(0.3, 0.5, 1.0)):
        vertices = mesh.vertices @ rng.normal(size=(3, 3)) + rng.normal(size=3)
        ours = polyhedron(vertices, mesh.faces, density=2.0)
        theirs = trimesh.Trimesh(vertices, mesh.faces, process=False)
        theirs.density = 2.0
        assert ours.mass == pytest.approx(abs(theirs.mass), rel=1e-13)
        assert np.allclose(ours.com, theirs.center_mass, atol=1e-13)
        turned = np.sign(theirs.mass) * theirs.moment_inertia
        assert np.allclose(ours.I_com, turned, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("faces", "more", "told"),
    [
        (FACES[1:], {"mass": 1.0}, "the surface is not closed: 3 edges"),
        (FACES, {}, "either mass=... or density=..., exactly one"),
        (FACES, {"mass": 1.0, "density": 1.0}, "exactly one"),
        (FACES[:0], {"mass": 1.0}, "expected (n, 3) and (m, 3) with m > 0"),
        ([(0, 1, 2), (0, 2, 1)], {"mass": 1.0}, "enclose no volume"),
    ],
)
def test_what_is_no_solid(faces, more, told):
    with pytest.raises(ValueError) as error:
        polyhedron(CORNERS, faces, **more)
    assert told in str(error.value)


def test_open_edges():
    assert open_edges(FACES) == 0 and open_edges(FACES[1:]) == 3
    assert open_edges(FACES[:0]) == 0
