"""What MJCF files hold that this loader leaves out, and why."""

from __future__ import annotations

from knuckle.io.errors import Remarks
from knuckle.io.mjcf.classes import ACTUATORS, OWN
from knuckle.io.mjcf.document import Document
from knuckle.io.mjcf.geoms import KEPT
from knuckle.io.mjcf.poses import ORIENTATIONS
from knuckle.io.mjcf.walk import Tree
from knuckle.io.report import Judge, Verdict
from knuckle.io.xml import Element

SHARED = (
    *("ctrllimited", "ctrlrange", "forcelimited", "forcerange", "actlimited"),
    *("actrange", "gear", "group", "user", "armature", "damping", "cranklength"),
    *("delay", "nsample", "interp", "actearly"),
)
TENDON = (
    *("limited", "range", "stiffness", "damping", "armature", "frictionloss"),
    *("springlength", "springyield", "width", "rgba", "material", "group", "user"),
)
FIELD = ("file", "size", "nrow", "ncol", "content_type")
SOLVER: Verdict = ("note", "a parameter of MuJoCo's constraint solver")
VIEWER: Verdict = ("note", "for viewers only")
COMPILER: Verdict = ("note", "how MuJoCo compiles or saves, without effect here")
STEP: Verdict = ("note", "how MuJoCo steps in time; the equations stay the same")


def _plugin(element: Element) -> Verdict:
    """A plugin of a body, geom or actuator may push; that of a sensor does not."""
    around = {e.tag for e in _above(element)}
    if around & {"sensor", "asset", "extension"}:
        return "note", "an engine plugin of MuJoCo"
    return "error", "the forces of an engine plugin are left out"


def _flex(element: Element) -> Verdict:
    return "error", "the elastic forces of a flex are left out"


def _flag(element: Element) -> Verdict:
    return "note", "no part of the smooth dynamics"


def _tag(element: Element) -> Verdict:
    """An element that has its place elsewhere, or stands in a class for others."""
    if element.parent is not None and element.parent.tag == "default":
        return "note", "nothing takes this default"
    return "warning", "it has no meaning there, ignored"


def _above(element: Element) -> list[Element]:
    found = []
    while element.parent is not None:
        element = element.parent
        found.append(element)
    return found


ELEMENTS: dict[str, Verdict | Judge] = {
    **dict.fromkeys(("joint", "geom", "site", "tendon", "equality", *ACTUATORS), _tag),
    "visual": VIEWER,
    "statistic": VIEWER,
    "texture": ("note", "textures are not shown"),
    "layer": ("note", "textures are not shown"),
    "skin": VIEWER,
    "light": VIEWER,
    "camera": ("note", "cameras are left out"),
    "size": ("note", "sizes of MuJoCo's memory"),
    "sensor": ("note", "sensors are left out"),
    "custom": ("note", "a user's own data"),
    "contact": ("warning", "which shapes touch: contact is not part of the dynamics"),
    "deformable": _flex,
    "flex": _flex,
    "extension": ("note", "engine plugins of MuJoCo"),
    "plugin": _plugin,
    "flag": _flag,
    "lengthrange": COMPILER,
    "material": ("note", "no geom shows this material"),
    "mesh": ("note", "no geom has this mesh"),
    "hfield": ("note", "no geom has this height field"),
    "model": ("note", "no <attach> takes this model"),
    "default": ("note", "an empty class"),
    "asset": ("note", "nothing uses these assets"),
    "keyframe": ("note", "keyframes of attached models are left out"),
}

UNTAKEN: Verdict = ("note", "nothing takes this default")
ATTRIBUTES: dict[str, Verdict] = {
    **{
        f"joint@{name}": UNTAKEN
        for name in ("type", "armature", "actuatorfrcrange", "actuatorfrclimited")
    },
    **{
        f"geom@{name}": UNTAKEN
        for name in ("type", "rgba", "hfield", "fromto", *ORIENTATIONS, *KEPT)
    },
    **{f"site@{name}": UNTAKEN for name in ("pos", "fromto", *ORIENTATIONS)},
    **{f"{tag}@{name}": UNTAKEN for tag in ACTUATORS for name in (*OWN, *SHARED)},
    **{f"tendon@{name}": UNTAKEN for name in TENDON},
    "mujoco@model": ("note", "the name of the model"),
    "mujocoinclude@model": ("note", "the name of the model"),
    **{
        f"compiler@{name}": COMPILER
        for name in (
            *(
                "fusestatic",
                "discardvisual",
                "saveinertial",
                "usethread",
                "exactmeshinertia",
            ),
            *("savecompiled", "savecanonical", "conflict", "passthrough"),
        )
    },
    "compiler@alignfree": (
        "warning",
        "bodies with free joints keep the frames that the file gives them",
    ),
    **{
        f"compiler@{name}": ("note", "nothing in the file depends on it")
        for name in (
            *("angle", "eulerseq", "autolimits", "inertiagrouprange", "meshdir"),
            *("texturedir", "assetdir", "strippath", "fitaabb", "inertiafromgeom"),
            *("boundmass", "boundinertia", "balanceinertia", "settotalmass"),
        )
    },
    **{
        f"option@{name}": STEP
        for name in (
            *("timestep", "integrator", "iterations", "tolerance", "solver", "cone"),
            *("jacobian", "impratio", "ls_iterations", "ls_tolerance", "apirate"),
            *("noslip_iterations", "noslip_tolerance", "ccd_iterations"),
            *("ccd_tolerance", "mpr_iterations", "mpr_tolerance", "collision"),
            *("sdf_iterations", "sdf_initpoints", "o_margin", "o_solref", "o_solimp"),
            *("o_friction", "actuatorgroupdisable", "magnetic", "sleep_tolerance"),
        )
    },
    **{
        f"flag@{name}": ("note", "no part of the smooth dynamics")
        for name in (
            *("actuation", "autoreset", "clampctrl", "constraint", "contact", "energy"),
            *("diagexact", "equality", "eulerdamp", "filterparent", "fwdinv", "ipc"),
            *("invdiscrete", "island", "midphase", "multiccd", "nativeccd", "override"),
            *("passive", "refsafe", "sensor", "sleep", "speculative", "warmstart"),
        )
    },
    **{
        f"flag@{name}": ("note", "nothing in the file depends on it")
        for name in ("spring", "damper", "frictionloss", "limit", "gravity")
    },
    "option@gravity": ("note", "a flag, or a later <option>, sets gravity"),
    "option@wind": ("note", "there is no medium"),
    **{
        f"{tag}@{name}": SOLVER
        for tag in ("joint", "tendon", "spatial", "fixed")
        for name in (
            *("solreflimit", "solimplimit", "solreffriction", "solimpfriction"),
            "margin",
        )
    },
    **{
        f"joint@{name}": (
            "note",
            "a flag, switch or springdamper undoes it",
        )
        for name in ("stiffness", "damping", "frictionloss", "springref", "range")
    },
    "joint@limited": ("note", "no range is given"),
    "joint@pos": ("note", "where a slide or free joint is shown"),
    "joint@axis": ("note", "this type of joint has no axis"),
    "joint@ref": ("note", "this type of joint has no reference"),
    "joint@group": VIEWER,
    "freejoint@group": VIEWER,
    "freejoint@align": (
        "warning",
        "the body keeps the frame that the file gives it",
    ),
    "joint@user": ("note", "a user's own data"),
    "joint@springyield": ("error", "springs do not yield here"),
    "joint@actuatorgravcomp": ("note", "who compensates gravity"),
    "joint@springdamper": ("note", "one of its numbers is zero"),
    **{
        f"geom@{name}": ("note", "the mass of the body comes from elsewhere")
        for name in ("mass", "density", "shellinertia")
    },
    "geom@pos": ("note", "fromto places the geom"),
    "geom@size": ("note", "this type of geom has no such size"),
    "geom@material": ("note", "its own rgba counts"),
    "geom@fitscale": ("note", "nothing is fitted"),
    **{
        f"site@{name}": VIEWER
        for name in ("size", "type", "rgba", "material", "group", "mesh")
    },
    "site@user": ("note", "a user's own data"),
    "body@user": ("note", "a user's own data"),
    "body@sleep": STEP,
    "body@simple": COMPILER,
    "body@fuse": COMPILER,
    **{
        f"inertial@{name}": ("note", "inertiafromgeom='true' overrides it")
        for name in ("pos", "mass", "diaginertia", "fullinertia", "quat", "euler")
    },
    "frame@name": ("note", "names of frames are left out"),
    **{
        f"mesh@{name}": VIEWER
        for name in (
            *("normal", "texcoord", "smoothnormal", "material", "maxhullvert"),
            "content_type",
        )
    },
    **{f"hfield@{name}": ("note", "its heights are left out") for name in FIELD},
    "mesh@scale": ("note", "nothing takes this mesh"),
    "mesh@inertia": ("note", "no mass comes of it"),
    "mesh@params": ("note", "MuJoCo's compiler makes this mesh"),
    **{
        f"material@{name}": VIEWER
        for name in (
            *("texture", "texrepeat", "texuniform", "emission", "specular"),
            *("shininess", "reflectance", "metallic", "roughness", "rgba"),
        )
    },
    **{
        f"key@{name}": ("note", "of keyframes only positions are kept")
        for name in ("qvel", "act", "ctrl", "mpos", "mquat", "time", "name", "plastic")
    },
    "replicate@sep": ("note", "nothing inside has a name"),
}

INSIDE = {
    "visual": "note",
    "statistic": "note",
    "asset": "note",
    "default": "note",
    "sensor": "note",
    "custom": "note",
    "size": "note",
    "keyframe": "note",
    "compiler": "note",
    "geom": "note",
    "site": "note",
}


def doubts(document: Document, tree: Tree, remarks: Remarks) -> None:
    """Parts of MuJoCo's smooth dynamics that the Model does not have."""
    for option in document.root.all("option"):
        for name in ("density", "viscosity"):
            if option.number(name, 0.0):
                wind = option.numbers("wind", 3, (0.0, 0.0, 0.0))
                told = f"{name}: forces of the medium are left out (wind {wind})"
                remarks.add("error", option, told)
    rule = document.settings.inertia_from_geoms
    written = [bool(link.parts["inertial"]) for link in tree.links[1:]]
    if (rule == "true" and not any(written)) or (rule == "false" and all(written)):
        told = f"inertiafromgeom={rule!r}: the bodies leave no choice anyway"
        remarks.add("note", document.root, told)
    for link in tree.links[1:]:
        if link.element.number("gravcomp", 0.0):
            remarks.add("error", link.element, "gravcomp: gravity is not compensated")
        if link.element.boolean("mocap", False):
            remarks.add("warning", link.element, "mocap: held where the file puts it")
