"""The part of Python that `compiled` takes, as LLVM text."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

_OPERATORS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.FloorDiv: "sdiv",
    ast.Mod: "srem",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "ashr",
}
_COMPARISONS = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "slt",
    ast.LtE: "sle",
    ast.Gt: "sgt",
    ast.GtE: "sge",
}


class Writer:
    """Writes one function. Locals are stack slots, which LLVM turns into registers."""

    def __init__(
        self,
        function: Callable[..., Any],
        arrays: set[str],
        called: Callable[[object], list[str] | None],
    ) -> None:
        """`arrays` are the parameters that are arrays; `called` gives the LLVM types of the
        parameters of a value that may be called, else None."""
        self._name = function.__name__
        self._arrays = arrays
        self._signature = called
        source = textwrap.dedent(inspect.getsource(function))
        tree = ast.parse(source).body[0]
        assert isinstance(tree, ast.FunctionDef)
        self._tree = tree
        self._globals: dict[str, Any] = function.__globals__
        self._lines: list[str] = []
        self._count = 0
        self._loops: list[tuple[str, str]] = []
        self._locals: list[str] = []
        self.called: list[str] = []

    def text(self, exported: bool) -> str:
        """The function; one that is not exported is seen by its module alone."""
        arguments = [a.arg for a in self._tree.args.args]
        arrays = self._arrays
        self._locals = [a for a in arguments if a not in arrays]
        for name in self._assigned():
            if name not in self._locals:
                self._locals.append(name)
        self._body(self._tree.body)
        self._line("ret i64 0")
        head = ", ".join(f"ptr noalias %{a}" if a in arrays else f"i64 %{a}.in" for a in arguments)
        slots = [f"  %{name}.at = alloca i64" for name in self._locals]
        first = [
            f"  store i64 {f'%{name}.in' if name in arguments else 0}, ptr %{name}.at"
            for name in self._locals
        ]
        linkage = "" if exported else "internal "
        return "\n".join(
            (
                f"define {linkage}i64 @{self._name}({head}) {{",
                *slots,
                *first,
                *self._lines,
                "}",
            )
        )

    def _assigned(self) -> list[str]:
        found: list[str] = []
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.append(node.id)
        return found

    def _line(self, text: str) -> None:
        self._lines.append("  " + text)

    def _value(self, text: str) -> str:
        self._count += 1
        self._line(f"%v{self._count} = {text}")
        return f"%v{self._count}"

    def _label(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count}"

    def _begin(self, label: str) -> None:
        self._line(f"br label %{label}")
        self._lines.append(f"{label}:")

    # Statements.

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
                after = self._value(
                    f"{_OPERATORS[type(op)]} i64 {before}, {self._expression(value)}"
                )
                self._assign(target, after)
            case ast.If(test=test, body=body, orelse=orelse):
                self._if(test, body, orelse)
            case ast.While(test=test, body=body, orelse=[]):
                self._while(test, body)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=bounds), body=body):
                self._for(name, bounds, body)
            case ast.Break():
                self._leave(self._loops[-1][1])
            case ast.Continue():
                self._leave(self._loops[-1][0])
            case ast.Return(value=value):
                self._line(f"ret i64 {self._expression(value) if value else 0}")
                self._lines.append(f"{self._label('after')}:")
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.Expr(value=ast.Call() as call):
                self._expression(call)
            case _:
                raise self._refusal(node)

    def _refusal(self, node: ast.AST) -> SyntaxError:
        return SyntaxError(f"{self._name}: not compiled: {ast.unparse(node)}")

    def _leave(self, label: str) -> None:
        self._line(f"br label %{label}")
        self._lines.append(f"{self._label('after')}:")

    def _assign(self, target: ast.expr, value: str) -> None:
        self._line(f"store i64 {value}, ptr {self._place(target)}")

    def _place(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name) if name in self._locals:
                return f"%{name}.at"
            case ast.Subscript(value=ast.Name(id=name), slice=index):
                at = self._expression(index)
                return self._value(f"getelementptr inbounds i64, ptr %{name}, i64 {at}")
            case _:
                raise self._refusal(node)

    def _if(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        then, other, end = (self._label(k) for k in ("then", "else", "end"))
        self._branch(test, then, other)
        self._lines.append(f"{then}:")
        self._body(body)
        self._line(f"br label %{end}")
        self._lines.append(f"{other}:")
        self._body(orelse)
        self._begin(end)

    def _branch(self, test: ast.expr, then: str, other: str) -> None:
        """Jumps by a condition; `and` and `or` look at their right side only if needed."""
        match test:
            case ast.BoolOp(op=op, values=[first, *rest]):
                for value in [first, *rest][:-1]:
                    on = self._label("next")
                    if isinstance(op, ast.And):
                        self._branch(value, on, other)
                    else:
                        self._branch(value, then, on)
                    self._lines.append(f"{on}:")
                self._branch(rest[-1], then, other)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self._branch(operand, other, then)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                kind = _COMPARISONS[type(op)]
                a, b = self._expression(left), self._expression(right)
                bit = self._value(f"icmp {kind} i64 {a}, {b}")
                self._line(f"br i1 {bit}, label %{then}, label %{other}")
            case ast.Compare():
                raise self._refusal(test)
            case _:
                bit = self._value(f"icmp ne i64 {self._expression(test)}, 0")
                self._line(f"br i1 {bit}, label %{then}, label %{other}")

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
        counter = self._label("turn")
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

    # Expressions.

    def _expression(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=bool() | int() as number):
                return str(int(number))
            case ast.Name(id=name) if name in self._locals:
                return self._value(f"load i64, ptr %{name}.at")
            case ast.Name(id=name) if name in self._arrays:
                return f"%{name}"
            case ast.Name(id=name) if isinstance(self._globals.get(name), int):
                return str(int(self._globals[name]))
            case ast.Subscript():
                return self._value(f"load i64, ptr {self._place(node)}")
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                a, b = self._expression(left), self._expression(right)
                return self._value(f"{_OPERATORS[type(op)]} i64 {a}, {b}")
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._value(f"sub i64 0, {self._expression(operand)}")
            case ast.Call(func=ast.Name(id="min" | "max" as kind), args=[left, right]):
                a, b = self._expression(left), self._expression(right)
                bit = self._value(f"icmp {'slt' if kind == 'min' else 'sgt'} i64 {a}, {b}")
                return self._value(f"select i1 {bit}, i64 {a}, i64 {b}")
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._called(node, name, args)
            case _:
                raise self._refusal(node)

    def _called(self, node: ast.expr, name: str, args: list[ast.expr]) -> str:
        kinds = self._signature(self._globals.get(name))
        if kinds is None:
            raise self._refusal(node)
        self.called.append(name)
        values = [self._expression(a) for a in args]
        listed = ", ".join(f"{k} {v}" for k, v in zip(kinds, values, strict=True))
        return self._value(f"call i64 @{name}({listed})")
