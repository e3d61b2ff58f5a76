"""Post-update forms: the access is at the base, which comes back advanced; through loops, too."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest

from tests.isa.elements import Element
from tests.isa.harness import vreg
from tests.isa.memory import REVISIONS, SIZE, TARGETS, codes, fault, kernel, memory, run

TYPES = ("f32", "i16", "ui8", "i64")


def _loop(body: str, t: str, count: str = "%n") -> str:
    """A body for each iteration %i of a loop; %p is a pointer that it advances to %next, from
    %base on."""
    ptr = f"!pto.ptr<{t}, ub>"
    return f"""%one_index = arith.constant 1 : index
      %src = pto.castptr %base : i64 -> {ptr}
      %end = scf.for %i = %c0 to {count} step %one_index iter_args(%p = %src) -> ({ptr}) {{
        {body}
        scf.yield %next : {ptr}
      }}
      %there = pto.castptr %end : {ptr} -> i64
      %low = arith.trunci %there : i64 to i32
      %word = pto.castptr %at : i64 -> !pto.ptr<i32, ub>
      %v_end = pto.vbr %low : i32 -> !pto.vreg<64xi32>
      %first = pto.pset_b32 "PAT_VL1" : !pto.mask<b32>
      pto.vsts %v_end, %word[%c0], %first
        : !pto.vreg<64xi32>, !pto.ptr<i32, ub>, !pto.mask<b32>"""


AT = 7680
"""Where the pointer after the loop is stored, its lower 32 bits."""


def _keep(e: Element, *names: str) -> str:
    """Stores whole registers one after the other, from 4096 on."""
    t, g, lines = e.name, e.granularity, []
    for k, name in enumerate(names):
        lines.append(
            f"""%per{k} = arith.constant {len(names) * 256 // e.bytes} : index
        %shift{k} = arith.constant {(4096 + 256 * k) // e.bytes} : index
        %row{k} = arith.muli %i, %per{k} : index
        %to{k} = arith.addi %row{k}, %shift{k} : index
        pto.vsts {name}, %ub[%to{k}], %all : {vreg(e)}, !pto.ptr<{t}, ub>, !pto.mask<b{g}>"""
        )
    return "\n        ".join(lines)


PARAMS = "%base: i64, %at: i64, %n: index, %by: index, %every: i16, %repeat: i16"


@cache
def _loads(name: str, t: str, target: str = "a5", revision: str = "manual") -> Any:
    e = Element(t)
    v, ptr, m = vreg(e), f"!pto.ptr<{t}, ub>", f"!pto.mask<b{e.granularity}>"
    strides = "%p, %every, %repeat, %mask"
    text = {
        "vlds": f"%v, %next = pto.vlds %p[%by] : {ptr} -> {v}, {ptr}",
        "vldsx2": '%v, %w, %next = pto.vldsx2 %p[%by], "BDINTLV"'
        f" : {ptr}, index -> {v}, {v}, {ptr}",
        "vsldb": f"%v, %next = pto.vsldb {strides} : {ptr}, i16, i16, {m} -> {v}, {ptr}",
    }[name]
    kept = ("%v", "%w") if name == "vldsx2" else ("%v",)
    every = f'%all = pto.pset_b{e.granularity} "PAT_ALL" : {m}'
    body = f"{every}\n{text}\n{_keep(e, *kept)}"
    return kernel(t, _loop(body, t), PARAMS, target, revision, e.granularity)


@cache
def _stores(name: str, t: str, target: str = "a5", revision: str = "manual") -> Any:
    e = Element(t)
    v, ptr, m = vreg(e), f"!pto.ptr<{t}, ub>", f"!pto.mask<b{e.granularity}>"
    strides = "%v, %p, %every, %repeat, %mask"
    text = {
        "vsts": f"%next = pto.vsts %v, %p[%by], %mask : {v}, {ptr}, {m} -> {ptr}",
        "vsstb": f"%next = pto.vsstb {strides} : {v}, {ptr}, i16, i16, {m} -> {ptr}",
    }[name]
    body = f"""%per = arith.constant {256 // e.bytes} : index
        %row = arith.muli %i, %per : index
        %v = pto.vlds %ub[%row] : {ptr} -> {v}
        pto.mem_bar "VV_ALL"
        {text}"""
    return kernel(t, _loop(body, t), PARAMS, target, revision, e.granularity)


def _after(before: bytes, writes: dict[int, bytes], end: int) -> bytes:
    after = bytearray(before)
    for at, data in writes.items():
        after[at : at + len(data)] = data
    after[AT : AT + 4] = (end % (1 << 32)).to_bytes(4, "little")
    return bytes(after)


STEPS = ((512, 0, 3), (512, 256, 4), (512, 32, 5), (3200, -256, 4), (512, 96, 1), (512, 64, 0))
"""Where a loop begins, the bytes from access to access, and how often it runs."""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("t", TYPES)
def test_loads_by_an_offset(t: str, target: str) -> None:
    size = Element(t).bytes
    for seed, (base, step, count) in enumerate(STEPS):
        before = memory(seed)
        places = [base + k * step for k in range(count)]
        numbers = (base, AT, count, step // size, 0, 0)
        one = {4096 + 256 * k: before[at : at + 256] for k, at in enumerate(places)}
        for revision in REVISIONS:
            loaded = _loads("vlds", t, target, revision)
            assert run(loaded, before, *numbers) == _after(before, one, base + count * step)
        two: dict[int, bytes] = {}
        for k, at in enumerate(places):
            blocks = [before[at + b : at + b + 32] for b in range(0, 512, 32)]
            two[4096 + 512 * k] = b"".join(blocks[::2] + blocks[1::2])
        loaded = _loads("vldsx2", t, target)
        assert run(loaded, before, *numbers) == _after(before, two, base + count * step)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("t", TYPES)
def test_stores_by_an_offset(t: str, target: str) -> None:
    size = Element(t).bytes
    for seed, (base, step, count) in enumerate(STEPS):
        before = memory(seed)
        base += 4096 if step >= 0 else 1024
        writes = {base + k * step: before[256 * k : 256 * k + 256] for k in range(count)}
        for revision in REVISIONS:
            stored = _stores("vsts", t, target, revision)
            found = run(stored, before, base, AT, count, step // size, 0, 0)
            assert found == _after(before, writes, base + count * step)


@pytest.mark.parametrize("t", TYPES)
def test_blocks_by_the_repeat_stride(t: str) -> None:
    """The first block is at the base: the repeat stride only advances it."""
    rng = random.Random(t)
    for seed in range(6):
        before, count = memory(seed), rng.randint(0, 3)
        block, repeat = rng.randint(1, 5), rng.randint(0, 9)
        base = 32 * rng.randint(32, 40)
        numbers = (base, AT, count, 0, block, repeat)
        end = base + 32 * repeat * count
        reads: dict[int, bytes] = {}
        writes: dict[int, bytes] = {}
        for k in range(count):
            places = [base + 32 * (k * repeat + i * block) for i in range(8)]
            reads[4096 + 256 * k] = b"".join(before[p : p + 32] for p in places)
            for i, at in enumerate(places):
                writes[at] = before[256 * k + 32 * i : 256 * k + 32 * i + 32]
        assert run(_loads("vsldb", t), before, *numbers) == _after(before, reads, end)
        assert run(_stores("vsstb", t), before, *numbers) == _after(before, writes, end)


def test_a_repeat_stride_is_unsigned() -> None:
    found = run(_stores("vsstb", "f32"), bytes(SIZE), 1024, AT, 1, 0, 1, -1)
    assert int.from_bytes(found[AT : AT + 4], "little") == 1024 + 32 * 65535


def test_only_where_it_works_counts() -> None:
    """The advanced address may be anything, until something works there."""
    before = memory(0)
    far = 1 << 40
    found = run(_loads("vlds", "f32"), before, 512, AT, 1, far, 0, 0)
    assert found == _after(before, {4096: before[512:768]}, 512 + 4 * far)
    assert fault(_loads("vlds", "f32"), 512, AT, 2, far, 0, 0).code == "PTO0901"
    assert fault(_loads("vlds", "f32"), 512, AT, 2, 1, 0, 0).code == "PTO0903"
    assert fault(_loads("vlds", "f32"), 516, AT, 1, 7, 0, 0).code == "PTO0903"
    assert fault(_stores("vsts", "f32"), 512, AT, 2, far, 0, 0).code == "PTO0901"


@pytest.mark.parametrize("name", ["vlds", "vldsx2", "vsldb", "vsts", "vsstb"])
def test_the_advanced_base_has_the_type_of_the_base(name: str) -> None:
    v, p, m = "!pto.vreg<64xf32>", "!pto.ptr<f32, ub>", "!pto.mask<b32>"
    start = f"%s = arith.constant 1 : i16\n%w = pto.vlds %ub[%c0] : {p} -> {v}\n"
    text = {
        "vlds": f"%v, %q = pto.vlds %ub[%c0] : {p} -> {v}, TYPE",
        "vldsx2": f'%v, %u, %q = pto.vldsx2 %ub[%c0], "DINTLV_B32" : {p}, index -> {v}, {v}, TYPE',
        "vsldb": f"%v, %q = pto.vsldb %ub, %s, %s, %mask : {p}, i16, i16, {m} -> {v}, TYPE",
        "vsts": f"%q = pto.vsts %w, %ub[%c0], %mask : {v}, {p}, {m} -> TYPE",
        "vsstb": f"%q = pto.vsstb %w, %ub, %s, %s, %mask : {v}, {p}, i16, i16, {m} -> TYPE",
    }[name]
    right = start + text.replace("TYPE", p)
    assert codes("f32", right, mask=32) == set()
    for wrong in ("!pto.ptr<i32, ub>", "!pto.ptr<f32, gm>", v, "index"):
        assert codes("f32", start + text.replace("TYPE", wrong), mask=32) == {"PTO0101"}, wrong


def test_check_follows_the_base_through_a_loop() -> None:
    """The last of so many loads of 64 elements ends with the memory, or after it."""
    v, p = "!pto.vreg<64xf32>", "!pto.ptr<f32, ub>"
    for count, expected in ((960, set()), (961, {"PTO0501"})):
        body = f"""%from = arith.constant 16384 : i64
      %src = pto.castptr %from : i64 -> {p}
      %by = arith.constant 64 : index
      %one_index = arith.constant 1 : index
      %n = arith.constant {count} : index
      %end = scf.for %i = %c0 to %n step %one_index iter_args(%q = %src) -> ({p}) {{
        %v, %next = pto.vlds %q[%by] : {p} -> {v}, {p}
        scf.yield %next : {p}
      }}"""
        assert codes("f32", body) - {"PTO0506"} == expected
