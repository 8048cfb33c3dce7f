"""The inertia of every link: <inertial>, else its geoms, then the compiler's bounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from knuckle.io.mjcf.geoms import Geom
from knuckle.io.mjcf.settings import Settings
from knuckle.io.mjcf.walk import Link, Part
from knuckle.spatial import Inertia

LEAST = 1e-15
"""MuJoCo's mjMINVAL: below this a number counts as zero."""
MOST = 1e100
"""Above this no eigenvalue can be had of an inertia."""


def inertia(link: Link, geoms: Iterable[Geom]) -> Inertia:
    """The inertia of a link about its frame's origin, before any scaling."""
    settings = link.scope.document.settings
    written = link.parts["inertial"]
    if len(written) > 1:
        raise written[1].element.error("one <inertial>", "two", "keep one of them")
    try:
        found = bounded(_found(link, geoms), settings)
        usual = np.isfinite(found.entries).all() and max(map(abs, found.entries)) < MOST
    except (OverflowError, ZeroDivisionError, np.linalg.LinAlgError):
        usual = False
    if not usual:
        raise link.element.error(
            "a finite inertia", "too large or too small numbers", "check its sizes"
        )
    return found


def _found(link: Link, geoms: Iterable[Geom]) -> Inertia:
    settings, written = link.scope.document.settings, link.parts["inertial"]
    rule = settings.inertia_from_geoms
    if written and rule != "true":
        return explicit(written[0])
    return of_geoms(geoms, settings) if rule != "false" else Inertia.zero()


def explicit(part: Part) -> Inertia:
    """The <inertial> of a body: principal moments in its frame, or all six entries."""
    entry = part.entry
    mass = entry.number("mass")
    if mass is None:
        raise part.element.error("an attribute 'mass'", "none", 'write mass="..."')
    entry.element.required("pos")
    frame = part.pose()
    full = entry.numbers("fullinertia", 6)
    if full is not None and "diaginertia" in part.element.attributes:
        raise part.element.error(
            "fullinertia or diaginertia", "both", "keep one of them"
        )
    if full is None:
        moments: Sequence = entry.numbers("diaginertia", 3, (0.0, 0.0, 0.0))
        return Inertia(mass, frame.p, moments, frame.R)
    xx, yy, zz, xy, xz, yz = full
    rows = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    return Inertia(mass, frame.p, rows, frame.R)


def of_geoms(geoms: Iterable[Geom], settings: Settings) -> Inertia:
    """The sum over the geoms whose group has mass."""
    total = Inertia.zero()
    low, high = 0.0, 5.0
    for geom in geoms:
        if geom.kind in ("plane", "hfield"):
            continue
        if geom.group not in (0.0,) or low > 0.0:
            low, high = settings.inertia_groups
        if low <= geom.group <= high:
            total = total + geom.inertia()
    return total


def bounded(inertia: Inertia, settings: Settings) -> Inertia:
    """boundmass, boundinertia and balanceinertia, in the principal axes."""
    least, smallest = settings.positive("boundmass"), settings.positive("boundinertia")
    broken = settings.balances and not _balanced(inertia)
    if not broken and inertia.mass >= least and smallest <= 0.0:
        return inertia
    mass = max(inertia.mass, least)
    com = inertia.com if inertia.mass else (0.0, 0.0, 0.0)
    about = np.array(inertia.I_com if inertia.mass else np.zeros((3, 3)), float)
    moments, axes = np.linalg.eigh(about)
    moments = np.maximum(moments, smallest)
    if settings.balances and moments[0] + moments[1] < moments[2]:
        moments[:] = moments.mean()
    if np.allclose(moments, moments[0], rtol=1e-15, atol=0.0):
        return Inertia(mass, com, tuple(moments.tolist()))
    rows = (axes * moments) @ axes.T
    return Inertia(mass, com, (0.5 * (rows + rows.T)).tolist())


def _balanced(inertia: Inertia) -> bool:
    if not inertia.mass:
        return True
    a, b, c = np.linalg.eigvalsh(np.array(inertia.I_com, float))
    return bool(a + b >= c)


def scaled(inertias: Sequence[Inertia], settings: Settings) -> list[Inertia]:
    """All masses times a factor, where the compiler sets their total."""
    total = settings.positive("settotalmass", -1.0)
    now = sum(inertia.mass for inertia in inertias)
    if total <= 0.0 or now <= LEAST:
        return list(inertias)
    k = total / now
    return [Inertia.of_entries([k * x for x in i.entries]) for i in inertias]
