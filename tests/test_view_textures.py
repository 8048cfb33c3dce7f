"""Meshes with a texture: they are shown in the main colour of their material."""

import numpy as np
import pytest

from knuckle.model import Mesh
from knuckle.view.geometry import pieces

trimesh = pytest.importorskip("trimesh")


def test_a_textured_mesh_is_shown_in_its_materials_colour(tmp_path):
    box = trimesh.creation.box((1.0, 1.0, 1.0))
    red = trimesh.visual.material.PBRMaterial(baseColorFactor=[255, 0, 0, 255])
    uv = np.zeros((len(box.vertices), 2))
    box.visual = trimesh.visual.TextureVisuals(uv, material=red)
    path = tmp_path / "box.glb"
    box.export(path)
    remarks = []
    (piece,) = pieces(Mesh("box.glb", path=str(path)), 1.0, remarks)
    assert remarks == [] and piece.color == pytest.approx((1.0, 0.0, 0.0, 1.0))
    assert len(piece.surface.faces) == 12


def test_a_missing_reader_gives_a_red_box_and_a_remark(tmp_path, monkeypatch):
    path = tmp_path / "box.dae"
    path.write_text("<COLLADA/>")

    def unread(*arguments, **options):
        raise ImportError("missing `pip install pycollada`")

    monkeypatch.setattr(trimesh, "load_scene", unread)
    remarks = []
    (piece,) = pieces(Mesh("box.dae", path=str(path)), 1.0, remarks)
    assert (
        "pip install pycollada" in remarks[0].reason and len(piece.surface.faces) == 12
    )
