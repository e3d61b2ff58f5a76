"""A second buffer: what is promised is what the kernel with two buffers takes less."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.timing.kernels import FLOATS, looped, tiles, timed

TILES = 8
COPIES = {"dma.gm_to_ub.startup": 64.0, "dma.gm_to_ub.bytes_per_cycle": 128.0}
"""Copies that start quickly: then two buffers hide all that can be hidden."""
TRANSFER = 64 + 4 * FLOATS // 128
"""Start-up and bytes of one tile."""


def _advice(text: str, count: int = TILES, floats: int = FLOATS) -> list[dict[str, Any]]:
    data = np.ones(count * floats, np.float32)
    return timed(text, data, overrides=COPIES).as_json()["double_buffers"]


@pytest.mark.parametrize("style", ["flags", "bufs"])
def test_the_second_buffer_saves_what_is_promised(style: str) -> None:
    text = looped(TILES, 1, style)
    one, two = (timed(looped(TILES, n, style), tiles(TILES), overrides=COPIES) for n in (1, 2))
    (found,) = one.as_json()["double_buffers"]
    assert found["names"] == ["%ub0"]
    lines = text.split("\n")
    assert "%ub0 = pto.castptr" in lines[found["lines"][0] - 1]
    assert "scf.for %tile" in lines[found["loop"] - 1]
    assert found["bytes"] == 4 * FLOATS
    # Every transfer but the first is hidden behind the work on the tile before, or that behind it.
    (scope,) = one.as_json()["vecscopes"]
    work = scope["cycles"] // TILES
    hidden = (TILES - 1) * min(TRANSFER, work)
    assert abs(found["fewer"] - hidden) <= 40
    assert abs(one.total_cycles - two.total_cycles - found["fewer"]) <= 40


def test_two_buffers_need_no_third() -> None:
    """Both are busy: with one more, only the first transfers would come earlier."""
    assert not [one for one in _advice(looped(TILES, 2)) if one["fewer"] > 40]


def test_memory_has_to_suffice() -> None:
    """UB of A5 has 256 KiB."""
    assert _advice(looped(3, 1, floats=32 * 1024), 3, 32 * 1024)
    assert not _advice(looped(3, 1, floats=33 * 1024), 3, 33 * 1024)


def test_an_event_has_to_be_left() -> None:
    """The eighth would be the ninth."""
    text = looped(TILES, 1)
    first = text.index("    scf.for %tile")
    others = "".join(
        f'    pto.{op}_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID{n}"]\n'
        for n in range(1, 8)
        for op in ("set", "wait")
    )
    assert not _advice(text[:first] + others + text[first:])
    fewer = others.replace("EVENT_ID7", "EVENT_ID6")
    assert _advice(text[:first] + fewer + text[first:])


def test_what_an_iteration_leaves_for_the_next_stays_where_it_is() -> None:
    """Half a tile comes, and all of it is read: the other half is the result before."""
    text = looped(TILES, 1)
    half = text.replace("%ub0, %zero, %bytes nburst", "%ub0, %zero, %half nburst").replace(
        "    %burst =", f"    %half = arith.constant {2 * FLOATS} : i64\n    %burst ="
    )
    assert half.count("%half") == 2
    assert _advice(text)
    assert not _advice(half)


def test_a_flag_that_guards_more_than_the_buffer() -> None:
    """Work reads a second place, which is filled before the same flag: both at once, or none."""
    text = looped(TILES, 1)
    copy = next(line for line in text.split("\n") if "mte_gm_ub" in line)
    both = text.replace(copy, f"{copy}\n{copy.replace('%ub0', '%more')}").replace(
        "    scf.for %tile",
        f"    %mid = arith.constant {16 * FLOATS} : i64\n"
        "    %more = pto.castptr %mid : i64 -> !pto.ptr<f32, ub>\n    scf.for %tile",
    )
    both = both.replace("pto.vlds %ub0[%i]", "pto.vlds %more[%i]")
    found = _advice(both)
    assert found
    assert all(one["names"] == ["%ub0", "%more"] for one in found)


@pytest.mark.parametrize("style", ["flags", "bufs"])
def test_what_is_promised_holds_where_copies_start_slowly(style: str) -> None:
    """By the published figures: the second copy starts while the first moves bytes."""
    one, two = (timed(looped(TILES, n, style), tiles(TILES)) for n in (1, 2))
    (found,) = one.as_json()["double_buffers"]
    assert abs(one.total_cycles - two.total_cycles - found["fewer"]) <= 40
