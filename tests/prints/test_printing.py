"""What is printed where, on both engines: values, memory, flags, in which iterations; and requests
that cannot be met."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import ptoscope
from ptoscope import UsageError
from ptoscope.engines import ENGINES
from ptoscope.machine import prints
from ptoscope.native import cache

TEXT = """module {
  func.func @k(%x: !pto.ptr<f32, gm>, %y: !pto.ptr<f32, gm>, %n: index) attributes {pto.aicore} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %size = arith.constant 256 : i64
    %half = arith.constant 20 : i32
    %ub = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
    scf.for %i = %c0 to %n step %c1 {
      %at = arith.muli %i, %c64 : index
      %from = pto.addptr %x, %at : !pto.ptr<f32, gm> -> !pto.ptr<f32, gm>
      %to = pto.addptr %y, %at : !pto.ptr<f32, gm> -> !pto.ptr<f32, gm>
      pto.mte_gm_ub %from, %ub, %zero, %size nburst(%one, %size, %size)
        : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
      pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
      pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
      pto.vecscope {
        %m, %left = pto.plt_b32 %half : i32 -> !pto.mask<b32>, i32
        %last = scf.for %j = %c0 to %c1 step %c1 iter_args(%sum = %half) -> (i32) {
          %v = pto.vlds %ub[%c0] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
          %w = pto.vadd %v, %v, %m : !pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
          pto.vsts %w, %ub[%c0], %m : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
          scf.yield %sum : i32
        }
      }
      pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
      pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
      pto.mte_ub_gm %ub, %to, %size nburst(%one, %size, %size)
        : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64
      pto.barrier #pto.pipe<PIPE_ALL>
    }
    return
  }
}
"""  # noqa: E501
X = np.arange(128, dtype=np.float32)
ENGINE = pytest.mark.parametrize("engine", ENGINES)


def line(text: str) -> int:
    """The line with a text."""
    return next(n for n, row in enumerate(TEXT.split("\n"), 1) if text in row)


def printed(engine: str, *requests: str, text: str = TEXT, n: int = 2) -> list[str]:
    kernel = ptoscope.load(text, target="a5", force=True)
    y = np.zeros_like(X)
    kernel(X, y, n, engine=engine, print=requests)
    assert {one.asked for one in kernel.printed} <= set(requests)
    return [f"{', '.join(one.iterations)}: {one.text}" for one in kernel.printed]


@ENGINE
def test_values(engine: str) -> None:
    lanes = " ".join(f"{2.0 * i}" for i in range(20))
    assert printed(engine, f"{line('%w =')}:%w", n=1) == [f"%i = 0, %j = 0: %w = {lanes} 0.0 x44"]
    assert printed(engine, f"{line('%w =')}:%m", n=1) == ["%i = 0, %j = 0: %m = 0..19 of 64"]
    assert printed(engine, f"{line('%at =')}:%at") == ["%i = 0: %at = 0", "%i = 1: %at = 64"]
    assert printed(engine, f"{line('%at =')}:%n", n=1) == ["%i = 0: %n = 1"]
    assert printed(engine, f"{line('%to =')}:%to") == [
        "%i = 0: %to = %y:0x0",
        "%i = 1: %to = %y:0x100",
    ]
    assert printed(engine, f"{line('%ub =')}:%ub") == [": %ub = ub:0x0"]


@ENGINE
def test_loops_show_what_an_iteration_begins_with_and_then_their_results(engine: str) -> None:
    loop = line("scf.for %j")
    requests = (f"{loop}:%j", f"{loop}:%sum", f"{loop}:%last", f"{line('scf.for %i')}:%i")
    assert printed(engine, *requests, n=1) == [
        "%i = 0: %i = 0",
        "%i = 0, %j = 0: %j = 0",
        "%i = 0, %j = 0: %sum = 20",
        "%i = 0: %last = 20",
    ]


@ENGINE
def test_memory_is_as_the_pipe_has_left_it(engine: str) -> None:
    requests = (
        f"{line('mte_gm_ub')}:ub:0x4..0xc:f32",
        f"{line('pto.vecscope')}:ub:0x4..0xc:f32",
        f"{line('mte_ub_gm')}:%y:260..268:f32",
        f"{line('mte_ub_gm')}:%x:0..2",
    )
    assert printed(engine, *requests) == [
        "%i = 0: ub:0x4..0xc:f32 = 1.0 2.0",
        "%i = 0: ub:0x4..0xc:f32 = 2.0 4.0",
        "%i = 0: %y:260..268:f32 = 0.0 0.0",
        "%i = 0: %x:0..2 = 0 0",
        "%i = 1: ub:0x4..0xc:f32 = 65.0 66.0",
        "%i = 1: ub:0x4..0xc:f32 = 130.0 132.0",
        "%i = 1: %y:260..268:f32 = 130.0 132.0",
        "%i = 1: %x:0..2 = 0 0",
    ]


WAITING = TEXT.replace(
    "      pto.mte_gm_ub",
    '      pto.wait_flag["PIPE_S", "PIPE_MTE2", "EVENT_ID1"]\n      pto.mte_gm_ub',
    1,
).replace(
    '      pto.set_flag["PIPE_V"',
    '      pto.set_flag["PIPE_S", "PIPE_MTE2", "EVENT_ID1"]\n      pto.set_flag["PIPE_V"',
    1,
)


@ENGINE
def test_a_copy_that_has_to_wait_is_shown_when_it_has_been_executed(engine: str) -> None:
    """The copy waits for a flag that is set behind the vecscope, so that all are queued."""
    begin = line("mte_gm_ub") + 1
    scope = line("pto.vecscope") + 1
    requests = (
        f"{begin}:ub:0x4..0xc:f32",
        f"{begin}:%at",
        f"{scope}:ub:0x4..0xc:f32",
        f"{begin - 1}:flags",
    )
    assert printed(engine, *requests, text=WAITING, n=2) == [
        "%i = 0: flags = set: none; held: none",
        "%i = 0: ub:0x4..0xc:f32 = 1.0 2.0",
        "%i = 0: %at = 0",
        "%i = 0: ub:0x4..0xc:f32 = 2.0 4.0",
        "%i = 1: flags = set: none; held: none",
        "%i = 1: ub:0x4..0xc:f32 = 65.0 66.0",
        "%i = 1: %at = 64",
        "%i = 1: ub:0x4..0xc:f32 = 130.0 132.0",
    ]


@pytest.mark.parametrize("schedule", ["lazy", "eager", "seed:1", "seed:2"])
def test_in_another_order_of_the_pipes(schedule: str) -> None:
    kernel = ptoscope.load(TEXT, target="a5")
    found: list[bytes] = []
    for requests in ((), (f"{line('mte_gm_ub')}:ub:4..8:f32", f"{line('mte_ub_gm')}:%y:4..8:f32")):
        y = np.zeros_like(X)
        kernel(X, y, 2, schedule=schedule, print=requests)
        found.append(y.tobytes())
    assert found[0] == found[1]
    said = [one.text.split(" = ")[1] for one in kernel.printed]
    assert said == ["1.0", "2.0", "65.0", "2.0"]


@ENGINE
def test_flags_and_buffers(engine: str) -> None:
    event = "PIPE_MTE2->PIPE_V event 0"
    begin = line('set_flag["PIPE_MTE2"')
    assert printed(engine, f"{begin}:flags", f"{begin + 1}:flags", n=1) == [
        f"%i = 0: flags = set: {event}; held: none",
        "%i = 0: flags = set: none; held: none",
    ]
    text = TEXT.replace(
        "      pto.barrier",
        '      pto.get_buf "PIPE_MTE2", 3, 0\n'
        '      pto.rls_buf "PIPE_MTE2", 3, 0\n'
        "      pto.barrier",
    )
    at = line("pto.barrier")
    assert printed(engine, f"{at}:flags", f"{at + 1}:flags", text=text, n=1) == [
        "%i = 0: flags = set: none; held: PIPE_MTE2 buffer 3",
        "%i = 0: flags = set: none; held: none",
    ]


STREAM = """module {
  func.func @k(%x: !pto.ptr<f32, gm>, %y: !pto.ptr<f32, gm>, %n: index) attributes {pto.aicore} {
    %zero = arith.constant 0 : i64
    %five = arith.constant 5 : i32
    %ub = pto.castptr %zero : i64 -> !pto.ptr<ui8, ub>
    pto.vecscope {
      %all = pto.pset_b8 "PAT_ALL" : !pto.mask<b8>
      %seven = arith.constant 7 : i8
      %v = pto.vbr %seven : i8 -> !pto.vreg<256xui8>
      %a0 = pto.init_align : !pto.align
      %a1, %ub1 = pto.vstus %a0, %five, %v, %ub, "POST_UPDATE" : !pto.align, i32, !pto.vreg<256xui8>, !pto.ptr<ui8, ub> -> !pto.align, !pto.ptr<ui8, ub>
      pto.vstar %a1, %ub : !pto.align, !pto.ptr<ui8, ub>
    }
    return
  }
}
"""  # noqa: E501


@ENGINE
def test_align_state(engine: str) -> None:
    """256 bytes from byte 5 on: the last 5 begin a block that is not full."""
    requests = ("10:%a0", "11:%a1", "11:ub:254..257")
    assert printed(engine, *requests, text=STREAM) == [
        ": %a0 = a stream that has not begun",
        ": %a1 = 5 bytes at 0x100: 07 07070707",
        ": ub:254..257 = 7 7 0",
    ]


HELPERS = """module {
  func.func private @twice(%v: i32) -> i32 {
    %sum = arith.addi %v, %v : i32
    return %sum : i32
  }
  func.func private @more(%a: i32) -> i32 {
    %b = func.call @twice(%a) : (i32) -> i32
    %v = arith.addi %b, %a : i32
    return %v : i32
  }
  func.func @k(%x: !pto.ptr<f32, gm>, %y: !pto.ptr<f32, gm>, %n: index) attributes {pto.aicore} {
    %one = arith.constant 1 : i32
    %v = arith.constant 100 : i32
    %three = func.call @more(%one) : (i32) -> i32
    %six = func.call @twice(%three) : (i32) -> i32
    %all = arith.addi %six, %v : i32
    return
  }
}
"""


@ENGINE
def test_names_are_those_of_the_function_that_has_the_line(engine: str) -> None:
    kernel = ptoscope.load(HELPERS, target="a5")
    requests = ["3:%v", "3:%sum", "8:%b", "8:%v", "8:%a", "16:%three", "16:%six", "16:%v"]
    kernel(X, np.zeros_like(X), 0, engine=engine, print=requests)
    assert [(one.line, one.calls, one.text) for one in kernel.printed] == [
        (3, (14, 7), "%v = 1"),
        (3, (14, 7), "%sum = 2"),
        (8, (14,), "%b = 2"),
        (8, (14,), "%v = 3"),
        (8, (14,), "%a = 1"),
        (3, (15,), "%v = 3"),
        (3, (15,), "%sum = 6"),
        (16, (), "%three = 3"),
        (16, (), "%six = 6"),
        (16, (), "%v = 100"),
    ]
    with pytest.raises(UsageError, match="%six cannot be seen on line 3"):
        kernel.printing(["3:%six"])
    with pytest.raises(UsageError, match="executes on line 14; the nearest line that executes"):
        kernel.printing(["14:%three"])


@ENGINE
def test_some_executions_and_some_iterations(engine: str) -> None:
    at = line("%at =")
    assert printed(engine, f"{at}:%at@1") == ["%i = 1: %at = 64"]
    assert printed(engine, f"{at}:%at@0,5") == ["%i = 0: %at = 0"]
    assert printed(engine, f"{at}:%at@%i=1") == ["%i = 1: %at = 64"]
    assert printed(engine, f"{at}:%at@%i=1,0") == []
    assert printed(engine, f"{line('%v =')}:%half@%i=0,%j=0") == ["%i = 0, %j = 0: %half = 20"]


@ENGINE
def test_each_block_counts_for_itself(engine: str) -> None:
    kernel = ptoscope.load(TEXT, target="a5")
    y = np.zeros_like(X)
    kernel(X, y, 2, grid=3, engine=engine, print=[f"{line('%at =')}:%at@1"])
    assert [(one.block, one.text) for one in kernel.printed] == [(b, "%at = 64") for b in range(3)]


def test_what_cannot_be_met() -> None:
    kernel = ptoscope.load(TEXT, target="a5")
    scope = line("pto.vecscope")
    for request, said in {
        "999:%x": "nothing of @k executes on line 999; the nearest line that executes is "
        f"{line('barrier')}",
        f"{line('mte_gm_ub') + 1}:%x": f"the nearest line that executes is {line('mte_gm_ub')}",
        f"{line('scf.yield')}:%sum": f"the nearest line that executes is {line('pto.vsts')}",
        f"{scope}:%mm": "@k has no value %mm",
        f"{scope}:%zera": "@k has no value %zera; did you mean '%zero'?",
        f"{scope}:%v": f"%v cannot be seen on line {scope}; it is made on line {line('%v =')}",
        f"{scope}:%n@%j=0": f"%j is no loop around line {scope}; there are %i",
        f"{line('%zero =')}:%n@%i=0": "there is none",
        f"{scope}:ub:0..0x40001": "ub has bytes 0 to 262143",
        f"{scope}:ub:0..6:f32": "6 bytes are no whole number of f32, of 4 bytes each",
        f"{scope}:%n:0..4": "%n is no array of a parameter; arrays are %x, %y",
    }.items():
        with pytest.raises(UsageError) as error:
            kernel.printing([request])
        assert f"print {request}: " in str(error.value)
        assert said in str(error.value)
    with pytest.raises(UsageError, match=r"%x:0x0\.\.0x204: %x has bytes 0 to 511"):
        kernel(X, np.zeros_like(X), 2, print=[f"{scope}:%x:0..516"])


def test_machine_code_that_prints_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PTOSCOPE_CACHE", str(tmp_path))
    kernel = ptoscope.load(TEXT, target="a5")
    kernel(X, np.zeros_like(X), 1, engine="native", print=[f"{line('%at =')}:%at"])
    assert len(kernel.printed) == 1
    assert kernel.cache_key
    assert cache.read(kernel.cache_key) is None
    kernel(X, np.zeros_like(X), 1, engine="native")
    assert kernel.printed == []
    assert cache.read(kernel.cache_key) is not None
    kept = ptoscope.load(TEXT, target="a5")
    kept(X, np.zeros_like(X), 1, engine="native")
    assert kept.printed == []
    kept(X, np.zeros_like(X), 1, engine="native", print=[f"{line('%at =')}:%at"])
    assert len(kept.printed) == 1


def test_a_kernel_that_prints_can_be_sent_elsewhere() -> None:
    kernel = ptoscope.load(TEXT, target="a5").printing([f"{line('%at =')}:%at"])
    again = pickle.loads(pickle.dumps(kernel))
    again(X, np.zeros_like(X), 2)
    assert [one.text for one in again.printed] == ["%at = 0", "%at = 64"]


def test_what_has_no_values_counts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prints, "MOST_VALUES", 3)
    kernel = ptoscope.load(TEXT, target="a5")
    kernel(X, np.zeros_like(X), 2, grid=3, print=[f"{line('%at =')}:flags"])
    assert (len(kernel.printed), kernel.prints_left_out) == (3, 3)
