"""Opens sections: what they hold stands in their place."""

from __future__ import annotations

from dataclasses import replace

from ptoscope.diagnostics import PtoError
from ptoscope.program import Block, Function, Op, Program, Section


def without_sections(program: Program) -> list[Function]:
    """The functions with their sections opened. PtoError where one has several: a core
    executes one."""
    found = [_sections(function) for function in program.functions]
    wrong = [
        program.diagnostic(
            "PTO0015",
            second.span,
            f"function @{function.name} has more than one {second.name}",
            found=f"a second {second.name}; the first is in line {first.span.line}",
            expected=f"one {second.name} for a function",
        )
        for function, (first, second, *_) in (
            (f, s) for f, s in zip(program.functions, found, strict=True) if len(s) > 1
        )
    ]
    if wrong:
        raise PtoError(wrong)
    return [
        replace(function, body=_opened(function.body)) if sections else function
        for function, sections in zip(program.functions, found, strict=True)
    ]


def _sections(function: Function) -> list[Section]:
    return [op for op in function.ops() if isinstance(op, Section)]


def _opened(block: Block) -> Block:
    ops: list[Op] = []
    for op in block.ops:
        if isinstance(op, Section):
            ops += _opened(op.body).ops
        elif op.blocks:
            ops.append(replace(op, blocks=tuple(map(_opened, op.blocks))))
        else:
            ops.append(op)
    return Block(block.args, ops)
