"""The peers as small programs: build them, run one of their functions for a moment.

Pinocchio, MuJoCo and CasADi come from the wheels `pin`, `mujoco` and `casadi` of the
running Python, which carry headers and libraries; g++ and gcc are the machine's own.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODELS = HERE.parent / "models"
SITE = Path(sysconfig.get_paths()["platlib"])
CMEEL = SITE / "cmeel.prefix"
BOOST = [
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
]
GENERATED = {"rnea": 0, "aba": 0, "crba": 1, "minverse": 1, "drnea": 2}
"""Functions, and how many (nv, nv) matrices each writes; 0 stands for a vector."""


@dataclass(frozen=True)
class Peers:
    """The folder that holds the built programs; a missing program is a missing row."""

    folder: Path

    def command(self, peer: str, robot: str, function: str) -> list[str] | None:
        """The command of one function, without its time budget; None if not built."""
        program = self.folder / f"{peer}_loop"
        library = self.folder / f"{robot}_{function}.so"
        if not program.exists() or (peer == "casadi" and not library.exists()):
            return None
        if peer == "casadi":
            nq, nv = sizes(robot)
            outputs = GENERATED[function] * nv * nv or nv
            name = f"{robot}_{function}"
            return [str(program), str(library), name, str(nq), str(nv), str(outputs)]
        model = MODELS / (robot + (".xml" if peer == "mujoco" else ".txt"))
        return [str(program), str(model), function]

    def store(self, size: int) -> list[str] | None:
        """The command of memset over `size` bytes; None if not built."""
        program = self.folder / "store"
        return [str(program), str(size)] if program.exists() else None


def nanoseconds(command: list[str], seconds: float) -> float:
    """Nanoseconds per call of a peer's command run for about `seconds`."""
    done = subprocess.run(
        [*command, str(seconds)], check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def sizes(robot: str) -> tuple[int, int]:
    """(nq, nv) of a text model: a free joint has 7 and 6, a revolute one 1 and 1."""
    rows = (MODELS / f"{robot}.txt").read_text().split("\n")[1:]
    kinds = [row.split()[1] for row in rows if row.strip()]
    free = kinds.count("0")
    return len(kinds) + 6 * free, len(kinds) + 5 * free


def build(folder: Path, robots: tuple[str, ...]) -> None:
    """Build what the machine can build into `folder`; minutes the first time."""
    if shutil.which("gcc") is None or shutil.which("g++") is None:
        print("peers: no gcc and g++ here, nothing built")
        return
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    c_program(folder, "store", [])
    if importlib.util.find_spec("mujoco"):
        build_mujoco(folder)
    if importlib.util.find_spec("pinocchio"):
        build_pinocchio(folder)
        if importlib.util.find_spec("casadi"):
            build_casadi(folder, robots)


def build_mujoco(folder: Path) -> None:
    home = SITE / "mujoco"
    library = next(home.glob("libmujoco.so*"))
    flags = [f"-I{home / 'include'}", str(library), f"-Wl,-rpath,{home}"]
    c_program(folder, "mujoco_loop", flags)


def build_pinocchio(folder: Path) -> None:
    cpp_program(folder, "pinocchio_loop", ["-O3"], [])


def build_casadi(folder: Path, robots: tuple[str, ...]) -> None:
    home = SITE / "casadi"
    flags = ["-O1", f"-I{home / 'include'}"]
    link = [f"-L{home}", f"-Wl,-rpath,{home}", "-lcasadi"]
    cpp_program(folder, "casadi_generate", flags, link)
    c_program(folder, "casadi_loop", ["-ldl"])
    for robot in robots:
        if not (folder / f"{robot}_drnea.c").exists():
            model = str(MODELS / f"{robot}.txt")
            run(["./casadi_generate", model, robot], folder)
        for function in GENERATED:
            generated_library(folder, f"{robot}_{function}")


def generated_library(folder: Path, name: str) -> None:
    """The C that CasADi printed, with every optimisation gcc has for this machine."""
    flags = ["-O3", "-march=native", "-fPIC", "-shared"]
    if not (folder / f"{name}.so").exists():
        run(["gcc", *flags, f"{name}.c", "-o", f"{name}.so", "-lm"], folder)


def c_program(folder: Path, name: str, flags: list[str]) -> None:
    if not (folder / name).exists():
        source = str(HERE / f"{name}.c")
        run(["gcc", "-O2", source, "-o", name, *flags, "-lm"], folder)


def cpp_program(folder: Path, name: str, flags: list[str], link: list[str]) -> None:
    """A program over Pinocchio's headers: Eigen comes as a wheel of its own."""
    if (folder / name).exists():
        return
    include = [f"-I{CMEEL / 'include'}", f"-I{eigen(folder)}", "-std=c++17", "-DNDEBUG"]
    lib = [f"-L{CMEEL / 'lib'}", f"-Wl,-rpath,{CMEEL / 'lib'}", "-lboost_serialization"]
    source = str(HERE / f"{name}.cpp")
    command = ["g++", *flags, *include, *BOOST, "-w", source, "-o", name, *lib, *link]
    run(command, folder)


def eigen(folder: Path) -> Path:
    """Eigen's headers: beside Pinocchio's if installed, else downloaded once."""
    installed = CMEEL / "include" / "eigen3"
    unpacked = folder / "eigen" / "cmeel.prefix" / "include" / "eigen3"
    if installed.is_dir():
        return installed
    if not unpacked.is_dir():
        pip = [sys.executable, "-m", "pip", "-q", "download", "--no-deps"]
        run([*pip, "-d", "eigen", "cmeel-eigen"], folder)
        wheel = next((folder / "eigen").glob("cmeel_eigen*.whl"))
        run([sys.executable, "-m", "zipfile", "-e", str(wheel), "eigen"], folder)
    return unpacked


def run(command: list[str], folder: Path) -> None:
    print("peers:", " ".join(Path(word).name for word in command[:1] + command[-4:]))
    subprocess.run(command, cwd=folder, check=True)
