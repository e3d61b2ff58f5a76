"""Functions of the part of Python that `compiled` takes, as LLVM text: statements."""

from __future__ import annotations

import ast
import linecache
import textwrap
import types
from collections.abc import Callable

from ptoscope.native.subset.expressions import ExpressionWriter
from ptoscope.native.subset.signature import ARRAY, INTEGER, MEMORY, NARROW, POINTER


class Writer(ExpressionWriter):
    """Writes one function."""

    def __init__(
        self, function: types.FunctionType, plain: Callable[[object], types.FunctionType | None]
    ) -> None:
        super().__init__(function, plain)
        self._tree = _definition(function)
        self._assigned = function.__code__.co_varnames[function.__code__.co_argcount :]
        self._loops: list[tuple[str, str]] = []
        """Of each loop around: where `continue` and where `break` leads."""

    def text(self, linkage: str, attributes: str) -> str:
        """The function, as LLVM defines it."""
        kinds = self._kinds
        self._locals = [name for name, kind in kinds.items() if kind in (INTEGER, POINTER)]
        self._locals += self._assigned
        self._body(self._tree.body)
        self._return("0")
        heads = {INTEGER: "i64 %{}.in", POINTER: "ptr %{}.in", ARRAY: "ptr noalias %{}"}
        heads[NARROW] = heads[ARRAY]
        head = ", ".join(heads[k].format(name) for name, k in kinds.items() if k != MEMORY)
        slots = [f"  %{name}.at = alloca i64" for name in self._locals]
        first = [
            f"  store {kinds[name]} %{name}.in, ptr %{name}.at"
            if name in kinds
            else f"  store i64 0, ptr %{name}.at"
            for name in self._locals
        ]
        return "\n".join(
            (
                f"define {linkage}{self._signature.result} @{self._name}({head}){attributes} {{",
                *slots,
                *first,
                *self._lines,
                "}",
            )
        )

    def _return(self, value: str) -> None:
        if self._signature.result == POINTER:
            value = self._pointer(value)
        self._line(f"ret {self._signature.result} {value}")

    def _body(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self._assign(target, self._expression(value))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, self._expression(value))
            case ast.AugAssign(target=target, op=op, value=value):
                before = self._expression(target)
                self._assign(target, self._operated(node, op, before, self._expression(value)))
            case ast.If(test=test, body=body, orelse=orelse):
                self._if(test, body, orelse)
            case ast.While(test=test, body=body, orelse=[]):
                self._while(test, body)
            case ast.For(
                target=ast.Name(id=name),
                iter=ast.Call(func=ast.Name(id="range"), args=[_] | [_, _] as bounds, keywords=[]),
                body=body,
                orelse=[],
            ) if name in self._locals:
                self._for(name, bounds, body)
            case ast.Break():
                self._leave(self._loops[-1][1])
            case ast.Continue():
                self._leave(self._loops[-1][0])
            case ast.Return(value=value):
                self._return(self._expression(value) if value else "0")
                self._lines.append(f"{self._label('after')}:")
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.Expr(value=ast.Call() as call):
                self._expression(call)
            case _:
                raise self._refusal(node)

    def _leave(self, label: str) -> None:
        self._line(f"br label %{label}")
        self._lines.append(f"{self._label('after')}:")

    def _assign(self, target: ast.expr, value: str) -> None:
        self._store(value, target)

    def _if(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        then, other, end = (self._label(k) for k in ("then", "else", "end"))
        self._branch(test, then, other)
        self._lines.append(f"{then}:")
        self._body(body)
        self._line(f"br label %{end}")
        self._lines.append(f"{other}:")
        self._body(orelse)
        self._begin(end)

    def _while(self, test: ast.expr, body: list[ast.stmt]) -> None:
        head, inside, end = (self._label(k) for k in ("head", "body", "end"))
        self._begin(head)
        self._branch(test, inside, end)
        self._lines.append(f"{inside}:")
        self._loops.append((head, end))
        self._body(body)
        self._loops.pop()
        self._line(f"br label %{head}")
        self._lines.append(f"{end}:")

    def _for(self, name: str, bounds: list[ast.expr], body: list[ast.stmt]) -> None:
        low = self._expression(bounds[0]) if len(bounds) > 1 else "0"
        high = self._expression(bounds[1 if len(bounds) > 1 else 0])
        counter = self._label("counter")
        # Beside the others, so that it is allocated once, in the first block.
        self._locals.append(counter)
        head, inside, step, end = (self._label(k) for k in ("head", "body", "step", "end"))
        self._line(f"store i64 {low}, ptr %{counter}.at")
        self._begin(head)
        at = self._value(f"load i64, ptr %{counter}.at")
        bit = self._value(f"icmp slt i64 {at}, {high}")
        self._line(f"br i1 {bit}, label %{inside}, label %{end}")
        self._lines.append(f"{inside}:")
        self._line(f"store i64 {at}, ptr %{name}.at")
        self._loops.append((step, end))
        self._body(body)
        self._loops.pop()
        self._begin(step)
        following = self._value(f"add i64 {at}, 1")
        self._line(f"store i64 {following}, ptr %{counter}.at")
        self._line(f"br label %{head}")
        self._lines.append(f"{end}:")


def _definition(function: types.FunctionType) -> ast.FunctionDef:
    """Its syntax, from its own lines alone."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    ends = (end or start or 0 for start, end, _, _ in code.co_positions())
    for last in range(max(ends), len(lines) + 1):
        try:
            tree = ast.parse(textwrap.dedent("".join(lines[code.co_firstlineno - 1 : last])))
        except SyntaxError:
            # Brackets may be closed on lines after that of the last instruction.
            continue
        (definition,) = tree.body
        assert isinstance(definition, ast.FunctionDef)
        return definition
    raise SyntaxError(f"{function.__name__}: not compiled: its source cannot be read")
