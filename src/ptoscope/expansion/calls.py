"""Puts the bodies of functions in the place of calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ptoscope.diagnostics import Diagnostic, PtoError, Span
from ptoscope.program import Block, Call, Calls, Function, Op, Program

MOST = 50_000
"""Operations that the functions of a program with calls may have together, with all that they
call: a few lines of calls can make any number of them."""
DEEPEST = 100
"""So many calls may be inside each other."""


def without_calls(program: Program) -> list[Function]:
    """The functions that are kernels, or that no other calls, with no call left in them. PtoError
    for a function that calls itself, and for one that becomes too large."""
    functions = {function.name: function for function in program.functions}
    calls = {name: list(_calls(function)) for name, function in functions.items()}
    if not any(calls.values()):
        return program.functions
    whole: dict[str, Function] = {}
    depths: dict[str, int] = {}
    sizes: dict[str, int] = {}
    total = 0
    for name in _callees_first(program, calls):
        function, made = functions[name], calls[name]
        depths[name] = max((depths[call.callee] + 1 for call in made), default=0)
        if made:
            total += _size(function) + sum(sizes[call.callee] for call in made)
        if total > MOST or depths[name] > DEEPEST:
            found = f"more than {MOST} operations" if total > MOST else f"{depths[name]} calls deep"
            raise PtoError([_too_large(program, function, made[0], found)])
        whole[name] = _Caller(whole, function).function() if made else function
        sizes[name] = _size(whole[name])
    called = {call.callee for made in calls.values() for call in made}
    return [whole[name] for name, f in functions.items() if f.is_kernel or name not in called]


def _calls(function: Function) -> Iterator[Call]:
    return (op for op in function.ops() if isinstance(op, Call))


def _size(function: Function) -> int:
    return sum(1 for _ in function.ops())


def _callees_first(program: Program, calls: Mapping[str, list[Call]]) -> list[str]:
    """The functions, each after those that it calls."""
    order: dict[str, None] = {}
    for start in calls:
        # The functions on the way, each with its calls that are left to follow.
        way: dict[str, Iterator[Call]] = {} if start in order else {start: iter(calls[start])}
        while way:
            name = next(reversed(way))
            call = next(way[name], None)
            if call is None:
                order[name] = None
                del way[name]
            elif call.callee in way:
                names = list(way)
                raise PtoError([_circle(program, call, names[names.index(call.callee) :])])
            elif call.callee not in order:
                way[call.callee] = iter(calls[call.callee])
    return list(order)


def _circle(program: Program, call: Call, names: list[str]) -> Diagnostic:
    return program.diagnostic(
        "PTO0014",
        call.span,
        f"function @{call.callee} calls itself",
        found=" calls ".join(f"@{name}" for name in (*names, call.callee)),
        expected="calls that come to an end",
        hint="the machine has no stack of calls: use a loop",
    )


def _too_large(program: Program, function: Function, call: Call, found: str) -> Diagnostic:
    return program.diagnostic(
        "PTO0014",
        call.span,
        f"function @{function.name} is too large with all that it calls",
        found=found,
        expected=f"at most {MOST} operations in all functions that call others together, and "
        f"{DEEPEST} calls inside each other",
        hint="call in a loop what is called again and again",
    )


class _Caller:
    """A function whose calls become the bodies of what they call; `whole` has these without
    any call of their own."""

    def __init__(self, whole: Mapping[str, Function], function: Function) -> None:
        self._whole = whole
        self._function = function
        self._types = list(function.types)
        self._names = list(function.names)
        self._same = {slot: slot for slot in range(len(function.types))}
        """Every slot, and for a result of a call that of what it returns."""
        self._other_names: dict[tuple[Calls, str], int] = {}

    def function(self) -> Function:
        body = self._block(self._function.body)
        return replace(
            self._function,
            body=body,
            types=self._types,
            names=self._names,
            other_names=self._other_names,
        )

    def _block(self, block: Block) -> Block:
        ops: list[Op] = []
        for op in block.ops:
            if isinstance(op, Call):
                ops += self._called(op)
            else:
                blocks = tuple(map(self._block, op.blocks))
                operands = tuple(self._same[slot] for slot in op.operands)
                ops.append(replace(op, operands=operands, blocks=blocks))
        return Block(block.args, ops)

    def _called(self, op: Call) -> list[Op]:
        """The operations of what is called. Its results are then what it returns."""
        callee = self._whole[op.callee]
        slots = {p: self._same[slot] for p, slot in zip(callee.params, op.operands, strict=True)}
        for slot, (type, name) in enumerate(zip(callee.types, callee.names, strict=True)):
            if slot not in slots:
                slots[slot] = len(self._types)
                self._types.append(type)
                self._names.append(name)
        body = [_copied(each, slots, op.span) for each in callee.body.ops]
        here = (op.span.line, op.span.column)
        for param in callee.params:
            self._other_names[(here,), callee.names[param]] = slots[param]
        for (calls, name), slot in callee.other_names.items():
            self._other_names[(here, *calls), name] = slots[slot]
        for result, value in zip(op.results, callee.body.yields, strict=True):
            self._same[result] = slots[value]
            self._other_names[(), self._names[result]] = slots[value]
        return body[:-1]


def _copied(op: Op, slots: Mapping[int, int], call: Span) -> Op:
    """An operation with other slots, reached through a call."""
    blocks = tuple(
        Block(tuple(slots[a] for a in b.args), [_copied(each, slots, call) for each in b.ops])
        for b in op.blocks
    )
    return replace(
        op,
        operands=tuple(slots[slot] for slot in op.operands),
        results=tuple(slots[slot] for slot in op.results),
        blocks=blocks,
        span=_reached(op.span, call),
        operand_spans=tuple(_reached(span, call) for span in op.operand_spans),
    )


def _reached(span: Span, call: Span) -> Span:
    # Not by `_replace`, which takes several times as long.
    line, column, length, calls = span
    return Span(line, column, length, ((call.line, call.column), *calls))
