"""Every error of the reader: its code, its place, what it found and expected."""

from __future__ import annotations

import pytest

from ptoscope import ir
from ptoscope.diagnostics import PtoError
from ptoscope.isa import TABLE
from ptoscope.isa.foreign import why_not
from tests.ir.kernels import ADD, error, errors, function

P = "%i: i32, %f: f32, %p: !pto.ptr<f32, ub>, %j: index, %n: i64, %c: i1"
V = "!pto.vreg<64xf32>"


@pytest.mark.parametrize(
    ("body", "code", "place", "found", "expected"),
    [
        ("%x = arith.addi %i %i : i32", "PTO0001", (2, 20), "%i", "':'"),
        ("%x arith.addi %i, %i : i32", "PTO0001", (2, 4), "arith.addi", "'='"),
        ('pto.pipe_barrier "PIPE_V', "PTO0001", (2, 18), '"', "a closed string"),
        ("%x = arith.constant : i32", "PTO0001", (2, 21), ":", "a number, true or false"),
        ("%x = arith.constant 1 : f32", "PTO0001", (2, 21), "1", "a float such as 1.0 for f32"),
        ("%x = arith.constant 300 : i8", "PTO0001", (2, 21), "300", "-128 to 255"),
        ("%x = arith.addi %i, %i : i32 junk", "PTO0001", (2, 30), "junk", "the end of arith.addi"),
        ("%x = pto.load_scalar %p[%j : i32", "PTO0001", (2, 28), ":", "']'"),
        ("%x = arith.cmpi lt, %i, %i : i32", "PTO0001", (2, 17), "lt", "one of eq, "),
        ("%x = arith.constant 0 : i32\n^bb1:", "PTO0001", (3, 1), "^bb1", ""),
        ("%x = arith.addj %i, %i : i32", "PTO0002", (2, 6), "arith.addj", ""),
        ('"pto.nothing"() : () -> ()', "PTO0002", (2, 1), "pto.nothing", ""),
        ("%x = arith.addi %i, %k : i32", "PTO0003", (2, 21), "%k", ""),
        ("%x = arith.addi %x, %i : i32", "PTO0003", (2, 17), "%x", ""),
        ("%i = arith.constant 0 : i32", "PTO0004", (2, 1), "%i", "a new name"),
        ("%x = arith.constant 0 : i33", "PTO0005", (2, 25), "i33", "!pto.vreg, "),
        ("%x = pto.castptr %n : i64 -> !pto.ptr<f32, l7>", "PTO0005", (2, 30), "l7", "gm, ub, l1"),
        ("%x = pto.castptr %n : i64 -> !pto.ptr<f31, ub>", "PTO0005", (2, 30), "f31", "f32, "),
        ("%x = pto.castptr %n : i64 -> !pto.ptr", "PTO0006", (2, 1), "!pto.ptr", "!pto.ptr<T, "),
        ("%x = pto.castptr %n, %n : i64, i64 -> i64", "PTO0008", (2, 22), "2", "1"),
        ("pto.store_scalar %f, %p, %j : i64", "PTO0008", (2, 22), "two operands", "ptr[offset]"),
        ("%x = arith.addi %i : i32", "PTO0008", (2, 6), "1", "2"),
        ("%x = arith.addi %f, %i : i32", "PTO0009", (2, 26), "i32", "f32"),
        ("%x, %y = arith.addi %i, %i : i32", "PTO0010", (2, 1), "2", "1"),
        ("scf.for %a = %j to %j step %j {\nreturn\n}", "PTO0010", (3, 1), "return", "scf.yield"),
        ("return\n%x = arith.addi %i, %i : i32", "PTO0010", (3, 6), "arith.addi", ""),
    ],
)
def test_code_and_place(body: str, code: str, place: tuple[int, int], found: str, expected: str):
    first = errors(function(body, P))[0]
    assert (first.code, (first.line, first.column), first.found) == (code, place, found)
    assert first.expected.startswith(expected)
    assert first.file == "k.pto"
    assert first.source_line == function(body, P).splitlines()[first.line - 1]


def test_hints_name_the_nearest():
    assert error(function("%x = arith.addj %i, %i : i32", P)).hint == "did you mean 'arith.addi'?"
    text = function("%count = arith.addi %i, %i : i32\n%x = arith.addi %conut, %i : i32", P)
    assert error(text).hint == "did you mean '%count'?"


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("%t = pto.get_tid_x : i32", "SIMT code"),
        ("pto.keep %i {slot = 0 : i64} : i32", "SIMT code"),
        ('"pto.syncthreads"() : () -> ()', "SIMT code"),
        ("pto.copy_matrix_cc_to_gm %p, %p, %n, %n", "the matrix unit"),
        ("pto.copy_gm_to_cbuf_multi_nd2nz %p, %p, %n", "the matrix unit"),
        ("pto.tadd ins(%p, %p) outs(%p)", "works on tiles"),
        ("pto.aiv_initialize_pipe(%p)", "moves tiles"),
        ("pto.eventid_array_set %p[%j], %j", "arrays of scalars"),
        ("pto.comm.tput %p, %p", "between devices"),
        ("pto.record_event [#pto.pipe_event_type<TLOAD>]", "pto.set_flag"),
    ],
)
def test_operations_of_other_units_are_told_apart(written: str, reason: str):
    first = errors(function(written, P))[0]
    assert first.code == "PTO0002"
    assert first.message.endswith("is no operation of a vector kernel")
    assert reason in first.hint


LEVELS = {
    "VMI level": """%m = pto.vmi.create_mask %j : index -> !pto.vmi.mask<128xpred>
    %a = pto.vmi.vload %p[%j] : !pto.ptr<f32, ub> -> !pto.vmi.vreg<128xf32>
    %b = "pto.vmi.vadd"(%a, %a, %m) : (!pto.vmi.vreg<128xf32>) -> !pto.vmi.vreg<128xf32>
    pto.vmi.vstore %b, %p[%j] : !pto.vmi.vreg<128xf32>, !pto.ptr<f32, ub>""",
    "SIMT code": """%t = pto.get_tid_x : i32
    pto.simt_launch @body<<<%j, %j>>>(%p) : (!pto.ptr<f32, ub>) -> ()
    %s = pto.ldg %p[%t] {l1cache = #pto.l1cache<cache>} : !pto.ptr<f32, ub> -> f32
    pto.syncthreads""",
    "tile level": """%v = pto.make_tensor_view %p, shape = [%j], strides = [%j] : !pto.tensor_view
    %t = pto.alloc_tile : !pto.tile_buf<loc=vec, dtype=f16, rows=16, v_row=?, pad=0>
    pto.tmatmul.mx.acc ins(%t, %v : !pto.tile_buf<vec>, !pto.tile_buf<vec>) outs(%t)
    pto.mgather ins(%t : !pto.tile_buf<vec>) outs(%t : !pto.tile_buf<vec>)""",
    "communication between devices": """%g = pto.comm.make_group %p, %j : !pto.comm.group
    %s = pto.build_async_session %p : !pto.async_session
    %e = pto.comm.tput_async(%p, %s : !pto.ptr<f32, ub>, !pto.async_session) -> !pto.async_event
    %w = pto.wait_async_event(%e, %s : !pto.async_event, !pto.async_session) -> i1""",
}
"""Operations of other levels, four of each, that take what the one before gives."""


@pytest.mark.parametrize("level", LEVELS)
def test_an_operation_of_another_level_is_one_error(level: str):
    after = "\n    %last = arith.addi %i, %i : i32"
    found = errors(function(LEVELS[level] + after, P))
    assert [d.code for d in found] == ["PTO0002"] * 4
    assert all(level in d.hint and "not modelled" in d.hint for d in found)


def test_types_of_such_an_operation_are_no_operations():
    text = """%t = pto.subview %p[%j] :
      !pto.tile_buf<loc=vec, rows=16> ->
      !pto.tile_buf<loc=vec, rows=4>
    %last = arith.addi %i, %i : i32"""
    assert [(d.code, d.line) for d in errors(function(text, P))] == [("PTO0002", 2)]


def test_attributes_of_such_an_operation_are_no_body():
    text = """pto.aic_initialize_pipe {
      id = 0, dir_mask = 1,
      slot = {
        size = 512
      }
    }(%p : !pto.ptr<f32, ub>)
    %b = pto.reserve_buffer {
      name = "fifo"
    } -> i32
    %last = arith.addi %b, %i : i32"""
    found = errors(function(text, P))
    assert [(d.code, d.line) for d in found] == [("PTO0002", 2), ("PTO0002", 8)]


@pytest.mark.parametrize(
    ("written", "level"),
    [
        ("!pto.vmi.vreg<128xf32>", "VMI level"),
        ("!pto.tile_buf<loc=vec, dtype=f16, rows=16>", "tile level"),
        ("!pto.partition_tensor_view<16x16xf32>", "tile level"),
        ("!pto.async_event", "communication between devices"),
    ],
)
def test_a_type_of_another_level_says_so(written: str, level: str):
    (found,) = errors(function("", f"%t: {written}"))
    assert (found.code, found.found) == ("PTO0005", written)
    assert level in found.hint


def test_operations_of_other_units_have_no_records():
    """Else nobody would be told."""
    names = ("pto.simt_launch", "pto.mad_raw", "pto.tload", "pto.comm.tget", "pto.alloc_tile")
    assert all(why_not(name) and name not in TABLE for name in names)


def test_wrong_lane_count_says_the_right_one():
    found = error(function("pto.vecscope {\n%v = pto.vlds %p[%j] : !pto.ptr<f32, ub> -> "
                           "!pto.vreg<32xf32>\n}", P))  # fmt: skip
    assert found.code == "PTO0005"
    assert found.found == "!pto.vreg<32xf32>"
    assert found.expected == V


def test_operand_count_names_the_operands():
    text = function(f"pto.vecscope {{\n%v = pto.vlds %p[%j] : !pto.ptr<f32, ub> -> {V}\n"
                    f"%w = pto.vadd %v, %v : {V}, {V} -> {V}\n}}", P)  # fmt: skip
    found = error(text)
    assert found.code == "PTO0008"
    assert found.message == "vadd takes 3 operands (lhs, rhs, mask), found 2"
    assert (found.line, found.column) == (4, 6)


def test_unknown_attribute():
    text = function(f'%v = pto.vlds %p[%j] {{dits = "NORM"}} : !pto.ptr<f32, ub> -> {V}', P)
    found = error(text)
    assert (found.code, found.found, found.expected) == ("PTO0008", "dits", "dist")
    assert found.hint == "did you mean 'dist'?"


def test_second_definition_says_the_first_line():
    text = function("%x = arith.constant 0 : i32\n%x = arith.constant 1 : i32")
    assert error(text).message == "%x is already defined in line 2"


def test_all_errors_in_source_order():
    body = "\n".join(
        [
            "%a = arith.addi %nothing, %i : i32",
            "%b = pto.vad %a",
            "scf.for %k = %j to to step %j {",
            "%c1 = arith.constant 0 : i99",
            "}",
            "%d = arith.addi %f, %f : i32",
        ]
    )
    found = errors(function(body, P))
    places = [(d.code, d.line) for d in found]
    assert places == [
        ("PTO0003", 2),
        ("PTO0002", 3),
        ("PTO0001", 4),
        ("PTO0005", 5),
        ("PTO0009", 7),
    ]


def test_results_of_a_bad_operation_are_poisoned():
    body = "%a, %b = pto.nothing %i\n%c1 = arith.addi %a, %b : i32\n%d = arith.addf %c1, %f : f32"
    found = errors(function(body, P))
    assert [(d.code, d.line) for d in found] == [("PTO0002", 2), ("PTO0009", 4)]


def test_an_undefined_value_is_reported_once():
    body = "%a = arith.addi %z, %i : i32\n%b = arith.addi %z, %z : i32"
    assert error(function(body, P)).line == 2


def test_inner_names_are_not_visible_outside():
    body = "scf.if %c {\n%a = arith.constant 0 : i32\n}\n%b = arith.addi %a, %i : i32"
    found = error(function(body, P))
    assert found.code == "PTO0003"
    assert found.message == "%a is not visible here: line 3 defined it in a body that has ended"
    assert "scf.yield" in found.hint
    assert "UB" not in found.hint


def test_a_vector_does_not_leave_its_scope():
    body = f"pto.vecscope {{\n%v = pto.vbr %f : f32 -> {V}\n}}\n"
    body += f"pto.vecscope {{\n%w = pto.vbr %v : f32 -> {V}\n}}"
    found = error(function(body, P))
    assert (found.code, found.line) == ("PTO0003", 6)
    assert "line 3 defined it" in found.message
    assert "leave a vecscope only by a store to UB" in found.hint


def test_names_of_another_function_are_not_meant():
    other = "func.func @other(%a: i32) {\n%here = arith.addi %a, %a : i32\nreturn\n}\n"
    found = error(other + function("%x = arith.addi %here, %i : i32", P))
    assert found.message == "%here is not defined"


def test_a_strict_scope_sees_its_arguments_only():
    body = f"pto.strict_vecscope() {{\n%v = pto.vlds %p[%j] : !pto.ptr<f32, ub> -> {V}\n}}"
    found = errors(function(body, P))
    assert [d.code for d in found] == ["PTO0003", "PTO0003"]
    assert "strict_vecscope" in found[0].hint


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("", "PTO0010", "the file defines no function"),
        ("module {\n}\n", "PTO0010", "the file defines no function"),
        ("func.func @k() {\n}\n", "PTO0010", "function @k does not end in return"),
        ("func.func private @k()\n", "PTO0010", "a function needs a body"),
        ("%x = arith.constant 0 : i32\n", "PTO0010", "arith.constant stands outside a function"),
        ("module {\nmodule {\n}\n}\n", "PTO0010", "the file defines no function"),
        (
            "func.func @k() {\nmodule {\n}\nreturn\n}\n",
            "PTO0010",
            "a module cannot stand inside a function",
        ),
        ("}\n" + ADD, "PTO0001", "expected an operation"),
        (ADD[:-3], "PTO0001", "expected '}' for the '{' of line 2"),
    ],
)
def test_structure(text: str, code: str, message: str):
    found = errors(text)[0]
    assert (found.code, found.message) == (code, message)


def test_functions_have_different_names():
    text = "func.func @k() {\nreturn\n}\nfunc.func @k() {\nreturn\n}\n"
    found = error(text)
    assert (found.code, found.line) == ("PTO0010", 4)
    assert found.message == "function @k is already defined in line 1"


@pytest.mark.parametrize("character", ["\0", "\ud800"])
def test_what_is_not_text(character: str):
    found = error(f"func.func\n  {character}")
    assert (found.code, found.line, found.column) == ("PTO0007", 2, 3)
    assert found.expected == "UTF-8 text"


@pytest.mark.parametrize(
    "text",
    [
        function("\n".join(["scf.if %c {"] * 5000), P),
        function("%x = arith.constant " + "9" * 6000 + " : i32"),
        "module attributes {a = " + "[" * 3000 + "} {\n}",
        'module attributes {a = "' + "x" * 60 + "\n} {\n}",
        "(" * 10000,
        "{" * 10000,
        "%x:999999999 = arith.constant 0 : i32",
        "func.func @k(%x: !pto.vreg<" + "9" * 6000 + "xf32>) {\nreturn\n}",
    ],
)
def test_extreme_texts_end_in_errors(text: str):
    with pytest.raises(PtoError) as caught:
        ir.parse(text)
    assert all(d.code.startswith("PTO00") for d in caught.value.diagnostics)
