"""Where a line is shown, when it is not simply one instruction: several, loops, vecscopes that are
strict or left out."""

from __future__ import annotations

import pytest

import ptoscope
from ptoscope import UsageError
from ptoscope.engines import ENGINES

ENGINE = pytest.mark.parametrize("engine", ENGINES)


def printed(text: str, engine: str, *requests: str) -> list[str]:
    """What a kernel without parameters prints."""
    body = f"module {{ func.func @k() attributes {{pto.aicore}} {{\n{text}\nreturn\n}} }}\n"
    kernel = ptoscope.load(body, target="a5")
    kernel(engine=engine, print=requests)
    return [f"{', '.join(one.iterations)}: {one.text}" for one in kernel.printed]


@ENGINE
def test_several_instructions_on_a_line_are_shown_once_behind_the_last(engine: str) -> None:
    text = "%a = arith.constant 1 : i32 %b = arith.addi %a, %a : i32 %c = arith.constant 3 : i32"
    assert printed(text, engine, "2:%b", "2:%c") == [": %b = 2", ": %c = 3"]


LOOP = """%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%n = scf.for %i = %c0 to %c2 step %c1 iter_args(%s = %c1) -> (index) { %t = arith.addi %s, %i : index scf.yield %t : index }
%u = arith.addi %n, %n : index"""  # noqa: E501


@ENGINE
def test_a_loop_on_one_line(engine: str) -> None:
    assert printed(LOOP, engine, "5:%t") == ["%i = 0: %t = 1", "%i = 1: %t = 2"]
    assert printed(LOOP, engine, "5:%s@%i=1") == ["%i = 1: %s = 1"]
    assert printed(LOOP, engine, "5:%n", "6:%u") == [": %n = 2", ": %u = 4"]


WHILE = """%c0 = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%c3 = arith.constant 3 : i32
%last = scf.while (%a = %c0) : (i32) -> (i32) {
  %on = arith.cmpi slt, %a, %c3 : i32
  scf.condition(%on) %a : i32
} do {
^bb0(%b: i32):
  %next = arith.addi %b, %c1 : i32
  scf.yield %next : i32
}"""


@ENGINE
def test_while(engine: str) -> None:
    turns = [f"iteration {n} of scf.while" for n in range(4)]
    assert printed(WHILE, engine, "5:%a") == [f"{turns[n]}: %a = {n}" for n in range(4)]
    assert printed(WHILE, engine, "5:%b@scf.while=2") == [f"{turns[2]}: %b = 2"]
    assert printed(WHILE, engine, "10:%next@0", "5:%last") == [
        f"{turns[0]}: %next = 1",
        ": %last = 3",
    ]
    with pytest.raises(UsageError, match="%on cannot be seen on line 10; it is made on line 6"):
        printed(WHILE, engine, "10:%on")


@ENGINE
def test_a_branch_shows_the_side_that_is_taken(engine: str) -> None:
    text = """%c0 = arith.constant false
%r = scf.if %c0 -> (i32) {
  %a = arith.constant 1 : i32
  scf.yield %a : i32
} else {
  %b = arith.constant 2 : i32
  scf.yield %b : i32
}"""
    assert printed(text, engine, "4:%a", "7:%b", "3:%r") == [": %b = 2", ": %r = 2"]


VECTORS = """%c7 = arith.constant 7 : i32
%v = pto.vbr %c7 : i32 -> !pto.vreg<64xi32>
%m = pto.pset_b32 "PAT_VL2" : !pto.mask<b32>"""


@ENGINE
def test_a_vecscope_that_the_text_leaves_out(engine: str) -> None:
    assert printed(VECTORS, engine, "3:%v", "4:%m") == [": %v = 7 x64", ": %m = 0..1 of 64"]


@ENGINE
def test_a_strict_vecscope_sees_its_arguments(engine: str) -> None:
    text = f"""%c1 = arith.constant 1 : i32
pto.strict_vecscope(%c1) {{
^bb0(%x: i32):
{VECTORS}
}} : (i32) -> ()"""
    assert printed(text, engine, "6:%x", "3:%c1") == [": %x = 1", ": %c1 = 1"]
    with pytest.raises(UsageError, match="%c1 cannot be seen on line 6; it is made on line 2"):
        printed(text, engine, "6:%c1")
