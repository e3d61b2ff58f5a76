"""Kernels of a few lines for the timing tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from ptoscope.kernel import Kernel, prepare
from ptoscope.timing import time_kernel

REG, UB, GM, MASK = "!pto.vreg<64xf32>", "!pto.ptr<f32, ub>", "!pto.ptr<f32, gm>", "!pto.mask<b32>"
FLOATS = 1024
"""Elements of a tile of `pipeline`."""

_HEAD = """module {{
  func.func @k({parameters}) attributes {{pto.aicore}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %n = arith.constant {n} : index
    %m = arith.constant {m} : index
    %zero = arith.constant 0 : i64
    %ub = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
"""
_TAIL = """    return
  }
}
"""


def scope(*lines: str, n: int = 1, m: int = 1) -> str:
    """A kernel of one vecscope with the mask %all and the register %x, loaded from UB, before
    the lines. Loops may use %n and %m as their ends."""
    body = "\n      ".join(lines)
    return (
        _HEAD.format(parameters="", n=n, m=m)
        + f"""    pto.vecscope {{
      %all = pto.pset_b32 "PAT_ALL" : {MASK}
      {body}
    }}
"""
        + _TAIL
    )


def lds(result: str, at: str = "%c0") -> str:
    return f"%{result} = pto.vlds %ub[{at}] : {UB} -> {REG}"


def sts(value: str, at: str = "%c0") -> str:
    return f"pto.vsts %{value}, %ub[{at}], %all : {REG}, {UB}, {MASK}"


def unary(op: str, result: str, value: str) -> str:
    return f"%{result} = pto.{op} %{value}, %all : {REG}, {MASK} -> {REG}"


def binary(op: str, result: str, a: str, b: str) -> str:
    return f"%{result} = pto.{op} %{a}, %{b}, %all : {REG}, {REG}, {MASK} -> {REG}"


def timed(text: str, *arguments: Any, target: str = "a5", **options: Any) -> Any:
    """The Timing of a kernel text, whatever the rules say about its order."""
    return time_kernel(unchecked(text, target), arguments, **options)


def cycles(text: str, **options: Any) -> int:
    """Those of the only vecscope."""
    (found,) = timed(text, **options).as_json()["vecscopes"]
    return found["cycles"]


def pipeline(tiles: int, buffers: int, style: str = "flags") -> str:
    """Tiles that come by DMA and are worked on in UB, with so many buffers; what orders the
    pipes is on lines of its own."""
    lines = [
        f"%bytes = arith.constant {4 * FLOATS} : i64",
        "%burst = arith.constant 1 : i64",
        f"%end = arith.constant {FLOATS} : index",
    ]
    for b in range(buffers):
        lines.append(f"%at{b} = arith.constant {b * 4 * FLOATS} : i64")
        lines.append(f"%ub{b} = pto.castptr %at{b} : i64 -> {UB}")
        if style == "flags":
            lines.append(f'pto.set_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID{b}"]')
    for tile in range(tiles):
        lines += _tile(tile, tile % buffers, style)
    if style == "flags":
        lines += [f'pto.wait_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID{b}"]' for b in range(buffers)]
    return whole(*lines)


def _tile(tile: int, b: int, style: str) -> list[str]:
    event = f'"EVENT_ID{b}"'
    copy = (
        f"pto.mte_gm_ub %gm{tile}, %ub{b}, %zero, %bytes nburst(%burst, %bytes, %bytes) "
        f": {GM}, {UB}, i64, i64, i64, i64, i64"
    )
    work = [
        "pto.vecscope {",
        f'  %all = pto.pset_b32 "PAT_ALL" : {MASK}',
        "  scf.for %i = %c0 to %end step %c64 {",
        f"    %v = pto.vlds %ub{b}[%i] : {UB} -> {REG}",
        f"    %r = pto.vexp %v, %all : {REG}, {MASK} -> {REG}",
        f"    pto.vsts %r, %ub{b}[%i], %all : {REG}, {UB}, {MASK}",
        "  }",
        "}",
    ]
    base = [
        f"%e{tile} = arith.constant {tile * FLOATS} : index",
        f"%gm{tile} = pto.addptr %gm, %e{tile} : {GM} -> {GM}",
    ]
    if style == "bufs":
        get, release = (
            [f'pto.{op} "{p}", {b}, 0' for p in ("PIPE_MTE2", "PIPE_V")]
            for op in ("get_buf", "rls_buf")
        )
        return [*base, get[0], copy, release[0], get[1], *work, release[1]]
    return [
        *base,
        f'pto.wait_flag["PIPE_V", "PIPE_MTE2", {event}]',
        copy,
        f'pto.set_flag["PIPE_MTE2", "PIPE_V", {event}]',
        f'pto.wait_flag["PIPE_MTE2", "PIPE_V", {event}]',
        *work,
        f'pto.set_flag["PIPE_V", "PIPE_MTE2", {event}]',
    ]


def looped(tiles: int, buffers: int, style: str = "flags", floats: int = FLOATS) -> str:
    """The same in a loop: so many tiles of so many floats come and are worked on, as many in an
    iteration as there are buffers."""
    lines = [
        f"%bytes = arith.constant {4 * FLOATS} : i64",
        f"%burst = arith.constant {floats // FLOATS} : i64",
        f"%end = arith.constant {floats} : index",
        f"%each = arith.constant {buffers} : index",
    ]
    for b in range(buffers):
        lines.append(f"%at{b} = arith.constant {b * 4 * floats} : i64")
        lines.append(f"%ub{b} = pto.castptr %at{b} : i64 -> {UB}")
        if style == "flags":
            lines.append(f'pto.set_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID{b}"]')
    lines.append("scf.for %tile = %c0 to %n step %each {")
    for b in range(buffers):
        moved = [
            f"%b{b} = arith.constant {b} : index",
            f"%t{b} = arith.addi %tile, %b{b} : index",
            f"%e{b} = arith.muli %t{b}, %end : index",
            f"%gm{b} = pto.addptr %gm, %e{b} : {GM} -> {GM}",
        ]
        lines += [*moved, *_tile(b, b, style)[2:]]
    lines.append("}")
    if style == "flags":
        lines += [f'pto.wait_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID{b}"]' for b in range(buffers)]
    return whole(*lines, n=tiles)


def whole(*lines: str, n: int = 1) -> str:
    """A kernel of these lines with the parameter %gm; loops may use %n as their end."""
    text = "".join(f"    {line}\n" for line in lines)
    return _HEAD.format(parameters=f"%gm: {GM}", n=n, m=1) + text + _TAIL


def tiles(count: int) -> Any:
    """The argument of a `pipeline`."""
    return np.ones(count * FLOATS, np.float32)


def unchecked(text: str, target: str = "a5") -> Kernel:
    """A kernel whatever the rules say about it."""
    return prepare(text, "<string>", target, "manual")
