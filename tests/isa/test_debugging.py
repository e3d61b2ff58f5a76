"""`pto.print` and `pto.trap`: what a run says of itself, on both engines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError
from ptoscope.engines import ENGINES
from ptoscope.kernel import Kernel
from ptoscope.machine import prints
from tests.command import Outcome

LOOP = """module {
  func.func @k(%x: !pto.ptr<f32, gm>, %n: index) attributes {pto.aicore} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %size = arith.constant 256 : i64
    %ub = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
    pto.mte_gm_ub %x, %ub, %zero, %size nburst(%one, %size, %size)
      : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
    scf.for %i = %c0 to %n step %c1 {
      pto.print ins("i %d", %i : index)
      pto.vecscope {
        scf.for %j = %c0 to %c1 step %c1 {
          %v = pto.vlds %ub[%c0] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
          pto.print ins("v %.0f", %v : !pto.vreg<64xf32>)
        }
      }
    }
    pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    return
  }
}
"""
X = np.arange(64, dtype=np.float32)
LANES = " ".join(str(i) for i in range(64))


def one(kind: str, format: str, constant: str) -> Kernel:
    """A kernel that prints a constant."""
    return ptoscope.load(
        f"""module {{ func.func @k() attributes {{pto.aicore}} {{
    %v = arith.constant {constant} : {kind}
    pto.print ins("{format}", %v : {kind})
    return
  }} }}
"""
    )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("kind", "format", "constant", "text"),
    [
        ("f32", "%+08.3f", "3.14159", "+003.142"),
        ("f32", "", "2.5", "2.500000"),
        ("f16", "%g", "0.1", "0.0999756"),
        ("bf16", "%e", "1.5", "1.500000e+00"),
        ("i32", "", "-7", "-7"),
        ("i32", "%u", "-1", "4294967295"),
        ("i16", "0x%04x", "-2", "0xfffe"),
        ("i64", "%lld|", "-9", "-9|"),
        ("index", "%5d", "12", "   12"),
        ("i8", "%c", "65", "A"),
        ("i32", "100%%", "1", "100%"),
        ("i32", "a \\\\ \\22%d\\22\\0A", "1", 'a \\ "1"'),
    ],
)
def test_the_text_is_printfs(engine: str, kind: str, format: str, constant: str, text: str) -> None:
    kernel = one(kind, format, constant)
    kernel(engine=engine)
    assert [p.text for p in kernel.printed] == [text]
    assert kernel.printed[0].line == 3


@pytest.mark.parametrize(
    ("kind", "format", "constant", "found"),
    [
        ("f32", "%d", "1.0", "'%d' for f32"),
        ("i32", "%f", "1", "'%f' for i32"),
        ("i32", "%d %d", "1", "2 conversions"),
        ("i32", "%s", "1", "'%s' in the format"),
        ("i32", "50%", "1", "'%' in the format"),
        ("i32", "%9999d", "1", "'%9999d': more than 200 characters"),
    ],
)
def test_a_format_that_does_not_fit(kind: str, format: str, constant: str, found: str) -> None:
    with pytest.raises(PtoError) as error:
        one(kind, format, constant)
    (said,) = error.value.diagnostics
    assert (said.line, said.found) == (3, found)


@pytest.mark.parametrize("engine", ENGINES)
def test_lines_and_iterations(engine: str) -> None:
    kernel = ptoscope.load(LOOP, force=True)
    kernel(X, 2, engine=engine)
    assert [(p.line, p.iterations, p.text) for p in kernel.printed] == [
        (12, ("%i = 0",), "i 0"),
        (16, ("%i = 0", "%j = 0"), f"v {LANES}"),
        (12, ("%i = 1",), "i 1"),
        (16, ("%i = 1", "%j = 0"), f"v {LANES}"),
    ]
    assert kernel.printed[1].values == tuple(range(64))


def test_what_a_pipe_prints_later_names_the_iteration_that_issued_it() -> None:
    """With the wait before the loop, every scope stands in a queue until the copy is done."""
    late = LOOP.replace(
        "    scf.for %i", '    pto.wait_flag["PIPE_MTE3", "PIPE_V", "EVENT_ID1"]\n    scf.for %i', 1
    )
    late = late.replace(
        "    pto.set_flag[",
        '    pto.set_flag["PIPE_MTE3", "PIPE_V", "EVENT_ID1"]\n    pto.set_flag[',
        1,
    )
    for engine in ENGINES:
        kernel = ptoscope.load(late, force=True)
        kernel(X, 2, engine=engine)
        assert [p.iterations for p in kernel.printed] == [
            ("%i = 0",),
            ("%i = 1",),
            ("%i = 0", "%j = 0"),
            ("%i = 1", "%j = 0"),
        ]


@pytest.mark.parametrize("engine", ENGINES)
def test_blocks_are_in_order(engine: str) -> None:
    kernel = ptoscope.load(
        """module { func.func @k() attributes {pto.aicore} {
    %b = pto.get_block_idx
    pto.print ins("%d", %b : i64)
    return
  } }
"""
    )
    kernel(grid=40, engine=engine)
    assert [(p.block, p.text) for p in kernel.printed] == [(b, str(b)) for b in range(40)]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_mask_is_printed_lane_by_lane(engine: str) -> None:
    kernel = ptoscope.load(
        """module { func.func @k() attributes {pto.aicore} { pto.vecscope {
    %m = pto.pset_b16 "PAT_VL3" : !pto.mask<b16>
    pto.print ins("%d", %m : !pto.mask<b16>)
  } return } }
"""
    )
    kernel(engine=engine)
    assert kernel.printed[0].values == (1,) * 3 + (0,) * 125


def test_too_many_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prints, "MOST_VALUES", 130)
    for engine in ENGINES:
        kernel = ptoscope.load(LOOP, force=True)
        kernel(X, 5, engine=engine, grid=3)
        assert [(p.block, p.line) for p in kernel.printed] == [(0, 12), (0, 16), (0, 12), (0, 16)]
        assert kernel.prints_left_out == 3 * 10 - 4


@pytest.mark.parametrize("engine", ENGINES)
def test_a_trap_is_a_fault_with_what_was_printed_before_it(engine: str) -> None:
    text = LOOP.replace(
        '      pto.print ins("i',
        "      %stop = arith.cmpi eq, %i, %c1 : index\n"
        "      scf.if %stop {\n        pto.trap\n      }\n"
        '      pto.print ins("i',
    )
    kernel = ptoscope.load(text, force=True)
    with pytest.raises(PtoError) as error:
        kernel(X, 3, engine=engine, grid=4)
    (said,) = error.value.diagnostics
    assert (said.code, said.line) == ("PTO0918", 14)
    assert said.message == "pto.trap: the kernel stops itself here (at block 0 of 4, %i = 1)"
    assert [(p.block, p.text[:3]) for p in kernel.printed] == [(0, "i 0"), (0, "v 0")]


@pytest.mark.parametrize("model", ["calibrated", "manual"])
def test_prints_take_no_time(model: str) -> None:
    text = LOOP.replace("    scf.for %i", "    pto.barrier #pto.pipe<PIPE_ALL>\n    scf.for %i", 1)
    bare = "\n".join(line for line in text.split("\n") if "pto.print" not in line)
    for engine in ENGINES:
        times = [
            ptoscope.load(t, force=True).time(X, 4, model=model, engine=engine).total_cycles
            for t in (text, bare)
        ]
        assert times[0] == times[1]


def test_a_print_does_not_part_vector_instructions_without_a_scope() -> None:
    """Vecscopes that are left out are put around prints as around scalars that only compute."""
    text = """module { func.func @k(%n: i32) attributes {pto.aicore} {
    %a = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
    pto.print ins("n %d", %n : i32)
    %b = pto.pnot %a, %a : !pto.mask<b32>, !pto.mask<b32> -> !pto.mask<b32>
    pto.print ins("%d", %b : !pto.mask<b32>)
    return
  } }
"""
    kernel = ptoscope.load(text)
    kernel(3)
    assert [p.text[:5] for p in kernel.printed] == ["n 3", "0 0 0"]


def test_the_command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.pto"
    file.write_text(LOOP)
    done = Outcome.of(("run", "--force", file, "arange:64", "1", "--grid", "2"), capfd)
    assert f"{file}:12 (at block 1 of 2, %i = 0): i 0\n" in done.out
    said = Outcome.of(("run", "--force", file, "arange:64", "1", "--json"), capfd).json
    assert said["prints_left_out"] == 0
    assert said["printed"][0] == {
        "text": "i 0",
        "values": [0],
        "line": 12,
        "block": 0,
        "iterations": ["%i = 0"],
        "calls": [],
        "asked": "",
        "core": "",
    }


@pytest.mark.parametrize("engine", ENGINES)
def test_the_command_that_times(
    engine: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "k.pto"
    file.write_text(LOOP)
    words = ("time", "--force", file, "arange:64", "2", "--engine", engine)
    done = Outcome.of(words, capfd)
    title, first, *_ = done.out.split("\n")
    assert title.startswith("@k on a5")
    assert first == f"{file}:12 (at %i = 0): i 0"
    said = Outcome.of((*words, "--json"), capfd).json
    ran = Outcome.of(("run", *words[1:], "--json"), capfd).json
    assert said["printed"] == ran["printed"]
    assert len(said["printed"]) == 4
    assert said["prints_left_out"] == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_prints_before_a_fault_are_shown_where_it_is_timed(
    engine: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "k.pto"
    file.write_text(LOOP.replace("    return", "    pto.trap\n    return"))
    words = ("time", "--force", file, "arange:64", "1", "--engine", engine, "--json")
    done = Outcome.of(words, capfd)
    assert done.code == 1
    assert [one["text"][:3] for one in done.json["printed"]] == ["i 0", "v 0"]
