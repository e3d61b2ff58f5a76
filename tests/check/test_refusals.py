"""Numbers that an instruction does not take: said before a run where they are known then, and by
the run in the same words where they are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError, pto
from ptoscope.diagnostics import Diagnostic

KIND = 'module attributes {pto.target_arch = "a5", pto.kernel_kind = "cube"}'
POINTERS = """\
%l1 = pto.castptr %z : i64 -> !pto.ptr<f16, l1>
%l0a = pto.castptr %z : i64 -> !pto.ptr<f16, l0a>
%l0b = pto.castptr %z : i64 -> !pto.ptr<f16, l0b>
%l0c = pto.castptr %z : i64 -> !pto.ptr<f32, l0c>
%a8 = pto.castptr %z : i64 -> !pto.ptr<f8E4M3FN, l0a>
%b8 = pto.castptr %z : i64 -> !pto.ptr<f8E4M3FN, l0b>
%ub = pto.castptr %z : i64 -> !pto.ptr<f32, ub>
"""
MAD = (
    "pto.mad{mx} {a}, {b}, %l0c, {m}, {n}, {k} : !pto.ptr<{t}, l0a>, !pto.ptr<{t}, l0b>, "
    "!pto.ptr<f32, l0c>, i64, i64, i64"
)
TO_GM = (
    "pto.mte_l0c_gm %l0c, %o, {m}, {n}, %c16, %c32, {sid}, {l2}, nz2nd : !pto.ptr<f32, l0c>, "
    "!pto.ptr<f32, gm>, i64, i64, i64, i64, i64, i64"
)
TO_UB = (
    "pto.mte_l0c_ub %l0c, %ub, {m}, {n}, %c16, %c32, dst_mode({mode}), nz2nd : "
    "!pto.ptr<f32, l0c>, !pto.ptr<f32, ub>, i64, i64, i64, i64{last}"
)


def mad(m: str = "%c16", n: str = "%c32", k: str = "%c64", mx: bool = False) -> str:
    kind = {"mx": "_mx", "a": "%a8", "b": "%b8", "t": "f8E4M3FN"} if mx else {}
    return MAD.format(m=m, n=n, k=k, **{"mx": "", "a": "%l0a", "b": "%l0b", "t": "f16", **kind})


def to_gm(sid: str = "%z", l2: str = "%z", n: str = "%c32") -> str:
    return TO_GM.format(m="%c16", n=n, sid=sid, l2=l2)


def to_ub(mode: str, m: str = "%c16", n: str = "%c32") -> str:
    return TO_UB.format(mode=mode, m=m, n=n, last="" if mode.startswith("split") else ", i64")


def cube(line: str, given: str, params: str = "") -> str:
    """A kernel of the matrix core with a line in which %n is what `given` makes."""
    numbers = "\n".join(f"%c{n} = arith.constant {n} : i64" for n in (1, 8, 16, 32, 64))
    return (
        f"{KIND} {{\nfunc.func @kernel(%o: !pto.ptr<f32, gm>, %g: !pto.ptr<f16, gm>{params}) {{\n"
        f"%z = arith.constant 0 : i64\n{numbers}\n{POINTERS}{given}\n{line}\nreturn\n}}\n}}\n"
    )


FRACTALS = (
    "pto.mte_gm_l1_frac %g, %l1, nd2nz, shape(%c32, {d}), src_layout(%c64), "
    "dst_group(%c1, %c1, %c32, %c64), ctrl(%z, {small}) : !pto.ptr<f16, gm>, !pto.ptr<f16, l1>, "
    "nd2nz, shape i64, i64, src_layout(i64), dst_group i64, i64, i64, i64, ctrl i64, i1"
)


def fractals(d: str, small: str = "%true") -> str:
    return f"%true = arith.constant true\n{FRACTALS.format(d=d, small=small)}"


BROKEN = [
    (to_gm(sid="%n"), 4, 3, "PTO0503", "the sid does not fit its 2-bit field", "0 to 3"),
    (to_gm(l2="%n"), 16, 15, "PTO0503", "the l2_cache_ctrl does not fit its 4-bit", "0 to 15"),
    (to_gm(n="%n"), 4096, 16, "PTO0503", "the n does not fit its 12-bit field", "0 to 4095"),
    (to_ub("%n"), 2, 1, "PTO0513", "vector cores 0 and 1", "0 or 1"),
    (to_ub("split_m", m="%n"), 15, 14, "PTO0513", "an even m", "an even number"),
    (to_ub("split_n", n="%n"), 16, 64, "PTO0513", "split_n takes an n", "a multiple of 32"),
    (mad(m="%n"), 0, 1, "PTO0513", "at least one element along m", "1 or more"),
    (mad(n="%n"), 0, 16, "PTO0513", "at least one element along n", "1 or more"),
    (mad(k="%n"), 0, 64, "PTO0513", "at least one element along k", "1 or more"),
    (mad(k="%n", mx=True), 32, 64, "PTO0513", "k is a multiple of 64", "a multiple of 64"),
    (fractals("%n"), 5, 4, "PTO0513", "small C0 takes at most 4 columns", "1 to 4"),
]
AT_RUN = {"PTO0503": "PTO0907", "PTO0513": "PTO0910"}


def _load(text: str) -> ptoscope.Kernel:
    return ptoscope.load(text, force=True)


def about_numbers(findings: list[Diagnostic]) -> list[Diagnostic]:
    return [d for d in findings if d.code in AT_RUN]


def constant(value: int) -> str:
    return f"%n = arith.constant {value} : i64"


def folded(value: int) -> str:
    """The number as a sum that has to be worked out."""
    return (
        f"%half = arith.constant {value // 2} : i64\n%odd = arith.constant {value % 2} : i64\n"
        "%two = arith.constant 2 : i64\n%even = arith.muli %half, %two : i64\n"
        "%n = arith.addi %even, %odd : i64"
    )


@pytest.mark.parametrize("given", [constant, folded])
@pytest.mark.parametrize(("line", "wrong", "right", "code", "said", "expected"), BROKEN)
def test_a_known_number_is_refused_before_a_run(
    line: str, wrong: int, right: int, code: str, said: str, expected: str, given: Any
) -> None:
    (found,) = about_numbers(_load(cube(line, given(wrong))).findings)
    assert (found.code, found.found, found.expected) == (code, str(wrong), expected)
    assert said in found.message
    assert found.hint
    assert found.severity == "error"
    assert not about_numbers(_load(cube(line, given(right))).findings)


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize(("line", "wrong", "right", "code", "said", "expected"), BROKEN)
def test_an_argument_is_refused_by_the_run(
    line: str, wrong: int, right: int, code: str, said: str, expected: str, engine: Any
) -> None:
    kernel = _load(cube(line, "", ", %n: i64"))
    assert not about_numbers(kernel.findings)
    with pytest.raises(PtoError) as caught:
        kernel(np.zeros(4096, np.float32), np.zeros(4096, np.float16), wrong, engine=engine)
    found = caught.value.diagnostics[0]
    assert (found.code, found.found, found.expected) == (AT_RUN[code], str(wrong), expected)
    assert said in found.message


TO_UB_OF = (
    "pto.mte_gm_ub %x, %ub, {0}, %c32 nburst(%c1, %c32, %c32) : "
    "!pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64"
)
OUT_OF_UB = (
    "pto.mte_ub_gm %ub, %x, %c32 nburst(%c1, %c32, %c32) l2_cache_ctl({0}) : "
    "!pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64, i64"
)
OLDER_OUT = (
    "pto.copy_ubuf_to_gm %ub, %x, %z, %c1, %c32, {0}, %c32, %c32 : "
    "!pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64, i64, i64"
)
COPIES = [
    (TO_UB_OF, 3, 4, "PTO0503", "the l2_cache_ctl does not fit its 2-bit field", "0 to 3"),
    (OUT_OF_UB, 15, 16, "PTO0503", "the l2_cache_ctl does not fit its 4-bit field", "0 to 15"),
    (OLDER_OUT, 0, 1, "PTO0513", "the reserved number is not 0", "0"),
]


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize(("line", "right", "wrong", "code", "said", "expected"), COPIES)
def test_hints_and_reserved_numbers_of_copies(
    line: str, right: int, wrong: int, code: str, said: str, expected: str, engine: Any
) -> None:
    """2 bits to UB: copy-gm-to-ubuf.md; 4 to GM: newer pages; reserved, 0: dma-copy.md."""
    numbers = "\n".join(f"%c{n} = arith.constant {n} : i64" for n in (1, 32))
    text = (
        "func.func @kernel(%x: !pto.ptr<f32, gm>, %p: i64) {\n%z = arith.constant 0 : i64\n"
        f"{numbers}\n%n = arith.constant {wrong} : i64\n"
        "%ub = pto.castptr %z : i64 -> !pto.ptr<f32, ub>\n"
        "{line}\nreturn\n}\n"
    )
    (found,) = about_numbers(_load(text.replace("{line}", line.format("%n"))).findings)
    assert (found.code, found.found, found.expected) == (code, str(wrong), expected)
    kernel = _load(text.replace("{line}", line.format("%p")))
    kernel(np.zeros(8, np.float32), right, engine=engine)
    with pytest.raises(PtoError) as caught:
        kernel(np.zeros(8, np.float32), wrong, engine=engine)
    at_run = caught.value.diagnostics[0]
    assert (at_run.code, at_run.found, at_run.expected) == (AT_RUN[code], str(wrong), expected)
    for each in (found, at_run):
        assert said in each.message


@pytest.mark.parametrize(("revision", "codes"), [("manual", ["PTO0513"]), ("micro", [])])
def test_the_core_that_a_signal_names(revision: str, codes: list[str]) -> None:
    """0 or 1, other values are illegal: the manual's set-cross-core.md alone says so."""
    text = (
        "func.func @kernel() {\n%core = arith.constant 2 : i64\n"
        "pto.set_cross_core %core, %core : i64, i64\nreturn\n}\n"
    )
    found = ptoscope.load(text, "a2a3", revision, force=True).findings
    assert [d.code for d in about_numbers(found)] == codes


SLIDE = "%w = pto.vshift %v, %by : !pto.vreg<64xf32>, i16 -> !pto.vreg<64xf32>"


def sliding(*lines: str) -> list[Diagnostic]:
    body = "\n".join(lines)
    text = (
        "func.func @kernel(%x: f32, %n: i16) {\n%low = arith.constant 0 : i16\n"
        "%step = arith.constant 30 : i16\n%end = arith.constant 70 : i16\n"
        "%far = arith.constant 91 : i16\n%is = arith.cmpi slt, %step, %low : i16\n"
        f"pto.vecscope {{\n%v = pto.vbr %x : f32 -> !pto.vreg<64xf32>\n{body}\n}}\nreturn\n}}\n"
    )
    return about_numbers(_load(text).findings)


def test_the_iteration_that_goes_too_far_is_named() -> None:
    body = "%by = arith.addi %i, %low : i16"
    assert not sliding("scf.for %i = %low to %end step %step : i16 {", body, SLIDE, "}")
    (found,) = sliding("scf.for %i = %low to %far step %step : i16 {", body, SLIDE, "}")
    assert found.found == "90"
    assert found.message.endswith("(at %i = 90)")


def test_an_earlier_right_use_hides_no_wrong_one() -> None:
    """Instructions that only compute are looked at once, but not those that refuse numbers."""
    (found,) = sliding(
        SLIDE.replace("%by", "%step"), SLIDE.replace("%w", "%u").replace("%by", "%end")
    )
    assert found.found == "70"


def test_what_no_run_executes_is_left_alone() -> None:
    assert not sliding("scf.if %is {", SLIDE.replace("%by", "%end"), "}")
    assert not sliding(SLIDE.replace("%by", "%n"))


@pytest.mark.parametrize("name", ["divsi", "remui", "ceildivsi"])
def test_a_division_by_a_constant_zero(name: str) -> None:
    text = (
        "func.func @kernel(%y: !pto.ptr<i32, gm>, %n: i32) {\n%c0 = arith.constant 0 : index\n"
        f"%by = arith.constant 0 : i32\n%q = arith.{name} %n, %by : i32\n"
        "pto.store_scalar %q, %y[%c0] : !pto.ptr<i32, gm>, i32\nreturn\n}\n"
    )
    (found,) = about_numbers(_load(text).findings)
    assert "division by zero" in found.message


BLOCKS = """\
func.func @kernel(%n: i32) {{
  %at = arith.constant {at} : i64
  %p = pto.castptr %at : i64 -> !pto.ptr<f32, ub>
  pto.vecscope {{
    %m = {mask}
    %i = pto.vbr %n : i32 -> !pto.vreg<64xi32>
    %r = pto.vgatherb %p, %i, %m
      : !pto.ptr<f32, ub>, !pto.vreg<64xi32>, !pto.mask<b32> -> !pto.vreg<64xf32>
  }}
  return
}}
"""


@pytest.mark.parametrize(("at", "pattern", "codes"), [
    (4, "PAT_ALL", ["PTO0502"]), (4, "PAT_ALLF", []), (64, "PAT_ALL", [])
])  # fmt: skip
def test_the_base_of_gathered_blocks(at: int, pattern: str, codes: list[str]) -> None:
    text = BLOCKS.format(at=at, mask=f'pto.pset_b32 "{pattern}" : !pto.mask<b32>')
    found = [d for d in _load(text).findings if d.code == "PTO0502"]
    assert [d.code for d in found] == codes
    assert all(d.found == "4" and d.expected == "a multiple of 32" for d in found)


@pto.kernel
def shifted(y: pto.gm[pto.f32], by: int = 1):
    ys = pto.load(y[0:64])
    ys[0] = pto.vshift(ys[0], by * 3)


@pytest.mark.parametrize(("by", "codes"), [(21, []), (22, ["PTO0513"])])
def test_numbers_of_a_kernel_in_python(by: int, codes: list[str]) -> None:
    found = about_numbers(shifted.on(by=by).findings)
    assert [d.code for d in found] == codes


# What pages call illegal where only memory shows it


def test_fractals_of_several_matrices_lie_apart() -> None:
    """Destination regions must not overlap: here the second begins in the first."""
    line = FRACTALS.replace("dst_group(%c1, %c1, %c32, %c64)", "dst_group(%two, %c1, %c32, {0})")
    two = "%two = arith.constant 2 : i64\n%false = arith.constant false"
    for apart, expected in (("%c1", ["error"]), ("%c64", [])):
        text = line.replace("{0}", apart).format(d="%c16", small="%false")
        findings = _load(cube(text, two)).findings
        assert [d.severity for d in findings if d.code == "PTO0504"] == expected


LOADS = """\
%g8 = pto.castptr %g : !pto.ptr<f16, gm> -> !pto.ptr<f8E4M3FN, gm>
%l8 = pto.castptr %z : i64 -> !pto.ptr<f8E4M3FN, l1>
pto.mte_gm_l1 %g8, %l8, %c64 nburst(%c64, %c64, %c64)
  : !pto.ptr<f8E4M3FN, gm>, !pto.ptr<f8E4M3FN, l1>, i64, i64, i64, i64
pto.barrier #pto.pipe<PIPE_ALL>
pto.mte_l1_l0a %l8, %a8, %c16, %c64 : !pto.ptr<f8E4M3FN, l1>, !pto.ptr<f8E4M3FN, l0a>, i64, i64
pto.mte_l1_l0b %l8, %b8, %c64, %c32 : !pto.ptr<f8E4M3FN, l1>, !pto.ptr<f8E4M3FN, l0b>, i64, i64
SCALES
pto.barrier #pto.pipe<PIPE_ALL>"""
LEFT = (
    "pto.mte_l1_l0a_mx %l8, %a8, %c16, %c64"
    " : !pto.ptr<f8E4M3FN, l1>, !pto.ptr<f8E4M3FN, l0a>, i64, i64"
)
RIGHT = (
    "pto.mte_l1_l0b_mx %l8, %b8, %c64, %c32"
    " : !pto.ptr<f8E4M3FN, l1>, !pto.ptr<f8E4M3FN, l0b>, i64, i64"
)


@pytest.mark.parametrize(
    ("scales", "missing"),
    [("", {"L0A", "L0B"}), (LEFT, {"L0B"}), (RIGHT, {"L0A"}), (f"{LEFT}\n{RIGHT}", set[str]())],
)
def test_scales_are_loaded_before_a_product(scales: str, missing: set[str]) -> None:
    """Matching left and right payloads must be loaded before the product."""
    text = cube(mad(mx=True), LOADS.replace("SCALES", scales))
    found = [d for d in _load(text).findings if d.code == "PTO0506"]
    assert {d.message.partition("reads ")[2].split()[0] for d in found} == missing
    assert {d.severity for d in found} <= {"error"}
