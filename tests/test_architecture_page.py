"""docs/architecture.md: its list of rooms and its picture are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

from tests.test_architecture import ROOMS, imported, modules, room_of

PAGE = (Path(__file__).parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
SHOWN = {"__init__": "ptoscope", "__main__": "python -m ptoscope"}
"""How the page names the two rooms that have no name of their own."""


def edges() -> set[tuple[str, str]]:
    """Which room imports which."""
    return {
        (room_of(name), room_of(other))
        for name in modules()
        for other in imported(name)
        if room_of(name) != room_of(other)
    }


def needed(found: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Without the edges that a longer way makes superfluous."""
    below: dict[str, set[str]] = {}
    for room in ROOMS:
        direct = {low for high, low in found if high == room}
        below[room] = direct.union(*(below[low] for low in direct))
    return {
        (high, low)
        for high, low in found
        if not any(low in below[other] for top, other in found if top == high)
    }


def picture() -> str:
    """The rooms as Mermaid, from the top down."""
    order = {room: number for number, room in enumerate(ROOMS)}
    lines = [
        f"    {SHOWN.get(high, high).replace(' ', '_')} --> {SHOWN.get(low, low)}"
        for high, low in sorted(needed(edges()), key=lambda e: (-order[e[0]], -order[e[1]]))
    ]
    return "\n".join(["```mermaid", "flowchart TD", *lines, "```"])


def test_the_picture_is_the_import_graph() -> None:
    assert picture() in PAGE, f"docs/architecture.md should have\n{picture()}"


def test_every_room_is_described_in_the_order_of_imports() -> None:
    rows = re.findall(r"^\| `(.+?)` \| (.+) \|$", PAGE, re.MULTILINE)
    assert [name.removesuffix("/").removesuffix(".py") for name, _ in rows] == [
        SHOWN.get(room, room) for room in ROOMS
    ]
    assert all(len(text) > 20 for _, text in rows)
