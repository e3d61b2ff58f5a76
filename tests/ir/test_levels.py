"""The three levels: SSA, destinations (`ins`, `outs`) and assembly, read and written."""

from __future__ import annotations

import pytest

from ptoscope import ir
from ptoscope.demo import PATH as SOFTMAX
from tests.ir.kernels import ADD, MIXED, all_levels, function, ops, program
from tests.ir.test_placeholders import DOCUMENT
from tests.ir.test_round_trip import CONTROL

V, M, UB = "!pto.vreg<64xf32>", "!pto.mask<b32>", "!pto.ptr<f32, ub>"
P = f"%a: {V}, %b: {V}, %m: {M}, %p: {UB}, %j: index, %n: i64, %i: i32, %h: !pto.vreg<128xf16>"
SUM = f"%d = pto.vadd %a, %b, %m : {V}, {V}, {M} -> {V}"


def ssa(body: str) -> list[str]:
    """The lines that a body has in SSA form, each on one line."""
    text = ir.print_module(ir.parse(function(body, P)))
    inner = text[text.index("{pto.aicore} {") :].splitlines()[1:-2]
    return " ".join(f"\n{s}" if not s.startswith("    ") else s.strip() for s in inner).split(
        "\n  "
    )[1:]


def lines(body: str) -> list[str]:
    return [line.strip() for line in ssa(body)]


@pytest.mark.parametrize("text", [ADD, CONTROL, DOCUMENT, MIXED, SOFTMAX.read_text()])
def test_kernels_are_the_same_in_every_level(text: str):
    written = all_levels(text)
    comments = [ir.parse(t).comments for t in (text, *written.values())]
    assert len({tuple(c.text for c in found) for found in comments}) == 1


@pytest.mark.parametrize(
    "line",
    [
        f"pto.vadd %a, %b, %m : ({V}, {V}, {M}) -> ({V})",
        f"pto.vadd ins(%a, %b, %m : {V}, {V}, {M}) outs(%d : {V})",
        f"pto.vadd ins(%a, %b, %m : ({V}, {V}, {M})) outs(%d : ({V}))",
        f"pto.vadd ins(%a : {V}, %b : {V}, %m : {M}) outs(%d : {V})",
        f"pto.vadd ins(%a, %b, %m : {V},\n {V}, {M})\n\n outs(%d\n : {V})",
        f"vadd ins(%a, %b, %m : {V}, {V}, {M}) outs(%d : {V})",
        f"vadd %d, %a, %b, %m : {V}",
        "vadd %d, %a, %b, %m : !pto.vreg<f32, 64>",
        "vadd %d, %a, %b, %m",
        f"vadd %d, %a, %b, %m : {V}, {V}, {V}, {M}",
        f"vadd %d, %a, %b, %m : {V}, {V}, {M}",
        f"vadd %d, %a, %b, %m : {M}",
        f"vadd %d, %a, %b, %m : ({V}, {V}, {M}) -> {V}",
        f"vadd %d, %a, %b, %m -> {V}",
        f"pto.vadd %d, %a, %b, %m : {V}",
    ],
)
def test_spellings_of_one_operation(line: str):
    named = f"%d = {line}" if line.startswith("pto.vadd %a") else line
    assert lines(named) == [SUM]


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("vlds %d, %p[%j] : !pto.ptr<f32, ub>", f"%d = pto.vlds %p[%j] : {UB} -> {V}"),
        (f"vlds %d, %p[%j] : {V}", f"%d = pto.vlds %p[%j] : {UB} -> {V}"),
        (
            'vlds %d, %p[%j] #dist="BRC_B32"',
            f'%d = pto.vlds %p[%j] {{dist = "BRC_B32"}} : {UB} -> {V}',
        ),
        (
            f"vlds %d, %p[%j] : {UB} #dist=BRC_B32",
            f'%d = pto.vlds %p[%j] {{dist = "BRC_B32"}} : {UB} -> {V}',
        ),
        ("castptr %d, %n : !pto.ptr<i8, ub>", "%d = pto.castptr %n : i64 -> !pto.ptr<i8, ub>"),
        ("castptr %d, %n : i64, " + UB, f"%d = pto.castptr %n : i64 -> {UB}"),
        # A scalar without sign serves a vector that has one.
        ("vbr %d, %i : !pto.vreg<64xui32>", "%d = pto.vbr %i : i32 -> !pto.vreg<64xui32>"),
        ("vbr %d, %i : i32", "%d = pto.vbr %i : i32 -> !pto.vreg<64xi32>"),
        ("plt_b32 %d:2, %i", f"%d:2 = pto.plt_b32 %i : i32 -> {M}, i32"),
        (
            f"pto.plt_b32 ins(%i : i32) outs(%d:2 : {M}, i32)",
            f"%d:2 = pto.plt_b32 %i : i32 -> {M}, i32",
        ),
        ("get_block_idx %d", "%d = pto.get_block_idx"),
        ("pto.get_block_idx outs(%d : i64)", "%d = pto.get_block_idx"),
        ("pto.get_block_idx ins() outs(%d : i64)", "%d = pto.get_block_idx"),
        (
            'pto.pset_b32 ins("PAT_ALL") outs(%d : !pto.mask<b32>)',
            f'%d = pto.pset_b32 "PAT_ALL" : {M}',
        ),
        (
            'pto.vlds ins(%p[%j] : !pto.ptr<f32, ub>) outs(%d : !pto.vreg<64xf32>) {dist = "NORM"}',
            f'%d = pto.vlds %p[%j] {{dist = "NORM"}} : {UB} -> {V}',
        ),
        ('pto.get_buf ins("PIPE_V", 0, 0)', 'pto.get_buf "PIPE_V", 0, 0'),
        ('get_buf "PIPE_V", %n, %n', 'pto.get_buf "PIPE_V", %n, %n : i64, i64'),
        ("pto.barrier ins(#pto.pipe)", "pto.barrier #pto.pipe<PIPE_ALL>"),
        (
            "vsts %a, %p[%j], %m #dist=1PT_B32",
            f'pto.vsts %a, %p[%j], %m {{dist = "1PT_B32"}} : {V}, {UB}, {M}',
        ),
        (f"pto.vsts %a, %p[%j], %m : {V}", f"pto.vsts %a, %p[%j], %m : {V}, {UB}, {M}"),
    ],
)
def test_other_instructions(line: str, meaning: str):
    assert lines(line) == [meaning]


def test_a_missing_mask_is_all_lanes():
    body = f"vadd %d, %a, %b : {V}\nscf.for %k = %j to %j step %j {{\nvexp %e, %d\nvexp %f, %h\n}}"
    # One mask serves all lines that see it; other lanes need another.
    assert [line.partition(" :")[0] for line in lines(body)[:2]] == [
        '%all_b32 = pto.pset_b32 "PAT_ALL"',
        "%d = pto.vadd %a, %b, %all_b32",
    ]
    found = ops(function(body, P))
    assert [op.name for op in found if op.name.startswith("pto.p")] == [
        "pto.pset_b32",
        "pto.pset_b16",
    ]
    names = program(function(body, P)).functions[0].names
    assert [names[op.operands[-1]] for op in found if op.name == "pto.vexp"] == [
        "all_b32",
        "all_b16",
    ]


def test_an_implied_mask_stands_where_its_line_does():
    implied = next(
        op for op in ops(function("\n  vadd %d, %a, %b", P)) if op.name == "pto.pset_b32"
    )
    assert (implied.span.line, implied.span.column) == (3, 3)
    assert implied.attrs == {"pattern": "PAT_ALL"}


def test_a_new_name_does_not_clash():
    body = "%all_b32 = arith.constant 0 : i32\nvadd %d, %a, %b\nvadd %all_b32_0, %a, %d"
    assert '%all_b32_1 = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>' in lines(body)


def test_a_mask_of_another_body_is_not_used():
    body = f"pto.strict_vecscope(%a) {{\n^bb0(%x: {V}):\nvexp %y, %x\n}} : ({V}) -> ()\nvexp %z, %a"
    found = [op.name for op in ops(function(body, P))]
    assert found.count("pto.pset_b32") == 2
    all_levels(function(body, P))


def test_results_without_names_get_some():
    body = f"pto.vadd %a, %b, %m : {V}, {V}, {M} -> {V}\n%_0 = arith.constant 0 : i32"
    module = ir.parse(function(body, P))
    assert f"  vadd %_1, %a, %b, %m : {V}\n" in ir.print_module(module, level="asm")
    assert f" outs(%_1 : {V})\n" in ir.print_module(module, level="dps")
    assert f"\n  pto.vadd %a, %b, %m : {V}" in ir.print_module(module)


def test_placeholders_in_assembly():
    body = f'pset_b32 %q, "PAT_ALL" : !pto.mask<G>\nvadd %d, %a, %b, %q\nvlds %v, %u[%j] : {UB}'
    found = program(function(body, P + ", %u: !pto.ptr")).functions[0]
    types = {name: str(type) for name, type in zip(found.names, found.types, strict=True)}
    assert (types["q"], types["u"], types["d"], types["v"]) == (M, UB, V, V)
    other = program(function(f"addptr %w, %u, %j\nvlds %v, %w[%j] : {UB}", P + ", %u: !pto.ptr"))
    assert all(str(t) != "!pto.ptr" for t in other.functions[0].types)


def test_an_unknown_level():
    with pytest.raises(ValueError, match="ssa, dps, asm"):
        ir.print_module(ir.parse(ADD), level="cpp")  # type: ignore[arg-type]


def test_an_instruction_without_types_may_come_before_any_line():
    body = "\n".join(
        [
            'pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]',
            "pto.strict_vecscope() {\n}",
            "%x = pto.get_block_idx",
            "get_block_num %y",
            "%z = arith.addi %x, %y : i64",
            "pto.get_block_idx",
            "pto.get_block_num outs(%w : i64)",
            "get_block_num %u",
            '"pto.barrier"() <{pipe = "PIPE_V"}> : () -> ()',
        ]
    )
    assert len(lines(body)) == 10
