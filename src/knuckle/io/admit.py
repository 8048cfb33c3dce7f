"""Bodies as files have them: what a Model would refuse is kept and reported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from knuckle.io.errors import Remarks
from knuckle.io.xml import Element
from knuckle.model import Body, Coupling
from knuckle.model.rigid import HUGE, inertia_faults
from knuckle.model.validate import moving_nothing


def admitted(
    bodies: Iterable[Body],
    elements: Mapping[str, Element],
    remarks: Remarks,
    couplings: Sequence[Coupling] = (),
) -> list[Body]:
    """The bodies, `unchecked` where no rigid body has such an inertia or moves none.

    The dynamics then are what the file says, as other loaders have them.
    """
    bodies = list(bodies)
    _refuse_huge(bodies, elements)
    doubtful = set()
    for body, _, expected, got, repair in inertia_faults(bodies):
        doubtful.add(body.name)
        told = f"no body has this inertia: expected {expected}, got {got}; {repair}"
        _tell(remarks, "warning", elements, body, told)
    place = {body.name: k for k, body in enumerate(bodies)}
    parents = [-1 if b.parent is None else place[b.parent] for b in bodies]
    for body in moving_nothing(bodies, parents, couplings):
        doubtful.add(body.name)
        name = body.joint_name
        told = (
            f"joint {name!r} moves no mass, so that forward dynamics has no answer; "
            f"give it an inertia, or take model.lock({{{name!r}: 0}})"
        )
        _tell(remarks, "error", elements, body, told)
    return [replace(b, unchecked=b.name in doubtful) for b in bodies]


def _refuse_huge(bodies: Iterable[Body], elements: Mapping[str, Element]) -> None:
    for body in bodies:
        numbers = (*body.rigid.entries, *body.placement.p, *body.offset.p)
        if any(not abs(x) < HUGE for x in numbers):
            raise elements[body.name].error(
                f"masses, moments and places below {HUGE:g}",
                f"{max(numbers, key=abs):g}", "mend the numbers",
            )  # fmt: skip


def _tell(
    remarks: Remarks,
    severity: str,
    elements: Mapping[str, Element],
    body: Body,
    reason: str,
) -> None:
    element = elements.get(body.name)
    if element is not None:
        remarks.add(severity, element, reason)
