"""From a program to the text of one LLVM module.

Control flow becomes blocks; every instruction is its record's meaning, run once on a core
that writes code. What a pipe executes (a vecscope, a helper on UB) is a function of its own,
so that it can also be queued. What runs in no loop is not worth optimising, and is a module apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Any

from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import I1, I64, INDEX
from ptoscope.isa.order.rules import SET, WAIT
from ptoscope.isa.parts import CoreKind
from ptoscope.isa.record import Site
from ptoscope.isa.targets import Revision, Target
from ptoscope.isa.types import Ptr, Scalar
from ptoscope.machine.elements import quietly
from ptoscope.machine.faults import LOOP_STEP, Fault
from ptoscope.machine.memory import gm_base
from ptoscope.native import layout, runtime, types
from ptoscope.native.core import NativeCore
from ptoscope.native.cpu import CpuFeatures
from ptoscope.native.elision import Eliding
from ptoscope.native.joins import JoinShape, join, parts, phi_lines, promised, rebuilt, shape
from ptoscope.native.lanes import RAW, NativeLanes
from ptoscope.native.llvm_text import Code, Value
from ptoscope.native.long_bodies import LongBodies
from ptoscope.native.pipes import PROLOGUE
from ptoscope.native.ranges import of_loop
from ptoscope.native.side_exits import SideExit
from ptoscope.program import (
    Block,
    For,
    Function,
    If,
    Loop,
    Op,
    Scope,
    Show,
    Terminator,
    While,
    operation,
    site_of,
)

JoinShapes = list[JoinShape] | None


@dataclass(frozen=True)
class CompiledModule:
    """The text, and what the engine has to know to run it."""

    text: str
    """What is worth optimising."""
    cold_text: str
    """What is not; each may be empty."""
    side_exits: tuple[SideExit, ...]
    registers: tuple[int, ...]
    """Values of the special registers at launch."""
    uses_stamps: bool
    frame_bytes: int
    """More than its functions take on the stack."""
    cores: tuple[CoreKind, ...]
    uses_matrix: bool
    """Whether it uses the memories of a matrix core."""
    ub_top: int
    """How many bytes of UB, from its first on, its own stores can reach."""


class Compiler:
    """Writes the module of a checked function."""

    core_type = NativeCore

    def __init__(
        self,
        function: Function,
        target: Target,
        revision: Revision,
        features: CpuFeatures,
        least_elided: int = 0,
    ) -> None:
        self._function = function
        self._target = target
        self._revision: Revision = revision
        self.code = Code(features)
        self.core = self.core_type(self.code, target)
        self.core.cores = function.cores
        self.core.updates_gm = any(
            record.sets for op in function.ops() if (record := TABLE.get(op.name)) is not None
        )
        self.core.first_register = layout.VARIABLES + len(function.params)
        self._values: list[Any] = [None] * len(function.types)
        self._long = LongBodies(self.core, function)
        self.core.eliding = Eliding(self.code, self.core.side_exits, function, least_elided)
        self._hoisted: set[int] = set()
        """Operations that are written already."""
        self._settled: dict[int, JoinShapes] = {}
        """With which shapes an operation was written last."""

    def module(self) -> CompiledModule:
        """The whole of it."""
        with quietly():
            return self._module()

    def _module(self) -> CompiledModule:
        core = self.core
        with self.code.outlined("define i32 @main(ptr %state)") as main:
            main.allocas += [f"  {line}" for line in PROLOGUE]
            main.keeps_iterations = True
            for i, slot in enumerate(self._function.params):
                self._values[slot] = self._parameter(i, slot)
            self._block(self._function.body)
            core.finish(self._site(operation("func.return", span=self._function.span)))
            self.code.do("ret i32 0")
        main.is_hot = main.is_busy or _computes(self._function.body)
        self.code.finish(main)
        return CompiledModule(
            *self.code.modules(runtime.declared(core.side_exits.needs)),
            tuple(core.side_exits.all),
            tuple(core.registers.values()),
            core.uses_stamps,
            self.code.frame_bytes,
            self._function.cores,
            self._function.uses_matrix_memories,
            core.ub_top,
        )

    def _parameter(self, position: int, slot: int) -> NativeLanes:
        kind = self._function.types[slot]
        assert isinstance(kind, (Scalar, Ptr))
        if isinstance(kind, Ptr):
            pointer = self.core.constant(INDEX, 1, gm_base(position))
            self.core.arguments[pointer.value.name] = position
            return pointer
        at = self.code.offset(Value("ptr", "%state"), layout.VARIABLES + position, "i64")
        if kind.dtype is I1:
            byte = self.code.load("i8", at, 1)
            return NativeLanes(self.code, I1, 1, self.code.emit("i1", f"icmp ne {byte}, 0"))
        nan = RAW if types.tracks_nans(kind.dtype) else 0
        value = self.code.load(types.element(kind.dtype), at, 8)
        return NativeLanes(self.code, kind.dtype, 1, value, nans=nan)

    def _site(self, op: Op) -> Site:
        return site_of(self._function, op, self._target, self._revision)

    def _block(self, block: Block) -> None:
        for op, following in zip_longest(block.ops, block.ops[1:]):
            self.core.is_answered = self.core.fuses and _is_answered(op, following)
            if isinstance(op, Scope):
                self._look_ahead(op)
            self._op(op)

    def _loop_block(self, loop: Loop, block: Block) -> None:
        """The block of a loop that does its work."""
        around, self.core.is_tight = self.core.is_tight, not any(map(_copies, loop.blocks))
        self._block(block)
        self.core.is_tight = around

    def _look_ahead(self, scope: Scope) -> None:
        """Tells of the copy to GM that a vecscope stores for, if there is one; what that takes is
        computed now."""
        found = self.core.eliding.deliveries.get(id(scope))
        if found is None or not self._hoist(found.before):
            return
        self.core.looks_ahead = True
        self._op(found.copy)
        self.core.looks_ahead = False
        self.core.eliding.writes_through = True

    def _hoist(self, ops: list[Op]) -> bool:
        """Writes operations before their time; not where one may fault."""
        side_exits = self.core.side_exits.all
        before = len(side_exits)

        def write() -> bool:
            for op in ops:
                self._op(op)
            return len(side_exits) == before

        if not self.code.attempt(write):
            del side_exits[before:]
            return False
        self._hoisted.update(map(id, ops))
        return True

    def _op(self, op: Op) -> None:
        if id(op) in self._hoisted:
            self._hoisted.remove(id(op))
            return
        match op:
            case For():
                self._for(op)
            case If():
                self._if(op)
            case While():
                self._while(op)
            case Terminator():
                pass
            case Scope():
                self._scope(op)
            case Show():
                self.core.show(self._site(op), op, *self._read(op.operands))
                self.code.function.release()
            case _:
                site = self._site(op)
                run = TABLE[op.name].meaning(site)
                results = self._long.applied(op, site, run, self._read(op.operands))
                self.code.function.release()
                if len(op.results) == 1:
                    self._values[op.results[0]] = results
                    self.core.eliding.define(op.results[0], results)
                elif op.results:
                    self._write(op.results, results)

    def _read(self, slots: Any) -> list[Any]:
        return [self._values[slot] for slot in slots]

    def _write(self, slots: Any, values: Any) -> None:
        for slot, value in zip(slots, values, strict=True):
            self._values[slot] = value

    def _scope(self, op: Scope) -> None:
        before = list(self._values)
        self._write(op.args, self._read(op.inputs))
        site = self._site(op)

        def body() -> None:
            self._block(op.body)
            self.core.settle_streams(site)

        self.core.launch(site, "PIPE_V", body)
        self.core.eliding.writes_through = False
        self._values = before

    # Control flow. What is carried is written with a guess of its shape; where the values
    # that come back do not fit, it is written again with the shape that fits all.

    def _shapes(self, slots: Any, values: list[Any]) -> list[JoinShape]:
        return [shape(v, self._function.types[s]) for s, v in zip(slots, values, strict=True)]

    def _settle(
        self,
        op: Op,
        guess: JoinShapes,
        write: Callable[[JoinShapes], tuple[JoinShapes, JoinShapes]],
    ) -> None:
        """Writes until the shapes that come back are those it was written with. What is around
        may be written again, too: then it begins with what fitted before, so that the work does
        not double with every level."""
        known = self._settled.get(id(op))
        if known is not None:
            guess = known if guess is None else join(guess, known)
        side_exits, loops = len(self.core.side_exits.all), len(self.core.side_exits.loops)

        def once() -> bool:
            nonlocal guess
            used, guess = write(guess)
            self._settled[id(op)] = guess
            return used == guess

        while not self.code.attempt(once):
            del self.core.side_exits.all[side_exits:]
            del self.core.side_exits.loops[loops:]

    def _for(self, op: For) -> None:
        code, site = self.code, self._site(op)
        low, high, step = (v.cast(I64) for v in self._read(op.bounds))
        index, carried = op.index, op.carried
        kind = self._function.types[index]
        assert isinstance(kind, Scalar)
        if step.number is None or step.number <= 0:
            wrong = step.compare("le", step.const(0))
            self.core.side_exits.when(wrong.value, site, partial(_refuse_step, site), (step,))
        given = self._read(op.inits)
        is_innermost = not any(isinstance(inner, Loop) for inner in op.body.walk())

        def write(shapes: JoinShapes) -> tuple[JoinShapes, JoinShapes]:
            assert shapes is not None
            loop, done = code.label("for"), code.label("done")
            first = parts(given, shapes)
            counted = None
            if is_innermost and step.number:
                counted = self.core.counted(low.value, high.value, step.number)
            some = low.compare("lt", high)
            before = code.function.label
            code.branch(some.value, loop, done)
            code.place(loop)
            iteration = code.promised("i64")
            held = promised(code, shapes)
            slot = len(code.function.lines)
            with code.inside():
                number = NativeLanes(code, I64, 1, iteration)
                number.range = of_loop(low.range, high.range, step.range)
                self._values[index] = number.cast(kind.dtype)
                self._write(carried, rebuilt(code, shapes, held))
                self.core.side_exits.enter(f"%{self._function.names[index]}", iteration)
                self.core.iteration(site, counted)
                self.core.counters.append((number, low, step))
                self._loop_block(op, op.body)
                self.core.counters.pop()
                self.core.side_exits.leave()
                yielded = self._read(op.yields)
                came = self._shapes(carried, yielded)
                joined = join(shapes, came)
                if joined != shapes:
                    return shapes, joined
                back = parts(yielded, shapes)
                following = code.emit("i64", f"add {iteration}, {step.value.name}")
                if high.range and step.range:
                    more = code.emit("i1", f"icmp slt {following}, {high.value.name}")
                else:
                    # The sum may wrap in the last iteration.
                    left = code.emit("i64", f"sub {high.value}, {iteration.name}")
                    more = code.emit("i1", f"icmp ugt {left}, {step.value.name}")
                last = code.function.label
                code.branch(more, loop, done)
            head = f"  {iteration.name} = phi i64 [ {low.value.name}, %{before} ], "
            head += f"[ {following.name}, %{last} ]"
            code.function.lines[slot:slot] = [
                head,
                *phi_lines(held, (first, before), (back, last)),
            ]
            code.place(done)
            results = promised(code, shapes)
            code.function.lines += phi_lines(results, (first, before), (back, last))
            self._write(op.results, rebuilt(code, shapes, results))
            return shapes, shapes

        self._settle(op, self._shapes(carried, given), write)

    def _if(self, op: If) -> None:
        code = self.code
        condition = self._values[op.condition]
        if condition.number is not None:
            taken = op.then if condition.number else op.otherwise
            self._block(taken)
            self._write(op.results, self._read(taken.yields))
            return

        def branch(
            label: str, block: Block, shapes: JoinShapes
        ) -> tuple[list[JoinShape], Any, str]:
            code.place(label)
            with code.inside():
                self._block(block)
                values = self._read(block.yields)
                came = self._shapes(op.results, values)
                made = parts(values, came if shapes is None else shapes)
                return came, made, code.function.label

        def write(shapes: JoinShapes) -> tuple[JoinShapes, JoinShapes]:
            yes, no, done = code.label("then"), code.label("else"), code.label("done")
            code.branch(condition.value, yes, no)
            came, first, last_yes = branch(yes, op.then, shapes)
            used = came if shapes is None else shapes
            code.jump(done)
            other, second, last_no = branch(no, op.otherwise, used)
            code.jump(done)
            joined = join(join(used, came), other)
            if joined == used:
                code.place(done)
                results = promised(code, used)
                code.function.lines += phi_lines(results, (first, last_yes), (second, last_no))
                self._write(op.results, rebuilt(code, used, results))
            return used, joined

        self._settle(op, None, write)

    def _while(self, op: While) -> None:
        code, site = self.code, self._site(op)
        carried = op.carried
        given = self._read(op.inits)

        def write(shapes: JoinShapes) -> tuple[JoinShapes, JoinShapes]:
            assert shapes is not None
            loop, body, done = code.label("while"), code.label("do"), code.label("done")
            first = parts(given, shapes)
            start = code.function.label
            code.jump(loop)
            code.place(loop)
            iteration = code.promised("i64")
            held = promised(code, shapes)
            slot = len(code.function.lines)
            # The results are values of the head, which every way out passes.
            self._write(carried, rebuilt(code, shapes, held))
            self.core.side_exits.enter("iteration", iteration)
            self.core.iteration(site)
            self._block(op.before)
            passed = self._read(op.passed)
            code.branch(self._values[op.condition].value, body, done)
            code.place(body)
            with code.inside():
                self._write(op.received, passed)
                self._loop_block(op, op.after)
                yielded = self._read(op.yields)
                self.core.side_exits.leave()
                came = self._shapes(carried, yielded)
                joined = join(shapes, came)
                if joined != shapes:
                    return shapes, joined
                back = parts(yielded, shapes)
                following = code.emit("i64", f"add {iteration}, 1")
                last = code.function.label
                code.jump(loop)
            head = f"  {iteration.name} = phi i64 [ 0, %{start} ], [ {following.name}, %{last} ]"
            code.function.lines[slot:slot] = [
                head,
                *phi_lines(held, (first, start), (back, last)),
            ]
            code.place(done)
            self._write(op.results, passed)
            return shapes, shapes

        self._settle(op, self._shapes(carried, given), write)


def _is_answered(op: Op, following: Op | None) -> bool:
    """Whether an operation sets a flag that the one behind it waits for."""
    one = TABLE.get(op.name)
    two = None if following is None else TABLE.get(following.name)
    if one is None or two is None or one.order is not SET or two.order is not WAIT:
        return False
    return following is not None and (op.operands, op.attrs) == (
        following.operands,
        following.attrs,
    )


def _computes(block: Block) -> bool:
    """Whether a loop outside the vecscopes copies nothing. Otherwise the code around copies only
    issues them, and is not worth optimising: that takes as long as all the rest."""
    for op in block.ops:
        if isinstance(op, Loop) and not any(map(_copies, op.blocks)):
            return True
        if isinstance(op, (Loop, If)) and any(map(_computes, op.blocks)):
            return True
    return False


def _copies(block: Block) -> bool:
    """Whether something here is copied."""
    found = (TABLE.get(op.name) for op in block.walk())
    return any(record is not None and record.path is not None for record in found)


def _refuse_step(site: Site, core: Any, step: Any) -> None:
    from ptoscope.machine.lanes import number

    raise Fault(site, LOOP_STEP, "the loop's step is not positive", str(number(step)), "1 or more")
