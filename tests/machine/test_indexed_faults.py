"""Indexed accesses that leave UB, stand at a wrong address or write one address twice."""

from __future__ import annotations

from typing import Any

import pytest

from ptoscope import Diagnostic
from tests.isa.elements import Element
from tests.isa.memory import NONE, SIZE, TARGETS, UB_BYTES, fault, image_of, run
from tests.isa.test_indexed import gather, scatter, with_indices

E = Element("f32")
ACCESSES = ("vgather2", "vgather2_bc", "vscatter")
ALL = [1] * 64


def _access(op: str, target: str, selector: str = "%mask") -> Any:
    if op == "vscatter":
        return scatter(E, "i32", selector, target, "manual")
    return gather(op, E, "i32", selector, target, "manual")


def _tile(indices: list[int]) -> bytes:
    return with_indices(bytes(SIZE), indices, 32)


def _fault(move: Any, indices: list[int], base: int, count: int, active: list[int]) -> Diagnostic:
    return fault(move, base, count, before=_tile(indices), image=image_of(active))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op", ACCESSES)
def test_outside_ub_names_the_lane(op: str, target: str) -> None:
    move = _access(op, target)
    verb = "writes" if op == "vscatter" else "reads"
    end = UB_BYTES[target] // 4
    for lane, index in ((0, end), (5, -1), (63, 2**31 - 1), (17, -(2**31))):
        indices = list(range(64))
        indices[lane] = index
        said = _fault(move, indices, 0, 0, ALL)
        assert said.code == "PTO0901"
        assert f"{verb} 4 bytes at UB address {4 * index}," in said.message
        assert f"lane {lane})" in said.message
        idle = [int(i != lane) for i in range(64)]
        run(move, _tile(indices), 0, 0, image=image_of(idle))
    last = list(range(64))
    last[9] = end - 1
    run(move, _tile(last), 0, 0)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op", ["vgather2", "vscatter"])
def test_lanes_past_the_count_cannot_fault(op: str, target: str) -> None:
    move = _access(op, target, "%count")
    indices = [*range(10), *[2**30 + i for i in range(54)]]
    for count in (0, 10):
        run(move, _tile(indices), 0, count)
    said = _fault(move, indices, 0, 11, ALL)
    assert "lane 10)" in said.message


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op", ACCESSES)
def test_addresses_are_multiples_of_the_element(op: str, target: str) -> None:
    """The indices count elements, so the base decides."""
    move = _access(op, target)
    active = [0] * 20 + [1] * 44
    for base in (1, 2, 7):
        said = _fault(move, list(range(64)), base, 0, active)
        assert said.code == "PTO0903"
        assert f"address {base + 80} is not a multiple of 4 bytes" in said.message
        assert "lane 20)" in said.message
        run(move, _tile(list(range(64))), base, 0, image=NONE)


@pytest.mark.parametrize("selector", ["%mask", "%count"])
def test_aliases_are_illegal_on_a2a3(selector: str) -> None:
    move = _access("vscatter", "a2a3", selector)
    indices = list(range(64))
    indices[40] = 7
    said = _fault(move, indices, 0, 64, ALL)
    assert said.code == "PTO0911"
    assert "lanes 7 and 40 write the same address" in said.message
    for idle in (7, 40):
        active = [int(i != idle) for i in range(64)]
        run(move, _tile(indices), 0, 40, image=image_of(active))
    for target in ("a5", "cpu"):
        run(_access("vscatter", target, selector), _tile(indices), 0, 64)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("selector", ["%mask", "%count"])
def test_gathered_blocks(selector: str, target: str) -> None:
    """Base and offsets are multiples of 32 bytes; only active blocks count."""
    move = gather("vgatherb", E, "ui32", selector, target, "manual")
    blocks = [32 * i for i in range(8)] + [1] * 56
    run(move, _tile(blocks), 64, 8)
    last = UB_BYTES[target] - 32
    run(move, _tile([last, *blocks[1:]]), 0, 8)
    for lane, offset, code in ((2, 33, "PTO0903"), (7, last + 32, "PTO0901"), (3, 16, "PTO0903")):
        wrong = list(blocks)
        wrong[lane] = offset
        said = _fault(move, wrong, 0, 8, ALL)
        assert (said.code, f"lane {lane})" in said.message) == (code, True)
        idle = [int(i < lane) for i in range(64)]
        run(move, _tile(wrong), 0, lane, image=image_of(idle))
    # An offset is unsigned, whatever the type it comes in: -32 is far ahead.
    for index in ("i32", "si32", "ui32"):
        move = gather("vgatherb", E, index, selector, target, "manual")
        said = _fault(move, [-32, *blocks[1:]], 64, 8, ALL)
        assert f"UB address {2**32 + 32}," in said.message


@pytest.mark.parametrize("target", TARGETS)
def test_the_base_of_gathered_blocks_is_itself_aligned(target: str) -> None:
    """An offset that would make up for it does not."""
    move = gather("vgatherb", E, "ui32", "%mask", target, "manual")
    assert _fault(move, [16] * 64, 16, 0, ALL).code == "PTO0903"
