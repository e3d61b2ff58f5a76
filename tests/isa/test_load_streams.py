"""Load streams: what vldas holds, where a vldus may go on, what both read."""

from __future__ import annotations

from typing import Any

import pytest

from tests.isa.memory import SIZE, UB_BYTES, codes, fault, kernel, memory, run

P, V, A = "!pto.ptr<f32, ub>", "!pto.vreg<64xf32>", "!pto.align"
WHOLE = '%whole = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>'


def _at(name: str, address: str) -> str:
    return f"{name} = pto.castptr {address} : i64 -> {P}"


def _load(value: str, state: str, pointer: str, after: str, following: str) -> str:
    return (
        f"{value}, {after}, {following} = pto.vldus {pointer}, {state} : {P}, {A} -> {V}, {A}, {P}"
    )


def _keep(value: str, pointer: str) -> str:
    return f"pto.vsts {value}, {pointer}[%c0], %whole : {V}, {P}, !pto.mask<b32>"


def _two_loads(target: str = "a5") -> Any:
    """vldas at %prime; a block of ones is stored at %store; then two vectors from %first and
    %second on, kept at 4096 and 4352."""
    body = f"""{WHOLE}
      %unit = arith.constant 1.0 : f32
      %ones = pto.vbr %unit : f32 -> {V}
      %eight = pto.pset_b32 "PAT_VL8" : !pto.mask<b32>
      %low = arith.constant 4096 : i64
      %high = arith.constant 4352 : i64
      {_at("%kept", "%low")}
      {_at("%kept2", "%high")}
      {_at("%p", "%prime")}
      {_at("%a", "%first")}
      {_at("%b", "%second")}
      {_at("%to", "%store")}
      %s = pto.vldas %p : {P} -> {A}
      pto.mem_bar "VLD_VST"
      pto.vsts %ones, %to[%c0], %eight : {V}, {P}, !pto.mask<b32>
      pto.mem_bar "VST_VLD"
      {_load("%v", "%s", "%a", "%t", "%n")}
      {_load("%w", "%t", "%b", "%u", "%m")}
      pto.mem_bar "VLD_VST"
      {_keep("%v", "%kept")}
      {_keep("%w", "%kept2")}"""
    return kernel("f32", body, "%prime: i64, %first: i64, %second: i64, %store: i64", target)


ONES = bytes.fromhex("0000803f") * 8


@pytest.mark.parametrize("target", ["a5", "a2a3", "cpu"])
@pytest.mark.parametrize("first", [1024, 1028, 1052, 1025, 1055])
def test_the_first_vector_has_the_block_as_vldas_found_it(first: int, target: str) -> None:
    """Wherever in the block the stream was primed; an address need not be an element's."""
    move = _two_loads(target)
    before = memory(first)
    for prime in (1024, 1040, 1055):
        for store in (1024, 1056, 1280):
            stored = bytearray(before)
            stored[store : store + 32] = ONES
            seen = bytearray(stored)
            seen[1024:1056] = before[1024:1056]
            expected = bytearray(stored)
            expected[4096:4352] = seen[first : first + 256]
            expected[4352:4608] = stored[first + 256 : first + 512]
            found = run(move, before, prime, first, first + 256, store)
            assert found == bytes(expected), (prime, store)


def _stored_between(offset: int, store: int) -> Any:
    """A vector from 1024 + offset on, then a store of a block, then the next vector."""
    body = f"""{WHOLE}
      %unit = arith.constant 1.0 : f32
      %ones = pto.vbr %unit : f32 -> {V}
      %eight = pto.pset_b32 "PAT_VL8" : !pto.mask<b32>
      %low = arith.constant 4096 : i64
      %at = arith.constant {1024 + offset} : i64
      %far = arith.constant {store} : i64
      {_at("%kept", "%low")}
      {_at("%p", "%at")}
      {_at("%to", "%far")}
      %s = pto.vldas %p : {P} -> {A}
      {_load("%v", "%s", "%p", "%t", "%n")}
      pto.mem_bar "VLD_VST"
      pto.vsts %ones, %to[%c0], %eight : {V}, {P}, !pto.mask<b32>
      pto.mem_bar "VST_VLD"
      {_load("%w", "%t", "%n", "%u", "%m")}
      pto.mem_bar "VLD_VST"
      {_keep("%w", "%kept")}"""
    return kernel("f32", body)


@pytest.mark.parametrize(("offset", "held"), [(0, False), (4, True), (31, True)])
def test_the_next_vector_has_the_block_in_which_the_one_before_ended(
    offset: int, held: bool
) -> None:
    """One that ended at a border has read no part of the next block."""
    before = memory(offset)
    for store in (1280, 1312):
        stored = bytearray(before)
        stored[store : store + 32] = ONES
        seen = bytearray(stored)
        if held:
            seen[1280:1312] = before[1280:1312]
        expected = bytearray(stored)
        expected[4096:4352] = seen[1280 + offset : 1536 + offset]
        assert run(_stored_between(offset, store), before) == bytes(expected)


@pytest.mark.parametrize(
    ("prime", "first", "second", "found", "expected"),
    [
        (1024, 1056, 1312, "address 1056", "from 1024 to 1055"),
        (1060, 1055, 1311, "address 1055", "from 1056 to 1087"),
        (1024, 1028, 1288, "address 1288", "address 1284"),
        (1024, 1028, 1028, "address 1028", "address 1284"),
        (1024, 1024, 1284, "address 1284", "address 1280"),
    ],
)
def test_an_address_that_does_not_follow(
    prime: int, first: int, second: int, found: str, expected: str
) -> None:
    said = fault(_two_loads(), prime, first, second, 2048)
    assert said.code == "PTO0912"
    assert "does not follow from the stream" in said.message
    assert found in said.found
    assert expected in said.expected
    assert "pto.vldas" in said.hint


@pytest.mark.parametrize("target", ["a5", "a2a3", "cpu"])
def test_vldas_reads_its_block(target: str) -> None:
    """So an address outside UB is a fault, and any inside is not."""
    body = f"""{_at("%p", "%at")}
      %s = pto.vldas %p : {P} -> {A}"""
    move = kernel("f32", body, "%at: i64", target)
    size = UB_BYTES[target]
    for inside in (0, 31, size - 1, size - 32):
        run(move, bytes(SIZE), inside)
    for outside, start in ((size, size), (size + 5, size), (-1, -32), (1 << 62, 1 << 62)):
        said = fault(move, outside)
        assert said.code == "PTO0901"
        assert f"pto.vldas: reads 32 bytes at UB address {start}" in said.message


def test_a_state_of_the_other_kind() -> None:
    """It is an error before any run."""
    load = f"""{_at("%p", "%at")}
      %s = pto.init_align : {A}
      {_load("%v", "%s", "%p", "%t", "%n")}"""
    store = f"""{_at("%p", "%at")}
      %v = pto.vlds %ub[%c0] : {P} -> {V}
      %s = pto.vldas %p : {P} -> {A}
      %t = pto.vstur %s, %v, %p : {A}, {V}, {P} -> {A}
      pto.vstar %t, %p : {A}, {P}"""
    flush = f"""{_at("%p", "%at")}
      %s = pto.vldas %p : {P} -> {A}
      pto.vstar %s, %p : {A}, {P}"""
    for body, code in ((load, "PTO0401"), (store, "PTO0410"), (flush, "PTO0404")):
        assert codes("f32", body, "%at: i64") == {code}
