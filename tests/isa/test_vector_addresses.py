"""Vector addresses: what loops make of strides, accesses there, and streams that go on."""

from __future__ import annotations

import itertools
import random
from functools import cache
from typing import Any

import pytest

from tests.isa.memory import SIZE, codes, fault, kernel, memory, run

V, P, M, A = "!pto.vreg<64xf32>", "!pto.ptr<f32, ub>", "!pto.mask<b32>", "!pto.vaddr<b32>"
FAR = 4096
HEAD = f"""%far = arith.constant {FAR} : i64
      %dst = pto.castptr %far : i64 -> {P}
      %all = pto.pset_b32 "PAT_ALL" : {M}
"""


def _loops(body: str, bounds: list[tuple[int, int, int]]) -> str:
    """A body in loops of i16, the outermost first: first, end and step of each."""
    for level, numbers in reversed(list(enumerate(bounds))):
        names = [f"%{word}{level}" for word in ("low", "end", "step")]
        constants = [f"{n} = arith.constant {v} : i16" for n, v in zip(names, numbers, strict=True)]
        low, end, step = names
        body = "\n".join(
            [*constants, f"scf.for %i{level} = {low} to {end} step {step} : i16 {{", body, "}"]
        )
    return body


def _vag(strides: list[int], name: str = "%addr", kind: str = A) -> str:
    lines = [f"{name}_s{k} = arith.constant {s} : i32" for k, s in enumerate(strides)]
    listed = ", ".join(f"{name}_s{k}" for k in range(len(strides)))
    lines.append(f"{name} = pto.vag {listed} : {', '.join(['i32'] * len(strides))} -> {kind}")
    return "\n".join(lines)


def _addresses(strides: list[int], bounds: list[tuple[int, int, int]]) -> list[int]:
    """Each address in the order of the loops: the first stride goes with the innermost one."""
    runs = [range(len(range(*numbers))) for numbers in bounds]
    return [
        sum(s * i for s, i in zip(strides, reversed(counters), strict=False))
        for counters in itertools.product(*runs)
    ]


COPY = f"""%v = pto.vald %ub[%addr] : {P}, {A} -> {V}
pto.vast %v, %dst[%addr], %all : {V}, {P}, {A}, {M}"""


@pytest.mark.parametrize(
    ("strides", "bounds"),
    [
        ([256], [(0, 5, 1)]),
        ([0], [(0, 3, 1)]),
        ([256], [(0, 0, 1)]),
        ([256], [(7, 22, 4)]),
        ([256], [(-3, 3, 2)]),
        ([256, 512], [(0, 3, 1), (0, 2, 1)]),
        ([512, 256], [(2, 4, 1), (-4, 3, 3)]),
        ([256], [(0, 3, 1), (0, 2, 1)]),
        ([32, 256, 1024], [(0, 2, 1), (0, 3, 1), (0, 4, 1)]),
        ([256, 512, 1024, 2048], [(0, 2, 1), (1, 3, 1), (0, 4, 2), (0, 2, 1)]),
        ([0, 0, 0, 256], [(0, 4, 1), (0, 2, 1), (0, 1, 1), (0, 2, 1)]),
    ],
)
def test_strides_go_with_loops(strides: list[int], bounds: list[tuple[int, int, int]]) -> None:
    """A copy of the vectors that the addresses lead to, whatever the bounds and steps."""
    body = HEAD + _loops(f'pto.mem_bar "VV_ALL"\n{_vag(strides)}\n{COPY}', bounds)
    before = memory(1)
    after = bytearray(before)
    for at in _addresses(strides, bounds):
        after[FAR + at : FAR + at + 256] = before[at : at + 256]
    assert run(kernel("f32", body), before) == bytes(after)


def test_an_address_is_of_the_place_where_it_is_made() -> None:
    """Used in an inner loop, one that an outer loop made stays."""
    inner = _loops(f'pto.mem_bar "VV_ALL"\n{COPY}', [(0, 2, 1)]).replace("0 =", "9 =")
    for word in ("low", "end", "step", "i"):
        inner = inner.replace(f"%{word}0", f"%{word}9")
    body = HEAD + _loops(f"{_vag([512])}\n{inner}", [(0, 3, 1)])
    before = memory(2)
    after = bytearray(before)
    for at in (0, 512, 1024):
        after[FAR + at : FAR + at + 256] = before[at : at + 256]
    assert run(kernel("f32", body), before) == bytes(after)


def test_an_address_has_32_bits() -> None:
    """A stride is unsigned, and what is more than 32 bits is lost: twice half of it is nothing."""
    access = f"""%one16 = arith.constant 1 : i16
%skip = arith.cmpi ne, %i0, %one16 : i16
%addr = pto.vag %stride : i32 -> {A}
scf.if %skip {{
{COPY}
}}"""
    body = HEAD + _loops(f'pto.mem_bar "VV_ALL"\n{access}', [(0, 3, 1)])
    move, before = kernel("f32", body, "%stride: i32"), memory(3)
    assert run(move, before, -(1 << 31)) == before[:FAR] + before[:256] + before[FAR + 256 :]
    for outside in (-32, -(1 << 30), 1 << 30):
        assert fault(move, outside).code == "PTO0901"


@cache
def _moves(load: str, store: str, kind: str) -> Any:
    body = f'pto.mem_bar "VV_ALL"\n{_vag([64], kind=kind)}\n{load}\n{store}'
    return kernel("f32", HEAD + _loops(body, [(0, 3, 1)]))


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_pairs_and_predicates(bits: int) -> None:
    """The granularity of an address changes nothing: it is in bytes."""
    kind, before = f"!pto.vaddr<b{bits}>", memory(bits)
    two = f'%v, %w = pto.valdx2 %ub[%addr], "DINTLV_B32" : {P}, {kind} -> {V}, {V}'
    both = f'pto.vastx2 %v, %w, %dst[%addr], "INTLV_B32", %all : {V}, {V}, {P}, {kind}, {M}'
    after = before[:FAR] + before[:640] + before[FAR + 640 :]
    assert run(_moves(two, both, kind), before) == after
    one = f'%m = pto.pald %ub[%addr], "NORM" : {P}, {kind} -> {M}'
    back = f'pto.past %m, %dst[%addr], "NORM" : {M}, {P}, {kind}'
    expected = bytearray(before)
    for at in (0, 64, 128):
        expected[FAR + at : FAR + at + 32] = before[at : at + 32]
    assert run(_moves(one, back, kind), before) == bytes(expected)


def _chain(count: int, shift: int) -> str:
    """In every iteration so many vectors, from one unaligned stream into another."""
    lines = [
        'pto.mem_bar "VV_ALL"',
        _vag([512], "%load0"),
        _vag([768], "%store0"),
        "%inc = arith.constant 256 : i32",
        f"%in0 = pto.valda %src[%load0] : {P}, {A} -> !pto.align",
        "%out0 = pto.init_align : !pto.align",
    ]
    for k in range(count):
        lines += [
            f"%v{k}, %in{k + 1}, %load{k + 1} = pto.valdu %src[%load{k}], %in{k}, %inc"
            f" : {P}, {A}, !pto.align, i32 -> {V}, !pto.align, {A}",
            f'%out{k + 1}, %store{k + 1} = pto.vastu %out{k}, %store{k}, %v{k}, %to, "POST_UPDATE"'
            f" : !pto.align, {A}, {V}, {P} -> !pto.align, {A}",
        ]
    lines.append(f"pto.vasta %out{count}, %to[%store{count}] : !pto.align, {P}, {A}")
    start = f"""%s = arith.constant {shift} : index
      %src = pto.addptr %ub, %s : {P} -> {P}
      %to = pto.addptr %dst, %s : {P} -> {P}
"""
    return HEAD + start + _loops("\n".join(lines), [(0, 3, 1)])


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("shift", [0, 1, 5, 8])
def test_streams(count: int, shift: int) -> None:
    before = memory(shift)
    after = bytearray(before)
    for i in range(3):
        at, to = 512 * i + 4 * shift, FAR + 768 * i + 4 * shift
        after[to : to + 256 * count] = before[at : at + 256 * count]
    assert run(kernel("f32", _chain(count, shift)), before) == bytes(after)


def test_an_address_goes_through_a_loop() -> None:
    """Two streams whose states and addresses an inner loop carries."""
    types = f"!pto.align, {A}, !pto.align, {A}"
    body = f"""{_vag([0], "%load")}
      {_vag([0], "%store")}
      %inc = arith.constant 256 : i32
      %one_index = arith.constant 1 : index
      %n = arith.constant 5 : index
      %primed = pto.valda %src[%load] : {P}, {A} -> !pto.align
      %begun = pto.init_align : !pto.align
      %r:4 = scf.for %k = %c0 to %n step %one_index
          iter_args(%a = %primed, %p = %load, %b = %begun, %q = %store) -> ({types}) {{
        %v, %a1, %p1 = pto.valdu %src[%p], %a, %inc
          : {P}, {A}, !pto.align, i32 -> {V}, !pto.align, {A}
        %b1, %q1 = pto.vastu %b, %q, %v, %to, "POST_UPDATE"
          : !pto.align, {A}, {V}, {P} -> !pto.align, {A}
        scf.yield %a1, %p1, %b1, %q1 : {types}
      }}
      pto.vasta %r#2, %to[%r#3] : !pto.align, {P}, {A}"""
    start = f"""%three = arith.constant 3 : index
      %src = pto.addptr %ub, %three : {P} -> {P}
      %to = pto.addptr %dst, %three : {P} -> {P}
"""
    before = memory(9)
    to = FAR + 12
    after = before[:to] + before[12 : 12 + 1280] + before[to + 1280 :]
    assert run(kernel("f32", HEAD + start + _loops(body, [(0, 1, 1)])), before) == after


def test_check_follows_addresses() -> None:
    """What is outside of UB, and what lacks a barrier, is found before a run."""
    right = HEAD + _loops(f"{_vag([256, 1024])}\n{COPY}", [(0, 2, 1), (0, 4, 1)])
    assert codes("f32", right) == set()
    far = HEAD + _loops(f"{_vag([256, 1 << 18])}\n{COPY}", [(0, 2, 1), (0, 4, 1)])
    assert codes("f32", far) == {"PTO0501"}
    odd = HEAD + _loops(f"{_vag([257])}\n{COPY}", [(0, 2, 1)])
    assert codes("f32", odd) == {"PTO0502"}
    again = f"%w = pto.vald %dst[%addr] : {P}, {A} -> {V}"
    for barrier, expected in (("", {"PTO0609"}), ('pto.mem_bar "VST_VLD"', set[str]())):
        meet = HEAD + _loops(f"{_vag([256])}\n{COPY}\n{barrier}\n{again}", [(0, 2, 1)])
        assert codes("f32", meet) == expected


INDEX = "%one_index = arith.constant 1 : index\n"


@pytest.mark.parametrize(
    ("strides", "before", "after"),
    [
        (1, "", ""),
        (1, f"{INDEX}scf.for %i = %c0 to %one_index step %one_index {{", "}"),
        (2, _loops("BODY", [(0, 1, 1)]).partition("BODY")[0], "}"),
        (2, _loops(f"{INDEX}scf.for %i = %c0 to %one_index step %one_index {{\nBODY\n}}",
                   [(0, 1, 1)]).partition("BODY")[0], "}\n}"),
    ],
)  # fmt: skip
def test_every_stride_needs_a_loop_of_i16(strides: int, before: str, after: str) -> None:
    body = f"{HEAD}{before}\n{_vag([256] * strides)}\n{COPY}\n{after}"
    assert codes("f32", body) == {"PTO0307"}


def test_five_strides_and_other_types_are_wrong() -> None:
    five = HEAD + _loops(f"{_vag([0] * 5)}\n{COPY}", [(0, 1, 1)] * 5)
    assert "PTO0008" in codes("f32", five)
    for wrong in ("!pto.vaddr<b64>", "!pto.vaddr"):
        text = HEAD + _loops(f"{_vag([0], kind=wrong)}", [(0, 1, 1)])
        assert codes("f32", text) == {"PTO0005"}
    word = HEAD + _loops("%s = arith.constant 1 : i64\n%addr = pto.vag %s : i64 -> " + A,
                         [(0, 1, 1)])  # fmt: skip
    assert codes("f32", word) == {"PTO0101"}
    other = f"""{_vag([0])}
      %inc = arith.constant 256 : i32
      %a = pto.valda %ub[%addr] : {P}, {A} -> !pto.align
      %v, %b, %n = pto.valdu %ub[%addr], %a, %inc
        : {P}, {A}, !pto.align, i32 -> {V}, !pto.align, !pto.vaddr<b16>"""
    assert codes("f32", HEAD + _loops(other, [(0, 1, 1)])) == {"PTO0101"}
    both = _chain(1, 0).replace("%out0, %store0, %v0", "%out0, %load0, %v0")
    assert "PTO0412" in codes("f32", both)


@pytest.mark.parametrize("target", ["a2a3", "cpu"])
def test_only_a5_has_them(target: str) -> None:
    body = HEAD + _loops(f"{_vag([256])}\n{COPY}", [(0, 2, 1)])
    assert codes("f32", body, target=target) == {"PTO0201"}


def test_random_nests() -> None:
    rng = random.Random(0)
    for _ in range(8):
        bounds = []
        for _ in range(rng.randint(1, 4)):
            low, step, runs = rng.randint(-9, 9), rng.randint(1, 5), rng.randint(1, 3)
            bounds.append((low, low + runs * step - rng.randrange(step), step))
        strides = [32 * rng.randint(0, 12) for _ in range(rng.randint(1, len(bounds)))]
        body = HEAD + _loops(f'pto.mem_bar "VV_ALL"\n{_vag(strides)}\n{COPY}', bounds)
        before = memory(rng.getrandbits(20))
        after = bytearray(before)
        for at in _addresses(strides, bounds):
            after[FAR + at : FAR + at + 256] = before[at : at + 256]
        assert len(after) == SIZE
        assert run(kernel("f32", body), before) == bytes(after), (strides, bounds)
