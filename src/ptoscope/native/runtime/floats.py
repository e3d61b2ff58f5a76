"""Operations on floats that LLVM calls by name where a processor has no instruction for them (x86
before AVX2), as LLVM text. The results are those of the instructions; of a NaN only that it is one
counts, except that the canonical one stays canonical."""

from __future__ import annotations

NAMES = ("__extendhfsf2", "__truncsfhf2", "fmaf", "floor", "floorf", "roundeven", "roundevenf")

# The bits of an f16 are, 13 places further up, those of an f32 that is 2**112 times smaller.
_WIDENED = """
define float @__extendhfsf2(half %x) {
  %raw = bitcast half %x to i16
  %bits = zext i16 %raw to i32
  %size = and i32 %bits, 32767
  %moved = shl i32 %size, 13
  %small = bitcast i32 %moved to float
  %scaled = fmul float %small, 0x46F0000000000000
  %finite = bitcast float %scaled to i32
  %endless = or i32 %moved, 2139095040
  %is_finite = icmp ult i32 %size, 31744
  %number = select i1 %is_finite, i32 %finite, i32 %endless
  %negative = and i32 %bits, 32768
  %sign = shl i32 %negative, 16
  %all = or i32 %number, %sign
  %result = bitcast i32 %all to float
  ret float %result
}
"""

# A number below 2**-14 is rounded by adding 0.5, whose last place is that of the least f16.
# Others are rounded as integers: a carry goes into the exponent, and at last makes an infinity.
_NARROWED = """
define half @__truncsfhf2(float %x) {
  %bits = bitcast float %x to i32
  %size = and i32 %bits, 2147483647
  %absolute = bitcast i32 %size to float
  %added = fadd float %absolute, 5.000000e-01
  %added.bits = bitcast float %added to i32
  %tiny = sub i32 %added.bits, 1056964608
  %based = sub i32 %size, 939524096
  %last = lshr i32 %size, 13
  %odd = and i32 %last, 1
  %up = add i32 %odd, 4095
  %raised = add i32 %based, %up
  %usual = lshr i32 %raised, 13
  %payload = and i32 %last, 1023
  %nan = or i32 %payload, 32256
  %is_tiny = icmp ult i32 %size, 947912704
  %is_usual = icmp ult i32 %size, 1199570944
  %is_nan = icmp ugt i32 %size, 2139095040
  %large = select i1 %is_nan, i32 %nan, i32 31744
  %more = select i1 %is_usual, i32 %usual, i32 %large
  %number = select i1 %is_tiny, i32 %tiny, i32 %more
  %signs = lshr i32 %bits, 16
  %sign = and i32 %signs, 32768
  %all = or i32 %number, %sign
  %raw = trunc i32 %all to i16
  %result = bitcast i16 %raw to half
  ret half %result
}
"""

# The product is exact in f64. The sum is rounded to odd there, by what Knuth's two-sum says it
# lost, so that the rounding to f32 is the only one that counts.
_FUSED = """
define float @fmaf(float %x, float %y, float %z) {
  %a = fpext float %x to double
  %b = fpext float %y to double
  %c = fpext float %z to double
  %product = fmul double %a, %b
  %sum = fadd double %product, %c
  %back = fsub double %sum, %product
  %rest = fsub double %sum, %back
  %lost.one = fsub double %product, %rest
  %lost.two = fsub double %c, %back
  %lost = fadd double %lost.one, %lost.two
  %inexact = fcmp one double %lost, 0.0
  %bits = bitcast double %sum to i64
  %lost.bits = bitcast double %lost to i64
  %last = and i64 %bits, 1
  %even = icmp eq i64 %last, 0
  %change = and i1 %inexact, %even
  %signs = xor i64 %bits, %lost.bits
  %nearer = icmp slt i64 %signs, 0
  %step = select i1 %nearer, i64 -1, i64 1
  %moved = add i64 %bits, %step
  %odd.bits = select i1 %change, i64 %moved, i64 %bits
  %odd = bitcast i64 %odd.bits to double
  %result = fptrunc double %odd to float
  ret float %result
}
"""

# To a number that is too large for fractions a small one is added as a whole number.
_ROUNDED = """
declare {kind} @llvm.fabs.{suffix}({kind})
declare {kind} @llvm.copysign.{suffix}({kind}, {kind})
define {kind} @roundeven{letter}({kind} %x) {{
  %size = call {kind} @llvm.fabs.{suffix}({kind} %x)
  %added = fadd {kind} %size, {whole}
  %taken = fsub {kind} %added, {whole}
  %signed = call {kind} @llvm.copysign.{suffix}({kind} %taken, {kind} %x)
  %has_fraction = fcmp olt {kind} %size, {whole}
  %result = select i1 %has_fraction, {kind} %signed, {kind} %x
  ret {kind} %result
}}
define {kind} @floor{letter}({kind} %x) {{
  %near = call {kind} @roundeven{letter}({kind} %x)
  %lower = fsub {kind} %near, 1.0
  %above = fcmp ogt {kind} %near, %x
  %result = select i1 %above, {kind} %lower, {kind} %near
  ret {kind} %result
}}
"""


def text() -> str:
    """The whole module."""
    single = _ROUNDED.format(kind="float", suffix="f32", letter="f", whole="0x4160000000000000")
    double = _ROUNDED.format(kind="double", suffix="f64", letter="", whole="0x4330000000000000")
    return _WIDENED + _NARROWED + _FUSED + single + double
