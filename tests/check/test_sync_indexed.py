"""Scatters and gathers by indices that rise or fall evenly: what they touch is known before."""

from __future__ import annotations

import pytest

from .pipes import M, P, V, both, codes, copy_in, copy_out, findings, kernel, scope

I = "!pto.vreg<64xi32>"  # noqa: E741
NUMBERS = "%zero = arith.constant 0 : i32\n%two = arith.constant 2 : i32"
MADE = f"%f = arith.constant 1.0 : f32\n%w = pto.vbr %f : f32 -> {V}"
RISING = [f"%at = pto.vci %zero : i32 -> {I}"]
FALLING = [
    "%last = arith.constant 63 : i32",
    f'%at = pto.vci %last {{order = "DESC"}} : i32 -> {I}',
]
SPREAD = [
    f"%lane = pto.vci %zero : i32 -> {I}",
    f"%at = pto.vmuls %lane, %two, %m : {I}, i32, {M} -> {I}",
]
SHIFTED = [
    f"%lane = pto.vci %two : i32 -> {I}",
    "%by = arith.constant 2 : i16",
    f"%at = pto.vshls %lane, %by, %m : {I}, i16, {M} -> {I}",
]
ONE_PLACE = [f"%at = pto.vbr %two : i32 -> {I}"]
PLACES = {
    "rising": (RISING, [4096, 4320], 4352),
    "falling": (FALLING, [4096, 4320], 4352),
    "every second element": (SPREAD, [4096, 4352, 4576], 4608),
    "every fourth element from the eighth on": (SHIFTED, [4128, 5120], 4096),
    "one element": (ONE_PLACE, [4096], 4128),
}
"""How the indices are made, addresses of blocks that are touched, and one that is not."""


def _scatter(lanes: str = "%m") -> str:
    return f"pto.vscatter %w, %b, %at, {lanes} : {V}, {P}, {I}, {M}"


def _gather(lanes: str = "%m") -> str:
    return f"%v = pto.vgather2 %b, %at, {lanes} : {P}, {I}, {M} -> {V}"


def _pointer(address: int) -> str:
    return f"%start = arith.constant {address} : i64\n%p = pto.castptr %start : i64 -> {P}"


@pytest.mark.parametrize("name", PLACES)
def test_what_a_scatter_writes_is_ordered(name: str) -> None:
    lines, touched, other = PLACES[name]

    def races(address: int, order: str = "") -> bool:
        vector = scope(NUMBERS, MADE, *lines, _scatter())
        text = kernel(_pointer(address), vector, order, copy_out("%p", "%l32"))
        return "PTO0607" in codes(text)

    assert all(races(address) for address in touched)
    assert not any(races(address, both("V", "MTE3")) for address in touched)
    assert not races(other)


@pytest.mark.parametrize("name", PLACES)
def test_what_a_gather_reads_is_ordered(name: str) -> None:
    lines, touched, other = PLACES[name]

    def races(address: int) -> bool:
        vector = scope(NUMBERS, MADE, *lines, _gather())
        return "PTO0607" in codes(kernel(_pointer(address), copy_in("%p", "%l32"), vector))

    assert all(races(address) for address in touched)
    assert not races(other)


@pytest.mark.parametrize(
    ("mask", "expected"),
    [
        (f'%k = pto.pset_b32 "PAT_VL8" : {M}', {4096: True, 4128: False}),
        (f'%k = pto.pset_b32 "PAT_ALLF" : {M}', {4096: False, 4128: False}),
        # The first lane takes part in some run, the others perhaps not.
        (f"%k, %rest = pto.plt_b32 %some : i32 -> {M}, i32", {4096: True, 4128: False}),
        # Which lanes these are is known only when it runs.
        (f'%k = pto.vcmp %w, %w, %m, "lt" : {V}, {V}, {M} -> {M}', {4096: False, 4128: False}),
    ],
)
def test_lanes_that_take_no_part(mask: str, expected: dict[int, bool]) -> None:
    for address, races in expected.items():
        vector = scope(NUMBERS, MADE, *RISING, mask, _scatter("%k"))
        text = kernel(
            _pointer(address), vector, copy_out("%p", "%l32"), params="%n: index, %some: i32"
        )
        assert ("PTO0607" in codes(text)) == races


@pytest.mark.parametrize(
    ("first", "expected"), [(-1024, []), (-1025, ["PTO0501"]), (64448, []), (64449, ["PTO0501"])]
)
def test_indices_that_leave_ub(first: int, expected: list[str]) -> None:
    """1024 elements lie before %b, 64512 from it on."""
    begin = f"%first = arith.constant {first} : i32"
    text = kernel(scope(MADE, begin, f"%at = pto.vci %first : i32 -> {I}", _scatter()))
    assert [c for c in codes(text) if c == "PTO0501"] == expected


def test_indices_that_wrap_are_not_known() -> None:
    big = "%big = arith.constant 2147483647 : i32"
    text = kernel(scope(MADE, big, f"%at = pto.vci %big : i32 -> {I}", _scatter()))
    assert findings(text) == []
