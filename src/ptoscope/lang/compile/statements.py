"""StatementWalker of a kernel, and the functions that it calls."""

from __future__ import annotations

import ast
import inspect
import operator
from collections.abc import Sequence
from typing import Any

from ptoscope.diagnostics import PtoError
from ptoscope.lang.compile.control import ControlWalker
from ptoscope.lang.compile.expressions import BINARY
from ptoscope.lang.compile.frame import Frame
from ptoscope.lang.source import RAISED, UNSUPPORTED
from ptoscope.lang.template import Template
from ptoscope.lang.values import KernelValue

_DEEPEST = 50
"""Calls inside calls."""
_NO_ATTRIBUTES = "names and elements of arrays are assigned: n = 1, out[0] = n"


class _Returned(Exception):
    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class StatementWalker(ControlWalker):
    """Walks over the body of one function."""

    def run(self) -> Any:
        """Writes the whole body down; what it returns."""
        try:
            self.statements(self.frame.source.tree.body)
        except _Returned as returned:
            return returned.value
        return None

    def statements(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            self._statement(node)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr():
                self.value(node.value)
            case ast.Assign():
                value = self.value(node.value)
                for target in node.targets:
                    self.bind(target, value)
            case ast.AnnAssign():
                if node.value is not None:
                    self.bind(node.target, self.value(node.value))
            case ast.AugAssign():
                self._augmented(node)
            case ast.For():
                self.loop(node)
            case ast.While():
                self.repeat(node)
            case ast.If():
                self.branch(node)
            case ast.With():
                self.scope(node)
            case ast.Pass():
                pass
            case ast.Return():
                self._return(node)
            case ast.Assert():
                self._assert(node)
            case _:
                what, hint = _STATEMENTS.get(type(node), (type(node).__name__.lower(), ""))
                raise self.unsupported(node, what, hint)

    def _augmented(self, node: ast.AugAssign) -> None:
        action = BINARY[type(node.op)]
        match node.target:
            case ast.Name() as name:
                old = self.frame.find(name)
                self.bind(name, self.doing(node, action, old, self.value(node.value)))
            case ast.Subscript() as place:
                whole, key = self.value(place.value), self.key(place.slice)
                read = key
                if isinstance(key, tuple):
                    # The mask is for the store; a load has none.
                    read = key[0]
                old = self.doing(place, operator.getitem, whole, read)
                new = self.doing(node, action, old, self.value(node.value))
                self.doing(place, operator.setitem, whole, key, new)
            case _:
                raise self.unsupported(node.target, "attribute that is assigned", _NO_ATTRIBUTES)

    def bind(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Name():
                self.frame.names[target.id] = value
                if isinstance(value, KernelValue):
                    self.emitter.name(value.handle, target.id)
            case ast.Tuple() | ast.List():
                self._unpack(target, value)
            case ast.Subscript():
                whole = self.value(target.value)
                if isinstance(value, KernelValue) and isinstance(target.value, ast.Name):
                    # What has no name of its own is known by where it is written.
                    self.emitter.name(value.handle, f"{target.value.id}_new")
                self.doing(target, operator.setitem, whole, self.key(target.slice), value)
            case ast.Starred():
                raise self.unsupported(target, "* in an assignment")
            case _:
                raise self.unsupported(target, "attribute that is assigned", _NO_ATTRIBUTES)

    def _unpack(self, target: ast.Tuple | ast.List, value: Any) -> None:
        items = [value] if isinstance(value, KernelValue) else self.doing(target, list, value)
        if len(items) != len(target.elts):
            raise self.frame.source.error(
                RAISED,
                target,
                f"{len(items)} values for {len(target.elts)} names",
                found=str(len(items)),
                expected=str(len(target.elts)),
            )
        for each, item in zip(target.elts, items, strict=True):
            self.bind(each, item)

    def _return(self, node: ast.Return) -> None:
        if self.frame.depth:
            raise self.unsupported(
                node,
                "return inside a loop or branch of a run",
                hint="return at the end; give a name the value before",
            )
        raise _Returned(None if node.value is None else self.value(node.value))

    def _assert(self, node: ast.Assert) -> None:
        holds = self.value(node.test)
        if isinstance(holds, KernelValue):
            raise self.unsupported(
                node,
                "assert of values of a run",
                hint="what is known when it is compiled can be asserted",
            )
        if not holds:
            text = "the assertion does not hold" if node.msg is None else str(self.value(node.msg))
            raise self.frame.source.error(RAISED, node, text)

    def inlined(
        self, node: ast.Call, template: Template, given: list[Any], named: dict[str, Any]
    ) -> Any:
        frame = self.frame
        if len(frame.calls) >= _DEEPEST:
            raise frame.source.error(
                UNSUPPORTED,
                node,
                f"{template.source.name} calls itself without end",
                hint="the number of calls has to be known when the kernel is compiled",
            )
        bound = self.doing(node, lambda: inspect.signature(template.function).bind(*given, **named))
        bound.apply_defaults()
        here = frame.source.span(node)
        calls = (*frame.calls, (here.line, here.column))
        frame.outside.defaults(template.function)
        names = dict(bound.arguments)
        inner = Frame(template.source, template.flow, names, frame.outside, calls)
        if template.source.file != frame.source.file or frame.place is not None:
            inner.place = frame.place or frame.span(node)
        try:
            return StatementWalker(self.emitter, inner).run()
        except PtoError as error:
            if not template.language:
                raise
            raise frame.source.moved(node, error) from None


_STATEMENTS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Break: ("break", "let the condition of a while say when it ends"),
    ast.Continue: ("continue", "put the rest of the body under an if"),
    ast.Try: ("try", "nothing is raised while a kernel runs; pto.trap() stops a run"),
    ast.Raise: ("raise", "pto.trap() stops a run"),
    ast.FunctionDef: ("def inside", "define it outside, under @pto.function"),
    ast.ClassDef: ("class", ""),
    ast.Import: ("import", "import at the top of the file"),
    ast.ImportFrom: ("import", "import at the top of the file"),
    ast.Global: ("global", "a kernel changes no variables outside; pass values in"),
    ast.Nonlocal: ("nonlocal", "a kernel changes no variables outside; pass values in"),
    ast.Delete: ("del", ""),
    ast.Match: ("match", "write if and elif"),
    ast.AsyncFor: ("async for", ""),
    ast.AsyncWith: ("async with", ""),
}
