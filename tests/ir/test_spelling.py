"""The spellings of compilers: each is read, and printed in the canonical form."""

from __future__ import annotations

import pytest

from ptoscope.isa.types import Ptr
from tests.ir.kernels import error, errors, function, program, round_trip

ENDS = "%n: i64, %j: index"


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("pto.barrier <PIPE_ALL>", "pto.barrier #pto.pipe<PIPE_ALL>"),
        ('pto.barrier "PIPE_V"', "pto.barrier #pto.pipe<PIPE_V>"),
        ("pto.pipe_barrier <PIPE_V>", 'pto.pipe_barrier "PIPE_V"'),
        ("pto.pipe_barrier #pto.pipe<PIPE_V>", 'pto.pipe_barrier "PIPE_V"'),
        (
            "pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID3>]",
            'pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID3"]',
        ),
        (
            "pto.wait_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID3>]",
            'pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID3"]',
        ),
        ("pto.set_flag[<PIPE_V>, <PIPE_S>, %n]", 'pto.set_flag["PIPE_V", "PIPE_S", %n]'),
        ('pto.get_buf "PIPE_V", 3', 'pto.get_buf "PIPE_V", 3'),
        ("pto.get_buf [#pto.pipe<PIPE_V>, 3]", 'pto.get_buf "PIPE_V", 3'),
        ("pto.rls_buf[<PIPE_V>, 3, 1]", 'pto.rls_buf "PIPE_V", 3, 1'),
        ("pto.get_buf <PIPE_V>, %n, %n : i64, i64", 'pto.get_buf "PIPE_V", %n, %n : i64, i64'),
        (
            "pto.set_flag_dyn[<PIPE_V>, <PIPE_MTE3>, %j]",
            "pto.set_flag_dyn[#pto.pipe<PIPE_V>, #pto.pipe<PIPE_MTE3>, %j]",
        ),
        (
            'pto.wait_flag_dyn ["PIPE_V", "PIPE_MTE3", %j]',
            "pto.wait_flag_dyn[#pto.pipe<PIPE_V>, #pto.pipe<PIPE_MTE3>, %j]",
        ),
        ("pto.sync.set <PIPE_MTE3>, 17", "pto.sync.set #pto.pipe<PIPE_MTE3>, 17"),
        (
            "pto.sync.set <PIPE_MTE3>, 3 {ffts_mode = 1 : i32}",
            "pto.sync.set #pto.pipe<PIPE_MTE3>, 3 {ffts_mode = 1}",
        ),
        (
            "pto.sync.set <PIPE_MTE3>, %j {ffts_mode = 0 : i32}",
            "pto.sync.set #pto.pipe<PIPE_MTE3>, %j {ffts_mode = 0}",
        ),
        ("pto.sync.wait #pto.pipe<PIPE_V>, %j", "pto.sync.wait #pto.pipe<PIPE_V>, %j"),
        ("pto.vecscope {\npto.mem_bar <VST_VLD>\n}", '  pto.mem_bar "VST_VLD"'),
        ("pto.vecscope {\npto.mem_bar #pto.membar<VV_ALL>\n}", '  pto.mem_bar "VV_ALL"'),
        ("barrier <PIPE_V>", "pto.barrier #pto.pipe<PIPE_V>"),
        ("pto.get_buf ins([<PIPE_V>, 3])", 'pto.get_buf "PIPE_V", 3'),
        ("pto.get_buf[#pto.pipe_event_type<TLOAD>, 0]", 'pto.get_buf "PIPE_MTE2", 0'),
        ("pto.rls_buf[#pto.sync_op_type<TSTORE_VEC>, 0, 1]", 'pto.rls_buf "PIPE_MTE3", 0, 1'),
        ('pto.rls_buf "TVEC", 0, 0', 'pto.rls_buf "PIPE_V", 0, 0'),
    ],
)
def test_tokens_of_synchronisation(written: str, canonical: str):
    assert f"  {canonical}" in round_trip(function(written, ENDS)).splitlines()


@pytest.mark.parametrize(
    ("written", "code", "found", "expected"),
    [
        ("pto.barrier <PIPE_ALL", "PTO0001", "return", "'>'"),
        ("pto.barrier #pto.event<PIPE_V>", "PTO0001", "#pto.event<PIPE_V>", "#pto.pipe<...>"),
        ("pto.set_flag[<PIPE_V>, <PIPE_S>, #pto.pipe<EVENT_ID0>]", "PTO0001", "#pto.pipe", "#pto."),
        ("pto.barrier #pto.pipe_event_type<TVEC>", "PTO0001", "#pto.pipe_", "#pto.pipe<...>"),
        ("pto.get_buf [<PIPE_V>, 3", "PTO0001", "return", "',' or ']'"),
        ("pto.get_buf [<PIPE_V>]", "PTO0008", "']'", "an integer for 'id'"),
        ("pto.set_flag_dyn[<PIPE_V>, <PIPE_S>, <EVENT_ID0>]", "PTO0008", "a string", "a value"),
        ("pto.sync.set <PIPE_MTE3>", "PTO0008", "nothing", "an integer for 'event'"),
        ("pto.sync.wait <PIPE_V>, 3 {ffts_mode = 1}", "PTO0008", "ffts_mode", "no attributes"),
        ("pto.pipe_barrier [<PIPE_V>]", "PTO0008", "'['", "the end of"),
    ],
)
def test_wrong_tokens(written: str, code: str, found: str, expected: str):
    said = error(function(written, ENDS))
    assert said.code == code
    assert said.found.startswith(found)
    assert said.expected.startswith(expected)


def test_a_mode_that_is_left_out_is_zero():
    op = program(function("pto.get_buf [<PIPE_V>, 3]", ENDS)).functions[0].body.ops[0]
    assert op.attrs == {"pipe": "PIPE_V", "id": 3, "mode": 0}


def test_a_distribution_is_no_set_with_a_name():
    line = "%v = pto.vlds %p[%j] {dist = #pto.pipe<NORM>} : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>"
    said = error(function(line, f"{ENDS}, %p: !pto.ptr<f32, ub>"))
    assert said.code == "PTO0008"
    assert said.found == "#pto.pipe<NORM>"


F, H, M = "!pto.vreg<64xf32>", "!pto.vreg<128xf16>", "!pto.mask<b32>"
NARROWED = f"{F}, {M} -> {H}"


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        (
            '%v, %m {round_mode = "ROUND_Z", sat = "RS_ENABLE", part = "PART_ODD"}',
            '{rnd = "Z", sat = "SAT", part = "ODD"}',
        ),
        (
            '%v, %m {part = "PART_EVEN", rnd = "ROUND_O", sat = "RS_DISABLE"}',
            '{rnd = "O", sat = "NOSAT", part = "EVEN"}',
        ),
        ('%v, %m {round_mode = "F", part = "ODD", sat = "SAT"}', '{rnd = "F", sat = "SAT", '),
    ],
)
def test_tokens_of_conversions(written: str, canonical: str):
    text = round_trip(function(f"%r = pto.vcvt {written} : {NARROWED}", f"%v: {F}, %m: {M}"))
    assert f"  %r = pto.vcvt %v, %m {canonical}" in text


@pytest.mark.parametrize("mode", "RAFCZ")
def test_a_rounding_of_vtrc(mode: str):
    line = f'%r = pto.vtrc %v, %m, "ROUND_{mode}" : {F}, {M} -> {F}'
    text = round_trip(function(line, f"%v: {F}, %m: {M}"))
    assert f'  %r = pto.vtrc %v, %m, "{mode}" : ' in text


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "types", "canonical"),
    [
        (
            "vcvt",
            "%v, %m",
            '{round_mode = "ROUND_Z", sat = "RS_ENABLE", part = "PART_ODD"}',
            f"({F}, {M}) -> {H}",
            'pto.vcvt %v, %m {rnd = "Z", sat = "SAT", part = "ODD"}',
        ),
        (
            "vtrc",
            "%v, %m",
            '<{round_mode = "ROUND_C"}>',
            f"({F}, {M}) -> {F}",
            'pto.vtrc %v, %m, "C" : ',
        ),
        (
            "vcmp",
            "%v, %v, %m",
            '{cmp_mode = "lt"}',
            f"({F}, {F}, {M}) -> {M}",
            'pto.vcmp %v, %v, %m, "lt"\n',
        ),
        (
            "set_flag",
            "",
            "<{dst_pipe = #pto.pipe<PIPE_V>, event_id = #pto.event<EVENT_ID3>, "
            "src_pipe = #pto.pipe<PIPE_MTE2>}>",
            "() -> ()",
            'pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID3"]\n',
        ),
        (
            "wait_flag_dyn",
            "%j",
            "{src_pipe = #pto.pipe<PIPE_MTE2>, dst_pipe = #pto<pipe PIPE_V>}",
            "(index) -> ()",
            "pto.wait_flag_dyn[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, %j]\n",
        ),
        (
            "get_buf",
            "",
            "{op_type = #pto.pipe_event_type<TVEC>, buf_id = 3 : i32, mode = 1 : i32}",
            "() -> ()",
            'pto.get_buf "PIPE_V", 3, 1\n',
        ),
        (
            "sync.set",
            "",
            "{pipe = #pto.pipe<PIPE_MTE3>, event_id = 17 : i32}",
            "() -> ()",
            "pto.sync.set #pto.pipe<PIPE_MTE3>, 17\n",
        ),
        ("barrier", "", "{pipe = #pto.pipe<PIPE_V>}", "() -> ()", "pto.barrier #pto.pipe<PIPE_V>"),
        ("mem_bar", "", "{kind = #pto.membar<VV_ALL>}", "() -> ()", 'pto.mem_bar "VV_ALL"\n'),
    ],
)
def test_generic_forms_of_compilers(
    name: str, operands: str, attributes: str, types: str, canonical: str
):
    results = "" if types.endswith("()") else "%r = "
    line = f'{results}"pto.{name}"({operands}) {attributes} : {types}'
    text = round_trip(function(line, f"{ENDS}, %v: {F}, %m: {M}"))
    assert f"  {results}{canonical}" in text


@pytest.mark.parametrize(
    "line",
    [
        f'%r = pto.vcvt %v, %m {{rnd = "Z", round_mode = "Z"}} : {NARROWED}',
        f'%r = pto.vcvt %v, %m {{rnd = "Z", round_mode = "Z", more}} : {NARROWED}',
        f'%r = "pto.vcvt"(%v, %m) <{{rnd = "Z", round_mode = "Z"}}> : ({F}, {M}) -> {H}',
    ],
)
def test_one_attribute_by_two_names(line: str):
    said = error(function(line, f"%v: {F}, %m: {M}"))
    assert (said.code, said.found) == ("PTO0001", "round_mode")
    assert said.message == "attribute 'rnd' is written twice"


MEMORIES = """\
func.func @k(%x: !pto.ptr<f32>, %y: memref<?x16xf32, #pto.address_space<gm>>, %q: !pto.ptr<ui32>)
    attributes {pto.aicore} {
  %zero = arith.constant 0 : i64
  %c0 = arith.constant 0 : index
  %n = arith.constant 256 : i64
  %a = pto.castptr %zero : i64 -> !pto.ptr<f32>
  %b = pto.castptr %n : i64
      -> memref<4x16xf32, strided<[16, 1], offset: 0>, #pto.address_space<vec>>
  %c = pto.addptr %a, %c0 : !pto.ptr<f32> -> !pto.ptr<f32>
  %d = pto.addptr %q, %c0 : !pto.ptr<ui32> -> !pto.ptr<ui32>
  %s = pto.load_scalar %d[%c0] : !pto.ptr<ui32> -> ui32
  pto.mte_gm_ub %x, %a, %zero, %n nburst(%n, %n, %n)
      : !pto.ptr<f32>, !pto.ptr<f32, vec>, i64, i64, i64, i64, i64
  pto.vecscope {
    %m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
    %v = pto.vlds %c[%c0] : !pto.ptr<f32> -> !pto.vreg<64xf32>
    pto.vsts %v, %b[%c0], %m
        : !pto.vreg<64xf32>, memref<64xf32, #pto.address_space<vec>>, !pto.mask<b32>
  }
  return
}
"""


def test_memories_that_a_type_leaves_out():
    """The uses decide, through other pointers too; what a caller passes is in GM otherwise."""
    found = program(MEMORIES).functions[0]
    memories = {
        name: (type.dtype.name, type.space)
        for name, type in zip(found.names, found.types, strict=True)
        if isinstance(type, Ptr)
    }
    assert memories == {
        "x": ("f32", "gm"),
        "y": ("f32", "gm"),
        "q": ("ui32", "gm"),
        "a": ("f32", "ub"),
        "b": ("f32", "ub"),
        "c": ("f32", "ub"),
        "d": ("ui32", "gm"),
    }
    canonical = round_trip(MEMORIES)
    assert "memref" not in canonical
    assert "vec>" not in canonical
    assert "!pto.ptr<f32>" not in canonical


def test_a_memory_that_stays_open():
    line = "%p = pto.castptr %n : i64 -> !pto.ptr<i16>\n%s = pto.load_scalar %p[%j] : !pto.ptr<i16>"
    said = error(function(f"{line} -> i16", ENDS))
    assert (said.code, said.line, said.column) == ("PTO0006", 2, 1)
    assert said.message == "no use of %p decides what memory it points to"
    assert (said.found, said.expected) == ("!pto.ptr<i16>", "!pto.ptr<i16, gm|ub>")


def test_uses_that_disagree_about_a_memory():
    body = """\
%v = pto.vlds %p[%j] : !pto.ptr<f32> -> !pto.vreg<64xf32>
pto.mte_ub_gm %u, %p, %n nburst(%n, %n, %n)
  : !pto.ptr<f32, ub>, !pto.ptr<f32>, i64, i64, i64, i64"""
    said = error(function(body, f"{ENDS}, %p: !pto.ptr<f32>, %u: !pto.ptr<f32, ub>"))
    assert said.code == "PTO0006"
    assert said.message == (
        "the uses of %p disagree: !pto.ptr<f32, ub> in line 2, !pto.ptr<f32, gm> in line 3"
    )


def test_an_element_that_is_written_stays():
    """The memory of %p follows from its use, not the element."""
    line = "%v = pto.vlds %p[%j] : !pto.ptr<f32> -> !pto.vreg<64xi32>"
    found = program(function(line, f"{ENDS}, %p: !pto.ptr<f32>")).functions[0]
    assert str(found.types[found.names.index("p")]) == "!pto.ptr<f32, ub>"


@pytest.mark.parametrize(
    ("type", "found", "hint"),
    [
        ("!pto.ptr<f32, l0a_scale>", "l0a_scale", ""),
        ("!pto.ptr<f32, vek>", "vek", "vec"),
        ("memref<16xf32, strided<[1], offset: 4>, #pto.address_space<ub>>", "memref", "offset"),
        ("memref<16xf32, strided<[1], offset: ?>, #pto.address_space<ub>>", "memref", "offset"),
        ("memref<16xf32, affine_map<(d0) -> (d0)>>", "->", ""),
        ("memref<16, f32>", "memref<16,f32>", ""),
    ],
)
def test_types_that_are_not_there(type: str, found: str, hint: str):
    said = error(function("", f"%p: {type}"))
    assert said.code in ("PTO0001", "PTO0005")
    assert said.found.startswith(found)
    assert hint in said.hint


LOCATIONS = """\
#loc = loc("k.py":3:1)
#loc3 = loc("%x"(#loc))
module attributes {pto.target_arch = "a5"} {
  func.func @k(%a: i32 loc("k.py":1:2), %n: i32 loc(unknown)) attributes {pto.kernel} {
    %w = scf.while (%k = %n) : (i32) -> i32 {
      %go = arith.cmpi slt, %k, %a : i32 loc(callsite("f" at #loc))
      scf.condition(%go) %k : i32 loc(#loc)
    } do {
    ^bb0(%k: i32 loc(fused<"of">["a", #loc1])):
      scf.yield %k : i32 loc(#loc)
    } loc(#loc2)
    return loc(#loc2)
  } loc(#loc)
} loc(#loc)
#loc1 = loc(unknown)
#loc2 = loc("k.py":1:2 to :5)
"""


def test_locations_everywhere():
    assert "loc" not in round_trip(LOCATIONS)


def test_names_of_locations_behind_a_module_that_has_none():
    text = LOCATIONS.replace("} loc(#loc)\n#loc1", "}\n#loc1")
    assert text != LOCATIONS
    assert round_trip(text) == round_trip(LOCATIONS)


@pytest.mark.parametrize(
    ("alias", "found", "expected"),
    [("#loc = 3", "3", "a location"), ('#loc = loc("a"', "end of file", "')'")],
)
def test_wrong_aliases(alias: str, found: str, expected: str):
    said = errors(f"{alias}\n")[0]
    assert (said.code, said.found, said.expected) == ("PTO0001", found, expected)


@pytest.mark.parametrize(
    ("types", "meant"),
    [
        (
            "!pto.ptr<f32, ub> to !pto.ptr<i8, ub>",
            "pto.castptr %v : !pto.ptr<f32, ub> -> !pto.ptr<i8, ub>",
        ),
        (
            "!pto.ptr<f32, ub> to memref<64xf32, #pto.address_space<vec>>",
            "pto.castptr %v : !pto.ptr<f32, ub> -> !pto.ptr<f32, ub>",
        ),
        ("i32 to ui32", "arith.bitcast %v : i32 to ui32"),
    ],
)
def test_casts_between_views(types: str, meant: str):
    line = f"%r = builtin.unrealized_conversion_cast %v : {types}"
    text = round_trip(function(line, f"%v: {types.partition(' to ')[0]}"))
    assert f"  %r = {meant}" in text.splitlines()


@pytest.mark.parametrize(
    "types", ["!pto.ptr<f32, ub> to i64", "!pto.mask<b32> to !pto.mask<b16>", "index to !pto.align"]
)
def test_casts_that_are_no_views(types: str):
    line = f"%r = builtin.unrealized_conversion_cast %v : {types}"
    said = error(function(line, f"%v: {types.partition(' to ')[0]}"))
    assert (said.code, said.found) == ("PTO0009", types)
