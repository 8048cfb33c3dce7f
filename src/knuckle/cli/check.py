"""`knuckle check`: the linter, for people and for continuous integration."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from knuckle.cli.errors import explained
from knuckle.cli.options import add_file, load
from knuckle.cli.text import plural

if TYPE_CHECKING:
    from knuckle.model import Finding, Model, Remark

HELP = """Look for what is wrong or doubtful in a robot's file.

Masses, inertias, densities, frames, limits, names, near-singular positions, and what
the loader left out or changed. Exit code 0: no error; 1: an error (with --strict also
a warning); 2: the file cannot be loaded."""
SEVERITIES = ("error", "warning", "note")


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `check`."""
    add_file(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--strict", action="store_true", help="warnings count as errors"
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="print the loader's notes too"
    )


def run(options: argparse.Namespace) -> int:
    """Prints the findings; 1 where they are grave enough."""
    try:
        model = load(options)
    except Exception as error:
        line = explained(error)
        if options.json and line is not None:
            print(json.dumps({"file": options.file, "cannot_load": line}, indent=1))
            return 2
        raise
    found = model.check()
    if options.json:
        print(json.dumps(as_data(options.file, model, found), indent=1))
    else:
        print(as_text(options.file, model, found, options.verbose))
    grave = SEVERITIES[: 2 if options.strict else 1]
    seen = {f.severity for f in found} | {r.severity for r in model.report}
    return int(bool(seen & set(grave)))


def as_data(file: str, model: Model, found: list[Finding]) -> dict[str, object]:
    """Everything for JSON."""
    return {
        "file": file,
        "digest": model.digest,
        "bodies": len(model.bodies),
        "nq": model.nq,
        "nv": model.nv,
        "findings": [f.to_dict() for f in found],
        "report": [asdict(remark) for remark in model.report],
    }


def as_text(file: str, model: Model, found: list[Finding], verbose: bool) -> str:
    """Findings with their repair, then the loader's remarks, then the counts."""
    lines = [f"{f.severity}: {f.place}: {f.message}\n    {f.repair}" for f in found]
    told = {f"{f.place}: {f.message}" for f in found}
    remarks = [r for r in model.report if _key(r) not in told]
    shown = [r for r in remarks if verbose or r.severity == "warning"]
    lines += map(str, shown) if verbose else grouped(shown)
    if len(shown) < len(remarks):
        hidden = plural(len(remarks) - len(shown), "more note")
        lines.append(f"{hidden} of the loader: see --verbose")
    counts = Counter(f.severity for f in found)
    counts.update(r.severity for r in shown)
    total = [plural(counts[s], s) for s in SEVERITIES if counts[s]]
    text = "\n".join([*lines, f"{file}: {', '.join(total) or 'nothing doubtful'}"])
    for name in {r.file for r in model.report}:
        text = text.replace(f" {name}:", f" {os.path.basename(name)}:")
    return text


def _key(remark: Remark) -> str:
    """A remark as a finding has it."""
    return str(remark).removeprefix(f"{remark.severity}: ")


def grouped(remarks: Sequence[Remark]) -> Iterator[str]:
    """A line for all remarks that differ by names and numbers alone."""
    alike: dict[tuple[str, ...], list[Remark]] = {}
    for r in remarks:
        kind = r.element.rpartition("/")[2].split(" ")[0]
        reason = re.sub(r"'[^']*'|\d+", "", r.reason)
        alike.setdefault((r.severity, r.file, kind, reason), []).append(r)
    for first, *others in alike.values():
        lines = ", ".join(str(r.line) for r in others[:5])
        more = ", ..." if others[5:] else ""
        yield str(first) + (f" (also in line {lines}{more})" if others else "")
