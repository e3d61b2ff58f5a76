"""Opens sections: a branch stands in their place, which the cores of their kind take."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ptoscope.diagnostics import Diagnostic, PtoError
from ptoscope.isa.dtypes import I1
from ptoscope.isa.parts import SECTIONS, VECTOR_CORES, CoreKind
from ptoscope.isa.types import Scalar
from ptoscope.program import (
    Block,
    Function,
    Op,
    Program,
    Section,
    section_branch,
    section_of,
)


def without_sections(program: Program) -> list[Function]:
    """The functions with their sections opened, and with the cores that run them. PtoError where
    one has several for one kind of core, which executes one, or one in another, which no core
    would execute."""
    wrong = [
        found
        for function in program.functions
        for found in (*_several(program, function), *_nested(program, function))
    ]
    if wrong:
        raise PtoError(wrong)
    return [_without(f, f.kind or program.kernel_kind) for f in program.functions]


def _several(program: Program, function: Function) -> Iterable[Diagnostic]:
    for name in SECTIONS:
        found = [op for op in _sections(function) if op.name == name]
        if len(found) > 1:
            first, second, *_ = found
            yield program.diagnostic(
                "PTO0015",
                second.span,
                f"function @{function.name} has more than one {name}",
                found=f"a second {name}; the first is in line {first.span.line}",
                expected=f"one {name} for a function",
            )


def _nested(program: Program, function: Function) -> Iterable[Diagnostic]:
    for outer in _sections(function):
        for op in outer.body.walk():
            if isinstance(op, Section) and op.core != outer.core:
                yield program.diagnostic(
                    "PTO0015",
                    op.span,
                    f"{op.name} stands in a {outer.name}, so that no core executes it",
                    found=f"a section in that of line {outer.span.line}",
                    expected="sections beside each other",
                )


def _sections(function: Function) -> list[Section]:
    return [op for op in function.ops() if isinstance(op, Section)]


def _without(function: Function, kind: str) -> Function:
    sections = _sections(function)
    cores = _cores(function, kind, sections)
    if not sections:
        return function if cores == function.cores else replace(function, cores=cores)
    # One kind of core needs no branch: its section stands for what is in it.
    only = cores[0] if len(set(cores)) == 1 else None
    opening = _Opening(function, only)
    body = opening.block(function.body)
    return replace(function, body=body, types=opening.types, names=opening.names, cores=cores)


def _cores(function: Function, kind: str, sections: list[Section]) -> tuple[CoreKind, ...]:
    """A kernel of one kind has one core. Any other is a cluster where it has sections and code for
    the matrix core, and one core of the kind that its code is for where it has not both."""
    from ptoscope.isa import TABLE

    if kind in ("cube", "vector"):
        return ("cube",) if kind == "cube" else ("vector",)
    records = (TABLE.get(op.name) for op in function.ops())
    matrix = any(record is not None and record.core == "cube" for record in records)
    if any(section.core == "cube" for section in sections) or (sections and matrix):
        vectors: tuple[CoreKind, ...] = ("vector",) * VECTOR_CORES
        return ("cube", *vectors)
    return ("cube",) if matrix else ("vector",)


class _Opening:
    """Puts branches in the place of sections; those of other cores than the `only` one are gone."""

    def __init__(self, function: Function, only: CoreKind | None) -> None:
        self.types, self.names = list(function.types), list(function.names)
        self._only = only

    def block(self, block: Block) -> Block:
        ops: list[Op] = []
        for op in block.ops:
            if isinstance(op, Section):
                ops += self._section(op)
            elif op.blocks:
                ops.append(replace(op, blocks=tuple(map(self.block, op.blocks))))
            else:
                ops.append(op)
        return Block(block.args, ops)

    def _section(self, op: Section) -> list[Op]:
        if self._only is not None:
            return self.block(op.body).ops if op.core == self._only else []
        slot = len(self.types)
        self.types.append(Scalar(I1))
        self.names.append(f"in_{op.core}")
        return section_branch(op, slot, self.block(op.body).ops)


def with_sections(program: Program) -> Program:
    """The same program as it is written: a section in the place of each branch that only the
    cores of a kind take."""
    return replace(program, functions=[_written(function) for function in program.functions])


def _written(function: Function) -> Function:
    body = _closed(function.body)
    return function if body is function.body else replace(function, body=body)


def _closed(block: Block) -> Block:
    ops: list[Op] = []
    changed = False
    for op in block.ops:
        section = section_of(ops[-1], op) if ops else None
        if section is not None:
            ops[-1], changed = section, True
            continue
        inner = tuple(map(_closed, op.blocks))
        if any(a is not b for a, b in zip(inner, op.blocks, strict=True)):
            op, changed = replace(op, blocks=inner), True
        ops.append(op)
    return Block(block.args, ops) if changed else block
