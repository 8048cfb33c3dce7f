"""What machine the code is for: triple, instruction set, lanes per vector."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

_FEATURES = {
    "avx512": "",
    "avx2": "-avx512f",
    "sse2": "-avx512f,-avx2,-avx,-fma,-fma4,-sse4.2,-sse4.1,-ssse3,-sse3,-f16c,-xop",
    "neon": "",
}
_VECTOR_BYTES = {"avx512": 64, "avx2": 32, "sse2": 16, "neon": 16}


@dataclass(frozen=True)
class Target:
    """A processor to compile for. `isa` is avx512, avx2, sse2 or neon."""

    triple: str
    cpu: str
    features: str
    isa: str

    @property
    def fma(self) -> bool:
        """Does a fused multiply-add round once here?"""
        return self.isa != "sse2"

    @property
    def x86(self) -> bool:
        return self.triple.startswith(("x86_64", "i686", "amd64"))

    @property
    def windows(self) -> bool:
        return "windows" in self.triple

    def lanes(self, dtype: str) -> int:
        """Configurations per instruction."""
        return _VECTOR_BYTES[self.isa] // (8 if dtype == "float64" else 4)

    def machine(self) -> Any:
        """LLVM's target machine."""
        llvm = _with_all_targets()
        target = llvm.Target.from_triple(self.triple)
        return target.create_target_machine(
            cpu=self.cpu,
            features=self.features,
            opt=2,
            reloc="pic",
            codemodel="default",
        )


@functools.cache
def initialise() -> Any:
    """llvmlite.binding, ready for this machine; imported when first needed."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@functools.cache
def _with_all_targets() -> Any:
    llvm = initialise()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm


@functools.cache
def host(isa: str | None = None) -> Target:
    """This machine, or this machine held to a narrower instruction set."""
    llvm = initialise()
    triple, cpu = llvm.get_process_triple(), llvm.get_host_cpu_name()
    features = llvm.get_host_cpu_features()
    best = _best_isa(triple, features)
    isa = isa or best
    order = ["neon"] if best == "neon" else ["avx512", "avx2", "sse2"]
    if isa not in order[order.index(best) :]:
        raise ValueError(
            f"target {isa!r} is not available here: this machine offers "
            f"{', '.join(order[order.index(best) :])}"
        )
    listed = ",".join(("+" if on else "-") + name for name, on in features.items())
    return Target(triple, cpu, ",".join(filter(None, (listed, _FEATURES[isa]))), isa)


def _best_isa(triple: str, features: Any) -> str:
    if triple.startswith(("aarch64", "arm64")):
        return "neon"
    needed = {"avx512": ("avx512f", "avx512dq", "avx512vl"), "avx2": ("avx2", "fma")}
    for isa, names in needed.items():
        if all(features.get(name) for name in names):
            return isa
    return "sse2"


FOREIGN = {
    "aarch64-linux": Target("aarch64-unknown-linux-gnu", "generic", "", "neon"),
    "aarch64-macos": Target("arm64-apple-darwin", "generic", "", "neon"),
    "x86_64-windows": Target("x86_64-pc-windows-msvc", "haswell", "", "avx2"),
    "x86_64-macos": Target("x86_64-apple-darwin", "haswell", "", "avx2"),
}
"""Targets that tests lower every algorithm to without running it."""
