"""The floating-point flags and modes of the caller, kept over a call."""

from __future__ import annotations

from knuckle.codegen.target import Target


def status(target: Target, when: str) -> list[str]:
    """The caller's floating-point flags and modes survive; ours are the default."""
    if target.x86:
        if when == "restore":
            return ["call void @llvm.x86.sse.ldmxcsr(ptr %mxcsr)"]
        return [
            "store i32 8064, ptr %plain",
            "call void @llvm.x86.sse.stmxcsr(ptr %mxcsr)",
            "call void @llvm.x86.sse.ldmxcsr(ptr %plain)",
        ]
    if when == "restore":
        return [
            "call void @llvm.aarch64.set.fpsr(i64 %fpsr)",
            "call void @llvm.aarch64.set.fpcr(i64 %fpcr)",
        ]
    return [
        "%fpsr = call i64 @llvm.aarch64.get.fpsr()",
        "%fpcr = call i64 @llvm.aarch64.get.fpcr()",
        "call void @llvm.aarch64.set.fpcr(i64 0)",
    ]
