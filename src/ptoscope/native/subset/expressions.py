"""Expressions of the part of Python that `compiled` takes, as LLVM text."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import Any

from ptoscope.native.subset.memory import LINE_BYTES
from ptoscope.native.subset.signature import ARRAYS, MEMORY, NARROW, POINTER, CallSignature

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

_LINE = f"<{LINE_BYTES} x i8>"
INTRINSICS = f"""\
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
define internal void @copy_line_past_cache(ptr %to, ptr %source) alwaysinline {{
  %line = load {_LINE}, ptr %source, align 1
  store {_LINE} %line, ptr %to, align {LINE_BYTES}, !nontemporal !0
  ret void
}}
!0 = !{{i32 1}}"""
"""What the operations of memory call."""


class ExpressionWriter:
    """Writes the expressions of one function. Locals are stack slots, which LLVM turns into
    registers."""

    def __init__(
        self, function: types.FunctionType, plain: Callable[[object], types.FunctionType | None]
    ) -> None:
        """`plain` gives the Python function of a value that may be called, else None."""
        self._name = function.__name__
        self._plain = plain
        self._globals: dict[str, Any] = function.__globals__
        self._signature = CallSignature.of(function)
        code = function.__code__
        names = code.co_varnames[: code.co_argcount]
        self._kinds = dict(zip(names, self._signature.parameters, strict=True))
        self._lines: list[str] = []
        self._count = 0
        self._locals: list[str] = []
        self.called: list[object] = []

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

    def _refusal(self, node: ast.AST) -> SyntaxError:
        return SyntaxError(f"{self._name}: not compiled: {ast.unparse(node)}")

    def _is(self, name: str, kind: str) -> bool:
        return self._kinds.get(name) == kind

    def _expression(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=bool() | int() as number):
                return str(int(number))
            case ast.Name(id=name) if name in self._locals:
                return self._value(f"load i64, ptr %{name}.at")
            case ast.Name(id=name) if self._kinds.get(name) in ARRAYS:
                return f"%{name}"
            case ast.Name() | ast.Attribute() if isinstance(self._global(node), int):
                return str(int(self._global(node)))
            case ast.Subscript():
                if self._is_narrow(node):
                    number = self._value(f"load i32, ptr {self._place(node)}")
                    return self._value(f"sext i32 {number} to i64")
                return self._value(f"load i64, ptr {self._place(node)}")
            case ast.BinOp(left=left, op=op, right=right):
                return self._operated(node, op, self._expression(left), self._expression(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._value(f"sub i64 0, {self._expression(operand)}")
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._either(test, body, orelse)
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                if not self._is_condition(node):
                    raise self._refusal(node)
                return self._either(node, ast.Constant(1), ast.Constant(0))
            case ast.Call(func=ast.Name(id="min" | "max" as kind), args=[left, right]):
                a, b = self._expression(left), self._expression(right)
                bit = self._value(f"icmp {'slt' if kind == 'min' else 'sgt'} i64 {a}, {b}")
                return self._value(f"select i1 {bit}, i64 {a}, i64 {b}")
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr=operation), args=args, keywords=[]
            ) if self._is(name, MEMORY):
                return self._memory(node, operation, [self._expression(a) for a in args])
            case ast.Call(func=callee, args=args, keywords=[]):
                return self._call(node, callee, args)
            case _:
                raise self._refusal(node)

    def _place(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name) if name in self._locals:
                return f"%{name}.at"
            case ast.Subscript(value=ast.Name(id=name), slice=index) if (
                self._kinds.get(name) in ARRAYS
            ):
                at, kind = self._expression(index), "i32" if self._is(name, NARROW) else "i64"
                return self._value(f"getelementptr inbounds {kind}, ptr %{name}, i64 {at}")
            case _:
                raise self._refusal(node)

    def _is_narrow(self, node: ast.expr) -> bool:
        """Whether it is an element of an array of int32."""
        match node:
            case ast.Subscript(value=ast.Name(id=name)):
                return self._is(name, NARROW)
        return False

    def _store(self, value: str, target: ast.expr) -> None:
        """Assigns to a name or an element."""
        place = self._place(target)
        if self._is_narrow(target):
            self._line(f"store i32 {self._value(f'trunc i64 {value} to i32')}, ptr {place}")
        else:
            self._line(f"store i64 {value}, ptr {place}")

    def _global(self, node: ast.expr) -> Any:
        """The value of a name, or of a name in a module; None for any other expression."""
        match node:
            case ast.Name(id=name):
                return self._globals.get(name)
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                module = self._globals.get(name)
                if isinstance(module, types.ModuleType):
                    return getattr(module, attribute, None)
        return None

    def _operated(self, node: ast.AST, op: ast.operator, a: str, b: str) -> str:
        if type(op) not in _OPERATORS:
            raise self._refusal(node)
        if b.isdigit() and int(b).bit_count() == 1:
            # Rounded down, as in Python, also below zero.
            if isinstance(op, ast.FloorDiv):
                return self._value(f"ashr i64 {a}, {int(b).bit_length() - 1}")
            if isinstance(op, ast.Mod):
                return self._value(f"and i64 {a}, {int(b) - 1}")
        return self._value(f"{_OPERATORS[type(op)]} i64 {a}, {b}")

    def _is_condition(self, node: ast.expr) -> bool:
        """Whether an expression is true or false in Python too, and no other number."""
        match node:
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return True
            case ast.BoolOp(values=values):
                return all(map(self._is_condition, values))
            case ast.Call(func=callee):
                function = self._plain(self._global(callee))
                return function is not None and CallSignature.of(function).returns == "bool"
        return False

    def _either(self, test: ast.expr, yes: ast.expr, no: ast.expr) -> str:
        result = self._label("either")
        self._locals.append(result)
        then, other, end = (self._label(k) for k in ("then", "else", "end"))
        self._branch(test, then, other)
        for label, value in ((then, yes), (other, no)):
            self._lines.append(f"{label}:")
            self._line(f"store i64 {self._expression(value)}, ptr %{result}.at")
            self._line(f"br label %{end}")
        self._lines.append(f"{end}:")
        return self._value(f"load i64, ptr %{result}.at")

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
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                a = self._expression(left)
                for i, (op, right) in enumerate(zip(ops, comparators, strict=True)):
                    if type(op) not in _COMPARISONS:
                        raise self._refusal(test)
                    b = self._expression(right)
                    bit = self._value(f"icmp {_COMPARISONS[type(op)]} i64 {a}, {b}")
                    on = then if i == len(ops) - 1 else self._label("next")
                    self._line(f"br i1 {bit}, label %{on}, label %{other}")
                    if on != then:
                        self._lines.append(f"{on}:")
                    a = b
            case _:
                bit = self._value(f"icmp ne i64 {self._expression(test)}, 0")
                self._line(f"br i1 {bit}, label %{then}, label %{other}")

    def _call(self, node: ast.expr, callee: ast.expr, args: list[ast.expr]) -> str:
        function = self._plain(self._global(callee))
        if function is None:
            raise self._refusal(node)
        signature = CallSignature.of(function)
        if len(args) != len(signature.parameters):
            raise self._refusal(node)
        self.called.append(self._global(callee))
        listed: list[str] = []
        for kind, argument in zip(signature.parameters, args, strict=True):
            match kind, argument:
                case "memory", ast.Name(id=name) if self._is(name, MEMORY):
                    pass
                case (("array" | "narrow"), ast.Name(id=name)) if self._is(name, kind):
                    listed.append(f"ptr %{name}")
                case "ptr", _:
                    listed.append(f"ptr {self._pointer(self._expression(argument))}")
                case "i64", _:
                    listed.append(f"i64 {self._expression(argument)}")
                case _:
                    raise self._refusal(node)
        result = self._value(f"call {signature.result} @{function.__name__}({', '.join(listed)})")
        if signature.result == POINTER:
            return self._value(f"ptrtoint ptr {result} to i64")
        return result

    # Memory.

    def _pointer(self, address: str) -> str:
        return self._value(f"inttoptr i64 {address} to ptr")

    def _memory(self, node: ast.expr, operation: str, args: list[str]) -> str:
        """An operation of memory; 0 if it gives nothing."""
        match operation, args:
            case "word", [base, index]:
                return self._value(f"load i64, ptr {self._word(base, index)}, align 1")
            case "set_word", [base, index, value]:
                self._line(f"store i64 {value}, ptr {self._word(base, index)}, align 1")
            case "set_byte", [at, value]:
                low = self._value(f"trunc i64 {value} to i8")
                self._line(f"store i8 {low}, ptr {self._pointer(at)}")
            case "copy" | "move", [to, source, count]:
                name = {"copy": "memcpy", "move": "memmove"}[operation]
                ends = f"ptr {self._pointer(to)}, ptr {self._pointer(source)}"
                self._line(f"call void @llvm.{name}.p0.p0.i64({ends}, i64 {count}, i1 false)")
            case "copy_line_past_cache", [to, source]:
                ends = f"ptr {self._pointer(to)}, ptr {self._pointer(source)}"
                self._line(f"call void @copy_line_past_cache({ends})")
            case "call", [function, first, second]:
                called = f"{self._pointer(function)}(i64 {first}, i64 {second})"
                return self._value(f"sext i32 {self._value(f'call i32 {called}')} to i64")
            case _:
                raise self._refusal(node)
        return "0"

    def _word(self, base: str, index: str) -> str:
        return self._value(f"getelementptr i64, ptr {self._pointer(base)}, i64 {index}")
