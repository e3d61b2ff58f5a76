"""Puts into a program what somebody asks to see of it.

What is asked of a line is shown when the pipe that executes its instruction has executed it. A line
may have several instructions: then it is shown behind the last one of a block, but not behind
what is computed before a loop for a line inside of it. On the line of a
loop, what its iterations begin with is shown when they begin, and all else when it has ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ptoscope.arguments import Argument
from ptoscope.diagnostics import UsageError, nearest
from ptoscope.isa.parts import MEMORIES
from ptoscope.isa.targets import Target
from ptoscope.isa.types import Ptr
from ptoscope.prints.requests import PrintRequest, wrong
from ptoscope.program import Block, Calls, For, Function, Loop, Op, Scope, Show, Terminator
from ptoscope.ranges import MemoryRange
from ptoscope.trace.places import pipe_of


def with_prints(function: Function, target: Target, requests: Sequence[PrintRequest]) -> Function:
    """The function with what is asked of it. UsageError for a request that cannot be met."""
    for request in requests:
        _check_line(function, request)
        _check_memory(function, target, request)
    writer = _Writer(function, requests)
    made = replace(function, body=writer.block(function.body, _Around.of(function)))
    for request in requests:
        if request.text not in writer.met:
            raise wrong(request.text, writer.why_not(request))
    return made


def check_arrays(function: Function, arguments: Iterable[Argument]) -> bool:
    """Whether the function shows bytes of arrays; UsageError where an array has none of these."""
    arrays = {f"%{a.name}": a.data.nbytes for a in arguments if a.data is not None}
    found = False
    for op in function.ops():
        if isinstance(op, Show) and op.memory is not None and op.memory.space in arrays:
            found = True
            _check_range(op.asked, op.memory, arrays[op.memory.space])
    return found


def _check_range(text: str, memory: MemoryRange, size: int) -> None:
    try:
        memory.of(size)
    except UsageError as error:
        raise wrong(text, str(error)) from None


def _check_line(function: Function, request: PrintRequest) -> None:
    lines = {op.span.line for op in function.ops() if not isinstance(op, Terminator)}
    if request.line in lines:
        return
    near = min(lines, key=lambda line: (abs(line - request.line), line), default=None)
    other = "" if near is None else f"; the nearest line that executes is {near}"
    raise wrong(request.text, f"nothing of @{function.name} executes on line {request.line}{other}")


def _check_memory(function: Function, target: Target, request: PrintRequest) -> None:
    memory = request.memory
    if memory is None:
        return
    if not memory.space.startswith("%"):
        one = MEMORIES[memory.space]
        if one.core == "cube" and not ("cube" in function.cores or function.uses_matrix_memories):
            raise wrong(
                request.text, f"@{function.name} runs on a vector core, without {one.title}"
            )
        _check_range(request.text, memory, target.bytes_of(memory.space))
        return
    arrays = [
        f"%{function.names[slot]}"
        for slot in function.params
        if isinstance(function.types[slot], Ptr)
    ]
    if memory.space not in arrays:
        there = f"arrays are {', '.join(arrays)}" if arrays else "there is none"
        raise wrong(request.text, f"{memory.space} is no array of a parameter; {there}")


@dataclass(frozen=True)
class _Around:
    """What there is at a place: the values by name, those of each call by themselves; the indices
    of the loops around it; and whether it is in a vecscope."""

    values: dict[tuple[Calls, str], int] = field(default_factory=dict[tuple[Calls, str], int])
    loops: tuple[str, ...] = ()
    in_scope: bool = False

    @staticmethod
    def of(function: Function) -> _Around:
        return _Around({((), f"%{function.names[slot]}"): slot for slot in function.params})

    def copy(self) -> _Around:
        return replace(self, values=dict(self.values))


class _Writer:
    def __init__(self, function: Function, requests: Sequence[PrintRequest]) -> None:
        self._function = function
        self._requests: dict[int, list[PrintRequest]] = {}
        for request in requests:
            self._requests.setdefault(request.line, []).append(request)
        self.met: set[str] = set()
        self._seen: dict[int, list[_Around]] = {}
        """By line, what there was where it was looked for."""

    def block(self, block: Block, around: _Around) -> Block:
        """A block with what is asked of its lines."""
        around = around.copy()
        last = {_line(op): op for op in block.ops if not isinstance(op, Terminator)}
        for op in block.ops:
            if not _is_put_around(op):
                # What a loop or vecscope has on other lines than its own is executed there.
                inside = {_line(inner) for each in op.blocks for inner in each.walk()}
                for line in inside - {_line(op)}:
                    last.pop(line, None)
        ops: list[Op] = []
        for op in block.ops:
            ops.append(self._inside(op, around) if op.blocks else op)
            self._add(around, op.span.calls, op.results)
            if last.get(_line(op)) is op and not _is_put_around(op):
                ops += self._shows(op, around)
        return Block(block.args, ops)

    def _add(self, around: _Around, calls: Calls, slots: Iterable[int]) -> None:
        for slot in slots:
            around.values[calls, f"%{self._function.names[slot]}"] = slot

    def _inside(self, op: Op, around: _Around) -> Op:
        inner = around.copy()
        if isinstance(op, Scope):
            inner = replace(inner, values={} if op.strict else inner.values, in_scope=True)
        elif isinstance(op, Loop):
            name = f"%{self._function.names[op.index]}" if isinstance(op, For) else op.name
            inner = replace(inner, loops=(*inner.loops, name))
        blocks: list[Block] = []
        for block in op.blocks:
            here = inner.copy()
            self._add(here, op.span.calls, block.args)
            written = self.block(block, here)
            if isinstance(op, Loop):
                written.ops[:0] = self._heads(op, block, here)
            blocks.append(written)
        return replace(op, blocks=tuple(blocks))

    def _heads(self, op: Loop, block: Block, around: _Around) -> list[Show]:
        """What is asked of the values that an iteration begins with, unless it has instructions on
        the same line, behind which they are shown."""
        if any(_line(inner) == _line(op) for inner in block.ops[:-1]):
            return []
        names = {f"%{self._function.names[slot]}" for slot in block.args}
        asked = (r for r in self._requests.get(op.span.line, ()) if r.value in names)
        return [show for request in asked for show in self._show(request, op, around, "")]

    def _shows(self, op: Op, around: _Around) -> list[Show]:
        """What is asked of an operation that has been executed."""
        pipe = "" if around.in_scope else pipe_of(op, False)
        begins = (
            [slot for block in op.blocks for slot in block.args] if isinstance(op, Loop) else []
        )
        names = {f"%{self._function.names[slot]}" for slot in begins}
        asked = (r for r in self._requests.get(op.span.line, ()) if r.value not in names)
        return [show for request in asked for show in self._show(request, op, around, pipe)]

    def _show(self, request: PrintRequest, op: Op, around: _Around, pipe: str) -> list[Show]:
        self._seen.setdefault(request.line, []).append(around.copy())
        slot = self._slot(request.value, op.span.calls, around)
        if request.value and slot is None:
            return []
        if any(name not in around.loops for name, _ in request.iterations):
            return []
        self.met.add(request.text)
        return [
            Show(
                "show",
                () if slot is None else (slot,),
                span=op.span,
                asked=request.text,
                title=request.title,
                memory=request.memory,
                pipe=pipe,
                executions=request.executions,
                iterations=tuple(_iteration(*loop) for loop in request.iterations),
            )
        ]

    def _slot(self, value: str, calls: Calls, around: _Around) -> int | None:
        """The slot that a name means at a place; None if it means nothing there."""
        slot = around.values.get((calls, value))
        if slot is not None:
            return slot
        other = self._function.other_names.get((calls, value.removeprefix("%")))
        return other if other in around.values.values() else None

    def why_not(self, request: PrintRequest) -> str:
        """Why a request is met nowhere."""
        function, value, line = self._function, request.value, request.line
        names = [f"%{name}" for name in function.names]
        others = [f"%{name}" for _, name in function.other_names]
        seen = self._seen.get(line, [])
        if value and value not in (*names, *others):
            there = sorted({name for around in seen for _, name in around.values})
            made = [names[s] for op in function.ops() if op.span.line == line for s in op.results]
            hint = nearest(value, there) or nearest(value, names)
            hint = hint or (f"line {line} makes {', '.join(dict.fromkeys(made))}" if made else "")
            return f"@{function.name} has no value {value}" + (f"; {hint}" if hint else "")
        if value and not any(value == name for around in seen for _, name in around.values):
            makers = sorted(
                {op.span.line for op in function.ops() for s in op.results if names[s] == value}
            )
            made = f"; it is made on line {', '.join(map(str, makers))}" if makers else ""
            return f"{value} cannot be seen on line {line}{made}"
        loops = list(dict.fromkeys(name for around in seen for name in around.loops))
        there = f"there are {', '.join(loops)}" if loops else "there is none"
        missing = next((name for name, _ in request.iterations if name not in loops), "")
        return f"{missing} is no loop around line {line}; {there}"


def _line(op: Op) -> tuple[int, Calls]:
    """The line of an operation, in each call by itself."""
    return op.span.line, op.span.calls


def _iteration(name: str, value: int) -> str:
    """An iteration as engines name it."""
    return f"{name} = {value}" if name.startswith("%") else f"iteration {value} of {name}"


def _is_put_around(op: Op) -> bool:
    """Whether it is a vecscope that the text leaves out: it stands where its first one does."""
    return isinstance(op, Scope) and any(inner.span == op.span for inner in op.body.walk())
