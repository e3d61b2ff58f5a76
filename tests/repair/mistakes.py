"""Single mistakes in a correct kernel, by where its operations stand in the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ptoscope.check.text import Text
from ptoscope.program import Block, For, Op, Program, Scope
from ptoscope.sources import parse
from tests.mutation.faults import STREAMS

from .subjects import Subject


@dataclass(frozen=True)
class Mistake:
    """A kernel with one mistake of a kind."""

    subject: Subject
    kind: str
    what: str
    text: str


class Source:
    """The text of a correct kernel, and pieces of it."""

    def __init__(self, subject: Subject) -> None:
        self.text = subject.text
        self.program: Program = parse(subject.text, subject.name, None, subject.revision)
        self.places = Text(self.program)

    @cached_property
    def blocks(self) -> list[Block]:
        ops = [op for function in self.program.functions for op in function.ops()]
        bodies = [function.body for function in self.program.functions]
        return [*bodies, *(block for op in ops if not isinstance(op, Scope) for block in op.blocks)]

    @cached_property
    def ops(self) -> list[Op]:
        ops = (op for function in self.program.functions for op in function.ops())
        return [op for op in ops if op.span.line]

    def lines(self, op: Op) -> tuple[int, int]:
        """The lines of an operation, from where the first begins to where the next one does."""
        start, end = self.places.statement(op)
        end = self.places._closed(start) if op.blocks else end
        return self.text.rfind("\n", 0, start) + 1, self.text.find("\n", end) + 1

    def written(self, op: Op) -> str:
        start, end = self.lines(op)
        return self.text[start:end]

    def without(self, op: Op) -> str:
        start, end = self.lines(op)
        return self.text[:start] + self.text[end:]

    def replaced(self, op: Op, new: str) -> str:
        start, end = self.lines(op)
        return self.text[:start] + new + self.text[end:]

    def moved(self, op: Op, other: Op, after: bool) -> str:
        """An operation moved to behind or before another one."""
        (start, end), there = self.lines(op), self.lines(other)[after]
        piece = self.text[start:end]
        if there <= start:
            return self.text[:there] + piece + self.text[there:start] + self.text[end:]
        return self.text[:start] + self.text[end:there] + piece + self.text[there:]


FLAGS = ("pto.set_flag", "pto.wait_flag")
BUFFERS = ("pto.get_buf", "pto.rls_buf")
BARRIERS = ("pto.barrier", "pto.pipe_barrier", "pto.mem_bar")
_PIPES = {"PIPE_MTE2": "PIPE_MTE3", "PIPE_MTE3": "PIPE_MTE2", "PIPE_V": "PIPE_MTE3"}
_MASKS = {"b8": "b16", "b16": "b32", "b32": "b16"}

Made = Iterator[tuple[str, str]]
"""What was done, and the text."""


def is_copy(op: Op) -> bool:
    return op.name.startswith(("pto.mte_", "pto.copy_"))


def _of(source: Source, *names: str) -> list[Op]:
    return [op for op in source.ops if op.name in names]


def line(op: Op) -> str:
    return f"line {op.span.line}: {op.name}"


def _dropped(*names: str) -> Callable[[Source], Made]:
    def make(source: Source) -> Made:
        for op in _of(source, *names):
            yield f"{line(op)} left out", source.without(op)

    return make


def _doubled(*names: str) -> Callable[[Source], Made]:
    def make(source: Source) -> Made:
        for op in _of(source, *names):
            yield f"{line(op)} twice", source.replaced(op, 2 * source.written(op))

    return make


def _changed(names: tuple[str, ...], pattern: str, new: str | Callable[[re.Match[str]], str]):
    def make(source: Source) -> Made:
        for op in _of(source, *names):
            old = source.written(op)
            text = re.sub(pattern, new, old, count=1)
            if text != old:
                yield f"{line(op)} to {text.strip()}", source.replaced(op, text)

    return make


def _matters(op: Op) -> bool:
    return op.name in (*FLAGS, *BUFFERS, *BARRIERS) or is_copy(op) or bool(op.blocks)


def _moved(wanted: Callable[[Op], bool], *, down: bool) -> Callable[[Source], Made]:
    """Past the next operation, or the one before, that has to do with pipes; and past two."""

    def make(source: Source) -> Made:
        for block in source.blocks:
            ops = [op for op in block.ops if _matters(op)]
            for i, op in enumerate(ops):
                if not wanted(op):
                    continue
                for steps in (1, 2):
                    j = i + steps if down else i - steps
                    if 0 <= j < len(ops):
                        where = f"{'down' if down else 'up'} by {steps}"
                        yield f"{line(op)} moved {where}", source.moved(op, ops[j], down)

    return make


def _flag(op: Op) -> bool:
    return op.name in FLAGS


def _mask_makers(source: Source) -> Made:
    for op in source.ops:
        found = re.search(r"_(b\d+)\b", source.written(op).split("=", 1)[-1])
        if op.name.startswith(("pto.pset_", "pto.plt_", "pto.pge_")) and found:
            old, new = found[1], _MASKS[found[1]]
            text = (
                source.written(op).replace(f"_{old} ", f"_{new} ").replace(f"<{old}>", f"<{new}>")
            )
            yield f"{line(op)} of {new}", source.replaced(op, text)


def _mask_uses(source: Source) -> Made:
    """A mask of another width, made from the same pattern, at one use."""
    makers = {op.results[0]: op for op in source.ops if op.name.startswith("pto.pset_")}
    for op in source.ops:
        for index, slot in enumerate(op.operands):
            if slot not in makers or index >= len(op.operand_spans):
                continue
            maker = makers[slot]
            bits = maker.name.rpartition("_")[2]
            other = _MASKS[bits]
            name = source.text[slice(*operand_range(source, op, index))]
            made = source.written(maker).replace(f"_{bits} ", f"_{other} ")
            made = made.replace(f"<{bits}>", f"<{other}>").replace(f"{name} =", "%other_mask =")
            used = source.places.places(op, f"!pto.mask<{bits}>")
            start, end = operand_range(source, op, index)
            types = [(source.places.offset(s), s.length) for s in used[-1:]]
            text = source.text
            for at, length, new in sorted(
                [
                    (start, end - start, "%other_mask"),
                    *((a, n, f"!pto.mask<{other}>") for a, n in types),
                ],
                reverse=True,
            ):
                text = text[:at] + new + text[at + length :]
            at = source.lines(maker)[1]
            yield f"{line(op)} with a mask of {other}", text[:at] + made + text[at:]


def operand_range(source: Source, op: Op, index: int) -> tuple[int, int]:
    start = source.places.offset(op.operand_spans[index])
    return start, start + op.operand_spans[index].length


def _modes(source: Source) -> Made:
    others = {"EVEN": ("P0", "P1"), "ODD": ("P0", "P1"), "P0": ("EVEN", "ODD"), "P1": ("EVEN",)}
    for op in source.ops:
        written = source.written(op)
        for match in re.finditer(r'"(EVEN|ODD|P[0-3])"', written):
            for other in others.get(match[1], ()):
                text = written[: match.start(1)] + other + written[match.end(1) :]
                yield f"{line(op)}: {match[1]} to {other}", source.replaced(op, text)
        for match in re.finditer(r'"(\w+_)B(8|16|32)"', written):
            for bits in {"8", "16", "32"} - {match[2]}:
                text = written[: match.start(2)] + bits + written[match.end(2) :]
                yield f"{line(op)}: to {match[1]}B{bits}", source.replaced(op, text)


_ELEMENTS = {"f32": "i32", "i32": "f32", "f16": "i16", "ui32": "f32", "bf16": "f16"}


def _types(source: Source) -> Made:
    """One type that an operation is written with."""
    for op in source.ops:
        written = source.written(op)
        for match in re.finditer(r"!pto\.(?:vreg<\d+x(\w+)>|mask<(b\d+)>|ptr<(\w+),)", written):
            for number, others in ((1, _ELEMENTS), (2, _MASKS), (3, _ELEMENTS)):
                other = others.get(match[number] or "")
                if other:
                    text = written[: match.start(number)] + other + written[match.end(number) :]
                    yield f"{line(op)}: {match[0]} of {other}", source.replaced(op, text)


def _constants(source: Source, used: Callable[[Op], tuple[int, ...]]) -> list[Op]:
    """The constants that operations use so."""
    slots = {slot for op in source.ops for slot in used(op)}
    return [
        op for op in source.ops if op.name == "arith.constant" and slots.intersection(op.results)
    ]


def _number(source: Source, op: Op, value: int) -> str:
    return re.sub(r"(arith\.constant)\s+-?\d+", rf"\1 {value}", source.written(op))


def _addresses(source: Source) -> Made:
    """A buffer moved onto another one, whole or in part."""
    made = _constants(source, lambda op: op.operands if op.name == "pto.castptr" else ())
    values = {int(str(op.attrs["value"])) for op in made}
    for op in made:
        own = int(str(op.attrs["value"]))
        for other in sorted(values - {own}):
            for value in (other, other + 32):
                what = f"{line(op)}: {own} to {value}"
                yield what, source.replaced(op, _number(source, op, value))


def _bounds(source: Source) -> Made:
    """A loop that goes on too long."""
    for op in _constants(source, lambda op: (op.upper,) if isinstance(op, For) else ()):
        own = int(str(op.attrs["value"]))
        for value in (2 * own, 2 * own + 1):
            yield f"{line(op)}: {own} to {value}", source.replaced(op, _number(source, op, value))


def _streams(source: Source) -> Made:
    for change in STREAMS:
        yield from change(source.text)


def _bare(source: Source) -> Made:
    """No synchronisation at all."""
    text = source.text
    for op in reversed(_of(source, *FLAGS, *BUFFERS, *BARRIERS)):
        start, end = source.lines(op)
        text = text[:start] + text[end:]
    yield "no synchronisation", text


_EVENT = r"EVENT_ID(\d)"
KINDS: dict[str, list[Callable[[Source], Made]]] = {
    "flag left out": [_dropped(*FLAGS)],
    "flag twice": [_doubled(*FLAGS)],
    "flag of other pipes": [
        _changed(FLAGS, r'\["(\w+)", "(\w+)"', r'["\2", "\1"'),
        _changed(FLAGS, r'\["(\w+)"', lambda m: f'["{_PIPES.get(m[1], m[1])}"'),
    ],
    "flag of another event": [
        _changed(FLAGS, _EVENT, lambda m: f"EVENT_ID{(int(m[1]) + 1) % 8}"),
    ],
    "flag moved": [_moved(_flag, down=True), _moved(_flag, down=False)],
    "buffer left out": [_dropped(*BUFFERS)],
    "buffer twice": [_doubled(*BUFFERS)],
    "buffer of another pipe": [
        _changed(BUFFERS, r'"(PIPE_\w+)"', lambda m: f'"{_PIPES.get(m[1], m[1])}"'),
    ],
    "another buffer": [_changed(BUFFERS, r'", (\d)', lambda m: f'", {int(m[1]) + 3}')],
    "buffer moved": [
        _moved(lambda op: op.name in BUFFERS, down=True),
        _moved(lambda op: op.name in BUFFERS, down=False),
    ],
    "barrier left out": [_dropped(*BARRIERS)],
    "another barrier": [
        _changed(
            ("pto.mem_bar",),
            r'"(\w+)"',
            lambda m: '"VLD_VST"' if m[1] != "VLD_VST" else '"VST_VLD"',
        ),
        _changed(("pto.barrier", "pto.pipe_barrier"), r"PIPE_\w+", "PIPE_V"),
    ],
    "copy moved": [_moved(is_copy, down=True), _moved(is_copy, down=False)],
    "mask": [_mask_makers, _mask_uses],
    "mode": [_modes],
    "type": [_types],
    "stream": [_streams],
    "overlap": [_addresses],
    "overrun": [_bounds],
    "bare": [_bare],
}

FOR_PEOPLE = ("mode", "type", "overlap", "overrun")
"""Kinds that only who wrote the kernel can put right: which bytes a buffer is, how far a loop goes,
which part of a vector is meant, of which type it is."""


def mistakes(subject: Subject) -> list[Mistake]:
    """Every mistake of every kind, each text once."""
    source = Source(subject)
    found: dict[str, Mistake] = {}
    for kind, makers in KINDS.items():
        for make in makers:
            for what, text in make(source):
                if text != subject.text:
                    found.setdefault(text, Mistake(subject, kind, what, text))
    return list(found.values())
