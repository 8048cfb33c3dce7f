"""@kn.reduce.pair in integers, one lane after another (Payne and Hanek 1983)."""

from __future__ import annotations

from string import Template

from .emit import Module

TWO_OVER_PI_BITS = (
    0x0000000000000000, 0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041,
    0xFE5163ABDEBBC561, 0xB7246E3A424DD2E0, 0x06492EEA09D1921C, 0xFE1DEB1CB129A73E,
    0xE88235F52EBB4484, 0xE99C7026B45F7E41, 0x3991D639835339F4, 0x9C845F8BBDF9283B,
    0x1FF897FFDE05980F, 0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7, 0x4F463F669E5FEA2D,
    0x7527BAC7EBE5F17B, 0x3D0739F78A5292EA, 0x6BFB5FB11F8D5D08, 0x56033046FC7B6BAB,
    0xF0CFBC209AF4361D,
)  # fmt: skip
"""64 zeros, then 1280 bits of 2/pi after the binary point."""

HALF_PI_BITS = 0xC90FDAA22168C234
"""floor(pi/2 * 2^63)."""

SCALAR = Template("""\
; x = m 2^E with m of 53 bits. Bits of 2/pi that contribute multiples of 4 to
; x 2/pi are skipped; 192 bits from there on leave 126 correct fraction bits, and no
; double comes nearer than 2^-62 to a multiple of pi/2 (Payne and Hanek 1983).
@kn.two_over_pi = internal constant [21 x i64] [$table], align 64

define internal { i64, double, double } @kn.reduce.scalar(double %x) noinline \
nounwind willreturn optsize memory(none) {
entry:
  %bits = bitcast double %x to i64
  %field = lshr i64 %bits, 52
  %small = icmp ult i64 %field, 1013
  %e = select i1 %small, i64 1013, i64 %field
  %fraction = and i64 %bits, 4503599627370495
  %m = or i64 %fraction, 4503599627370496
  %start = add nsw i64 %e, -1013
  %i0 = lshr i64 %start, 6
  %shift = and i64 %start, 63
  %i1 = add i64 %i0, 1
  %i2 = add i64 %i0, 2
  %i3 = add i64 %i0, 3
  %p0 = getelementptr inbounds i64, ptr @kn.two_over_pi, i64 %i0
  %p1 = getelementptr inbounds i64, ptr @kn.two_over_pi, i64 %i1
  %p2 = getelementptr inbounds i64, ptr @kn.two_over_pi, i64 %i2
  %p3 = getelementptr inbounds i64, ptr @kn.two_over_pi, i64 %i3
  %t0 = load i64, ptr %p0, align 8
  %t1 = load i64, ptr %p1, align 8
  %t2 = load i64, ptr %p2, align 8
  %t3 = load i64, ptr %p3, align 8
  %w0 = call i64 @llvm.fshl.i64(i64 %t0, i64 %t1, i64 %shift)
  %w1 = call i64 @llvm.fshl.i64(i64 %t1, i64 %t2, i64 %shift)
  %w2 = call i64 @llvm.fshl.i64(i64 %t2, i64 %t3, i64 %shift)
  %top = mul i64 %m, %w0
  %top.wide = zext i64 %top to i128
  %top.up = shl i128 %top.wide, 64
  %m.wide = zext i64 %m to i128
  %w1.wide = zext i64 %w1 to i128
  %w2.wide = zext i64 %w2 to i128
  %middle = mul i128 %m.wide, %w1.wide
  %low = mul i128 %m.wide, %w2.wide
  %low.up = lshr i128 %low, 64
  %sum = add i128 %top.up, %middle
  %product = add i128 %sum, %low.up
  ; two integer bits, 126 of fraction: q to nearest, the rest signed
  %half = add i128 %product, $half
  %q.wide = lshr i128 %half, 126
  %q = trunc i128 %q.wide to i64
  %rest = shl i128 %product, 2
  %negative = icmp slt i128 %rest, 0
  %opposite = sub i128 0, %rest
  %size = select i1 %negative, i128 %opposite, i128 %rest
  %size.odd = or i128 %size, 1
  %zeros.wide = call i128 @llvm.ctlz.i128(i128 %size.odd, i1 true)
  %normal = shl i128 %size.odd, %zeros.wide
  %head.wide = lshr i128 %normal, 64
  %scaled = mul i128 %head.wide, $half_pi
  %r.wide = lshr i128 %scaled, 64
  %r = trunc i128 %r.wide to i64
  %r.top = lshr i64 %r, 11
  %r.end = and i64 %r, 2047
  %zeros = trunc i128 %zeros.wide to i64
  ; r 2^-(63 + zeros), as 53 + 11 bits
  %exponent = sub i64 971, %zeros
  %exponent.end = sub i64 960, %zeros
  %unit.bits = shl i64 %exponent, 52
  %unit.end.bits = shl i64 %exponent.end, 52
  %unit = bitcast i64 %unit.bits to double
  %unit.end = bitcast i64 %unit.end.bits to double
  %high.int = sitofp i64 %r.top to double
  %end.int = sitofp i64 %r.end to double
  %high.size = fmul double %high.int, %unit
  %end.size = fmul double %end.int, %unit.end
  %high.minus = fneg double %high.size
  %end.minus = fneg double %end.size
  %high = select i1 %negative, double %high.minus, double %high.size
  %end = select i1 %negative, double %end.minus, double %end.size
  %nan = fsub double %x, %x
  %high.safe = fadd double %high, %nan
  %a = insertvalue { i64, double, double } poison, i64 %q, 0
  %b = insertvalue { i64, double, double } %a, double %high.safe, 1
  %c = insertvalue { i64, double, double } %b, double %end, 2
  ret { i64, double, double } %c
}""")

LANES = Template("""\
define internal { $I, $F, $F } @kn.reduce.pair($F %x) optsize $attributes {
entry:
  %xs = alloca $F
  %qs = alloca $I
  %rs = alloca $F
  %es = alloca $F
  store $F %x, ptr %xs
  br label %lane
lane:
  %k = phi i64 [ 0, %entry ], [ %next, %lane ]
  %px = getelementptr $f, ptr %xs, i64 %k
  %pq = getelementptr $i, ptr %qs, i64 %k
  %pr = getelementptr $f, ptr %rs, i64 %k
  %pe = getelementptr $f, ptr %es, i64 %k
  %item = load $f, ptr %px
$convert
  store $i %q, ptr %pq
  store $f %r, ptr %pr
  store $f %e, ptr %pe
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, $lanes
  br i1 %more, label %lane, label %done
done:
  %q.all = load $I, ptr %qs
  %r.all = load $F, ptr %rs
  %e.all = load $F, ptr %es
  %a = insertvalue { $I, $F, $F } poison, $I %q.all, 0
  %b = insertvalue { $I, $F, $F } %a, $F %r.all, 1
  %c = insertvalue { $I, $F, $F } %b, $F %e.all, 2
  ret { $I, $F, $F } %c
}""")

DOUBLE_LANE = """\
  %t = call { i64, double, double } @kn.reduce.scalar(double %item)
  %q = extractvalue { i64, double, double } %t, 0
  %r = extractvalue { i64, double, double } %t, 1
  %e = extractvalue { i64, double, double } %t, 2"""

FLOAT_LANE = """\
  %wide = fpext float %item to double
  %t = call { i64, double, double } @kn.reduce.scalar(double %wide)
  %q.wide = extractvalue { i64, double, double } %t, 0
  %r.wide = extractvalue { i64, double, double } %t, 1
  %q = trunc i64 %q.wide to i32
  %r = fptrunc double %r.wide to float
  %r.back = fpext float %r to double
  %e.wide = fsub double %r.wide, %r.back
  %e = fptrunc double %e.wide to float"""


def text(module: Module) -> str:
    """@kn.reduce.pair: a loop over lanes, rare, hence small rather than fast."""
    table = ", ".join(f"i64 {word}" for word in TWO_OVER_PI_BITS)
    scalar = SCALAR.substitute(table=table, half=1 << 125, half_pi=HALF_PI_BITS)
    lanes = LANES.substitute(
        F=module.type("f"),
        I=module.type("i"),
        f=module.element("f"),
        i=module.element("i"),
        lanes=module.lanes,
        attributes=module.attributes,
        convert=FLOAT_LANE if module.element("f") == "float" else DOUBLE_LANE,
    )
    return f"{scalar}\n\n{lanes}"
