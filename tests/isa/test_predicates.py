"""pset, pge and plt: every pattern and many counts, seen through a store of ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError

PATTERNS = (
    *("PAT_ALL", "PAT_ALLF", "PAT_H", "PAT_Q", "PAT_M3", "PAT_M4"),
    *(f"PAT_VL{n}" for n in (1, 2, 3, 4, 8, 16, 32, 64, 128)),
    *(f"PAT_VL{n}" for n in (5, 12, 33, 63, 65, 127)),
)


def _expected(pattern: str, lanes: int) -> list[int]:
    """VLn: the first n; H and Q: the lowest half and quarter, as the suite shows; M3 and M4:
    every third and fourth."""
    rules = {
        "PAT_ALL": lambda i: True,
        "PAT_ALLF": lambda i: False,
        "PAT_H": lambda i: i < lanes / 2,
        "PAT_Q": lambda i: i < lanes / 4,
        "PAT_M3": lambda i: i % 3 == 0,
        "PAT_M4": lambda i: i % 4 == 0,
    }
    rule = rules.get(pattern) or (lambda i: i < int(pattern[6:]))
    return [int(rule(i)) for i in range(lanes)]


def _kernel(bits: int, body: str, params: str = "", revision: str = "manual") -> Any:
    """A kernel that shows one mask as a register of 0 and 1."""
    v = f"!pto.vreg<{2048 // bits}xi{bits}>"
    return ptoscope.load(
        f"""module {{
  func.func @show(%out: !pto.ptr<i{bits}, gm>{params}) {{
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i{bits}
    %row = arith.constant 256 : i64
    %n = arith.constant 1 : i64
    %zero = arith.constant 0 : i64
    %ub = pto.castptr %zero : i64 -> !pto.ptr<i{bits}, ub>
    pto.vecscope {{
      %all = pto.pset_b{bits} "PAT_ALL" : !pto.mask<b{bits}>
      {body}
      %v = pto.vdup %one, %mask : i{bits}, !pto.mask<b{bits}> -> {v}
      pto.vsts %v, %ub[%c0], %all : {v}, !pto.ptr<i{bits}, ub>, !pto.mask<b{bits}>
    }}
    pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
    pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
    pto.mte_ub_gm %ub, %out, %row nburst(%n, %row, %row)
      : !pto.ptr<i{bits}, ub>, !pto.ptr<i{bits}, gm>, i64, i64, i64, i64
    return
  }}
}}
""",
        revision=revision,
    )


@pytest.mark.parametrize("revision", ["manual", "micro"])
@pytest.mark.parametrize("name", ["pset", "pge"])
@pytest.mark.parametrize("bits", [8, 16, 32])
def test_patterns(name: str, bits: int, revision: str) -> None:
    for pattern in PATTERNS:
        body = f'%mask = pto.{name}_b{bits} "{pattern}" : !pto.mask<b{bits}>'
        out = np.zeros(2048 // bits, f"int{bits}")
        _kernel(bits, body, revision=revision)(out)
        assert out.tolist() == _expected(pattern, 2048 // bits), pattern


@pytest.mark.parametrize(
    "pattern", ["PAT_VL0", "PAT_VL129", "PAT_VL012", "PAT_VL", "PAT_VL-1", "12"]
)
def test_patterns_end(pattern: str) -> None:
    """Pages list PAT_VL1 to PAT_VL128."""
    with pytest.raises(PtoError) as error:
        _kernel(32, f'%mask = pto.pset_b32 "{pattern}" : !pto.mask<b32>')
    said = error.value.diagnostics[0]
    assert said.code == "PTO0103"
    assert "PAT_VL1 to PAT_VL128" in said.expected


@pytest.mark.parametrize("revision", ["manual", "micro"])
@pytest.mark.parametrize("bits", [8, 16, 32])
def test_counts(bits: int, revision: str) -> None:
    """mask[i] = i < count; the rest is count - lanes, or 0 if fewer. Counts are signed."""
    lanes = 2048 // bits
    body = f"""%mask, %left = pto.plt_b{bits} %count : i32 -> !pto.mask<b{bits}>, i32
      pto.store_scalar %left, %rest[%c0] : !pto.ptr<i32, gm>, i32"""
    kernel = _kernel(bits, body, ", %count: i32, %rest: !pto.ptr<i32, gm>", revision)
    near = [*range(lanes + 3), 2 * lanes - 1, 2 * lanes, 2 * lanes + 1]
    for count in [*near, 1000, 2**31 - 1, -1, -lanes, -(2**31)]:
        out, rest = np.zeros(lanes, f"int{bits}"), np.zeros(1, "int32")
        kernel(out, count, rest)
        assert out.tolist() == [int(i < count) for i in range(lanes)], count
        assert rest[0] == (0 if count < lanes else count - lanes), count


def test_a_chain_of_counts_covers_a_length() -> None:
    """Threading the rest through plt gives full masks and one tail."""
    body = """%m0, %r0 = pto.plt_b32 %count : i32 -> !pto.mask<b32>, i32
      %m1, %r1 = pto.plt_b32 %r0 : i32 -> !pto.mask<b32>, i32
      %mask, %r2 = pto.plt_b32 %r1 : i32 -> !pto.mask<b32>, i32"""
    kernel = _kernel(32, body, ", %count: i32")
    for count, tail in ((128, 0), (150, 22), (192, 64), (500, 64)):
        out = np.zeros(64, "int32")
        kernel(out, count)
        assert out.sum() == tail
