"""Forms that only some pages write: read as what they mean, on both engines."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError, ir
from ptoscope.isa import TABLE
from tests.isa.test_newer import engines, through

F, H, S, W = "!pto.vreg<64xf32>", "!pto.vreg<128xf16>", "!pto.vreg<128xi16>", "!pto.vreg<64xi32>"
M32, M16, M8 = "!pto.mask<b32>", "!pto.mask<b16>", "!pto.mask<b8>"
FORMS: tuple[ir.Level, ...] = ("ssa", "dps", "asm")


def scope(body: str, parameters: str = "") -> str:
    """Puts a body into the vecscope of a function."""
    return f"func.func @k({parameters}) {{\npto.vecscope {{\n{body}\n}}\nreturn\n}}\n"


def printed(body: str, parameters: str = "", level: ir.Level = "ssa") -> str:
    """Prints the vecscope's lines, and reads back what is printed."""
    text = ir.print_module(ir.parse(scope(body, parameters)), level=level)
    assert ir.print_module(ir.parse(text), level=level) == text
    lines = [line.strip() for line in text.splitlines()]
    inside = lines[lines.index("pto.vecscope {") + 1 : lines.index("}")]
    return " ".join(inside)


def refused(text: str, match: str, revision: str = "manual", target: str = "a5") -> None:
    with pytest.raises(PtoError, match=match):
        ptoscope.load(text, target, revision)


# Without a mask


@pytest.mark.parametrize(
    ("line", "parameters", "masked"),
    [
        (f"%r = pto.vmov %v : {F} -> {F}", f"%v: {F}",
         f"%r = pto.vmov %v, %all : {F}, {M32} -> {F}"),
        (f"pto.vmov ins(%v : {F}) outs(%r : {F})", f"%v: {F}",
         f"%r = pto.vmov %v, %all : {F}, {M32} -> {F}"),
        (f"%r = pto.vdup %v : {H} -> {H}", f"%v: {H}",
         f"%r = pto.vdup %v, %all : {H}, {M16} -> {H}"),
        (f'%r = pto.vdup %v {{position = "HIGHEST"}} : f32 -> {F}', "%v: f32",
         f'%r = pto.vdup %v, %all {{position = "HIGHEST"}} : f32, {M32} -> {F}'),
        (f'%r = pto.vcvt %v {{round_mode = "ROUND_Z"}} : {F} -> {W}', f"%v: {F}",
         f'%r = pto.vcvt %v, %all {{rnd = "Z"}} : {F}, {M32} -> {W}'),
        (f'%r = pto.vcvt %v {{part = "PART_ODD"}} : {H} -> {F}', f"%v: {H}",
         f'%r = pto.vcvt %v, %all {{part = "ODD"}} : {H}, {M16} -> {F}'),
        (f"%r = pto.vexpdif %v, %v : {F}, {F} -> {F}", f"%v: {F}",
         f"%r = pto.vexpdif %v, %v, %all : {F}, {F}, {M32} -> {F}"),
    ],
)  # fmt: skip
def test_a_missing_mask_is_one_of_all_lanes(line: str, parameters: str, masked: str) -> None:
    """All levels read alike; two lines share one mask."""
    bits = masked.partition("mask<b")[2].partition(">")[0]
    name = f"%all_b{bits}"
    maker = f'{name} = pto.pset_b{bits} "PAT_ALL" : !pto.mask<b{bits}>'
    again = line.replace("%r", "%s")
    expected = [masked.replace("%all", name), masked.replace("%all", name).replace("%r", "%s")]
    assert printed(f"{line}\n{again}", parameters) == " ".join([maker, *expected])
    for level in FORMS:
        text = ir.print_module(ir.parse(scope(line, parameters)), level=level)
        assert printed_ssa(text) == printed_ssa(scope(f"{maker}\n{expected[0]}", parameters))


def printed_ssa(text: str) -> str:
    return ir.print_module(ir.parse(text))


@pytest.mark.parametrize(
    "line",
    [
        f"%r = pto.vadd %v, %v : {F}, {F} -> {F}",
        f"%r = pto.vabs %v : {F} -> {F}",
        f'%r = pto.vexpdif %v, %v, "EVEN" : {F}, {F} -> {F}',
    ],
)
def test_other_instructions_need_their_mask(line: str) -> None:
    refused(scope(line, f"%v: {F}"), "takes . operands|expected a value for 'mask'")


def test_the_mask_is_as_wide_as_the_lanes() -> None:
    refused(scope(f"%r = pto.vmov %v : {F} -> {H}", f"%v: {F}"), "PTO0101")


@engines
def test_instructions_without_a_mask_work_on_all_lanes(engine: str) -> None:
    x = np.linspace(-200, 200, 64, dtype=np.float32)
    moved, whole, top = np.zeros(64, np.float32), np.zeros(64, np.int32), np.zeros(64, np.float32)
    body = "\n".join(
        [
            f"%moved = pto.vmov %x : {F} -> {F}",
            f'%whole = pto.vcvt %x {{rnd = "F", sat = "RS_ENABLE"}} : {F} -> {W}',
            f'%top = pto.vdup %x {{position = "HIGHEST"}} : {F} -> {F}',
        ]
    )
    through(body, {"x": x}, {"moved": moved, "whole": whole, "top": top}, engine, "manual")
    assert moved.tolist() == x.tolist()
    assert whole.tolist() == [math.floor(v) for v in x.tolist()]
    assert top.tolist() == [200.0] * 64


@engines
@pytest.mark.parametrize("position", ["LOWEST", "HIGHEST"])
def test_a_scalar_has_one_place_to_duplicate(engine: str, position: str) -> None:
    out = np.zeros(64, np.float32)
    body = "%s = arith.constant 2.5 : f32\n"
    body += f'%r = pto.vdup %s {{position = "{position}"}} : f32 -> {F}'
    through(body, {}, {"r": out}, engine, "manual")
    assert out.tolist() == [2.5] * 64


# vexpdif without a part


@engines
@pytest.mark.parametrize("revision", ["manual", "micro"])
@pytest.mark.parametrize("kind", [np.float32, np.float16])
def test_vexpdif_without_a_part_computes_every_lane(engine: str, revision: str, kind: Any) -> None:
    count = 256 // np.dtype(kind).itemsize
    x = (np.arange(count) % 29 / -4).astype(kind)
    most, out, some = np.full(count, 0.5, kind), np.zeros(count, kind), np.zeros(count, kind)
    v, bits = (F, 32) if count == 64 else (H, 16)
    body = f"%out = pto.vexpdif %x, %most : {v}, {v} -> {v}\n"
    body += f'%few = pto.pset_b{bits} "PAT_VL3" : !pto.mask<b{bits}>\n'
    body += f"%some = pto.vexpdif %x, %most, %few : {v}, {v}, !pto.mask<b{bits}> -> {v}"
    through(body, {"x": x, "most": most}, {"out": out, "some": some}, engine, revision)
    expected = [kind(np.float32(math.exp(float(a) - 0.5))) for a in x]
    assert out.tolist() == expected
    assert some.tolist() == expected[:3] + [0.0] * (count - 3)


def test_vexpdif_of_f16_to_f32_needs_its_part() -> None:
    line = f"%r = pto.vexpdif %v, %v, %m : {H}, {H}, {M16} -> {F}"
    refused(scope(line, f"%v: {H}, %m: {M16}"), "PTO0101")


# The word of plt, and destination form without ins


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_plt_has_one_form_with_or_without_its_word(bits: int) -> None:
    types = f"i32 -> !pto.mask<b{bits}>, i32"
    line = f"%m, %rest = pto.plt_b{bits} %n {{post_update}} : {types}"
    assert printed(line, "%n: i32") == line
    assert printed(line.replace("_update}", "_update = true}"), "%n: i32") == line
    other = f"pto.plt_b{bits} ins(%n : i32) outs(%m, %rest : !pto.mask<b{bits}>, i32)"
    assert printed(other, "%n: i32") == line.replace(" {post_update}", "")
    refused(scope(line.replace("_update}", "_update = false}"), "%n: i32"), "post_update")


@engines
def test_plt_counts_off(engine: str) -> None:
    out, v = np.zeros(64, np.int32), W
    body = "%n = arith.constant 70 : i32\n%unit = arith.constant 1 : i32\n"
    body += f"%m, %rest = pto.plt_b32 %n {{post_update}} : i32 -> {M32}, i32\n"
    body += f"%k, %end = pto.plt_b32 %rest {{post_update}} : i32 -> {M32}, i32\n"
    body += f"%r = pto.vdup %unit, %k : i32, {M32} -> {v}"
    through(body, {}, {"r": out}, engine)
    assert out.tolist() == [1] * 6 + [0] * 58


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f'pto.pset_b32 "PAT_H" outs(%m : {M32})', f'%m = pto.pset_b32 "PAT_H" : {M32}'),
        (f'pset_b8 "PAT_H" outs(%m : {M8})', f'%m = pto.pset_b8 "PAT_H" : {M8}'),
        (f'pto.pge_b16 "PAT_VL4" outs(%m : {M16})', f'%m = pto.pge_b16 "PAT_VL4" : {M16}'),
    ],
)
def test_destinations_behind_a_token(line: str, expected: str) -> None:
    assert printed(line) == expected


@pytest.mark.parametrize(
    ("line", "match"),
    [
        (f'%m = pto.pset_b32 "PAT_H" outs(%k : {M32})', "not before '='"),
        (f'pto.pset_b32 "PAT_H" outs(%m, %k : {M32}, {M32})', "has 1 result, but 2 are named"),
        (f"pto.pset_b32 outs(%m : {M32})", "pattern"),
    ],
)
def test_destinations_that_do_not_fit(line: str, match: str) -> None:
    refused(scope(line), match)


# Attributes that vcvt.md has and other pages have not


@engines
@pytest.mark.parametrize("revision", ["manual", "micro"])
def test_f16_saturates_to_32_bits(engine: str, revision: str) -> None:
    """Numbers are rounded, infinity is the end of the range, NaN is 0."""
    x = np.zeros(128, np.float16)
    x[::2] = np.resize(np.array([1.5, -2.5, np.inf, -np.inf, np.nan, 65504], np.float16), 64)
    out = np.zeros(64, np.int32)
    attrs = '{rnd = "R", sat = "SAT", part = "EVEN"}'
    body = f"%y = pto.vcvt %x, %all16 {attrs} : {H}, {M16} -> !pto.vreg<64xsi32>\n"
    body += f"%r = pto.vbitcast %y : !pto.vreg<64xsi32> -> {W}"
    through(body, {"x": x}, {"r": out}, engine, revision)
    expected = [2, -2, 2**31 - 1, -(2**31), 0, 65504]
    assert out.tolist() == np.resize(expected, 64).tolist()


@engines
@pytest.mark.parametrize("rnd", ["R", "A", "F", "C", "Z"])
def test_16_bits_fit_f32_however_they_are_rounded(engine: str, rnd: str) -> None:
    x = np.arange(-64, 64, dtype=np.int16) * 511
    out = np.zeros(64, np.float32)
    body = f'%r = pto.vcvt %x, %all16 {{rnd = "{rnd}", part = "ODD"}} : {S}, {M16} -> {F}'
    through(body, {"x": x}, {"r": out}, engine, "manual")
    assert out.tolist() == [float(v) for v in x[1::2]]


def test_attributes_without_a_meaning_are_still_refused() -> None:
    line = f'%r = pto.vcvt %v, %m {{sat = "SAT", part = "EVEN"}} : {S}, {M16} -> {F}'
    refused(scope(line, f"%v: {S}, %m: {M16}"), "'sat' means nothing")


# The type of shift amounts


@engines
@pytest.mark.parametrize("name", ["vshl", "vshr"])
@pytest.mark.parametrize("revision", ["manual", "micro"])
def test_amounts_may_be_signed(engine: str, name: str, revision: str) -> None:
    """siW elements, of which those outside the width shift everything out."""
    kind, s = "!pto.vreg<64xui32>", "!pto.vreg<64xsi32>"
    x = (np.arange(64) * 0x9E3779B9).astype(np.uint32)
    by = np.resize(np.array([0, 1, 7, 31, 32, -1, 2**31 - 1], np.int32), 64)
    out = np.zeros(64, np.uint32)
    body = f"%n = pto.vbitcast %by : {W} -> {s}\n"
    body += f"%r = pto.{name} %x, %n, %all32 : {kind}, {s}, {M32} -> {kind}"
    through(body, {"x": x, "by": by}, {"r": out}, engine, revision)
    pairs = zip(x.tolist(), by.tolist(), strict=True)
    shifted = [(v << n if name == "vshl" else v >> n) if 0 <= n < 32 else 0 for v, n in pairs]
    assert out.tolist() == [v % 2**32 for v in shifted]


@pytest.mark.parametrize("kind", ["64xui32", "64xf32", "128xsi16"])
def test_amounts_are_as_wide_as_the_elements(kind: str) -> None:
    line = f"%r = pto.vshl %v, %n, %m : {W}, !pto.vreg<{kind}>, {M32} -> {W}"
    refused(scope(line, f"%v: {W}, %n: !pto.vreg<{kind}>, %m: {M32}"), "'rhs' has the wrong type")


# The id of a buffer before its pipe


HANDED = """func.func @k(%x: !pto.ptr<f32, gm>, %y: !pto.ptr<f32, gm>) attributes {pto.aicore} {
%c0 = arith.constant 0 : index
%zero = arith.constant 0 : i64
%one = arith.constant 1 : i64
%size = arith.constant 256 : i64
%id = arith.constant 3 : i64
%ub = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
pto.get_buf MTE2
pto.mte_gm_ub %x, %ub, %zero, %size nburst(%one, %size, %size)
  : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
pto.rls_buf MTE2
pto.get_buf V
pto.vecscope {
%m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
%v = pto.vlds %ub[%c0] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
%w = pto.vadd %v, %v, %m : !pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
pto.vsts %w, %ub[%c0], %m : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
}
pto.rls_buf V
pto.get_buf MTE3
pto.mte_ub_gm %ub, %y, %size nburst(%one, %size, %size)
  : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64
pto.rls_buf MTE3
return
}
"""


def handed(order: str, ends: str = "get_buf rls_buf") -> str:
    """The kernel with `order` for the operands; without what `ends` leaves out."""
    lines = [
        re.sub(r"_buf (\w+)$", lambda m: f"_buf {order}".replace("PIPE", f"PIPE_{m[1]}"), line)
        for line in HANDED.splitlines()
        if "_buf" not in line or line.split()[0].removeprefix("pto.") in ends
    ]
    return "\n".join(lines) + "\n"


ID_FIRST = '%id, "PIPE", %zero : i64, i64'


@engines
@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
def test_a_buffer_is_named_before_its_pipe(engine: str, target: str) -> None:
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    kernel = ptoscope.load(handed(ID_FIRST), target, "manual")
    assert not kernel.warnings
    kernel(x, y, engine=engine)
    assert y.tolist() == (2 * x).tolist()


def test_what_the_id_before_the_pipe_orders_is_needed() -> None:
    refused(handed(ID_FIRST, "neither"), "PTO06")
    ptoscope.load(handed('3, "PIPE", 0 : i64, i64'), "a5", "manual")
    again = ir.print_module(ir.parse(handed(ID_FIRST)))
    assert f"pto.get_buf {ID_FIRST}".replace("PIPE", "PIPE_V") in again


# Sums in the type of their input, and of 64 bits


@engines
@pytest.mark.parametrize("kind", [np.int16, np.uint16, np.int8, np.int64, np.uint64])
def test_a_sum_is_returned_in_the_declared_type(engine: str, kind: Any) -> None:
    """From zero, modulo the width; a 64-bit lane is governed by the first of two b32 bits."""
    info = np.iinfo(kind)
    count, bits = 256 // np.dtype(kind).itemsize, min(32, info.bits)
    name = np.dtype(kind).name.replace("uint", "ui").replace("int", "i").replace("uii", "ui")
    x = np.resize(np.array([info.max, info.min, info.max, 7], kind), count)
    out, some = np.zeros(count, kind), np.zeros(count, kind)
    v, m = f"!pto.vreg<{count}x{name}>", f"!pto.mask<b{bits}>"
    few = "PAT_VL10" if info.bits == 64 else "PAT_VL5"
    lines = [
        f'%whole = pto.pset_b{bits} "PAT_ALL" : {m}',
        f'%few = pto.pset_b{bits} "{few}" : {m}',
        f"%sum = pto.vcadd %x, %whole : {v}, {m} -> {v}",
        f"%part = pto.vcadd %x, %few : {v}, {m} -> {v}",
    ]
    if info.bits == 64:
        moved = [f"%{n}_32 = pto.vbitcast %{n} : {v} -> {W}" for n in ("sum", "part")]
        wide = [a.view(np.int32) for a in (x, out, some)]
        lines = [f"%x = pto.vbitcast %x_32 : {W} -> {v}", *lines, *moved]
        given, results = {"x_32": wide[0]}, {"sum_32": wide[1], "part_32": wide[2]}
    else:
        given, results = {"x": x}, {"sum": out, "part": some}
    through("\n".join(lines), given, results, engine, "manual")
    for found, lanes in ((out, count), (some, 5)):
        total = sum(x.tolist()[:lanes]) % 2**info.bits
        signed = total - 2**info.bits if info.min and total > info.max else total
        assert found.tolist() == [signed] + [0] * (count - 1)


def test_sums_of_the_micro_specification_widen() -> None:
    line = f"%r = pto.vcadd %v, %m : {S}, {M16} -> {S}"
    refused(scope(line, f"%v: {S}, %m: {M16}"), "narrow integers widen", "micro")
    v = "!pto.vreg<32xi64>"
    line = f"%r = pto.vcadd %v, %m : {v}, {M32} -> {v}"
    refused(scope(line, f"%v: {v}, %m: {M32}"), "PTO0102", "micro")


# Two sources of vpack


@engines
@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
def test_vpack_cuts_two_sources(engine: str, target: str) -> None:
    """dst[i] = truncate(src0[i]), dst[N + i] = truncate(src1[i])."""
    x = (np.arange(64) * 0x9E3779B9).astype(np.uint32).view(np.int32)
    y = x[::-1] ^ np.int32(0x1234567)
    out = np.zeros(128, np.int16)
    body = f"%r = pto.vpack %x, %y, %c0 : {W}, {W}, index -> {S}"
    through(body, {"x": x, "y": y.copy()}, {"r": out}, engine, "manual", target)
    assert out.tolist() == np.concatenate([x, y]).astype(np.int16).tolist()


def test_vpack_of_two_sources_has_no_other_part() -> None:
    body = f"%c1 = arith.constant 1 : index\n%r = pto.vpack %x, %x, %c1 : {W}, {W}, index -> {S}"
    x, out = np.zeros(64, np.int32), np.zeros(128, np.int16)
    with pytest.raises(PtoError, match="no page defines another part than 0"):
        through(body, {"x": x}, {"r": out}, "reference", "manual")
    line = f"%r = pto.vpack %v, %v, %n : {W}, {W}, index -> !pto.vreg<128xui16>"
    refused(scope(line, f"%v: {W}, %n: index"), "PTO0101")


# A loop that is a vecscope


LOOP = """func.func @k(%x: !pto.ptr<f32, gm>) attributes {pto.aicore} {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c4 = arith.constant 4 : index
%c64 = arith.constant 64 : index
%zero = arith.constant 0 : i64
%one = arith.constant 1 : i64
%size = arith.constant 1024 : i64
%ub = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
pto.mte_gm_ub %x, %ub, %zero, %size nburst(%one, %size, %size)
  : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
pto.barrier #pto.pipe<PIPE_ALL>
scf.for %i = %c0 to %c4 step %c1 {
%at = arith.muli %i, %c64 : index
%m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
%v = pto.vlds %ub[%at] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
%w = pto.vadd %v, %v, %m : !pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
pto.vsts %w, %ub[%at], %m : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
} {llvm.loop.aivector_scope}
pto.barrier #pto.pipe<PIPE_ALL>
pto.mte_ub_gm %ub, %x, %size nburst(%one, %size, %size)
  : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64
return
}
"""


@engines
@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
def test_a_marked_loop_is_a_vecscope(engine: str, target: str) -> None:
    x = np.arange(256, dtype=np.float32)
    kernel = ptoscope.load(LOOP, target)
    assert not kernel.warnings
    kernel(x, engine=engine)
    assert x.tolist() == [2.0 * i for i in range(256)]
    text = ir.print_module(ir.parse(LOOP))
    assert text.index("pto.vecscope {") < text.index("scf.for")
    assert ir.print_module(ir.parse(text)) == text


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("{llvm.loop.aivector_scope}", "{llvm.loop.unroll}", "no other attribute"),
        ("{llvm.loop.aivector_scope}", "{}", "no other attribute"),
        ("%m = pto.pset", "pto.barrier #pto.pipe<PIPE_ALL>\n%m = pto.pset", "PTO0302"),
        ("%at = arith", "pto.vecscope {\n}\n%at = arith", "PTO0302"),
    ],
)
def test_what_a_marked_loop_cannot_be(old: str, new: str, match: str) -> None:
    refused(LOOP.replace(old, new), match)


def test_a_marked_loop_gives_nothing() -> None:
    head = "%n = scf.for %i = %c0 to %c4 step %c1 iter_args(%k = %c0) -> (index) {"
    text = LOOP.replace("scf.for %i = %c0 to %c4 step %c1 {", head)
    refused(text.replace("} {llvm", "scf.yield %k : index\n} {llvm"), "has no results")


# Forms of single pages that are not read: their cells say why


@pytest.mark.parametrize(
    ("name", "line", "parameters", "target", "match"),
    [
        ("vusqz", f"%r = pto.vusqz %m : {M32} -> {W}", f"%m: {M32}", "a5", "takes 2 operands"),
        ("vmull", f"%r = pto.vmull %i, %i, %i, %m : {W}, {W}, {W}, {M32} -> {W}",
         f"%i: {W}, %m: {M32}", "a5", "takes 3 operands"),
        ("pstu", "%o, %n = pto.pstu %a, %m, %u : !pto.align, !pto.mask<b32>, !pto.ptr<ui32, ub>"
         " -> !pto.align, !pto.ptr<ui32, ub>",
         f"%a: !pto.align, %m: {M32}, %u: !pto.ptr<ui32, ub>", "a2a3", "PTO0201"),
        ("vor", f"%r = pto.vor %h, %h, %m : {H}, {H}, {M16} -> {H}", f"%h: {H}, %m: {M16}", "a5",
         "PTO0102"),
    ],
)  # fmt: skip
def test_forms_that_are_not_read(
    name: str, line: str, parameters: str, target: str, match: str
) -> None:
    refused(scope(line, parameters), match, target=target)
    cells = [e for e in TABLE[f"pto.{name}"].evidence if "Refused" in e.note or ".md" in e.note]
    assert cells
