"""The map of buffers: as a table, as JSON, as a picture."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from typing import Any

import pytest

from ptoscope.isa.dtypes import F16
from ptoscope.isa.targets import TARGETS
from ptoscope.lang.memory.map import MemoryMap
from tests.lang.memory.kernels import allocations, buffer, load, loop, planned, program_of, store

CHANGES: dict[str, Any] = {
    "a": {"shape": (100, 4), "dtype": F16},
    "b": {"copies": 2, "shape": (96 * 256,)},
    "c": {"shape": (72 * 256,)},
}


@pytest.fixture(scope="module")
def shown() -> MemoryMap:
    """A small buffer, a doubled one and one that has to share with it."""
    body = loop(buffer("b"), load("b"), store("b"))
    program = program_of(buffer("a"), load("a"), *body, buffer("c"), load("c"), store("a"))
    return planned(program, allocations(program, **CHANGES))


def test_the_table(shown: MemoryMap) -> None:
    assert str(shown) == (
        "buffer  elements     addresses           bytes   copies  live           shares with\n"
        "a       f16[100, 4]  0x00000 to 0x003ff  1024    1       lines 8 to 16\n"
        "b       f32[24576]   0x00400 to 0x303ff  196608  2       lines 9 to 12  c\n"
        "c       f32[18432]   0x00400 to 0x123ff  73728   1       line 15        b\n"
        "3 buffers, 197632 of 262144 bytes (256 KiB) of UB on a5, "
        "73728 of them by several in turn\n"
    )


def test_a_map_without_buffers() -> None:
    empty = MemoryMap(TARGETS["a2a3"], ())
    assert str(empty) == "0 buffers, 0 of 196608 bytes (192 KiB) of UB on a2a3\n"
    assert "<svg" not in empty._repr_html_()
    assert (len(empty), empty.end) == (0, 0)


def test_json(shown: MemoryMap) -> None:
    record = json.loads(json.dumps(shown.as_json()))
    buffers = record.pop("buffers")
    ub = {"capacity": 262144, "used": 197632, "reused": 73728}
    assert record == {"target": "a5", **ub, "memories": {"ub": ub}}
    assert [b["name"] for b in buffers] == ["a", "b", "c"]
    assert buffers[1] == {
        "name": "b",
        "memory": "ub",
        "dtype": "f32",
        "shape": [24576],
        "address": 1024,
        "end": 197632,
        "bytes": 98304,
        "copies": 2,
        "stride": 98304,
        "line": 10,
        "first_line": 9,
        "last_line": 12,
        "shares_with": ["c"],
    }


def test_buffers_by_name_and_number(shown: MemoryMap) -> None:
    assert shown["c"] is shown[2]
    assert [p.name for p in shown] == ["a", "b", "c"]
    with pytest.raises(KeyError, match="no buffer d; there are a, b, c"):
        shown["d"]


def test_the_picture_has_every_buffer(shown: MemoryMap) -> None:
    figure = ElementTree.fromstring(shown._repr_html_())
    titles = [title.text for title in figure.iter("title")]
    assert titles == [
        "a: f16[100, 4], 0x0 to 0x3ff, lines 8 to 16",
        "b: f32[24576], 0x400 to 0x303ff, 2 copies, lines 9 to 12",
        "c: f32[18432], 0x400 to 0x123ff, line 15",
    ]
    rows = [[cell.text for cell in row] for row in figure.iter("tr")]
    assert [row[0] for row in rows] == ["buffer", "a", "b", "c"]
    caption = figure.find("figcaption")
    assert caption is not None
    assert caption.text == shown.summary


def test_areas_are_where_addresses_and_lines_are(shown: MemoryMap) -> None:
    """Widths are as the bytes, heights as the lines, and who shares bytes is above the other."""
    figure = ElementTree.fromstring(shown._repr_html_())
    a, b, c = (
        [float(area.attrib[key]) for key in ("x", "width", "y", "height")]
        for area in figure.iter("rect")
    )
    assert b[1] / c[1] == pytest.approx(196608 / 73728, rel=0.01)
    assert a[0] + a[1] == pytest.approx(b[0], abs=0.2)
    assert b[0] == c[0]
    assert a[3] / b[3] == pytest.approx(9 / 4, rel=0.01)
    assert b[2] + b[3] <= c[2]


def test_names_are_escaped_in_the_picture() -> None:
    program = program_of(buffer("a"), load("a"))
    text = planned(program, allocations(program, a={"name": "<x>&"}))._repr_html_()
    assert "<x>" not in text
    assert text.count("&lt;x&gt;&amp;") == 3


def test_several_memories() -> None:
    """Each memory is counted by itself; addresses of different ones do not meet."""
    program = program_of(buffer("a"), load("a"), buffer("b"), load("b"), store("a"), store("b"))
    tile = replace(allocations(program)[0], name="tile", memory="l0c", shape=(16, 16), root=-1)
    shown = planned(program, [*allocations(program), tile])
    assert shown.memories == ("ub", "l0c")
    assert shown["tile"].address == 0
    assert shown.of("l0c").capacity == 256 * 1024
    assert shown.sharing(shown["tile"]) == []
    assert "L0C     tile" in str(shown)
    assert "1024 of 262144 bytes (256 KiB) of L0C on a5" in shown.summary
    assert shown.as_json()["memories"]["l0c"]["used"] == 1024
