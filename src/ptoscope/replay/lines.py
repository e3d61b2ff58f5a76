"""A moment in a line: where it is, its instruction, and what it made."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

from ptoscope.diagnostics import UsageError, nearest
from ptoscope.isa.types import Mask, Type, VReg
from ptoscope.replay.contents import byte_text, in_words, lanes_of
from ptoscope.replay.elements import has_numbers, numbers
from ptoscope.replay.moment import Moment
from ptoscope.replay.touches import element_of, touched, written
from ptoscope.trace.recording import StreamContent

ShownKind = Literal["vregs", "masks", "scalars", "memory"]
"""What is shown of a moment: what it made of each kind, and the bytes that it touched."""
ALL_KINDS: tuple[ShownKind, ...] = get_args(ShownKind)
_WIDEST = 44
"""Characters of an instruction after which the values begin; longer ones move them."""


def parse_kinds(text: str) -> tuple[ShownKind, ...]:
    """`vregs,masks`, or `all`; UsageError for anything else."""
    found = set[str]()
    for part in text.split(","):
        if part == "all":
            return ALL_KINDS
        if part not in ALL_KINDS:
            known = (*ALL_KINDS, "all")
            hint = nearest(part, known) or f"there are {', '.join(known)}"
            raise UsageError(f"'{part[:40]}' is nothing to show; {hint}")
        found.add(part)
    return tuple(kind for kind in ALL_KINDS if kind in found)


class LineForm(NamedTuple):
    """How moments are written: what is shown of each, and in how many characters; 0 is as many as
    it takes."""

    kinds: tuple[ShownKind, ...] = ALL_KINDS
    width: int = 0


WHOLE = LineForm()


def moment_line(moment: Moment, form: LineForm = WHOLE) -> str:
    """Number, block, pipe, line, instruction, iterations, and what it made."""
    run = moment.run
    number = f"{moment.index:>{len(str(len(run)))}}"
    last = len(str(max(place.span.line for place in run.recording.trace.places)))
    where = f"{number} {moment.pipe.removeprefix('PIPE_'):<4} {moment.line:>{last}} | "
    widest = _WIDEST if not form.width else max(12, (form.width - len(where)) * 2 // 5)
    text = instruction(moment)
    if form.width and len(text) > widest:
        text = f"{text[: widest - 2]}.."
    around = ", ".join(moment.iteration_texts)
    made = "; ".join(made_texts(moment, form.kinds))
    line = where + "  ".join(part for part in (f"{text:<{widest}}", around, made) if part)
    return cut(line, form.width)


def cut(line: str, width: int) -> str:
    """A line, or what fits of it."""
    line = line.rstrip()
    return f"{line[: width - 2]}.." if width and len(line) > width else line


def instruction(moment: Moment) -> str:
    """The text of an instruction, without its types."""
    return moment.text.partition(" : ")[0].rstrip() or moment.name


def made_texts(moment: Moment, kinds: tuple[ShownKind, ...] = ALL_KINDS) -> list[str]:
    """What an instruction made: its results, and the bytes that it moved."""
    run, found = moment.run, list[str]()
    function = run.recording.trace.function
    parameters = [f"%{function.names[slot]}" for slot in function.params]
    for slot in moment.place.op.results:
        kind, content = function.types[slot], run.content(slot, moment.index)
        if content is not None and _kind(kind) in kinds:
            found.append(f"{run.name_of(slot)} = {in_words(kind, content, parameters)}")
    if "memory" in kinds:
        found += _moved(moment)
    return found


def _kind(kind: Type) -> ShownKind:
    if isinstance(kind, VReg):
        return "vregs"
    return "masks" if isinstance(kind, Mask) else "scalars"


def _moved(moment: Moment) -> list[str]:
    """Bytes that an instruction touched: a copy from where to where, a store with what it
    wrote."""
    rows = touched(moment.run, moment.index)
    read, stored = ([one for one in rows if one.writes == kind] for kind in (False, True))
    source = " and ".join(map(str, read))
    if not stored:
        return [f"reads {source}"] if read else []
    texts: list[str] = []
    for one in stored:
        text = f"{source} -> {one}" if read else str(one)
        data, undefined = written(moment.run, moment.index, one.range.space)
        element = element_of(moment.run, moment.index)
        fits = element is not None and len(data) % element.bytes == 0
        texts.append(f"{text} = {byte_text(data, undefined, element if fits else None)}")
    return texts


def moment_record(moment: Moment, kinds: tuple[ShownKind, ...] = ALL_KINDS) -> dict[str, Any]:
    """The same for JSON, with all lanes."""
    run, made = moment.run, dict[str, Any]()
    function = run.recording.trace.function
    for slot in moment.place.op.results:
        kind, content = function.types[slot], run.content(slot, moment.index)
        if content is None or _kind(kind) not in kinds:
            continue
        if isinstance(content, StreamContent):
            state = {"held": content.held.hex(), "address": content.address}
            made[run.name_of(slot)] = {"type": str(kind), **state}
            continue
        lanes, undefined = lanes_of(kind, content)
        shown = numbers(content.dtype, lanes) if has_numbers(content.dtype) else lanes
        made[run.name_of(slot)] = {
            "type": str(kind),
            "lanes": shown.tolist(),
            "undefined": undefined.nonzero()[0].tolist(),
        }
    record: dict[str, Any] = {
        "moment": moment.index,
        "block": moment.block,
        "core": moment.core,
        "pipe": moment.pipe,
        "line": moment.line,
        "name": moment.name,
        "text": instruction(moment),
        "iterations": moment.iterations,
        "made": made,
    }
    if "memory" in kinds:
        rows = touched(run, moment.index)
        for name, kind in (("reads", False), ("writes", True)):
            record[name] = [
                {"space": one.range.space, "begin": one.range.begin, "end": one.range.end}
                | {"bytes": one.size}
                for one in rows
                if one.writes == kind
            ]
    return record
