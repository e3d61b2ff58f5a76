"""A picture of the buffers of a kernel, for notebooks: addresses to the right, lines downwards."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ptoscope.lang.memory.placement import Placement
from ptoscope.tables import Table

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Told apart by the colour-blind; under half-transparent areas the ground stays what it is, and
letters have the colour that the notebook writes in, be it light or dark."""
_WIDTH, _LEFT, _RIGHT, _TOP = 760, 48, 752, 22
_LINE = 16
_HEIGHTS = 48, 420
_CELL = 'style="padding:2px 8px;text-align:left"'
_LETTER = 7
"""How wide a letter is drawn, about."""


def picture(shown: Sequence[Placement], table: Table, summary: str) -> str:
    """A figure of all buffers, their table, of which each has a row, and a line that sums it up. It
    needs nothing from elsewhere."""
    head = "".join(f"<th {_CELL}>{escape(column)}</th>" for column in table.columns)
    rows = "".join(
        f'<tr style="border-left:5px solid {_colour(number)}">'
        f"{''.join(f'<td {_CELL}>{escape(cell)}</td>' for cell in row)}</tr>"
        for number, row in enumerate(table.rows)
    )
    drawn = _drawing(shown, summary) if shown else ""
    return (
        f'<figure>{drawn}<table style="color:inherit;border-collapse:collapse">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f"<figcaption>{escape(summary)}</figcaption></figure>"
    )


def _colour(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]


def _drawing(shown: Sequence[Placement], summary: str) -> str:
    first = min(p.first_line for p in shown)
    last = max(p.last_line for p in shown)
    least, most = _HEIGHTS
    height = min(max((last - first + 1) * _LINE, least), most)
    across = (_RIGHT - _LEFT) / max(p.end for p in shown)
    down = height / (last - first + 1)

    def x(address: int) -> float:
        return _LEFT + address * across

    def y(line: int) -> float:
        return _TOP + (line - first) * down

    edges = sorted({edge for p in shown for edge in (p.address, p.end)})
    parts = _addresses(edges, [x(edge) for edge in edges], _TOP + height)
    lines = sorted({line for p in shown for line in (p.first_line, p.last_line)})
    parts += _lines(lines, [y(line) + down / 2 for line in lines])
    for number, p in enumerate(shown):
        left, top = x(p.address), y(p.first_line)
        wide, high = x(p.end) - left, y(p.last_line + 1) - top
        parts.append(_area(p, _colour(number), left, top, wide, high))
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_TOP + height + 4:.0f}" width="100%" role="img" '
        f'font-family="sans-serif" font-size="12" aria-label="{escape(summary)}">'
        f"{''.join(parts)}</svg>"
    )


def _addresses(edges: list[int], places: list[float], bottom: float) -> list[str]:
    """The address at each edge, as far as there is room for it."""
    parts: list[str] = []
    free = 0.0
    for edge, place in zip(edges, places, strict=True):
        parts.append(
            f'<line x1="{place:.1f}" x2="{place:.1f}" y1="{_TOP - 4}" y2="{bottom:.1f}" '
            'stroke="currentColor" stroke-opacity="0.2"/>'
        )
        text = f"{edge:#x}"
        wide = len(text) * _LETTER
        left = min(place, _RIGHT - wide)
        if left >= free:
            parts.append(f'<text x="{left:.1f}" y="{_TOP - 8}" fill="currentColor">{text}</text>')
            free = left + wide + _LETTER
    return parts


def _lines(lines: list[int], places: list[float]) -> list[str]:
    """The numbers of lines, as far as there is room for them."""
    parts: list[str] = []
    free = 0.0
    for line, place in zip(lines, places, strict=True):
        if line and place >= free:
            parts.append(
                f'<text x="{_LEFT - 8}" y="{place + 4:.1f}" text-anchor="end" '
                f'fill="currentColor">{line}</text>'
            )
            free = place + 14
    return parts


def _area(p: Placement, colour: str, left: float, top: float, wide: float, high: float) -> str:
    """One buffer, with a dashed line between its copies."""
    copies = p.allocation.copies
    said = f"{p.name}: {p.type}, {p.address:#x} to {p.end - 1:#x}"
    said += f", {copies} copies" if copies > 1 else ""
    said += f", {p.lines}" if p.lines else ""
    parts = [
        f"<g><title>{escape(said)}</title>"
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{high:.1f}" '
        f'fill="{colour}" fill-opacity="0.35" stroke="{colour}" stroke-width="1.5"/>'
    ]
    for copy in range(1, copies):
        at = left + wide * copy / copies
        parts.append(
            f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{top:.1f}" y2="{top + high:.1f}" '
            f'stroke="{colour}" stroke-dasharray="4 3"/>'
        )
    if len(p.name) * _LETTER + 8 <= wide:
        parts.append(
            f'<text x="{left + 4:.1f}" y="{top + min(high, 16) - 3:.1f}" '
            f'fill="currentColor">{escape(p.name)}</text>'
        )
    return "".join((*parts, "</g>"))
