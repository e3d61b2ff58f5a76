"""Runs a host program: the small C++ program that fills buffers and launches kernels.

Everything the program does to files, memory and kernels is done; what it does besides
(streams, devices, messages) is left out by name. Nothing else is passed over: a statement
that is reached and not understood is Unreadable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ptoscope.cases.host.evaluator import Evaluator, truth
from ptoscope.cases.host.library import CONSTANTS, HARMLESS, Library
from ptoscope.cases.host.program import HostFiles
from ptoscope.cases.host.tokens import Unreadable
from ptoscope.cases.host.tree import (
    Braces,
    CppBlock,
    CppCall,
    CppFunction,
    CppIf,
    CppLiteral,
    CppLoop,
    CppName,
    CppNode,
    CppSwitch,
    Declare,
    Evaluate,
    Jump,
    TypeName,
)
from ptoscope.cases.host.types import number_type
from ptoscope.cases.host.values import Element, HostMemory, Pointer, Variable

STEPS = 1_000_000
"""How many statements a host program may take."""

LaunchKernel = Callable[[str, int, list[Any], str], None]
"""Called with a kernel's name, the number of blocks, the arguments, and the place."""


class _Return(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class Interpreter(Evaluator):
    """One run of a host program on the files of a directory (see Library)."""

    def __init__(self, files: HostFiles, library: Library, launch: LaunchKernel) -> None:
        super().__init__()
        self.files = files
        self.library = library
        self.launch = launch
        self.steps = 0
        for declared in files.globals:
            try:
                self.execute(declared)
            except Unreadable:
                # Then the name is unknown, which is an error where it is used.
                continue

    def enter(self, function: CppFunction, arguments: list[Any], where: str) -> Any:
        """Calls a function of the program; an argument for a reference is a Variable."""
        if len(arguments) != len(function.parameters):
            raise Unreadable(f"{where}: {function.name} takes {len(function.parameters)} arguments")
        scope: dict[str, Variable] = {}
        for parameter, given in zip(function.parameters, arguments, strict=True):
            if parameter.type.reference and isinstance(given, Variable):
                scope[parameter.name] = given
                continue
            variable = scope[parameter.name] = Variable(parameter.type)
            variable.set(given.value if isinstance(given, Variable) else given)
        outer, self.scopes = self.scopes, [self.scopes[0], scope]
        if len(outer) > STEPS:
            raise Unreadable(f"{where}: the calls do not end")
        try:
            for statement in self.files.body(function):
                self.execute(statement)
        except _Return as result:
            return result.value
        except RecursionError:
            raise Unreadable(f"{where}: the calls do not end") from None
        finally:
            self.scopes = outer
        return None

    # Statements.

    def execute(self, node: CppNode) -> None:
        self.steps += 1
        if self.steps > STEPS:
            raise Unreadable(f"{node.where}: the host program takes more than {STEPS} steps")
        match node:
            case Evaluate():
                self.value(node.expression)
            case Declare():
                self._declare(node)
            case CppBlock():
                if node.scope:
                    self.scopes.append({})
                try:
                    for statement in node.body:
                        self.execute(statement)
                finally:
                    if node.scope:
                        self.scopes.pop()
            case CppIf():
                self.scopes.append({})
                try:
                    if self.test(node.test):
                        self.execute(node.then)
                    elif node.other is not None:
                        self.execute(node.other)
                finally:
                    self.scopes.pop()
            case CppSwitch():
                self._switch(node)
            case CppLoop():
                self._loop(node)
            case Jump():
                self._jump(node)
            case _:
                raise Unreadable(f"{node.where}: cannot run this statement")

    def _declare(self, node: Declare) -> None:
        variable = Variable(node.type)
        if node.is_array:
            array = self._array(node)
            kind = TypeName(node.type.name, node.type.pointers + 1)
            variable = Variable(kind, array, array.memory.size)
        elif node.type.reference and node.value is not None:
            variable = self.variable(node.value)
        elif isinstance(node.value, Braces):
            items = [self.value(item) for item in node.value.items]
            variable.set(items[0] if items else 0)
        elif node.value is not None:
            variable.set(self.value(node.value))
        self.scopes[-1][node.name] = variable

    def _array(self, node: Declare) -> Pointer:
        kind = number_type(node.type)
        if isinstance(node.value, Braces):
            items = node.value.items
        elif isinstance(node.value, CppLiteral) and isinstance(node.value.value, str):
            text = [*node.value.value.encode(), 0]
            items = [CppLiteral(node.where, byte) for byte in text]
        elif node.value is None:
            items = []
        else:
            raise Unreadable(f"{node.where}: cannot tell what {node.name} begins with")
        length = len(items) if node.length is None else self.value(node.length)
        if kind is None or not isinstance(length, int) or length < 0:
            raise Unreadable(f"{node.where}: cannot tell how large {node.name} is")
        array = Pointer(HostMemory.host(length * kind.size), 0, kind)
        for number, item in enumerate(items):
            Element(array.moved(number, node.where)).set(self.value(item), node.where)
        return array

    def _switch(self, node: CppSwitch) -> None:
        self.scopes.append({})
        try:
            if isinstance(node.value, Declare):
                self._declare(node.value)
                value = self.scopes[-1][node.value.name].value
            else:
                value = self.value(node.value)
            if not isinstance(value, int):
                raise Unreadable(f"{node.where}: a switch over something other than an integer")
            start = len(node.body)
            for case, begin in node.cases:
                if case is None:
                    start = begin
            for case, begin in node.cases:
                if case is not None and self.value(case) == value:
                    start = begin
                    break
            for statement in node.body[start:]:
                self.execute(statement)
        except _Break:
            pass
        finally:
            self.scopes.pop()

    def _loop(self, node: CppLoop) -> None:
        self.scopes.append({})
        try:
            if node.start is not None:
                started = isinstance(node.start, (Declare, CppBlock))
                self.execute(node.start if started else Evaluate(node.where, node.start))
            first = not node.test_first
            while first or node.test is None or self.test(node.test):
                first = False
                try:
                    self.execute(node.body)
                except _Break:
                    break
                except _Continue:
                    pass
                if node.step is not None:
                    self.value(node.step)
        finally:
            self.scopes.pop()

    def _jump(self, node: Jump) -> None:
        if node.kind == "goto":
            raise Unreadable(f"{node.where}: the host program gives up (goto {node.label})")
        if node.kind == "return":
            raise _Return(None if node.value is None else self.value(node.value))
        raise _Break if node.kind == "break" else _Continue

    def test(self, node: CppNode) -> bool:
        if isinstance(node, Declare):
            self._declare(node)
            return truth(self.scopes[-1][node.name].value, node.where)
        return truth(self.value(node), node.where)

    def call(self, node: CppCall) -> Any:
        if node.launch is not None:
            if not node.launch or not isinstance(grid := self.value(node.launch[0]), int):
                raise Unreadable(f"{node.where}: cannot tell how many blocks are launched")
            self.launch(node.name, grid, [self.value(a) for a in node.arguments], node.where)
            return None
        function = self.files.functions.get(node.name)
        if function is not None:
            given = [
                self.variable(a) if p.type.reference and isinstance(a, CppName) else self.value(a)
                for p, a in zip(function.parameters, node.arguments, strict=False)
            ]
            given += [None] * (len(node.arguments) - len(given))
            return self.enter(function, given, node.where)
        name = node.name.removeprefix("std::").removeprefix("PtoTestCommon::").removeprefix("::")
        body = self.library.find(name)
        if body is None:
            raise Unreadable(f"{node.where}: cannot tell what {node.name}(...) does")
        if body is HARMLESS:
            return 0
        given = [
            self.lookup(a) if isinstance(a, CppName) and a.name not in CONSTANTS else self.value(a)
            for a in node.arguments
        ]
        try:
            return body(node.where, *given)
        except TypeError:
            raise Unreadable(f"{node.where}: {node.name} is called with other arguments") from None
