"""vldsx2, vstsx2, vsld and vsst in every mode, against loops on bytes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.isa.elements import Element
from tests.isa.harness import vreg
from tests.isa.memory import (
    NONE,
    REVISIONS,
    SIZE,
    TARGETS,
    UB_BYTES,
    bit,
    codes,
    fault,
    images,
    keep,
    kernel,
    memory,
    of_width,
    other_widths,
    run,
)

DUAL_LOADS = {"DINTLV_B8": 8, "DINTLV_B16": 16, "DINTLV_B32": 32, "BDINTLV": 0}
DUAL_STORES = {"INTLV_B8": 8, "INTLV_B16": 16, "INTLV_B32": 32, "INTLV": 0}
STRIDES = {
    "STRIDE_S3_B16": (3, 16),
    "STRIDE_S4_B64": (4, 64),
    "STRIDE_S8_B32": (8, 32),
    "STRIDE_S2_B64": (2, 64),
}
"""Each token: elements from one lane to the next, and their width."""
REPRESENTATIVE = {0: "f32", 8: "ui8", 16: "bf16", 32: "f32", 64: "si64"}


def _unit(width: int, e: Element, target: str) -> int:
    """Addresses are multiples of 32 bytes, on the CPU of an element."""
    return max(e.bytes, width // 8) if target == "cpu" else 32


def _cases(width: int, target: str) -> list[tuple[str, str]]:
    cases = [(name, r) for name in of_width(width, target) for r in REVISIONS]
    return cases + [(name, "micro") for name in other_widths(width) if width]


# Two registers at once.


def _dual_load(mode: str, e: Element, target: str, revision: str) -> Any:
    t, v, g = e.name, vreg(e), e.granularity
    body = f"""%x, %y = pto.vldsx2 %ub[%o], "{mode}" : !pto.ptr<{t}, ub>, index -> {v}, {v}
      %whole = pto.pset_b{g} "PAT_ALL" : !pto.mask<b{g}>
      %low = arith.constant {4096 // e.bytes} : index
      %high = arith.constant {4352 // e.bytes} : index
      pto.vsts %x, %ub[%low], %whole : {v}, !pto.ptr<{t}, ub>, !pto.mask<b{g}>
      pto.vsts %y, %ub[%high], %whole : {v}, !pto.ptr<{t}, ub>, !pto.mask<b{g}>"""
    return kernel(t, body, "%o: index", target, revision)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", DUAL_LOADS)
def test_dual_load(mode: str, target: str) -> None:
    """low[i] = UB[base + 2*i], high[i] = UB[base + 2*i + 1], in elements or 32-byte blocks."""
    width = DUAL_LOADS[mode]
    size = width // 8 or 32
    for seed, (name, revision) in enumerate(_cases(width, target)):
        e = Element(name)
        before = memory(seed)
        move = _dual_load(mode, e, target, revision)
        for at in (0, _unit(width, e, target), 11 * _unit(width, e, target)):
            low, high = b"", b""
            for i in range(256 // size):
                low += before[at + 2 * size * i :][:size]
                high += before[at + 2 * size * i + size :][:size]
            expected = before[:4096] + low + high + before[4608:]
            assert run(move, before, at // e.bytes) == expected, (name, revision, at)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", DUAL_LOADS)
def test_dual_load_faults(mode: str, target: str) -> None:
    """The footprint is two registers."""
    e = Element(REPRESENTATIVE[DUAL_LOADS[mode]])
    move = _dual_load(mode, e, target, "manual")
    last = UB_BYTES[target] - 512
    run(move, bytes(SIZE), last // e.bytes)
    for beyond in (last + _unit(DUAL_LOADS[mode], e, target), -32):
        assert fault(move, beyond // e.bytes).code == "PTO0901"
    if target != "cpu":
        assert fault(move, 16 // e.bytes).code == "PTO0903"


def _dual_store_body(mode: str, e: Element) -> str:
    t, v, m = e.name, vreg(e), f"!pto.mask<b{e.granularity}>"
    return f"""%high = arith.constant {256 // e.bytes} : index
      %x = pto.vlds %ub[%c0] : !pto.ptr<{t}, ub> -> {v}
      %y = pto.vlds %ub[%high] : !pto.ptr<{t}, ub> -> {v}
      pto.vstsx2 %x, %y, %ub[%d], "{mode}", %mask : {v}, {v}, !pto.ptr<{t}, ub>, index, {m}"""


def _dual_store(mode: str, e: Element, target: str, revision: str) -> Any:
    body = _dual_store_body(mode, e)
    return kernel(e.name, body, "%d: index", target, revision, e.granularity)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", DUAL_STORES)
def test_dual_store(mode: str, target: str) -> None:
    """UB[base + 2*i] = low[i], UB[base + 2*i + 1] = high[i]; the mask gates element i of both
    in the manual, and is ignored in the micro specification."""
    width = DUAL_STORES[mode]
    for seed, (name, revision) in enumerate(_cases(width, target)):
        e = Element(name)
        if not width and e.bytes == 8:
            body = _dual_store_body(mode, e)
            found = codes(name, body, "%d: index", target, revision, e.granularity)
            assert found == {"PTO0108"}
            continue
        size = width // 8 or e.bytes
        before = memory(seed)
        move = _dual_store(mode, e, target, revision)
        low, high = before[:256], before[256:512]
        for iteration, image in enumerate(images(e.granularity, seed)):
            at = 2048 + iteration * _unit(width, e, target)
            expected = bytearray(before)
            for i in range(256 // size):
                if revision == "manual" and not bit(image, i * size):
                    continue
                place = at + 2 * size * i
                expected[place : place + size] = low[i * size :][:size]
                expected[place + size : place + 2 * size] = high[i * size :][:size]
            found = run(move, before, at // e.bytes, image=image)
            assert found == bytes(expected), (name, revision, iteration)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", DUAL_STORES)
def test_dual_store_faults(mode: str, target: str) -> None:
    e = Element(REPRESENTATIVE[DUAL_STORES[mode]])
    for revision in REVISIONS:
        move = _dual_store(mode, e, target, revision)
        last = UB_BYTES[target] - 512
        run(move, bytes(SIZE), last // e.bytes)
        assert fault(move, (last + 32) // e.bytes).code == "PTO0901"
        if target != "cpu":
            assert fault(move, 16 // e.bytes).code == "PTO0903"
        if revision == "manual":
            run(move, bytes(SIZE), 2**40, image=NONE)
        else:
            assert fault(move, 2**40, image=NONE).code == "PTO0901"


def test_dual_modes_name_their_width() -> None:
    for mode, width in (DUAL_LOADS | DUAL_STORES).items():
        for name in other_widths(width) if width else ():
            e = Element(name)
            t, v = name, vreg(e)
            line = f'%x, %y = pto.vldsx2 %ub[%c0], "{mode}" : !pto.ptr<{t}, ub>, index -> {v}, {v}'
            if mode in DUAL_STORES:
                line = _dual_store_body(mode, e).replace("%d", "%c0")
            assert codes(name, line, mask=e.granularity) == {"PTO0104"}


def test_dual_modes_are_of_interleaving_kind() -> None:
    v = "!pto.vreg<64xf32>"
    line = f'%x, %y = pto.vldsx2 %ub[%c0], "NORM" : !pto.ptr<f32, ub>, index -> {v}, {v}'
    assert codes("f32", line) == {"PTO0103"}
    line = _dual_store_body("PK_B32", Element("f32")).replace("%d", "%c0")
    assert codes("f32", line, mask=32) == {"PTO0103"}


# Fixed strides.


def _strided_load(token: str, e: Element, target: str, revision: str) -> Any:
    line = f'%v = pto.vsld %ub[%o], "{token}" : !pto.ptr<{e.name}, ub> -> {vreg(e)}'
    return kernel(e.name, f"{line}\n{keep(e)}", "%o: index, %d: index", target, revision)


def _strided_store(token: str, e: Element, target: str, revision: str) -> Any:
    body = f"""%v = pto.vlds %ub[%o] : !pto.ptr<{e.name}, ub> -> {vreg(e)}
      pto.vsst %v, %ub[%d], "{token}" : {vreg(e)}, !pto.ptr<{e.name}, ub>"""
    return kernel(e.name, body, "%o: index, %d: index", target, revision)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("token", STRIDES)
def test_strided_load(token: str, target: str) -> None:
    """Lane i lies stride * i elements after the address."""
    step, width = STRIDES[token]
    size = width // 8
    for seed, (name, revision) in enumerate(_cases(width, target)):
        e = Element(name)
        before = memory(seed)
        move = _strided_load(token, e, target, revision)
        for at in (0, 7 * _unit(width, e, target)):
            register = b"".join(before[at + i * step * size :][:size] for i in range(256 // size))
            expected = before[:4096] + register + before[4352:]
            assert run(move, before, at // e.bytes, 4096 // e.bytes) == expected, (name, at)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("token", STRIDES)
def test_strided_store(token: str, target: str) -> None:
    step, width = STRIDES[token]
    size = width // 8
    for seed, (name, revision) in enumerate(_cases(width, target)):
        e = Element(name)
        before = memory(seed)
        move = _strided_store(token, e, target, revision)
        for at in (1024, 1024 + 3 * _unit(width, e, target)):
            expected = bytearray(before)
            for i in range(256 // size):
                place = at + i * step * size
                expected[place : place + size] = before[512 + i * size :][:size]
            found = run(move, before, 512 // e.bytes, at // e.bytes)
            assert found == bytes(expected), (name, revision, at)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("token", STRIDES)
def test_strided_faults(token: str, target: str) -> None:
    step, width = STRIDES[token]
    e = Element(REPRESENTATIVE[width])
    unit = _unit(width, e, target)
    extent = ((e.lanes - 1) * step + 1) * e.bytes
    last = (UB_BYTES[target] - extent) // unit * unit
    load = _strided_load(token, e, target, "manual")
    store = _strided_store(token, e, target, "manual")
    run(load, bytes(SIZE), last // e.bytes, 0)
    run(store, bytes(SIZE), 0, last // e.bytes)
    for beyond in (last + unit, -unit):
        assert fault(load, beyond // e.bytes, 0).code == "PTO0901"
        assert fault(store, 0, beyond // e.bytes).code == "PTO0901"
    if target != "cpu":
        assert fault(load, 1, 0).code == "PTO0903"
        assert fault(store, 0, 1).code == "PTO0903"


@pytest.mark.parametrize("token", STRIDES)
def test_strides_name_their_width(token: str) -> None:
    for name in other_widths(STRIDES[token][1]):
        v = vreg(Element(name))
        line = f'%v = pto.vsld %ub[%c0], "{token}" : !pto.ptr<{name}, ub> -> {v}'
        assert codes(name, line) == {"PTO0104"}
        line = f"""%v = pto.vlds %ub[%c0] : !pto.ptr<{name}, ub> -> {v}
          pto.vsst %v, %ub[%c0], "{token}" : {v}, !pto.ptr<{name}, ub>"""
        assert codes(name, line) == {"PTO0104"}
