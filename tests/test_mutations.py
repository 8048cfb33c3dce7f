"""Each mutation of the source must make a law fail."""

from __future__ import annotations

from pathlib import Path

import pytest

import mutants
from knuckle import algorithms
from knuckle.joints.registry import TABLE
from mutations import MUTATIONS, QUICK, Mutation

EACH = [
    pytest.param(m, id=m.name, marks=() if m.name in QUICK else pytest.mark.long)
    for m in MUTATIONS
]


@pytest.mark.parametrize("mutation", EACH)
def test_a_law_notices(mutation: Mutation) -> None:
    found = mutants.problem(mutation)
    assert found is None, found


def test_the_failure_names_the_seed() -> None:
    (mutation,) = (m for m in MUTATIONS if m.name == QUICK[0])
    assert "seed=0" in mutants.laws_under(mutation).stdout


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: m.name)
def test_it_fits_the_source_and_its_laws_exist(mutation: Mutation) -> None:
    """Every day, also for those that run only now and then."""
    text = (mutants.PACKAGE / mutation.file).read_text()
    assert text.count(mutation.old) == 1 and mutation.laws
    for law in mutation.laws:
        file, _, rest = law.partition("::")
        assert f"def {rest.partition('[')[0]}(" in (mutants.TESTS / file).read_text()


def test_there_is_one_for_each_kind_of_joint_and_each_file_of_algorithms() -> None:
    names = " ".join(m.name for m in MUTATIONS)
    for row in TABLE:
        assert f"{row.call.partition('(')[0]}:" in names, row.call
    folder = Path(algorithms.__file__).parent
    files = {f"algorithms/{path.name}" for path in folder.glob("*.py")}
    mutated = {m.file for m in MUTATIONS}
    helpers = {
        "algorithms/__init__.py",
        "algorithms/expressed.py",
        "algorithms/wrench.py",
    }
    assert files - mutated == helpers


def test_a_text_that_is_gone_is_told(tmp_path: Path) -> None:
    gone = Mutation("no such", "algorithms/forces.py", "not there", "", ())
    with pytest.raises(
        ValueError, match="'no such': expected its text once in .* 0 times"
    ):
        mutants.mutated(gone, tmp_path)


def test_a_mutation_without_effect_and_one_that_breaks_are_told() -> None:
    (first,) = (m for m in MUTATIONS if m.name == "Revolute: sign")
    idle = first._replace(new=first.old)
    assert "no law failed" in str(mutants.problem(idle))
    broken = first._replace(new="return nothing")
    assert "broken code, no law: NameError" in str(mutants.problem(broken))
