"""Small MJCF texts, each about one thing, all of which MuJoCo reads too."""

from __future__ import annotations

MASS = '<inertial pos=".1 -.2 .3" mass="2" diaginertia=".5 .6 .7" euler="20 30 40"/>'
PLACE = 'pos=".3 .2 -.1" euler="30 -40 50"'
TETRAHEDRON = 'vertex="0 0 0  1 0 0  0 2 0  0 0 3" face="0 2 1  0 1 3  0 3 2  1 2 3"'
HOLLOW = (
    'vertex="0 0 0  4 0 0  4 4 0  0 4 0  2 2 1  2 2 3" '
    'face="0 1 4  1 2 4  2 3 4  3 0 4  0 5 1  1 5 2  2 5 3  3 5 0"'
)


def world(inside: str, head: str = "", tail: str = "") -> str:
    return f"<mujoco>{head}<worldbody>{inside}</worldbody>{tail}</mujoco>"


def body(inside: str, name: str = "arm", mass: str = MASS, place: str = PLACE) -> str:
    return f'<body name="{name}" {place}>{mass}{inside}</body>'


def compiled(settings: str) -> str:
    return f"<compiler {settings}/>"


TAIL = body('<joint name="tail" pos=".1 0 .2" axis="1 2 3"/>', "hand")
HINGE = '<joint name="j" pos=".1 .2 .3" axis="0 2 -1" damping=".4" armature=".3"/>'
SLIDE = '<joint name="s" type="slide" axis="1 -1 0" stiffness="3" springref=".2"/>'

JOINTS = {
    "hinge": HINGE,
    "slide": SLIDE,
    "hinge with ref": '<joint name="j" ref="40" axis="1 1 0" pos=".3 0 .1"/>',
    "hinge spring": '<joint name="j" stiffness="2" springref="30" ref="-20"/>',
    "slide with ref": '<joint type="slide" ref=".7" axis="0 1 1" stiffness="4"/>',
    "ball": '<joint type="ball" pos=".1 .2 .3" damping=".5" armature=".2"/>',
    "ball spring": '<joint type="ball" pos="0 .2 0" stiffness="3" frictionloss=".2"/>',
    "free": "<freejoint/>",
    "free joint with physics": (
        '<joint type="free" armature=".3" damping=".4" stiffness="2"/>'
    ),
    "free joint with damping": '<joint type="free" damping=".4" frictionloss=".1"/>',
    "several at one point": HINGE + '<joint axis="1 0 0"/><joint axis="0 1 0"/>',
    "several at several points": (
        f'{SLIDE}{HINGE}<joint axis="1 1 0" pos="-.2 0 .4" ref="25"/>'
        '<joint type="slide" name="last" pos="1 2 3" ref=".3"/>'
    ),
    "slide and ball": f'{SLIDE}<joint type="ball" pos=".4 0 -.1"/>',
    "ball and slide": '<joint type="ball" pos=".4 0 -.1"/>' + SLIDE,
    "none": "",
    "in a frame": f'<frame pos="1 2 3" euler="10 20 30">{HINGE}{SLIDE}</frame>',
    "springs by time": (
        '<joint name="j" springdamper=".1 .7" armature=".2"/>'
        '<joint type="slide" springdamper=".2 .5"/>'
    ),
    "ball spring by time": '<joint type="ball" springdamper=".1 .7" pos=".2 0 0"/>',
}

ORIENTATIONS = {
    "quat": 'quat="1 2 -3 4"',
    "axisangle": 'axisangle="1 2 3 70"',
    "xyaxes": 'xyaxes="1 2 3 0 1 0"',
    "zaxis": 'zaxis="1 -2 3"',
    "zaxis down": 'zaxis="0 0 -2"',
    "euler": 'euler="10 20 30"',
}

EULERS = ("xyz", "XYZ", "zyx", "ZXZ", "xYz", "xyZ", "yxY", "zZx", "xyx")

GEOMS = {
    "sphere": 'type="sphere" size=".2"',
    "capsule": 'type="capsule" size=".1 .3"',
    "cylinder": 'type="cylinder" size=".1 .3"',
    "ellipsoid": 'type="ellipsoid" size=".1 .2 .3"',
    "box": 'type="box" size=".1 .2 .3"',
    "capsule from to": 'type="capsule" size=".1" fromto="0 .1 .2 .3 -.4 .5"',
    "cylinder from to": 'type="cylinder" size=".1" fromto="0 .1 .2 .3 -.4 .5"',
    "box from to": 'type="box" size=".1" fromto="0 .1 .2 .3 -.4 .5"',
    "ellipsoid from to": 'type="ellipsoid" size=".1" fromto="0 0 0 0 0 .5"',
}

SCENES = {
    "inertia by geoms": world(
        body(
            f'{HINGE}<geom size=".1" pos="1 0 0" mass="2"/>'
            '<geom type="box" size=".1 .2 .3" euler="20 40 60" density="300"/>'
            '<geom size="3" mass="0"/>',
            mass="",
        )
    ),
    "geoms before inertial": world(
        body(HINGE + '<geom size=".1" pos="1 0 0"/>'),
        compiled('inertiafromgeom="true"'),
    ),
    "groups with mass": world(
        body(
            f'{HINGE}<geom size=".1" group="2" pos="1 0 0"/>'
            '<geom size=".2" group="3"/>',
            mass="",
        ),
        compiled('inertiagrouprange="3 4"'),
    ),
    "bounds": world(
        body(HINGE, mass='<inertial pos="0 0 1" mass=".1" diaginertia=".1 .2 .25"/>')
        + body(f'{SLIDE}<geom size=".2"/>', "b", ""),
        compiled('boundmass=".3" boundinertia=".15"'),
    ),
    "balance": world(
        body(HINGE, mass='<inertial pos="0 0 1" mass="1" diaginertia="1 1 4"/>'),
        compiled('balanceinertia="true"'),
    ),
    "total mass": world(
        body(HINGE) + body(f'{SLIDE}<geom size=".2"/>', "b", ""),
        compiled('settotalmass="7"'),
    ),
    "full inertia": world(
        body(
            HINGE,
            mass='<inertial pos=".1 .2 .3" mass="2" fullinertia="1 2 2.5 .1 -.2 .3"/>',
        )
    ),
    "radians": world(
        body('<joint ref=".5" springref="1" stiffness="2"/>', place='euler=".1 .2 .3"'),
        compiled('angle="radian"'),
    ),
    "fused": world(body(HINGE + body(TAIL, "fixed")), compiled('fusestatic="true"')),
    "classes": world(
        f'<body name="a" childclass="big">{MASS}<joint/><joint class="main"/>'
        f'<body name="b">{MASS}<joint class="small" armature="9"/>'
        f'<frame childclass="small"><body name="c">{MASS}<joint type="hinge"/></body>'
        "</frame></body></body>",
        '<default><joint armature=".1" damping="2"/><default class="big">'
        '<joint armature=".5" axis="1 0 0"/><default class="small">'
        '<joint damping="3" pos="1 0 0"/></default></default></default>'
        '<default><joint stiffness=".7"/></default>',
    ),
    "geom classes": world(
        body(f'{HINGE}<geom class="g"/><geom class="g" size=".3"/>', mass=""),
        '<default><default class="g"><geom type="box" size=".1 .2 .3" quat="1 1 0 0" '
        'pos=".1 .2 .3"/></default></default>',
    ),
    "frames": world(
        f'<frame pos="1 0 0" euler="0 0 90"><frame quat="1 1 0 0">{body(HINGE + TAIL)}'
        '</frame><body name="f"><freejoint name="free"/><frame axisangle="0 1 0 30">'
        '<geom size=".1 .2" type="capsule" pos="0 .1 0"/></frame></body></frame>'
    ),
    "replicas": world(
        f'<replicate count="3" offset=".1 .2 0" euler="10 20 30" sep="-">{body(HINGE)}'
        f'<replicate count="2" offset="0 0 1">{body(SLIDE, "b")}</replicate>'
        "</replicate>"
    ),
    "reflected by actuators": world(
        body(HINGE + SLIDE),
        "<default><motor gear='2'/></default>",
        '<actuator><motor joint="j" armature=".2" damping=".3"/>'
        '<general joint="j" gear="3" armature=".1"/><position joint="s" damping="1"/>'
        "</actuator>",
    ),
    "no springs": world(
        body(SLIDE), '<option><flag spring="disable" gravity="disable"/></option>'
    ),
    "no dampers": world(body(HINGE), '<option><flag damper="disable"/></option>'),
    "gravity": world(body(HINGE), '<option gravity="1 2 3"/>'),
}
SCENES |= {
    f"mesh {rule} {shape}": world(
        body(f'{HINGE}<geom type="mesh" mesh="m" euler="10 20 30"/>', mass=""),
        f'<asset><mesh name="m" {data} scale=".1 .2 .3" inertia="{rule}"/></asset>',
    )
    for rule in ("legacy", "exact", "convex", "shell")
    for shape, data in (("tetrahedron", TETRAHEDRON), ("hollow", HOLLOW))
    if (rule, shape) != ("exact", "hollow")
}
SCENES["mesh of points"] = world(
    body(f'{HINGE}<geom type="mesh" mesh="m" mass="3"/>', mass=""),
    '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 2 0 0 0 3 1 1 1"/></asset>',
)
SCENES["mesh from a reference"] = world(
    body(f'{HINGE}<geom type="mesh" mesh="m"/>', mass=""),
    f'<asset><mesh name="m" {TETRAHEDRON} refpos="1 2 3" refquat="1 2 3 4"/></asset>',
)
CLOUD = 'vertex="0 0 0 1 .2 0 .3 2 .1 .2 .1 .7 1 1.5 .4 .8 .2 .5 .1 1.2 .6 .9 1.1 -.2"'
SCENES |= {
    f"mesh fitted by {kind}, {'bounds' if bounds == 'true' else 'inertia'}": world(
        body(
            f'{HINGE}<geom type="{kind}" mesh="m" fitscale="1.2" pos=".1 0 0"/>',
            mass="",
        ),
        f'<compiler fitaabb="{bounds}"/><asset><mesh name="m" {CLOUD}/></asset>',
    )
    for kind in ("sphere", "capsule", "cylinder", "ellipsoid", "box")
    for bounds in ("false", "true")
}
