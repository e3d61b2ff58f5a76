"""Lane maps: distribution modes drawn from the data that the engines run on."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from ptoscope.isa.distributions import (
    DUAL_LOAD_MODES,
    DUAL_STORE_MODES,
    LOAD_MODES,
    NOTHING,
    STORE_MODES,
    STRIDES,
    Access,
    Mode,
    access,
    parted,
    strided,
)
from ptoscope.isa.dtypes import F32, DType, unsigned
from ptoscope.isa.record import Record

FIRST = 8
"""Lanes that are always drawn; where the map changes later, some around that place follow."""
_WIDEST = 32
_CELL, _ROW, _GAP, _LABEL = 26, 20, 30, 50


@dataclass(frozen=True)
class LaneMap:
    """One register of a mode: where lane i lies in memory, in elements; None is nothing."""

    mode: str
    doc: str
    register: str
    places: tuple[int | None, ...]
    lane_bits: int
    memory_bits: int
    loads: bool

    @property
    def lanes(self) -> list[int]:
        """The lanes to draw."""
        steps = [
            None if a is None or b is None else b - a for a, b in itertools.pairwise(self.places)
        ]
        for period in (1, 2, 4):
            if all(steps[i] == steps[i % period] for i in range(FIRST - 1)):
                break
        later = range(FIRST - 1, len(steps))
        change = next((i for i in later if steps[i] != steps[i % period]), -1)
        around = range(change - 1, min(change + 3, len(self.places))) if change >= 0 else ()
        return sorted({*range(FIRST), *around})

    def same_picture(self, other: LaneMap) -> bool:
        """Whether both are drawn alike."""
        mine, theirs = (
            (m.doc, m.register, m.loads, m.lanes, [m.places[i] for i in m.lanes])
            for m in (self, other)
        )
        return mine == theirs

    def memory(self, lanes: list[int]) -> list[int]:
        """The elements to draw: all up to the last one used, or only those used."""
        used = sorted({p for lane in lanes if (p := self.places[lane]) is not None})
        if used and used[-1] < _WIDEST:
            return list(range(used[-1] + 1))
        return used


def maps(record: Record) -> list[LaneMap]:
    """The modes of an instruction that have a map, each register of them."""
    found: list[LaneMap] = []
    for attr in record.forms[0].attrs:
        for tokens, draw in (
            (LOAD_MODES, _single),
            (STORE_MODES, _single),
            (DUAL_LOAD_MODES, _dual),
            (DUAL_STORE_MODES, _dual),
            (STRIDES, _strided),
        ):
            if attr.values == tuple(tokens):
                loads = bool(record.forms[0].results)
                found += [m for token in tokens for m in draw(token, loads)]
    return found


def _single(token: str, loads: bool) -> Iterator[LaneMap]:
    mode: Mode = (LOAD_MODES if loads else STORE_MODES)[token]
    seen = unsigned(mode.bits) if mode.bits else F32
    register = "result" if loads else "value"
    yield _of(token, mode.doc, register, access(mode, seen, 0), seen, loads)
    if mode.micro is not None:
        doc = f"in revision micro, {mode.micro.doc}"
        yield _of(token, doc, register, access(mode.micro, seen, 0), seen, loads)


def _dual(token: str, loads: bool) -> Iterator[LaneMap]:
    bits = DUAL_LOAD_MODES[token] if loads else DUAL_STORE_MODES[token]
    unit = "elements" if bits is None else f"{bits}-bit elements" if bits else "32-byte blocks"
    for register, second in (("low", False), ("high", True)):
        places, seen = parted(F32.bits if bits is None else bits, second, 0)
        doc = f"the {'odd' if second else 'even'} {unit}"
        yield _of(token, doc, register, places, seen, loads)


def _strided(token: str, loads: bool) -> Iterator[LaneMap]:
    step, bits = STRIDES[token]
    places, seen = strided(token, 0)
    doc = f"{bits}-bit elements, {step} apart"
    yield _of(token, doc, "result" if loads else "value", places, seen, loads)


def _of(token: str, doc: str, register: str, places: Access, seen: DType, loads: bool) -> LaneMap:
    cells = tuple(None if o == NOTHING else o // places.width for o in places.offsets)
    return LaneMap(token, doc, register, cells, 8 * seen.bytes, 8 * places.width, loads)


def svg(lane_map: LaneMap) -> str:
    """The map as a picture: memory elements, lanes, and a line from each to its other end."""
    lanes = lane_map.lanes
    memory = lane_map.memory(lanes)
    top, bottom = (memory, lanes) if lane_map.loads else (lanes, memory)
    width = _LABEL + _CELL * (max(_columns(memory), _columns(lanes))) + 4
    height = 2 * _ROW + _GAP + 4
    at_top, at_bottom = _places(top), _places(bottom)
    parts: list[str] = []
    for lane in lanes:
        place = lane_map.places[lane]
        if place is None:
            continue
        first, second = (place, lane) if lane_map.loads else (lane, place)
        parts.append(
            f'<line x1="{at_top[first]}" y1="{_ROW + 2}" x2="{at_bottom[second]}" '
            f'y2="{_ROW + _GAP + 2}"/>'
        )
    used = {lane_map.places[lane] for lane in lanes}
    empty = {lane for lane in lanes if lane_map.places[lane] is None}
    unused = {m for m in memory if m not in used}
    for row, y in ((top, 2), (bottom, _ROW + _GAP + 2)):
        is_lanes = row is lanes
        spots = at_top if row is top else at_bottom
        faint = empty if is_lanes else unused
        parts += [_cell(spots[n], y, n, is_lanes, n in faint, lane_map.loads) for n in row]
        label = lane_map.register if is_lanes else "UB"
        parts.append(f'<text class="label" x="0" y="{y + 14}">{label}</text>')
    title = escape(f"{lane_map.mode}, {lane_map.register}: {lane_map.doc}")
    inner = "".join(parts)
    return (
        f'<svg class="lane-map" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{title}"><title>{title}</title>{inner}</svg>'
    )


def _columns(row: list[int]) -> int:
    return len(row) + sum(b - a > 1 for a, b in itertools.pairwise(row))


def _places(row: list[int]) -> dict[int, int]:
    """The middle of each cell; a gap of one cell where numbers are left out."""
    at: dict[int, int] = {}
    column = 0
    for before, number in zip([None, *row], row, strict=False):
        column += before is not None and number - before > 1
        at[number] = _LABEL + column * _CELL + _CELL // 2
        column += 1
    return at


def _cell(x: int, y: int, number: int, is_lane: bool, faint: bool, loads: bool) -> str:
    kind = "lane" if is_lane else "memory"
    text = "zero" if is_lane and faint and loads else str(number)
    return (
        f'<rect class="{kind}{" faint" if faint else ""}" x="{x - _CELL // 2 + 1}" y="{y}" '
        f'width="{_CELL - 2}" height="{_ROW}"/>'
        f'<text class="{"faint" if faint else "number"}" x="{x}" y="{y + 14}">{text}</text>'
    )


def grouped(record: Record) -> list[tuple[list[str], list[LaneMap]]]:
    """Modes that are drawn alike, with the maps of the first of them."""
    found: list[tuple[list[str], list[LaneMap]]] = []
    for mode, members in itertools.groupby(maps(record), key=lambda m: m.mode):
        drawn = list(members)
        for names, others in found:
            if all(a.same_picture(b) for a, b in zip(drawn, others, strict=False)):
                names.append(mode)
                break
        else:
            found.append(([mode], drawn))
    return found
