"""Small copies, scalars, flags and buffers in loops, which generated code does without a call: the
same results and the same faults as by the reference engine."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope.diagnostics import PtoError

_HEAD = """
func.func @kernel(%x: !pto.ptr<f32, gm>, %y: !pto.ptr<f32, gm>, %out: !pto.ptr<f32, gm>,
                  %n: index, %step: index) attributes {pto.aicore} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c0_i64 = arith.constant 0 : i64
  %c1_i64 = arith.constant 1 : i64
  %ub = pto.castptr %c0_i64 : i64 -> !pto.ptr<f32, ub>
"""
_TYPES = "!pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64"
_BACK = "!pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64"


def _flag(verb: str, pipes: str, event: str = "EVENT_ID0") -> str:
    source, target = pipes.split()
    return f'pto.{verb}_flag["PIPE_{source}", "PIPE_{target}", "{event}"]'


def _copies(size: int, pointer: str = "%x", rows: int = 1) -> str:
    """Each iteration: bytes at %step times its number of the source go to the same place of out."""
    return f"""{_HEAD}
  %bytes = arith.constant {size // rows} : i64
  %rows = arith.constant {rows} : i64
  scf.for %i = %c0 to %n step %c1 {{
    %odd = arith.remui %i, %c2 : index
    %is_odd = arith.cmpi eq, %odd, %c1 : index
    %z = arith.select %is_odd, %y, %x : !pto.ptr<f32, gm>
    %at = arith.muli %i, %step : index
    %from = pto.addptr {pointer}, %at : !pto.ptr<f32, gm> -> !pto.ptr<f32, gm>
    %to = pto.addptr %out, %at : !pto.ptr<f32, gm> -> !pto.ptr<f32, gm>
    pto.mte_gm_ub %from, %ub, %c0_i64, %bytes nburst(%rows, %bytes, %bytes) : {_TYPES}
    {_flag("set", "MTE2 MTE3")}
    {_flag("wait", "MTE2 MTE3")}
    pto.mte_ub_gm %ub, %to, %bytes nburst(%rows, %bytes, %bytes) : {_BACK}
    {_flag("set", "MTE3 MTE2")}
    {_flag("wait", "MTE3 MTE2")}
  }}
  return
}}
"""


def _arrays(size: int) -> list[Any]:
    random = np.random.default_rng(size)
    x, y = (random.random(size, dtype=np.float32) for _ in range(2))
    return [x, y, np.full(size, 7, np.float32)]


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("size", [4, 32, 60, 64, 124, 256, 320, 1000, 1024, 1028, 2048])
def test_small_copies_give_the_same_as_numpy(size: int, rows: int) -> None:
    if size // rows % 32 and rows > 1:
        size = 32 * rows * max(size // (32 * rows), 1)
    count, lanes = 5, size // 4
    step = -(-lanes // 8) * 8
    x, y, out = _arrays(count * step)
    ptoscope.load(_copies(size, rows=rows))(x, y, out, count, step, engine="native")
    expected = np.full_like(x, 7)
    for i in range(count):
        expected[i * step : i * step + lanes] = x[i * step : i * step + lanes]
    assert np.array_equal(out, expected)


def test_a_pointer_may_be_into_one_array_or_another() -> None:
    x, y, out = _arrays(64 * 6)
    ptoscope.load(_copies(256, "%z"))(x, y, out, 6, 64, engine="native")
    rows = [(y if i % 2 else x)[i * 64 : i * 64 + 64] for i in range(6)]
    assert np.array_equal(out, np.concatenate(rows))


def _said(text: str, arguments: list[Any], engine: str) -> tuple[str, list[bytes]]:
    copies = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    for copy, given in zip(copies, arguments, strict=True):
        if isinstance(given, np.ndarray):
            copy.flags.writeable = given.flags.writeable
    kernel: Any = ptoscope.load(text, force=True)
    try:
        kernel(*copies, engine=engine)
    except PtoError as error:
        return str(error), []
    return "", [a.tobytes() for a in copies if isinstance(a, np.ndarray)]


def _same(text: str, arguments: list[Any]) -> str:
    """What both engines say of a run, or an empty text and equal results."""
    reference, native = (_said(text, arguments, engine) for engine in ("reference", "native"))
    assert native == reference
    return native[0]


@pytest.mark.parametrize("pointer", ["%x", "%z"])
@pytest.mark.parametrize(("count", "step"), [(6, 64), (7, 64), (3, 129), (2, -64), (2, 1 << 41)])
def test_what_is_outside_an_array_is_the_same_fault(count: int, step: int, pointer: str) -> None:
    said = _same(_copies(256, pointer), [*_arrays(64 * 6), count, step])
    assert bool(said) == ((count, step) not in ((6, 64), (3, 129)))
    assert "PTO0902" in said or not said


def test_an_array_that_may_not_be_written_is_the_same_fault() -> None:
    arguments = [*_arrays(64 * 3), 3, 64]
    arguments[2].flags.writeable = False
    assert re.search("error.PTO09", _same(_copies(256), arguments))


# The last is as far from %x as the next array is: both engines read that.
@pytest.mark.parametrize("index", [0, 5, 6, -1, 1 << 40, 1 << 42])
def test_scalars_of_gm(index: int) -> None:
    text = f"""{_HEAD}
  scf.for %i = %c0 to %n step %c1 {{
    %at = arith.addi %i, %step : index
    %value = pto.load_scalar %x[%at] : !pto.ptr<f32, gm> -> f32
    pto.store_scalar %value, %out[%i] : !pto.ptr<f32, gm>, f32
  }}
  return
}}
"""
    said = _same(text, [*_arrays(8), 3, index])
    assert bool(said) == (index not in (0, 5, 1 << 42))


def _flags(lines: list[str], before: list[str] | None = None) -> str:
    first, body = "\n  ".join(before or []), "\n    ".join(lines)
    return f"""{_HEAD}
  {first}
  scf.for %i = %c0 to %n step %c1 {{
    {body}
  }}
  return
}}
"""


_PAIR = [_flag("set", "V MTE3"), _flag("wait", "V MTE3")]
_GET, _RELEASE = 'pto.get_buf "PIPE_V", 3, 0', 'pto.rls_buf "PIPE_V", 3, 0'


@pytest.mark.parametrize("count", [0, 1, 14, 15, 16, 17])
@pytest.mark.parametrize(
    ("before", "lines"),
    [
        ([], _PAIR[:1]),
        ([], _PAIR[1:]),
        ([], _PAIR),
        (_PAIR[:1] * 14, _PAIR),
        (_PAIR[:1] * 15, _PAIR),
        (_PAIR[:1] * 16, [_PAIR[1], _PAIR[0]]),
        ([], [_GET]),
        ([], [_RELEASE]),
        ([], [_GET, _RELEASE]),
        ([], [_GET, _GET, _RELEASE]),
    ],
)
def test_flags_and_buffers_in_a_loop(before: list[str], lines: list[str], count: int) -> None:
    _same(_flags(lines, before), [*_arrays(8), count, 0])


@pytest.mark.parametrize("offset", [0, 1, 4])
@pytest.mark.parametrize("size", [64, 128, 240, 256, 1024])
def test_small_copies_to_an_array_that_no_cache_holds(size: int, offset: int) -> None:
    """They go past the cache, if the array begins at a multiple of 16 bytes."""
    lanes, step, count = size // 4, 264, 7
    memory = np.full((13 << 20) // 4 + 64, 7, np.float32)
    first = -(memory.ctypes.data // 4) % 16 + offset
    out = memory[first : first + (13 << 20) // 4]
    x, y, _ = _arrays(count * step)
    ptoscope.load(_copies(size))(x, y, out, count, step, engine="native")
    expected = np.full_like(memory, 7)
    for i in range(count):
        at = first + i * step
        expected[at : at + lanes] = x[i * step : i * step + lanes]
    assert np.array_equal(memory, expected)
