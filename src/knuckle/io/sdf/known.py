"""What SDF files hold that this loader leaves out, and why."""

from __future__ import annotations

from knuckle.io.report import Judge, Verdict

SENSING: Verdict = ("note", "sensors are ignored")
SCENE: Verdict = ("note", "what is only seen or heard is ignored")
SETTING: Verdict = ("note", "a simulator's setting, ignored")

ELEMENTS: dict[str, Verdict | Judge] = {
    **dict.fromkeys(("sensor", "projector", "audio_sink", "audio_source"), SENSING),
    **dict.fromkeys(("light", "scene", "gui", "particle_emitter", "actor", "road",
                     "audio", "population", "spherical_coordinates"), SCENE),
    **dict.fromkeys(("allow_auto_disable", "must_be_base_link", "self_collide"),
                    SETTING),
    "physics": ("note", "a simulator's settings, ignored"),
    "plugin": ("warning", "plugins are ignored"),
    "wind": ("warning", "wind is ignored"),
    "enable_wind": ("warning", "wind is ignored"),
    "atmosphere": ("note", "the atmosphere is ignored"),
    "magnetic_field": ("note", "the magnetic field is ignored"),
    "velocity_decay": ("warning", "drag on a link is ignored"),
    "fluid_added_mass": ("error", "added mass is ignored"),
    "mass": ("note", "the inertia is that of the shapes: auto"),
    "inertia": ("note", "the inertia is that of the shapes: auto"),
    "battery": ("note", "batteries are ignored"),
    "gripper": ("warning", "grippers are ignored"),
    "state": ("warning", "a recorded state of the world is ignored"),
    "model": ("warning", "a <model> beside the <world>, ignored"),
    "pose": ("note", "it has no effect here, or the pose of an <include> counts"),
    "static": ("note", "that of the <include> counts"),
    "axis": ("note", "this type of joint has no such axis, ignored"),
    "axis2": ("note", "this type of joint has no such axis, ignored"),
}  # fmt: skip
for tag in ("lower", "upper"):
    ELEMENTS[tag] = ("note", "this type of joint has no such limit, ignored")
ATTRIBUTES: dict[str, Verdict] = {
    "model@name": ("note", "the <include> gives it another name"),
    "model@placement_frame": ("note", "the pose of the <include> counts"),
    "model@namespace": ("note", "a namespace for messages, ignored"),
}
INSIDE = {"visual": "note", "collision": "note", "physics": "note", "limit": "note"}
