"""Joints of a file that follow others: couplings, or data where that cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from knuckle.io.errors import Remarks
from knuckle.io.xml import Element
from knuckle.model import Body, Constraint, Coupling
from knuckle.model.errors import Problems
from knuckle.model.ties import ties


@dataclass(frozen=True)
class Following:
    """A mimic joint of a file: the law, and what is kept of it where it cannot hold.

    The note is what the report says where it does hold.
    """

    coupling: Coupling
    constraint: Constraint
    element: Element
    note: str = ""


def settled(
    bodies: Sequence[Body], given: Iterable[Following], remarks: Remarks
) -> tuple[list[Coupling], list[Constraint]]:
    """The couplings that the bodies can have, in the order of the file.

    What cannot be one - a joint that does not move or has several coordinates, a cycle,
    a second law - is a Constraint without effect, and an error in the report.
    """
    kept: list[Coupling] = []
    left: list[Constraint] = []
    for item in given:
        problems = Problems()
        ties(bodies, [*kept, item.coupling], problems)
        if not problems:
            kept.append(item.coupling)
            if item.note:
                remarks.add("note", item.element, item.note)
            continue
        left.append(item.constraint)
        told = f"joint {item.coupling.joint!r} is loaded as independent: {problems[0]}"
        remarks.add("error", item.element, told)
    return kept, left
