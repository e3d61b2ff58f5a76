"""Loops, branches and vecscopes of a kernel, with the values that they carry and give back."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ptoscope.diagnostics import PtoError
from ptoscope.isa.dtypes import DType
from ptoscope.lang import loops, scalars
from ptoscope.lang.buffers import ChipArray
from ptoscope.lang.compile import build
from ptoscope.lang.compile.bodies import DecidedBody, OpenLoop
from ptoscope.lang.compile.expressions import ExpressionWalker
from ptoscope.lang.compile.frame import Gone
from ptoscope.lang.cores import CoreSection
from ptoscope.lang.flow import assigned
from ptoscope.lang.scalars import ScalarValue
from ptoscope.lang.scopes import VectorScope
from ptoscope.lang.source import CHANGES_TYPE, UNSUPPORTED
from ptoscope.lang.values import KernelValue, Vector, described, wrapped

_IN_LOOP = "only the loop gives it a value, and that may have no iteration"
_IN_BRANCH = "only one branch gives it a value"
_IN_SECTION = "what one core computes another does not have: it goes through memory"
_IN_SCOPE = "a vecscope gives nothing back: store it to UB, or use it inside"
_IN_TEST = "a condition gives no values to its loop"
_NOT_READ = "what it was given in the loop or branch is not kept"


class ControlWalker(ExpressionWalker):
    """Writes down what has a body."""

    def statements(self, body: Sequence[ast.stmt]) -> None:
        """Writes statements down."""
        raise NotImplementedError

    def loop(self, node: ast.For) -> None:
        """A loop of the kernel, or one that is unrolled because its items are known now."""
        if node.orelse:
            raise self.unsupported(node.orelse[0], "else of a loop")
        found = self.value(node.iter)
        if isinstance(found, loops.CountedLoop):
            self._counted(node, found)
            return
        if isinstance(found, KernelValue):
            raise self.unsupported(
                node.iter, f"loop over {described(found)}", hint="loop over range(...)"
            )
        for item in self.doing(node.iter, list, found):
            self.bind(node.target, item)
            self.statements(node.body)

    def _counted(self, node: ast.For, loop: loops.CountedLoop) -> None:
        literals: dict[str, DType] = {}
        names = self._carried(node)
        while not self._iteration(node, loop, names, literals):
            pass

    def _carried(self, node: ast.For | ast.While) -> list[str]:
        """The names whose values go from one iteration to the next, and out of the loop."""
        frame = self.frame
        kept = frame.flow.leaving[node]
        names = [n for n in kept if not isinstance(frame.names.get(n, Gone("")), Gone)]
        for name in names:
            value = frame.names[name]
            is_value = isinstance(value, (KernelValue, int, float)) and not isinstance(
                value, ChipArray
            )
            if not is_value:
                raise frame.source.error(
                    UNSUPPORTED,
                    node,
                    f"'{name}' is changed by the loop, but is {described(value)}",
                    found=described(value),
                    expected="a scalar, vector, mask or pointer",
                    hint="give what the loop assigns another name, or unroll it by pto.static",
                )
        return names

    def _inits(
        self, node: ast.stmt, names: list[str], literals: dict[str, DType]
    ) -> list[KernelValue]:
        return [self.settled(node, self.frame.names[name], literals.get(name)) for name in names]

    def settled(self, node: ast.stmt, value: Any, dtype: DType | None) -> KernelValue:
        """A value that a run may change: a number of Python becomes a scalar, of the type that
        the other values of the name have, or else index, f32 or i1."""
        if isinstance(value, KernelValue):
            return value
        made = self.doing(
            node,
            lambda: scalars.of_number(value) if dtype is None else scalars.constant(dtype, value),
        )
        assert isinstance(made, ScalarValue)
        return made

    def _arguments(self, names: Iterable[str], values: Sequence[KernelValue]) -> list[int]:
        """Slots for values that a block takes, under their names."""
        return [
            self.emitter.slot(value.type, name) for name, value in zip(names, values, strict=True)
        ]

    def _iteration(
        self,
        node: ast.For,
        loop: loops.CountedLoop,
        names: list[str],
        literals: dict[str, DType],
    ) -> bool:
        """Writes a counted loop down. False where a literal turned out to have another type:
        then nothing was written, and `literals` says so."""
        emitter, frame = self.emitter, self.frame
        inits = self._inits(node, names, literals)
        hidden = self.doing(node.iter, loop.hidden)
        before, allocated = dict(frame.names), len(emitter.arrays)
        index = emitter.slot(loop.lower.type, _index_name(node.target))
        own = [emitter.slot(value.type) for value in hidden]
        carried = self._arguments(names, inits)
        opened = OpenLoop(loop.stages)
        emitter.loops.append(opened)
        with emitter.block() as ops, emitter.decided() as decided:
            _note(decided, opened, names, inits)
            emitter.belong((index, *own, *carried))
            self._take(names, inits, carried)
            arguments = [wrapped(v.type, slot) for v, slot in zip(hidden, own, strict=True)]
            counter = wrapped(loop.lower.type, index)
            targets, after = self.doing(node.iter, loop.enter, counter, arguments)
            self.bind(node.target, targets)
            self._inside(node, node.body)
            yields = self._yields(node, names, inits, before, literals)
        emitter.loops.pop()
        if yields is None:
            self._take_back(before, allocated)
            return False
        results = self._results(node, names, [*hidden, *inits], before, len(hidden))
        opened.op = build.for_loop(
            (loop.lower.handle, loop.upper.handle, loop.step.handle),
            [value.handle for value in (*hidden, *inits)],
            index,
            (*own, *carried),
            ops,
            (*(v.handle for v in after), *yields),
            results,
            frame.span(node),
        )
        emitter.append(opened.op)
        return True

    def _take_back(self, names: dict[str, Any], arrays: int) -> None:
        """A loop is written down again: names and arrays are those before it."""
        self.frame.names = names
        del self.emitter.arrays[arrays:]
        self.emitter.drop_decided()

    def _take(self, names: list[str], inits: list[KernelValue], slots: list[int]) -> None:
        for name, value, slot in zip(names, inits, slots, strict=True):
            self.frame.names[name] = wrapped(value.type, slot)

    def _inside(self, node: ast.stmt, body: Sequence[ast.stmt]) -> None:
        """Writes down what a run may repeat or leave out: it changes no list from outside."""
        before = [(held, _items(held)) for held in _containers(self.frame.names.values())]
        self.frame.depth += 1
        self.statements(body)
        self.frame.depth -= 1
        for held, items in before:
            now = _items(held)
            same = len(now) == len(items)
            if not same or any(a is not b for a, b in zip(now, items, strict=True)):
                raise self.unsupported(
                    node,
                    f"{type(held).__name__} that a loop or branch of a run changes",
                    hint="give each value a name of its own, or unroll the loop by pto.static",
                )

    def _yields(
        self,
        node: ast.For | ast.While,
        names: list[str],
        inits: list[KernelValue],
        before: dict[str, Any],
        literals: dict[str, DType],
    ) -> list[int] | None:
        """What an iteration hands on; None where a literal has to begin with another type."""
        found: list[int] = []
        again = False
        for name, init in zip(names, inits, strict=True):
            value = self.frame.names[name]
            if isinstance(value, (int, float)) and isinstance(init, ScalarValue):
                value = self.doing(node, scalars.constant, init.dtype, value)
            if isinstance(value, KernelValue) and value.type == init.type:
                found.append(value.handle)
            elif (
                isinstance(value, ScalarValue)
                and not isinstance(before[name], KernelValue)
                and name not in literals
            ):
                literals[name] = value.dtype
                again = True
            else:
                raise self._changed(node, name, before[name], value)
        return None if again else found

    def _changed(self, node: ast.stmt, name: str, before: Any, after: Any) -> PtoError:
        return self.frame.source.error(
            CHANGES_TYPE,
            node,
            f"'{name}' changes its type in the loop",
            found=f"{described(before)} before, {described(after)} after an iteration",
            expected="one type",
            hint=f"begin with a vector: pto.vbr({before!r}, dtype=pto.{after.dtype})"
            if isinstance(after, Vector) and isinstance(before, (int, float))
            else "convert it before the loop, or give it another name",
        )

    def _results(
        self,
        node: ast.For | ast.While,
        names: list[str],
        values: Sequence[KernelValue],
        before: dict[str, Any],
        hidden: int = 0,
    ) -> tuple[int, ...]:
        """Slots for what a loop gives, bound to its names; what else it assigned is gone."""
        slots = [self.emitter.slot(value.type) for value in values]
        self._forget(node, before, _IN_LOOP)
        for name, value, slot in zip(names, values[hidden:], slots[hidden:], strict=True):
            self.frame.names[name] = wrapped(value.type, slot)
            self.emitter.name(slot, name)
        return tuple(slots)

    def _forget(self, node: ast.stmt, before: dict[str, Any], why: str) -> None:
        """Names are as they were before; those that the node assigns have no value."""
        gone = {name: Gone(why if name not in before else _NOT_READ) for name in assigned([node])}
        self.frame.names = before | gone

    def repeat(self, node: ast.While) -> None:
        """A while loop."""
        if node.orelse:
            raise self.unsupported(node.orelse[0], "else of a loop")
        literals: dict[str, DType] = {}
        names = self._carried(node)
        while not self._while(node, names, literals):
            pass

    def _while(self, node: ast.While, names: list[str], literals: dict[str, DType]) -> bool:
        emitter, frame = self.emitter, self.frame
        inits = self._inits(node, names, literals)
        before, allocated = dict(frame.names), len(emitter.arrays)
        span = frame.span(node)
        carried = self._arguments(names, inits)
        opened = OpenLoop()
        emitter.loops.append(opened)
        with emitter.decided() as decided:
            _note(decided, opened, names, inits)
            with emitter.block() as test:
                emitter.belong(carried)
                self._take(names, inits, carried)
                condition = self._going_on(node)
            frame.names = before | {name: Gone(_IN_TEST) for name in assigned([node.test])}
            received = self._arguments(names, inits)
            with emitter.block() as body:
                emitter.belong(received)
                self._take(names, inits, received)
                self._inside(node, node.body)
                yields = self._yields(node, names, inits, before, literals)
        emitter.loops.pop()
        if yields is None:
            self._take_back(before, allocated)
            return False
        results = self._results(node, names, inits, before)
        starts = [value.handle for value in inits]
        opened.op = build.while_loop(
            starts, carried, test, condition.handle, received, body, yields, results, span
        )
        emitter.append(opened.op)
        return True

    def _going_on(self, node: ast.While) -> ScalarValue:
        condition = self.truth(node.test, self.value(node.test))
        if not isinstance(condition, ScalarValue):
            raise self.unsupported(
                node.test,
                "while with a fixed condition",
                hint="the condition has to depend on values of a run",
            )
        return condition

    def branch(self, node: ast.If) -> None:
        """An if: of the kernel, or decided now."""
        condition = self.truth(node.test, self.value(node.test))
        if not isinstance(condition, ScalarValue):
            self.statements(node.body if condition else node.orelse)
            return
        emitter, frame = self.emitter, self.frame
        before = dict(frame.names)
        with emitter.block() as then, emitter.decided() as left:
            self._inside(node, node.body)
        first, frame.names = frame.names, dict(before)
        with emitter.block() as otherwise, emitter.decided() as right:
            self._inside(node, node.orelse)
        second = frame.names
        self._forget(node, before, _IN_BRANCH)
        results: list[int] = []
        yields: tuple[list[int], list[int]] = ([], [])
        for name in frame.flow.leaving[node]:
            self._merge(node, name, first.get(name), second.get(name), results, yields)
            if len(results) > len(left.types):
                left.types[name] = right.types[name] = emitter.types[results[-1]]
        sides = (then, yields[0]), (otherwise, yields[1])
        emitter.append(build.branch(condition.handle, *sides, results, frame.span(node)))

    def _merge(
        self,
        node: ast.If,
        name: str,
        left: Any,
        right: Any,
        results: list[int],
        yields: tuple[list[int], list[int]],
    ) -> None:
        """What a name stands for after both branches."""
        names = self.frame.names
        if left is None or right is None or isinstance(left, Gone) or isinstance(right, Gone):
            return
        if left is right or (not isinstance(left, KernelValue) and _equal(left, right)):
            names[name] = left
            return
        kind = next((v.dtype for v in (left, right) if isinstance(v, ScalarValue)), None)
        sides: list[KernelValue] = []
        for side in (left, right):
            if isinstance(side, (int, float)) or (
                isinstance(side, KernelValue) and not isinstance(side, ChipArray)
            ):
                if not isinstance(side, KernelValue) and kind is None:
                    kind = scalars.of_number(left + right if _numbers(left, right) else side).dtype  # type: ignore[union-attr]
                sides.append(self.settled(node, side, kind))
        if len(sides) < 2 or sides[0].type != sides[1].type:
            raise self.frame.source.error(
                CHANGES_TYPE,
                node,
                f"'{name}' has different types after the two branches",
                found=f"{described(left)}, {described(right)}",
                expected="one type",
                hint="convert one of them, or give them two names",
            )
        slot = self.emitter.slot(sides[0].type, name)
        results.append(slot)
        for side, values in zip(sides, yields, strict=True):
            values.append(side.handle)
        names[name] = wrapped(sides[0].type, slot)

    def scope(self, node: ast.With) -> None:
        """A vecscope, or a section; of several, each inside of the one before it."""
        item, *rest = node.items
        if rest:
            inner = ast.copy_location(ast.With(rest, node.body), node)
            node = ast.copy_location(ast.With([item], [inner]), node)
        opened = self.value(item.context_expr)
        known = isinstance(opened, (VectorScope, CoreSection))
        if not known or item.optional_vars:
            raise self.unsupported(
                node,
                "with of this kind",
                hint="there are pto.vecscope(), pto.cube() and pto.vector()",
            )
        before, span = dict(self.frame.names), self.frame.span(node)
        if isinstance(opened, CoreSection):
            self._not_nested(node, opened)
            with self.emitter.section(opened.core) as ops, self.emitter.decided() as decided:
                self._opened(node)
            self._gone(before, _IN_SECTION, arrays=True)
            decided.kept = self._new_arrays(before)
            self.emitter.append(build.section(opened.core, ops, span))
            return
        with self.emitter.scope() as ops:
            self._opened(node)
        self._gone(before, _IN_SCOPE)
        self.emitter.append(build.vector_scope(ops, span))

    def _not_nested(self, node: ast.With, section: CoreSection) -> None:
        if self.emitter.core is not None or self.emitter.in_scope:
            inside = "a vecscope" if self.emitter.in_scope else f"pto.{self.emitter.core}()"
            raise self.unsupported(node, f"pto.{section.core}() inside {inside}")

    def _opened(self, node: ast.With) -> None:
        self.frame.depth += 1
        self.statements(node.body)
        self.frame.depth -= 1

    def _new_arrays(self, before: dict[str, Any]) -> frozenset[str]:
        """The names that stand for arrays which they did not stand for before."""
        now = self.frame.names.items()
        return frozenset(
            name
            for name, value in now
            if isinstance(value, ChipArray) and value is not before.get(name)
        )

    def _gone(self, before: dict[str, Any], why: str, arrays: bool = False) -> None:
        """Values that were made inside are not there any more; or all but `arrays`."""
        after = self.frame.names
        for name, value in after.items():
            made = isinstance(value, KernelValue) and value is not before.get(name)
            if made and not (arrays and isinstance(value, ChipArray)):
                after[name] = Gone(why)


def _containers(values: Iterable[Any]) -> Iterator[list[Any] | dict[Any, Any]]:
    """The lists and dictionaries among values, and inside of those."""
    rest = list(values)
    seen: set[int] = set()
    while rest:
        value = rest.pop()
        if isinstance(value, (list, dict, tuple)) and id(value) not in seen:
            seen.add(id(value))
            rest += value.values() if isinstance(value, dict) else value
            if not isinstance(value, tuple):
                yield value


def _items(held: list[Any] | dict[Any, Any]) -> list[Any]:
    return [*held.keys(), *held.values()] if isinstance(held, dict) else list(held)


def _index_name(target: ast.expr) -> str:
    match target:
        case ast.Name():
            return target.id
        case ast.Tuple(elts=[ast.Name() as first, *_]):
            return first.id
        case _:
            return "i"


def _numbers(*values: Any) -> bool:
    return all(isinstance(v, (int, float)) for v in values)


def _equal(left: Any, right: Any) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        # 0.0 and -0.0 are two values.
        return repr(left) == repr(right)
    return type(left) is type(right) and bool(left == right)


def _note(decided: DecidedBody, loop: OpenLoop, names: list[str], inits: list[KernelValue]) -> None:
    decided.loop = loop
    decided.types = {name: value.type for name, value in zip(names, inits, strict=True)}
