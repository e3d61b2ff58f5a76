"""Functions without synchronisation, and what becomes of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ptoscope import ir, sources
from ptoscope.check.flow import Values
from ptoscope.ir.module import Module
from ptoscope.isa import TABLE
from ptoscope.isa.scalar import castptr
from ptoscope.isa.sync import mem_bar
from ptoscope.isa.targets import TARGETS
from ptoscope.isa.types import Ptr
from ptoscope.kernel import Kernel, load
from ptoscope.lang.sync import PlacedBuffer, synchronise
from ptoscope.program import Block, Function, Op, Program


def is_synchronisation(op: Op) -> bool:
    record = TABLE.get(op.name)
    return record is not None and (record.order is not None or record is mem_bar)


def stripped(text: str) -> Program:
    """A program without its flags, barriers and memory barriers."""
    program = sources.parse(text, "<test>")
    strip(sources.choose_entry(program, None).body)
    return program


def strip(block: Block) -> None:
    block.ops[:] = [op for op in block.ops if not is_synchronisation(op)]
    for op in block.ops:
        for inner in op.blocks:
            strip(inner)


def buffers(function: Function) -> list[PlacedBuffer]:
    """The buffers of a function: each begins at a constant that is cast to a pointer, and ends
    where the next one of its memory begins."""
    values = Values(function)
    casts = [op.results[0] for op in function.ops() if op.name == castptr.name]
    by_place: dict[tuple[str, int], list[int]] = {}
    for slot in casts:
        kind, at = function.types[slot], values.constant(slot)
        if at is not None:
            assert isinstance(kind, Ptr)
            by_place.setdefault((kind.space, at), []).append(slot)
    found: list[PlacedBuffer] = []
    for (space, at), slots in by_place.items():
        ends = [start for other, start in by_place if other == space and start > at]
        end = min(ends, default=TARGETS["a5"].bytes_of(space))
        found.append(PlacedBuffer(tuple(slots), at, end - at, memory=space))
    return found


@dataclass
class Synchronised:
    """A function after it, what was inserted, and its text."""

    function: Function
    text: str

    @property
    def inserted(self) -> list[Op]:
        return [op for op in self.function.ops() if is_synchronisation(op)]

    @property
    def lines(self) -> list[str]:
        """The synchronisation alone, a line each."""
        return [said(op, self.function) for op in self.inserted]

    def kernel(self, target: str = "a5", contents: bool = True) -> Kernel:
        """Nothing is found in it: but for notes, and for what concerns the contents of memory,
        unless these count."""
        made = load(self.text, target, force=True)
        found = [d for d in made.findings if d.severity != "note"]
        assert [str(d) for d in found if contents or not d.code.startswith("PTO05")] == []
        return made


def said(op: Op, function: Function) -> str:
    """`set V MTE2 0`, `wait V MTE2 stage`, `barrier ALL`, `mem_bar VST_VLD`."""
    attrs = [
        str(value).removeprefix("PIPE_").removeprefix("EVENT_ID") for value in op.attrs.values()
    ]
    name = op.name.partition(".")[2].removesuffix("_flag").removeprefix("pipe_")
    return " ".join([name, *attrs, *(function.names[slot] for slot in op.operands)])


def synchronised(text: str, target: str = "a5", keep: bool = False) -> Synchronised:
    """A text without its synchronisation (unless it is kept), with what is inserted."""
    program = sources.parse(text, "<test>") if keep else stripped(text)
    function = sources.choose_entry(program, None)
    return done(program, function, buffers(function), target)


def done(
    program: Program, function: Function, them: list[PlacedBuffer], target: str = "a5"
) -> Synchronised:
    synchronise(function, them, TARGETS[target], "manual")
    return Synchronised(function, ir.print_module(Module(program)))


def without_each(made: Synchronised) -> Iterator[str]:
    """The text without each barrier in turn, and without each flag: all of its parts."""
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(made.lines):
        name, _, rest = line.partition(" ")
        groups.setdefault(rest if name in ("set", "wait") else str(number), set()).add(number)
    for gone in groups.values():
        program = sources.parse(made.text, "<test>")
        ops = [op for op in program.functions[0].ops() if is_synchronisation(op)]
        drop(program.functions[0].body, {id(op) for i, op in enumerate(ops) if i in gone})
        yield ir.print_module(Module(program))


def drop(block: Block, ids: set[int]) -> None:
    block.ops[:] = [op for op in block.ops if id(op) not in ids]
    for op in block.ops:
        for inner in op.blocks:
            drop(inner, ids)
