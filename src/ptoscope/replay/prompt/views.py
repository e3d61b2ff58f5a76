"""Commands that show what is there at a moment."""

from __future__ import annotations

from typing import Any

import numpy as np

from ptoscope.diagnostics import UsageError
from ptoscope.isa.record import Record
from ptoscope.isa.types import Mask
from ptoscope.ranges import MemoryRange, parse_range
from ptoscope.replay.contents import in_words, lane_grid, memory_grid, stream_text
from ptoscope.replay.elements import FORMS, ElementForm
from ptoscope.replay.lines import cut
from ptoscope.replay.moment import Moment
from ptoscope.replay.prompt.session import PromptWords, Session, at_most, number
from ptoscope.replay.regions import written_regions
from ptoscope.replay.touches import element_of
from ptoscope.tables import Table
from ptoscope.trace.recording import LaneContent, StreamContent
from ptoscope.trace.trace import SPACE_NAMES, UBS

AROUND = 5
"""Lines of the text before and after."""
MOST_BYTES = 4096
"""Bytes that are shown at once."""


def where(session: Session, words: PromptWords) -> list[str]:
    """This moment again."""
    at_most(words, 0)
    return session.where()


def value(session: Session, words: PromptWords) -> list[str]:
    """A value with every lane, also its bits (`print %v hex`, `print %v bits`); without a name,
    all values in a few words; with a memory, its bytes."""
    if not words:
        return _all(session)
    if ":" in words[0] or (len(words) > 1 and words[1][0].isdigit()):
        return memory(session, words)
    name, *rest = words
    at_most(rest, 1)
    form = _form(rest[0] if rest else "value")
    here = session.moment
    kind, content = here.type_of(name), _content(here, name)
    head = f"%{name.removeprefix('%')}: {kind}"
    if isinstance(content, StreamContent):
        return [head, f"  {stream_text(content)}"]
    if len(content.lanes) == 1 and form == "value":
        return [f"{head} = {in_words(kind, content, _parameters(here))}"]
    active, by = _active(here, name)
    lines = [head] if not isinstance(kind, Mask) else [f"{head}: {in_words(kind, content)}"]
    lines += lane_grid(kind, content, active, form, session.width)
    if active is not None and not active.all():
        lines.append(f"in parentheses: not active in {by}")
    if content.undefined is not None:
        lines.append("?: has undefined bits")
    return lines


def _form(word: str) -> ElementForm:
    match word:
        case "value" | "hex" | "bits":
            return word
        case _:
            raise UsageError(f"'{word[:40]}' is no way to show it; there are {', '.join(FORMS)}")


def _content(here: Moment, name: str) -> LaneContent | StreamContent:
    here.type_of(name)  # raises where there is none
    slot = here.run.latest(name, here.index)
    content = None if slot is None else here.run.content(slot, here.index)
    assert content is not None
    return content


def _parameters(here: Moment) -> list[str]:
    function = here.run.recording.trace.function
    return [f"%{function.names[slot]}" for slot in function.params]


def _active(here: Moment, name: str) -> tuple[Any, str]:
    """The active lanes of the instruction that takes or makes a value here, else of the one that
    made it, and which mask says so; None where none does."""
    name = f"%{name.removeprefix('%')}"
    at = here if name in (*here.operands, *here.results) else here.maker(name)
    if at is None or isinstance(here.type_of(name), Mask):
        return None, ""
    masks = [one for one in at.operands if isinstance(at.type_of(one), Mask)]
    return (at[masks[-1]], masks[-1]) if masks else (None, "")


def _all(session: Session) -> list[str]:
    here = session.moment
    parameters = _parameters(here)
    rows = [
        f"{name} = {in_words(here.type_of(name), _content(here, name), parameters)}"
        for name in here.names()
    ]
    return [cut(row, session.width) for row in rows] or ["there are no values yet"]


def memory(session: Session, words: PromptWords) -> list[str]:
    """Bytes of a memory, beside them elements of a type: `ub 0x100..0x200 f32`; `%x` is the array
    of a parameter."""
    if not words:
        raise UsageError("which bytes? write ub:0x100..0x200:f32")
    wanted = parse_range(":".join(words))
    here = session.moment
    size = len(here.run.recording.spaces[here.run.space(wanted.space)].before)
    begin, end = wanted.of(size)
    shown = min(end, begin + MOST_BYTES)
    data = here.memory(wanted.space, np.uint8, begin, shown)
    undefined = here.undefined_memory(wanted.space, begin, shown)
    rows = memory_grid(np.asarray(data, np.uint8), undefined, begin, wanted.dtype, session.width)
    return [*rows, f"{end - shown} more bytes"] if shown < end else rows


def regions(session: Session, words: PromptWords) -> list[str]:
    """The map of the core's UB, or L1, or of another memory: its written parts, who wrote each
    last, what it holds, and whether it is live: read before it is written again."""
    at_most(words, 1)
    here = session.moment
    space = words[0] if words else _own_memory(here)
    rows: list[tuple[str, ...]] = []
    for one in written_regions(here.run, space, here.index):
        state = "unknown" if one.live is None else "live" if one.live else "dead"
        undefined = here.undefined_memory(space, one.begin, one.end)
        bad = f", {int(undefined.sum())} undefined" if undefined.any() else ""
        element = element_of(here.run, one.writer)
        place = str(MemoryRange(space, one.begin, one.end, element))
        writer = f"line {one.line}, moment {one.writer}"
        rows.append((place, f"{one.end - one.begin}{bad}", writer, state))
    if not rows:
        return [f"nothing was written to {space} so far"]
    return str(Table(("bytes", "size", "written by", "state"), rows)).rstrip().split("\n")


def _own_memory(here: Moment) -> str:
    """The memory that a core works on first."""
    core = here.run.recording.trace.cores[int(here.run.cores[here.index])]
    return "l1" if core.kind == "cube" else SPACE_NAMES[UBS[core.number]]


def flags(session: Session, words: PromptWords) -> list[str]:
    """Flags that are set and buffers that are held."""
    at_most(words, 0)
    signals = session.moment.signals
    rows = [f"{name}: set {count} times" for name, count in signals.flags.items()]
    rows += [f"{name}: held {count} times" for name, count in signals.held.items()]
    rows = [row.replace(" 1 times", "") for row in rows]
    return rows or ["no flag is set, no buffer is held"]


def source(session: Session, words: PromptWords) -> list[str]:
    """The text around this line, or around another one."""
    at_most(words, 1)
    here = session.moment
    around = number(words[0], "line") if words else here.line
    text = here.run.program.text.split("\n")
    first, last = max(1, around - AROUND), min(len(text), around + AROUND)
    if first > last:
        raise UsageError(f"the text has lines 1 to {len(text)}")
    return [
        cut(f"{'>' if n == here.line else ' '} {n:>{len(str(last))}} {text[n - 1]}", session.width)
        for n in range(first, last + 1)
    ]


def info(session: Session, words: PromptWords) -> list[str]:
    """What the instruction of this moment does, and what it takes and makes here."""
    at_most(words, 0)
    here = session.moment
    place = here.place
    lines = [here.name]
    if place.record is not None:
        record = place.record
        form = record.forms[place.op.form]
        lines += [f"  {record.doc}", *_formulas(record)]
        given = [f"    %{o.name}: {o.doc}" for o in (*form.operands, *form.results) if o.doc]
        lines += ["  operands and results:", *given] if given else []
    seen = [name for name in dict.fromkeys((*here.operands, *here.results)) if name in here]
    parameters = _parameters(here)
    rows = [f"    {n} = {in_words(here.type_of(n), _content(here, n), parameters)}" for n in seen]
    lines += ["  here:", *rows] if rows else []
    return [cut(row, session.width) for line in lines for row in line.split("\n")]


def _formulas(record: Record) -> list[str]:
    manual, micro = record.meaning_in("manual"), record.meaning_in("micro")
    if manual == micro:
        return [f"  {manual}"] if manual else []
    return [f"  manual: {manual}", f"  micro: {micro}"]
