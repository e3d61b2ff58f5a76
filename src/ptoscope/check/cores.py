"""Cores: an instruction stands where a core executes it that can."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.isa import TABLE
from ptoscope.isa.parts import ALL_PIPES, CORE_TITLES, IN_SECTION, SECTIONS, CoreKind
from ptoscope.isa.record import Record
from ptoscope.program import Block, If, Op, Scope

_PIPES = {pipe.name: pipe for pipe in ALL_PIPES}


class _Place(NamedTuple):
    """The kinds of core that execute a block, and the section that it is in."""

    kinds: tuple[CoreKind, ...]
    section: Op | None = None


def _wrong_core(context: Context) -> Iterator[Finding]:
    kinds = tuple(dict.fromkeys(context.function.cores))
    yield from _in_block(context, context.function.body, _Place(kinds))


def _in_block(context: Context, block: Block, place: _Place) -> Iterator[Finding]:
    sections: dict[int, tuple[Op, CoreKind]] = {
        op.results[0]: (op, kind)
        for op in block.ops
        if op.name == IN_SECTION
        for kind in SECTIONS.values()
        if kind == op.attrs["core"]
    }
    for op in block.ops:
        record = TABLE.get(op.name)
        if isinstance(op, If) and op.condition in sections:
            section, kind = sections[op.condition]
            yield from _in_block(context, op.then, _Place((kind,), section))
            continue
        wrong = None if record is None else _wrong(record, op, place)
        if wrong is not None:
            yield _finding(context, op, place, *wrong)
        elif not isinstance(op, Scope):
            for inner in op.blocks:
                yield from _in_block(context, inner, place)


def _wrong(record: Record, op: Op, place: _Place) -> tuple[CoreKind, str] | None:
    """The kind of core that an instruction is for, if another one executes it, and the pipe that
    the other lacks, if that is why."""
    if record.core is not None:
        return None if set(place.kinds) <= {record.core} else (record.core, "")
    for attr in record.forms[op.form].attrs:
        pipe = _PIPES.get(str(op.attrs.get(attr.name))) if attr.kind == "pipe" else None
        if pipe is not None and not set(place.kinds) <= set(pipe.cores):
            return pipe.cores[0], pipe.name
    return None


def _finding(context: Context, op: Op, place: _Place, needed: CoreKind, pipe: str) -> Finding:
    other: CoreKind = next(kind for kind in place.kinds if kind != needed)
    title, runs = CORE_TITLES[needed], CORE_TITLES[other]
    section = next(name for name, kind in SECTIONS.items() if kind == needed)
    hint = f"put it into {section} {{ ... }}"
    where = ""
    if place.section is not None:
        where = f", in the section that begins in line {place.section.span.line}"
    elif len(place.kinds) > 1:
        where = ", outside of the sections: all cores of the block run it"
    else:
        hint = _other_kind(context, needed, other)
    what = f"{pipe}, a pipe of {title}" if pipe else f"an instruction of {title}"
    return Finding(
        op.span,
        f"{op.name} stands where {runs} runs it{where}",
        found=what,
        expected=f"{op.name} where {title} alone runs it",
        hint=hint,
    )


def _other_kind(context: Context, needed: CoreKind, other: CoreKind) -> str:
    """How a kernel of one kind comes to have cores of another."""
    both = " and ".join(f"{name} {{ ... }}" for name in SECTIONS)
    if context.function.kind or context.program.kernel_kind:
        return (
            f"the module says #pto.kernel_kind<{other}>: say {needed}, or, for a kernel of both "
            f"kinds, leave it out and put what each kind executes into {both}"
        )
    return f"put what each kind of core executes into {both}"


def _kind(context: Context) -> Iterator[Finding]:
    function = context.function
    kind = function.kind or context.program.kernel_kind
    if kind and kind not in SECTIONS.values():
        yield Finding(
            function.span,
            f"there is no {kind} kernel",
            found=f"#pto.kernel_kind<{kind}>",
            expected=" or ".join(f"#pto.kernel_kind<{known}>" for known in SECTIONS.values()),
            hint="a kernel for cores of both kinds names none, and has a section for each",
        )
    yield from _wrong_core(context)


RULES = (Rule("PTO0304", "a core runs the instructions that it has", _kind),)
