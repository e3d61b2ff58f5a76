"""vlds and vsts: every element type and mode, at every kind of offset, on every target."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError
from tests.isa.elements import NARROW, Element
from tests.isa.harness import mask_type, vreg
from tests.isa.legality import cases, legal

UB = 4096


def _kernel(e: Element, body: str, target: str, revision: str) -> Any:
    """Copies UB bytes in, runs a body on them, copies them out. %o and %d are offsets."""
    t = e.name
    pointers = f"!pto.ptr<{t}, gm>, !pto.ptr<{t}, ub>"
    back = f"!pto.ptr<{t}, ub>, !pto.ptr<{t}, gm>"
    return ptoscope.load(
        f"""module {{
  func.func @move(%in: !pto.ptr<{t}, gm>, %out: !pto.ptr<{t}, gm>, %o: index, %d: index,
                  %count: i32) {{
    %zero = arith.constant 0 : i64
    %n = arith.constant 1 : i64
    %size = arith.constant {UB} : i64
    %ub = pto.castptr %zero : i64 -> !pto.ptr<{t}, ub>
    pto.mte_gm_ub %in, %ub, %zero, %size nburst(%n, %size, %size)
      : {pointers}, i64, i64, i64, i64, i64
    pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.vecscope {{
      %mask, %rest = pto.plt_b{e.granularity} %count : i32 -> {mask_type(e)}, i32
      {body}
    }}
    pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
    pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
    pto.mte_ub_gm %ub, %out, %size nburst(%n, %size, %size) : {back}, i64, i64, i64, i64
    return
  }}
}}
""",
        target=target,
        revision=revision,
    )


def _run(kernel: Any, e: Element, before: bytes, load: int, store: int, count: int) -> bytes:
    out = np.zeros(UB // e.bytes, e.storage)
    kernel(np.frombuffer(before, e.storage), out, load, store, count)
    return out.tobytes()


def _body(e: Element, load: str = "", store: str = "") -> str:
    t, v = e.name, vreg(e)
    load = f' {{dist = "{load}"}}' if load else ""
    store = f' {{dist = "{store}"}}' if store else ""
    return f"""%v = pto.vlds %ub[%o]{load} : !pto.ptr<{t}, ub> -> {v}
      pto.vsts %v, %ub[%d], %mask{store} : {v}, !pto.ptr<{t}, ub>, {mask_type(e)}"""


def _memory(seed: int) -> bytes:
    return random.Random(seed).randbytes(UB)


def _alignment(e: Element, target: str) -> int:
    """Elements a NORM offset is a multiple of: 32 bytes, on the CPU one element."""
    return 1 if target == "cpu" else 32 // e.bytes


def _moved(before: bytes, e: Element, lanes: list[bytes], store: int, count: int) -> bytes:
    """The loop of vsts: UB[base + i] = src[i], for active lanes only."""
    after = bytearray(before)
    step = 2048 // e.granularity // e.lanes
    for i in range(e.lanes):
        if i * step < count:
            at = (store + i) * e.bytes
            after[at : at + e.bytes] = lanes[i]
    return bytes(after)


def _counts(e: Element) -> tuple[int, ...]:
    lanes = 2048 // e.granularity
    return (lanes, 0, 1, lanes - 1, lanes // 2 + 1)


@pytest.mark.parametrize("target", ["a5", "a2a3", "cpu"])
@pytest.mark.parametrize("dtype", sorted(legal("vlds", "a5", "manual")))
def test_norm(dtype: str, target: str) -> None:
    e = Element(dtype)
    if dtype in NARROW and target != "a5":
        with pytest.raises(PtoError, match=dtype):
            _kernel(e, _body(e), target, "manual")
        return
    suffix = "" if e.bits == 64 else f"NORM_B{e.bits}"
    kernels = [_kernel(e, _body(e), target, "manual")]
    kernels += [_kernel(e, _body(e, "NORM", suffix), target, r) for r in ("manual", "micro")]
    step = _alignment(e, target)
    for seed, count in enumerate(_counts(e)):
        before = _memory(seed)
        load, store = 3 * step, UB // e.bytes - e.lanes - 5 * step
        at = load * e.bytes
        lanes = [before[at + i * e.bytes :][: e.bytes] for i in range(e.lanes)]
        expected = _moved(before, e, lanes, store, count)
        for kernel in kernels:
            assert _run(kernel, e, before, load, store, count) == expected, count


@pytest.mark.parametrize("target", ["a5", "a2a3", "cpu"])
@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16", "i8", "ui16", "si32"])
def test_broadcast(dtype: str, target: str) -> None:
    """dst[i] = UB[base] for all i, aligned to the element only."""
    e = Element(dtype)
    step = _alignment(e, target)
    for revision in ("manual", "micro"):
        kernel = _kernel(e, _body(e, f"BRC_B{e.bits}"), target, revision)
        for seed, load in enumerate((0, 1, 7, 33, UB // e.bytes - 1)):
            before = _memory(seed)
            lane = before[load * e.bytes :][: e.bytes]
            expected = _moved(before, e, [lane] * e.lanes, 4 * step, 10)
            assert _run(kernel, e, before, load, 4 * step, 10) == expected


@pytest.mark.parametrize("width", [8, 16, 32])
@pytest.mark.parametrize("dtype", ["f32", "f16", "i8"])
def test_broadcast_of_another_width(dtype: str, width: int) -> None:
    """Illegal in the manual; in micro the register is seen as elements of the mode's width."""
    e = Element(dtype)
    if width == e.bits:
        return
    with pytest.raises(PtoError, match=f"BRC_B{width} is for {width}-bit elements"):
        _kernel(e, _body(e, f"BRC_B{width}"), "a5", "manual")
    kernel = _kernel(e, _body(e, f"BRC_B{width}"), "a5", "micro")
    before = _memory(1)
    load, store = 32 // e.bytes, 1024 // e.bytes
    seen = before[32 : 32 + width // 8]
    register = seen * (256 // len(seen))
    lanes = [register[i * e.bytes :][: e.bytes] for i in range(e.lanes)]
    found = _run(kernel, e, before, load, store, 2048 // e.bits)
    assert found == _moved(before, e, lanes, store, 2048 // e.bits)


def test_cases_cover_every_type() -> None:
    """The list above is that of the documents."""
    assert {d for _, d, _, _ in cases(("vlds",))} == legal("vlds", "a5", "micro")
