"""Kernels from the store: the same results, and never those of another program."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import knuckle as kn
import large
import mechanisms
from knuckle.codegen import host, link, native, store
from knuckle.edge import Algorithm, kept, keys
from knuckle.edge.signature import Given

PACKAGE = Path(kn.__file__).parent


@dataclass
class Work:
    """What was done to make kernels."""

    traced: list[str] = field(default_factory=list)
    compiled: list[str] = field(default_factory=list)

    def taken(self) -> tuple[int, int]:
        """(traces, compilations) since the last time."""
        counts = len(self.traced), len(self.compiled)
        self.traced.clear()
        self.compiled.clear()
        return counts


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("KNUCKLE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def work(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Work]:
    """Counts traces and compilations of a session with a store of its own."""
    done, request, assemble = Work(), keys.Request.traced, native.assemble

    def traced(self: keys.Request) -> Any:
        done.traced.append(self.algorithm.__name__)
        return request(self)

    def compiled(text: str, target: Any) -> bytes:
        done.compiled.append(text[:40])
        return assemble(text, target)

    monkeypatch.setattr(keys.Request, "traced", traced)
    monkeypatch.setattr(native, "assemble", compiled)
    yield done


def arm(**changes: Any) -> kn.Model:
    """Two links; a new Model each time, as a new process would build it."""
    rod = kn.Inertia(changes.get("mass", 1.5), (0.1, 0.0, 0.3), (0.2, 0.3, 0.1))
    return kn.Model(
        [
            kn.Body("upper", None, kn.joints.Revolute("y", damping=0.1), inertia=rod),
            kn.Body(
                "lower",
                "upper",
                changes.get("joint", kn.joints.Revolute("x")),
                kn.spatial.Tz(0.5),
                rod,
            ),
        ]
    )


def state(model: kn.Model) -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    q = model.random(rng, (9,))
    return [q, *rng.normal(size=(2, 9, model.nv))]


def parts(result: Any) -> tuple[np.ndarray, ...]:
    """The arrays of a result."""
    return result if isinstance(result, tuple) else (result,)


CALLS: dict[str, Callable[[kn.Model], Any]] = {
    "inverse dynamics": lambda m: kn.inverse_dynamics(m, *state(m)),
    "forward dynamics": lambda m: kn.forward_dynamics(m, *state(m), passive=False),
    "mass matrix": lambda m: kn.mass_matrix(m, state(m)[0]),
    "a named tuple": lambda m: kn.forward_kinematics(m, state(m)[0]),
    "wrenches by name": lambda m: kn.inverse_dynamics(
        m, *state(m), f_ext={"lower": np.ones(6)}
    ),
    "a frame": lambda m: kn.frame_jacobian(m, state(m)[0], "lower"),
    "world axes": lambda m: kn.frame_jacobian(
        m, state(m)[0], "lower", expressed="world"
    ),
    "another body": lambda m: kn.frame_jacobian(m, state(m)[0], "upper"),
    "prescribed joints": lambda m: kn.hybrid_dynamics(
        m, *state(m), prescribed=["upper"]
    ),
    "single precision": lambda m: kn.inverse_dynamics(
        m, *[x.astype(np.float32) for x in state(m)]
    ),
    "a derivative by rule": lambda m: kn.jacobian(kn.inverse_dynamics, ["q", "v"])(
        m, *state(m)
    ),
    "a derivative": lambda m: kn.jacobian(kn.kinetic_energy, "v")(m, *state(m)[:2]),
    "a direction": lambda m: kn.jvp(kn.gravity_forces, "q")(
        m, state(m)[0], state(m)[1]
    ),
    "second derivatives": lambda m: kn.hessian(kn.potential_energy, "q")(
        m, state(m)[0]
    ),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_second_start_neither_traces_nor_compiles(
    work: Work, call: Callable[[kn.Model], Any]
) -> None:
    first = call(arm())
    assert work.taken() == (1, 1)
    second = call(arm())
    assert work.taken() == (0, 0)
    assert type(first) is type(second)
    pairs = zip(*map(parts, (first, second)), strict=True)
    assert all(np.array_equal(a, b) for a, b in pairs)


def test_every_kind_of_call_has_a_key_of_its_own(work: Work, folder: Path) -> None:
    for call in CALLS.values():
        call(arm())
    assert work.taken() == (len(CALLS), len(CALLS))
    assert len(list(folder.iterdir())) == len(CALLS)


def test_models_of_every_joint(work: Work) -> None:
    """What a joint computes is content of the model: nothing has to be traced."""
    bodies = mechanisms.tree(3).bodies
    kernels = [kn.compile(kn.center_of_mass, kn.Model(bodies)) for _ in "ab"]
    assert work.taken() == (1, 1)
    assert kernels[0].operations == kernels[1].operations


def test_a_kernel_from_the_store_is_as_good_as_a_new_one(work: Work) -> None:
    new, old = (kn.compile(kn.forward_dynamics, arm()) for _ in "ab")
    assert work.taken() == (1, 1)
    assert old.kernel is not new.kernel
    for name in ("name", "dtype", "doc", "inputs", "outputs", "operations", "work"):
        assert getattr(old.kernel, name) == getattr(new.kernel, name), name
    assert repr(old) == repr(new) and old.small == new.small
    assert (old.ufunc.signature, old.ufunc.__doc__) == (
        new.ufunc.signature,
        new.ufunc.__doc__,
    )
    assert 0.0 < old.compile_seconds < new.compile_seconds
    assert old.trace_seconds == 0.0
    given = state(arm())
    assert np.array_equal(old.bind(*given)(), new.bind(*given)())
    assert np.array_equal(old(*given), new.kernel(*given))
    assert work.taken() == (0, 0)
    for stage in ("trace", "llvm", "asm"):
        assert old.show(stage) == new.show(stage)
    assert work.taken() == (1, 0)  # to be shown it is traced, once
    assert old.kernel.program == new.kernel.program


def test_rolled_kernels_come_back_with_their_tables(work: Work) -> None:
    q, v, tau = np.random.default_rng(1).normal(size=(3, 9, 30))
    found = []
    for rolled in (True, True, False):
        code = kn.compile(kn.forward_dynamics, large.chain(30), rolled=rolled)
        found.append((code(q, v, tau), code.bind(q, v, tau)(), code.kernel.nbytes))
        assert work.taken() == ((0, 0) if len(found) == 2 else (1, 1))
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[1][0], found[1][1])
    assert found[0][2] == found[1][2] != found[2][2]

    @kn.algorithm
    def own(model: Any, q: Any) -> Any:
        out = model.per_body()
        for i in model.outward():
            out[i] = tuple(x * x for x in q[i])
        return out

    for k in range(2):
        kn.compile(own, large.chain(30), rolled=True)
        assert work.taken() == (1, 1 - k)


def test_a_second_simulation(work: Work) -> None:
    """The steps, with a controller that is traced into them."""
    runs, counts = [], []
    for _ in "ab":
        run = kn.simulate(
            arm(), [0.1, 0.2], [0.0, 0.0], lambda q, v, t: -3.0 * q, 0.02, 1e-3
        )
        runs.append((run.q, run.v, run.tau))
        counts.append(work.taken())
    assert counts[0][1] > 0 and counts[1] == (0, 0)
    for a, b in zip(*runs, strict=True):
        assert np.array_equal(a, b)


def test_large_batches_from_the_store_are_split_alike(work: Work) -> None:
    rng = np.random.default_rng(0)
    given = rng.normal(size=(3, 70_000, 2))
    results = [kn.forward_dynamics(arm(), *given) for _ in "ab"]
    assert work.taken() == (1, 1)
    assert np.array_equal(*results)


def test_results_are_those_of_a_kernel_that_was_compiled(folder: Path) -> None:
    """The bits, on a mechanism of many joints, in both element types."""
    model = mechanisms.hand(1)
    given = [np.zeros(model.nv)] * 2
    for dtype in (np.float64, np.float32):
        q = model.random(np.random.default_rng(1)).astype(dtype)
        arrays = [q, *(x.astype(dtype) for x in given)]
        t = {"t": dtype(0.5)} if any(j.joint.timed for j in model.joints) else {}
        with store.switched_off():
            fresh = kn.Model(model.bodies, model.frames, model.gravity)
            expected = kn.inverse_dynamics(fresh, *arrays, **t)
        for _ in "ab":
            again = kn.Model(model.bodies, model.frames, model.gravity)
            assert np.array_equal(kn.inverse_dynamics(again, *arrays, **t), expected)


# What changes the key: content, options, the surroundings.


@pytest.mark.parametrize(
    "change",
    [
        {"mass": np.nextafter(1.5, 2.0)},
        {"joint": kn.joints.Revolute("y")},
        {"joint": kn.joints.Revolute("x", armature=0.1)},
        {
            "joint": kn.Joint(
                lambda q: kn.spatial.Rx(q[0]) * kn.spatial.Tx(0.1 * q[0]), 1
            )
        },
    ],
    ids=["an ulp of mass", "another axis", "a rotor", "a joint of one's own"],
)
def test_another_model_is_another_kernel(work: Work, change: dict[str, Any]) -> None:
    results = [kn.inverse_dynamics(m, *state(arm())) for m in (arm(), arm(**change))]
    assert work.taken() == (2, 2)
    assert not np.array_equal(*results)


def test_gravity_and_parameters_count(work: Work) -> None:
    q, v, a = state(arm())
    models = [arm(), arm().replace(gravity=(0.0, 0.0, -1.6))]
    models += [arm().with_parameters("lower.mass"), arm().with_parameters("gravity")]
    for model in models:
        kn.inverse_dynamics(model, q, v, a)
    assert work.taken() == (4, 4)
    moon = kn.inverse_dynamics(models[3], q, v, a, parameters={"gravity": (0, 0, -1.6)})
    again = kn.inverse_dynamics(models[1].replace(), q, v, a)
    assert np.allclose(moon, again, rtol=1e-12, atol=1e-12)
    assert work.taken() == (0, 0)


def test_a_joint_of_ones_own_counts_by_what_it_computes(work: Work) -> None:
    """A constant that its function captures is part of the model."""

    def model(pitch: float) -> kn.Model:
        pose = lambda q: kn.spatial.Rz(q[0]) * kn.spatial.Tz(pitch * q[0])  # noqa: E731
        return arm(joint=kn.Joint(pose, 1))

    found = [kn.mass_matrix(model(h), np.zeros(2))[1, 1] for h in (0.1, 0.2, 0.1)]
    assert work.taken() == (2, 2)
    assert found[0] == found[2] != found[1]


def user_sum(gain: float) -> Algorithm:
    def inner(x: Any) -> Any:
        return gain * x

    def total(model: Any, q: Any, v: Any) -> Any:
        return sum((inner(x) for x in (*q, *v)), 0.0)

    return kn.algorithm(total)


def test_a_captured_constant_of_an_algorithm(work: Work) -> None:
    """One's own code is traced each time; LLVM runs where the trace is a new one."""
    model, q = arm(), np.ones(2)
    assert [float(user_sum(g)(model, q, q)) for g in (2.0, 3.0, 2.0)] == [8, 12, 8]
    assert work.taken() == (3, 2)


def test_the_numbering_of_a_trace_does_not_count(work: Work) -> None:
    def forth(model: Any, q: Any, v: Any) -> Any:
        a, b = q[0] * v[0], q[1] + v[1]
        return a * b

    def back(model: Any, q: Any, v: Any) -> Any:
        b = v[1] + q[1]
        unused = b / q[0]
        assert unused is not None
        return (v[0] * q[0]) * b

    for function in (forth, back):
        function.__name__ = "product"
        assert float(kn.algorithm(function)(arm(), np.ones(2), np.ones(2))) == 2.0
    assert work.taken() == (2, 1)


def test_a_rule_of_ones_own_is_not_the_librarys(work: Work) -> None:
    """A user's rule on a library algorithm: its derivatives are traced from then on."""
    by_q = partial(kn.jacobian(kn.potential_energy, "q"), q=state(arm())[0])
    right = by_q(arm())
    try:

        @kn.potential_energy.derivative("q")
        def wrong(model: Any, q: Any) -> Any:
            return (tuple(7.0 * x for x in q),)

        found = by_q(arm())
    finally:
        kn.potential_energy.rules.clear()
    assert np.array_equal(found, 7.0 * state(arm())[0])
    assert np.array_equal(by_q(arm()), right)
    assert work.taken() == (2, 2)


def test_types_of_ones_own_are_traced(work: Work) -> None:
    class Mine(kn.Joint):
        __slots__ = ()

        def motion(self, *args: Any) -> Any:
            R, p, S, v, c = super().motion(*args)
            return R, p, S, v * 2.0, c

    joint = Mine(lambda q: kn.spatial.Rx(q[0]), 1)
    assert joint == kn.joints.Revolute("x")  # by what they trace to
    models = arm(), arm(joint=joint)
    results = [kn.bias_forces(m, *state(m)[:2]) for m in models]
    assert not np.array_equal(*results)
    again = [kn.bias_forces(m, *state(m)[:2]) for m in (arm(), arm(joint=joint))]
    assert work.taken() == (3, 2)
    assert np.array_equal(results, again)


def request(**changes: Any) -> keys.Request:
    given = Given({"q": 0.0}, {}, {})
    made = keys.Request(kn.mass_matrix, arm(), given, (), "float64", host())
    return made._replace(**changes)


def test_the_target_and_the_element_type_count() -> None:
    targets = [
        host(),
        replace(host(), cpu="another-cpu"),
        replace(host(), features=host().features + ",+none"),
        replace(host(), isa="sse2"),
        replace(host(), triple="aarch64-unknown-linux-gnu"),
    ]
    found = {keys.request_key(request(target=target)) for target in targets}
    found.add(keys.request_key(request(dtype="float32")))
    assert len(found) == len(targets) + 1 and None not in found


@pytest.mark.parametrize("module", ["numpy", "llvmlite"])
def test_versions_count(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = keys.surroundings.__wrapped__()
    monkeypatch.setattr(f"{module}.__version__", "99.0")
    assert before != keys.surroundings.__wrapped__() is not None


def test_sources_that_changed_while_running(
    work: Work, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What runs is older than the files: nothing is read, nothing is kept."""
    monkeypatch.setattr(kn, "_imported", 0.0)
    monkeypatch.setattr(kept, "surroundings", keys.surroundings.__wrapped__)
    for _ in "ab":
        kn.mass_matrix(arm(), np.zeros(2))
    assert work.taken() == (2, 2) and not folder.exists()


def test_sources_that_change_before_the_end(
    work: Work, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = keys.sources()._replace(content="another")  # type: ignore[union-attr]
    monkeypatch.setattr(kept, "sources", lambda: changed)
    kn.mass_matrix(arm(), np.zeros(2))
    assert work.taken() == (1, 1) and not folder.exists()


# Whatever is wrong with the folder, the program works.


def test_damaged_kernels_are_made_again(work: Work, folder: Path) -> None:
    expected = kn.mass_matrix(arm(), np.ones(2))
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    damages = [whole[:-100], b"", whole[:2000] + b"\1" + whole[2001:], whole[::-1]]
    for damaged in damages:
        path.write_bytes(damaged)
        assert np.array_equal(kn.mass_matrix(arm(), np.ones(2)), expected)
        assert path.read_bytes()[: len(whole) // 2] == whole[: len(whole) // 2]
    assert work.taken() == (1 + len(damages),) * 2


def test_code_that_does_not_link_is_made_again(
    work: Work, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole file whose code is none: LLVM's refusal is not the user's trouble."""
    expected = kn.mass_matrix(arm(), np.ones(2))
    kept_store = store.opened()
    assert kept_store is not None
    (path,) = folder.iterdir()
    key = bytes.fromhex(path.stem)
    entry = kept_store.load(key)
    assert entry is not None
    for code in (b"no object at all", b""):
        kept_store.save(key, entry._replace(code=code))
        assert np.array_equal(kn.mass_matrix(arm(), np.ones(2)), expected)
    assert work.taken() == (3, 3)


def test_a_folder_that_cannot_be_used(
    work: Work, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KNUCKLE_CACHE", str(tmp_path / "file"))
    with pytest.warns(RuntimeWarning, match="no cache in") as told:
        for _ in "ab":
            kn.mass_matrix(arm(), np.ones(2))
    assert len(told) == 1 and work.taken() == (2, 2)


# In processes of their own.

PROGRAM = """
import sys
import numpy as np
import knuckle as kn
from pathlib import Path
sys.path.insert(0, {folder!r})
import helpers
rod = kn.Inertia(2.0, (0, 0.5, 1.0), (1, 1, 1))
model = kn.Model([
    kn.Body("a", None, kn.joints.Revolute("y"), inertia=rod),
    kn.Body("b", "a", kn.joints.Prismatic("x"), inertia=rod),
])
x = np.array([0.3, 0.2])
print(float(kn.forward_dynamics(model, x, x, x)[1]).hex())
print(float(kn.algorithm(helpers.outer)(model, x, x)).hex())
print("knuckle.codegen.native" in sys.modules)
"""
HELPERS = """
GAIN = {gain}
def inner(x):
    return GAIN * x {sign} 1.0
def middle(x):
    return inner(x) * x
def outer(model, q, v):
    return middle(q[0]) + v[1]
"""


@dataclass
class Fresh:
    """The program above in fresh processes."""

    folder: Path
    package: Path = PACKAGE.parent

    def write(self, gain: float = 2.0, sign: str = "+") -> None:
        (self.folder / "helpers.py").write_text(HELPERS.format(gain=gain, sign=sign))

    def start(self) -> subprocess.Popen[str]:
        environment = {
            **os.environ,
            "KNUCKLE_CACHE": str(self.folder / "cache"),
            "PYTHONPATH": str(self.package),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        command = [sys.executable, "-c", PROGRAM.format(folder=str(self.folder))]
        return subprocess.Popen(
            command, env=environment, text=True, stdout=-1, stderr=-1
        )

    def run(self) -> list[str]:
        """What it prints: two numbers, and whether the code generator was needed."""
        return self.result(self.start())

    def result(self, process: subprocess.Popen[str]) -> list[str]:
        out, error = process.communicate()
        assert process.returncode == 0 and not error, error
        return out.split()


def test_helpers_two_calls_deep_and_constants(tmp_path: Path) -> None:
    fresh = Fresh(tmp_path)
    fresh.write()
    first, second = fresh.run(), fresh.run()
    assert first[:2] == second[:2]
    assert (first[2], second[2]) == ("True", "False")
    value = (2.0 * 0.3 + 1.0) * 0.3 + 0.2
    assert float.fromhex(first[1]) == pytest.approx(value, rel=1e-15)
    fresh.write(gain=3.0)
    assert float.fromhex(fresh.run()[1]) == pytest.approx(value + 0.09, rel=1e-15)
    fresh.write(sign="-")
    assert float.fromhex(fresh.run()[1]) == pytest.approx(value - 0.6, rel=1e-15)
    fresh.write()
    assert fresh.run() == second


def test_a_changed_file_of_the_library(tmp_path: Path) -> None:
    package = tmp_path / "library"
    ignored = shutil.ignore_patterns("__pycache__", "assets")
    shutil.copytree(PACKAGE, package / "knuckle", ignore=ignored)
    fresh = Fresh(tmp_path, package)
    fresh.write()
    first = fresh.run()
    file = package / "knuckle" / "spatial" / "newton_euler.py"
    text = file.read_text()
    file.write_text(text + "\n# a remark\n")
    assert fresh.run() == first  # compiled again: nobody knows what a remark does
    file.write_text(text)
    assert fresh.run()[2] == "False"


def test_eight_processes_at_once(tmp_path: Path) -> None:
    fresh = Fresh(tmp_path)
    fresh.write()
    processes = [fresh.start() for _ in range(8)]
    results = [fresh.result(process) for process in processes]
    assert len({tuple(result[:2]) for result in results}) == 1
    files = sorted(path.suffix for path in (tmp_path / "cache").iterdir())
    assert files == [".kernel", ".kernel"]
    assert fresh.run() == [*results[0][:2], "False"]


def test_the_command(
    work: Work, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from knuckle.cli import main

    def said(*arguments: str) -> str:
        assert main(["cache", *arguments]) == 0
        return capsys.readouterr().out.strip()

    assert said("info") == f"{folder}: 0 kernels, 0.0 MB of at most 500.0 MB"
    kn.mass_matrix(arm(), np.ones(2))
    assert said("info").startswith(f"{folder}: 1 kernel, 0.0 MB of")
    assert said("clear") == f"removed 1 kernel, 0.0 MB from {folder}"
    kn.mass_matrix(arm(), np.ones(2))
    assert work.taken() == (2, 2)
    with store.switched_off():
        assert said("info") == said("clear") == "off: KNUCKLE_CACHE=off"
    folder.chmod(0o777)
    if os.name == "posix":
        assert main(["cache", "info"]) == 2
        error = capsys.readouterr().err
        assert error.startswith("knuckle cache: ") and error.count("\n") == 1
        assert "others may write there" in error


def test_symbols_of_any_name() -> None:
    assert link.symbol("lambda <x>\n") == "knuckle.lambda__x__"
