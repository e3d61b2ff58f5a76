"""The commands of `debug` on the softmax example, against NumPy; and on any line at all."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoscope
from ptoscope.replay.prompt.commands import COMMANDS, completions, perform
from ptoscope.replay.prompt.session import ExpectedArrays, Session

from .softmax import SOFTMAX, TEXT, line_of, recorded_softmax

ROWS = 20
RUN, X, Y = recorded_softmax(ROWS)
MAX = line_of("%max = pto.vdup")
STORE = line_of("pto.vsts %y0")
COPY_IN, COPY_OUT = line_of("pto.mte_gm_ub"), line_of("pto.mte_ub_gm")


@pytest.fixture
def session() -> Session:
    return Session(RUN)


def do(session: Session, *lines: str) -> list[str]:
    """What the last of some commands says."""
    said: list[str] = []
    for line in lines:
        said = perform(session, line)
    return said


def here(session: Session) -> tuple[int, dict[str, int]]:
    return session.moment.line, session.moment.iterations


def numbers(lines: list[str]) -> list[float]:
    """The lanes of a grid, without the number of the first in each row."""
    return [float(text.strip("()?")) for line in lines for text in line.split()[1:]]


def test_steps(session: Session) -> None:
    assert do(session, "step")[0] == f"moment 1 of {len(RUN)}: line 18, PIPE_S"
    do(session, "s 10", "b", "back 2")
    assert session.index == 8
    assert do(session, "b 100")[0].startswith("moment 0 of")
    assert do(session, "b") == ["this is the first moment"]
    assert do(session, "end")[-1] == "the end of the run"
    assert do(session, "s") == ["this is the last moment"]
    do(session, "begin", "s 2", "", "")
    assert session.index == 6


def test_executions_of_a_line(session: Session) -> None:
    do(session, f"goto {MAX}")
    assert here(session) == (MAX, {"%row": 0, "%lo": 0})
    do(session, "n")
    assert here(session) == (MAX, {"%row": 0, "%lo": 128})
    do(session, "next 15")
    assert here(session) == (MAX, {"%row": 16, "%lo": 0})
    do(session, "prev")
    assert here(session) == (MAX, {"%row": 0, "%lo": 15 * 128})
    assert do(session, f"g {MAX} -1", "n") == [f"line {MAX} is not executed after this"]
    assert do(session, "n 7") == [f"line {MAX} is not executed 7 times after this"]
    assert do(session, f"g {MAX} 99") == [f"line {MAX} was executed {ROWS} times in this run"]
    do(session, "m -1")
    assert session.index == len(RUN) - 1


@pytest.mark.parametrize("row", [0, 7, 19])
def test_values_lane_by_lane(session: Session, row: int) -> None:
    said = do(session, f"goto {MAX} {row}", "print %x0")
    assert said[0] == "%x0: !pto.vreg<64xf32>"
    assert numbers(said[1:]) == [float(f"{v:.7g}") for v in X[row, :64]]
    assert set(numbers(do(session, "%max")[1:])) == {float(f"{X[row].max():.7g}")}
    bits = [text for line in do(session, "p x0 hex")[1:] for text in line.split()[1:]]
    assert bits == [f"0x{word:08x}" for word in X[row, :64].view(np.uint32)]
    (first, *_) = do(session, "p %x0 bits")[1:]
    assert first.split()[1] == f"{X[row, :1].view(np.uint32)[0]:032b}"


def test_masks_and_scalars(session: Session) -> None:
    said = do(session, f"goto {MAX} 1", "print all")
    assert said[0] == "%all: !pto.mask<b32>: all 64"
    assert "".join(said[1:]).count(" 1") == 64
    assert do(session, "%lo") == ["%lo: index = 128"]
    assert do(session, "p %gm_out") == ["%gm_out: !pto.ptr<f32, gm> = %y:0x0"]
    assert "%lo = 128" in do(session, "print")


def test_memory(session: Session) -> None:
    said = do(session, f"goto {MAX} 3", "ub 0x100..0x140 f32")
    assert [float(v) for line in said for v in line.split("  ", 1)[1].split()] == [
        float(f"{v:.7g}") for v in X[0, 64:80]
    ]
    digits = "".join("".join(line.split("  ")[0].split()[1:]) for line in said)
    assert digits == X[0, 64:80].tobytes().hex()
    assert do(session, "x ub:0x100..0x140:f32") == do(session, "memory ub 256..320 f32") == said
    assert "??" in do(session, "ub:0x3000..0x3010")[0]
    assert do(session, "%y 0..4 f32") == ["0x0 00000000  0"]
    assert do(session, "ub")[-1] == f"{RUN.recording.spaces[-1].before.size - 4096} more bytes"


def test_who_touched_a_byte(session: Session) -> None:
    byte = 5 * 512 + 4
    do(session, "end", f"writer %y:{byte}")
    assert session.moment.line == COPY_OUT
    do(session, f"w ub {8192 + byte}")
    assert here(session) == (STORE, {"%row": 0, "%lo": 5 * 128})
    assert do(session, f"w ub {8192 + byte}") == [f"nobody wrote ub:{8192 + byte:#x} before"]
    do(session, f"g {STORE} -1", "writer ub:0")
    assert here(session) == (COPY_IN, {"%row": 16})
    do(session, "")
    assert here(session) == (COPY_IN, {"%row": 0})
    do(session, "end", "r ub:0")
    assert here(session) == (line_of("%x0 = pto.vlds"), {"%row": 16, "%lo": 0})


def test_makers(session: Session) -> None:
    do(session, f"g {STORE} 2", "maker %max")
    assert here(session) == (MAX, {"%row": 0, "%lo": 256})
    do(session, "")
    assert here(session) == (MAX, {"%row": 0, "%lo": 128})
    assert do(session, "maker %lo") == ["no instruction made %lo: the launch or a loop gave it"]


def test_the_map(session: Session) -> None:
    head, *rows = do(session, f"g {STORE} 1", "map")
    assert head.split() == ["bytes", "size", "written", "by", "state"]
    # Two rows have been read, 14 are still to be; one and a half are stored.
    assert [re.split(r"\s{2,}", row) for row in rows] == [
        ["ub:0x0..0x400:f32", "1024", f"line {COPY_IN}, moment 27", "dead"],
        ["ub:0x400..0x2000:f32", "7168", f"line {COPY_IN}, moment 27", "live"],
        ["ub:0x2000..0x2100:f32", "256", f"line {STORE}, moment 48", "live"],
        ["ub:0x2100..0x2200:f32", "256", f"line {STORE + 1}, moment 49", "live"],
        ["ub:0x2200..0x2300:f32", "256", f"line {STORE}, moment 65", "live"],
    ]
    assert do(session, "begin", "map") == ["nothing was written to ub so far"]
    assert do(session, "end", "map %y")[1].split()[:2] == ["%y:0x0..0x2800:f32", str(ROWS * 512)]


def test_flags_source_and_info(session: Session) -> None:
    assert do(session, "flags") == ["no flag is set, no buffer is held"]
    assert do(session, "g 38", "flags") == ["PIPE_V->PIPE_MTE2 event 0: set"]
    said = do(session, f"g {MAX}", "list")
    (marked,) = [line for line in said if line.startswith(">")]
    assert marked == f"> {MAX} {TEXT[MAX - 1]}"
    assert f"  {MAX - 5} {TEXT[MAX - 6]}".rstrip() == said[0].rstrip()
    said = do(session, "info")
    assert said[0] == "pto.vdup"
    assert any(line.strip().startswith("%m0 = [") for line in said)
    assert do(session, "where") == session.where()


def test_nan_and_undefined() -> None:
    x = np.zeros((ROWS, 128), np.float32)
    x[17, 100] = np.nan
    softmax = ptoscope.load(SOFTMAX, target="a5")
    session = Session(softmax.record(x, np.zeros_like(x), ROWS))
    do(session, "first nan")
    assert here(session) == (line_of("%x1 = pto.vlds"), {"%row": 16, "%lo": 128})
    do(session, "next nan")
    assert here(session) == (line_of("%m = pto.vmax"), {"%row": 16, "%lo": 128})
    assert do(session, "f undefined") == ["nothing with undefined bits is made"]
    unset = Session(softmax.record(x, np.zeros_like(x), ROWS, undefined=[0]))
    do(unset, "f undefined")
    assert here(unset) == (line_of("%x0 = pto.vlds"), {"%row": 0, "%lo": 0})
    said = do(unset, "p %x0")
    assert said[-1] == "?: has undefined bits"
    assert said[1].split()[1:3] == ["0?", "0?"]


def test_the_first_difference(session: Session) -> None:
    assert do(session, "d") == ["nothing is expected; --expect 1=y.npy says what should be there"]
    assert do(Session(RUN, expected=ExpectedArrays({1: Y})), "difference") == [
        "nothing differs from what is expected"
    ]
    golden = Y.copy()
    golden[18, 70] += 1
    wanted = Session(RUN, expected=ExpectedArrays({1: golden}))
    said = do(wanted, "d")
    assert said[0].startswith(f"element {18 * 128 + 70} of %y (argument 1) is ")
    assert here(wanted) == (COPY_OUT, {"%row": 16})
    assert do(Session(RUN, expected=ExpectedArrays({1: golden}, atol=2)), "d") == [
        "nothing differs from what is expected"
    ]


def test_lanes_that_are_not_active() -> None:
    text = """func.func @tail() {
      %a = arith.constant 0 : i64
      %c0 = arith.constant 0 : index
      %two = arith.constant 2.0 : f32
      %ub = pto.castptr %a : i64 -> !pto.ptr<f32, ub>
      pto.vecscope {
        %m = pto.pset_b32 "PAT_VL3" : !pto.mask<b32>
        %v = pto.vdup %two, %m : f32, !pto.mask<b32> -> !pto.vreg<64xf32>
        pto.vsts %v, %ub[%c0], %m : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
      }
      return
    }"""
    session = Session(ptoscope.load(text, revision="micro").record())
    said = do(session, "g 9", "p %v")
    assert said[1].split()[1:6] == ["2", "2", "2", "(0)", "(0)"]
    assert said[-1] == "in parentheses: not active in %m"
    assert do(session, "p %m")[0] == "%m: !pto.mask<b32>: 0..2 of 64"
    assert do(session, "where")[-2].strip() == "ub:0x0..0xc = 3 x 2"


def test_a_fault_is_shown_at_the_end() -> None:
    x = np.zeros((ROWS, 128), np.float32)
    softmax = ptoscope.load(SOFTMAX, target="a5")
    session = Session(softmax.record(x, np.zeros_like(x), 2 * ROWS))
    said = "\n".join(do(session, "end"))
    assert "the run ended here:" in said
    assert "error[PTO0902]" in said


def test_a_run_without_moments() -> None:
    session = Session(ptoscope.load("func.func @nothing() {\n  return\n}").record())
    assert session.where() == ["nothing was executed", "the end of the run"]
    for command in COMMANDS:
        assert all("Error" not in line for line in do(session, f"{command.names[0]} 1"))
    assert do(session, "end") == ["nothing was executed"]
    assert completions(session, "", "st") == ["step"]


def test_blocks() -> None:
    run, _, _ = recorded_softmax(ROWS, grid=2)
    session = Session(run)
    do(session, "block 1")
    assert (session.moment.block, session.moment.line) == (1, 17)
    assert do(session, "block 2") == ["nothing of block 2 was recorded"]
    do(session, f"goto {MAX}")
    assert session.moment.block == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("stop", "there is no command 'stop'; did you mean 'step'?"),
        ("step many", "'many' is no number of moments"),
        ("step 1 2", "what is '2'? `help` says what a command takes"),
        ("goto", "goto needs a line"),
        ("moment 99999999", f"there are moments 0 to {len(RUN) - 1}"),
        ("print %nothing", "@row_softmax has no value %nothing"),
        ("print %max", "%max has no value yet at line 17"),
        ("print %x octal", "'octal' is no way to show it; there are value, hex, bits"),
        ("ub 8..4", "'ub:8..4': it ends before it begins"),
        ("map l1", "there is no memory 'l1'; there are %x, %y, ub"),
        ("list 9999", f"the text has lines 1 to {len(TEXT)}"),
        ("first", "first what? There are nan, undefined"),
    ],
)
def test_what_is_wrong_is_said(session: Session, line: str, said: str) -> None:
    assert do(session, line) == [said]
    assert session.index == 0


def test_help_and_completion(session: Session) -> None:
    said = do(session, "help")
    assert len(said) == len(COMMANDS) + 1
    assert all(command.doc for command in COMMANDS)
    names = [name for command in COMMANDS for name in command.names]
    assert len(names) == len(set(names))
    assert do(session, "help w")[0] == "writer BYTE (also w)"
    assert completions(session, "p", "p") == ["previous", "print"]
    do(session, "end")
    assert completions(session, "print %ma", "%ma") == ["%max"]
    assert not session.done
    do(session, "q")
    assert session.done


WORDS = [
    name for command in COMMANDS for name in command.names if name not in ("q", "quit", "exit")
]
ARGUMENTS = ["%x0", "%max", "x", "ub", "ub:0", "ub:0x2000..0x2010:f32", "%y", "hex", "bits", "nan"]
ARGUMENTS += [
    "undefined",
    "0",
    "1",
    "-1",
    "71",
    "999999999999",
    "0..4",
    "f32",
    "f99",
    "%",
    ":",
    "٣",
]
LINES = st.one_of(
    st.text(max_size=20),
    st.builds(
        lambda name, rest: " ".join((name, *rest)),
        st.sampled_from(WORDS + ARGUMENTS),
        st.lists(st.sampled_from(ARGUMENTS) | st.text(max_size=5), max_size=3),
    ),
)


@settings(max_examples=150, deadline=2000)
@given(st.lists(LINES, max_size=8), st.integers(0, len(RUN) - 1))
def test_any_line_says_something_and_raises_nothing(lines: list[str], start: int) -> None:
    session = Session(RUN)
    session.index = start
    for line in lines:
        said = perform(session, line)
        assert all(isinstance(row, str) for row in said)
        assert 0 <= session.index < len(RUN)
