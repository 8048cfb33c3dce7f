"""Vector formulas as LLVM IR text: one Python operator is one instruction.

Nothing here lets LLVM fuse, reorder or approximate: a fused multiply-add is an
explicit `llvm.fma`, so a lane's bits never depend on the number of lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .formats import Format


@dataclass(frozen=True, eq=False)
class Value:
    """A vector in a function body; kind is f (floats), i (integers) or b (mask)."""

    body: Body
    name: str
    kind: str

    def __add__(self, other: Value | float) -> Value:
        return self.body.binary("fadd" if self.kind == "f" else "add", self, other)

    def __radd__(self, other: float) -> Value:
        return self.body.lift(other, self.kind) + self

    def __sub__(self, other: Value | float) -> Value:
        return self.body.binary("fsub" if self.kind == "f" else "sub", self, other)

    def __rsub__(self, other: float) -> Value:
        return self.body.lift(other, self.kind) - self

    def __mul__(self, other: Value | float) -> Value:
        return self.body.binary("fmul", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Value | float) -> Value:
        return self.body.binary("fdiv", self, other)

    def __rtruediv__(self, other: float) -> Value:
        return self.body.lift(other, "f") / self

    def __neg__(self) -> Value:
        return self.body.emit(f"fneg {self.body.type('f')} {self.name}", "f")

    def __and__(self, other: Value | int) -> Value:
        return self.body.binary("and", self, other)

    def __or__(self, other: Value | int) -> Value:
        return self.body.binary("or", self, other)

    def __xor__(self, other: Value | int) -> Value:
        return self.body.binary("xor", self, other)

    def __lshift__(self, count: int) -> Value:
        return self.body.binary("shl", self, count)

    def __rshift__(self, count: int) -> Value:
        """Logical: zeros come in at the top."""
        return self.body.binary("lshr", self, count)

    def __lt__(self, other: Value | float) -> Value:
        return self.body.compare("olt", self, other)

    def __gt__(self, other: Value | float) -> Value:
        return self.body.compare("ogt", self, other)

    def equals(self, other: Value | float) -> Value:
        return self.body.compare("oeq", self, other)

    def nonzero(self) -> Value:
        kind = self.body.type("i")
        return self.body.emit(f"icmp ne {kind} {self.name}, zeroinitializer", "b")


Formula = Callable[..., "Value | tuple[Value, ...]"]


@dataclass(eq=False)
class Body:
    """The instructions of one function, and the formulas every function shares."""

    module: Module
    lines: list[str] = field(default_factory=list)
    count: int = 0
    block: str = "entry"

    @property
    def format(self) -> Format:
        return self.module.format

    def type(self, kind: str) -> str:
        return self.module.type(kind)

    def emit(self, text: str, kind: str) -> Value:
        return Value(self, self.raw(text), kind)

    def raw(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def lift(self, value: Value | float, kind: str) -> Value:
        if isinstance(value, Value):
            return value
        text = str(int(value)) if kind == "i" else self.format.literal(value)
        return Value(self, f"splat ({self.module.element(kind)} {text})", kind)

    def binary(self, operation: str, a: Value, b: Value | float) -> Value:
        b = self.lift(b, a.kind)
        return self.emit(f"{operation} {self.type(a.kind)} {a.name}, {b.name}", a.kind)

    def compare(self, predicate: str, a: Value, b: Value | float) -> Value:
        b = self.lift(b, "f")
        return self.emit(f"fcmp {predicate} {self.type('f')} {a.name}, {b.name}", "b")

    def where(self, mask: Value, a: Value | float, b: Value | float) -> Value:
        kind = next((x.kind for x in (a, b) if isinstance(x, Value)), "f")
        a, b, t = self.lift(a, kind), self.lift(b, kind), self.type(kind)
        return self.emit(
            f"select {self.type('b')} {mask.name}, {t} {a.name}, {t} {b.name}", kind
        )

    def bits(self, a: Value) -> Value:
        return self.emit(f"bitcast {self.type('f')} {a.name} to {self.type('i')}", "i")

    def floats(self, a: Value) -> Value:
        return self.emit(f"bitcast {self.type('i')} {a.name} to {self.type('f')}", "f")

    def intrinsic(self, name: str, *arguments: Value) -> Value:
        t = self.type("f")
        listed = ", ".join(f"{t} {a.name}" for a in arguments)
        return self.emit(f"call {t} @llvm.{name}.{self.module.suffix}({listed})", "f")

    def fma(self, a: Value, b: Value | float, c: Value | float) -> Value:
        """a b + c rounded once; only where the target has it."""
        return self.intrinsic("fma", a, self.lift(b, "f"), self.lift(c, "f"))

    def mad(self, a: Value, b: Value | float, c: Value | float) -> Value:
        """a b + c, fused where the target can."""
        return self.fma(a, b, c) if self.module.fma else a * b + c

    def sqrt(self, a: Value) -> Value:
        return self.intrinsic("sqrt", a)

    def absolute(self, a: Value) -> Value:
        return self.intrinsic("fabs", a)

    def polynomial(self, z: Value, coefficients: Sequence[float]) -> Value:
        """sum c_i z^i by Horner's rule."""
        total = self.lift(coefficients[-1], "f")
        for c in reversed(coefficients[:-1]):
            total = self.mad(z, total, c)
        return total

    def two_sum(self, a: Value, b: Value) -> tuple[Value, Value]:
        """a + b = s + e exactly (Knuth)."""
        s = a + b
        t = s - a
        return s, (a - (s - t)) + (b - t)

    def fast_two_sum(self, a: Value | float, b: Value) -> tuple[Value, Value]:
        """a + b = s + e exactly where |a| >= |b| (Dekker)."""
        s = a + b
        return s, b - (s - a)

    def two_product(self, a: Value, b: Value) -> tuple[Value, Value]:
        """a b = p + e exactly (Dekker, where there is no FMA: |a|, |b| < 2^995)."""
        p = a * b
        if self.module.fma:
            return p, self.fma(a, b, -p)
        (ah, al), (bh, bl) = self.split(a), self.split(b)
        return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl

    def split(self, a: Value) -> tuple[Value, Value]:
        """a = high + low, each of half the bits (Veltkamp)."""
        t = a * (2.0 ** ((self.format.mantissa + 2) // 2) + 1.0)
        high = t - (t - a)
        return high, a - high

    def flip_sign(self, a: Value, sign: Value) -> Value:
        """a with its sign bit xored by that of the integer vector `sign`."""
        return self.floats(self.bits(a) ^ (sign & self.format.sign))

    def call(self, name: str, arguments: Sequence[Value], kinds: str) -> list[Value]:
        """Call @kn.name; kinds are those of its results."""
        self.module.require(name)
        listed = ", ".join(f"{self.type(a.kind)} {a.name}" for a in arguments)
        returned = self.module.returns(kinds)
        result = self.raw(f"call {returned} @kn.{name}({listed})")
        if len(kinds) == 1:
            return [Value(self, result, kinds)]
        return [
            self.emit(f"extractvalue {returned} {result}, {i}", kind)
            for i, kind in enumerate(kinds)
        ]

    def override(
        self, mask: Value, name: str, arguments: Sequence[Value], usual: Sequence[Value]
    ) -> list[Value]:
        """Lanes of the mask take @kn.name's results; it runs only if there are any.

        Which result a lane takes depends on that lane alone.
        """
        flag = self.raw(
            f"call i1 @llvm.vector.reduce.or.{self.module.mask_suffix}"
            f"({self.type('b')} {mask.name})"
        )
        start, label = self.block, f"b{self.count}"
        self.lines.append(f"  br i1 {flag}, label %{label}.rare, label %{label}.join")
        self.lines.append(f"{label}.rare:")
        rare = self.call(name, arguments, "".join(u.kind for u in usual))
        chosen = [self.where(mask, r, u) for r, u in zip(rare, usual, strict=True)]
        self.lines.append(f"  br label %{label}.join\n{label}.join:")
        self.block = f"{label}.join"
        return [
            self.emit(
                f"phi {self.type(u.kind)} [ {c.name}, %{label}.rare ], "
                f"[ {u.name}, %{start} ]",
                u.kind,
            )
            for c, u in zip(chosen, usual, strict=True)
        ]


@dataclass(eq=False)
class Module:
    """Definitions, each once; intrinsics need no declaration in LLVM 19 and later."""

    lanes: int
    format: Format
    fma: bool
    formulas: dict[str, tuple[int, Formula]]
    """Number of arguments and body of every function that may be required."""
    texts: dict[str, Callable[[Module], str]] = field(default_factory=dict)
    """Functions written directly as IR text."""
    defined: dict[str, str] = field(default_factory=dict)

    def element(self, kind: str) -> str:
        if kind == "f":
            return self.format.dtype
        return f"i{self.format.bits}" if kind == "i" else "i1"

    def type(self, kind: str) -> str:
        return f"<{self.lanes} x {self.element(kind)}>"

    @property
    def suffix(self) -> str:
        return f"v{self.lanes}f{self.format.bits}"

    @property
    def mask_suffix(self) -> str:
        return f"v{self.lanes}i1"

    def returns(self, kinds: str) -> str:
        types = ", ".join(self.type(k) for k in kinds)
        return types if len(kinds) == 1 else f"{{ {types} }}"

    @property
    def attributes(self) -> str:
        """A whole vector stays in one register, whatever width the tuning prefers."""
        text = "noinline nounwind willreturn memory(none)"
        if self.lanes * self.format.bits >= 512:
            text += ' "prefer-vector-width"="512" "min-legal-vector-width"="512"'
        return text

    def require(self, name: str) -> None:
        """Define @kn.name, and what it calls, unless that is done."""
        if name in self.defined:
            return
        self.defined[name] = ""
        if name in self.texts:
            self.defined[name] = self.texts[name](self)
            return
        (arity, formula), body = self.formulas[name], Body(self)
        names = ["%y", "%x"][-arity:]
        results = formula(body, *(Value(body, n, "f") for n in names))
        results = (results,) if isinstance(results, Value) else results
        self.defined[name] = self.function(name, names, body, results)

    def function(
        self, name: str, names: list[str], body: Body, results: Sequence[Value]
    ) -> str:
        returned = self.returns("".join(r.kind for r in results))
        if len(results) == 1:
            last = results[0].name
        else:
            last = "poison"
            for i, r in enumerate(results):
                item = f"{self.type(r.kind)} {r.name}"
                last = body.raw(f"insertvalue {returned} {last}, {item}, {i}")
        listed = ", ".join(f"{self.type('f')} {n}" for n in names)
        head = f"define internal {returned} @kn.{name}({listed}) {self.attributes} {{"
        return "\n".join([head, "entry:", *body.lines, f"  ret {returned} {last}", "}"])

    def text(self) -> str:
        return "\n\n".join([*self.defined.values(), ""])
