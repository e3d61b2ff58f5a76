"""The part of Python that `compiled` takes, as LLVM text."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ptoscope.native.subset.memory import LINE_BYTES

INTEGER, POINTER, ARRAY, MEMORY = "i64", "ptr", "array", "memory"
_KINDS = {
    "int": INTEGER,
    "bool": INTEGER,
    "Address": POINTER,
    "Ints": ARRAY,
    "RawMemory": MEMORY,
}
# An element of an array is Any to type checkers.
_RESULTS = {"int": INTEGER, "Any": INTEGER, "bool": INTEGER, "None": INTEGER, "Address": POINTER}

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


@dataclass(frozen=True)
class CallSignature:
    """How a function is called: what kind each parameter and the result is."""

    parameters: tuple[str, ...]
    returns: str
    """As Python annotates it: `int` (or `Any`), `bool`, `Address` or `None`."""

    @staticmethod
    def of(function: types.FunctionType) -> CallSignature:
        """SyntaxError if its annotations do not say."""
        named = {
            name: kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind))
            for name, kind in inspect.get_annotations(function).items()
        }
        result = named.pop("return", "")
        code = function.__code__
        parameters = code.co_varnames[: code.co_argcount]
        if list(named) != list(parameters) or not set(named.values()) <= set(_KINDS):
            raise SyntaxError(f"{function.__name__}: not compiled: parameters {named}")
        if result not in _RESULTS:
            raise SyntaxError(f"{function.__name__}: not compiled: result {result or 'unknown'}")
        kinds = tuple(_KINDS[kind] for kind in named.values())
        return CallSignature(kinds, result)

    @property
    def result(self) -> str:
        """The LLVM type of the result; what gives nothing gives 0."""
        return _RESULTS[self.returns]

    @property
    def passed(self) -> tuple[str, ...]:
        """The kinds of parameters there are in machine code."""
        return tuple(kind for kind in self.parameters if kind != MEMORY)


class Writer:
    """Writes one function. Locals are stack slots, which LLVM turns into registers."""

    def __init__(
        self, function: types.FunctionType, plain: Callable[[object], types.FunctionType | None]
    ) -> None:
        """`plain` gives the Python function of a value that may be called, else None."""
        self._name = function.__name__
        self._plain = plain
        source = textwrap.dedent(inspect.getsource(function))
        tree = ast.parse(source).body[0]
        assert isinstance(tree, ast.FunctionDef)
        self._tree = tree
        self._globals: dict[str, Any] = function.__globals__
        self._signature = CallSignature.of(function)
        names = [a.arg for a in tree.args.args]
        self._kinds = dict(zip(names, self._signature.parameters, strict=True))
        self._lines: list[str] = []
        self._count = 0
        self._loops: list[tuple[str, str]] = []
        self._locals: list[str] = []
        self.called: list[object] = []

    def text(self, linkage: str, attributes: str) -> str:
        """The function, as LLVM defines it."""
        kinds = self._kinds
        self._locals = [name for name, kind in kinds.items() if kind in (INTEGER, POINTER)]
        for name in self._assigned():
            if name in kinds and name not in self._locals:
                raise SyntaxError(f"{self._name}: not compiled: an assignment to {name}")
            if name not in self._locals:
                self._locals.append(name)
        self._body(self._tree.body)
        self._return("0")
        heads = {INTEGER: "i64 %{}.in", POINTER: "ptr %{}.in", ARRAY: "ptr noalias %{}"}
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
            ):
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
            case ast.Subscript(value=ast.Name(id=name), slice=index) if self._is(name, ARRAY):
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

    # Expressions.

    def _is(self, name: str, kind: str) -> bool:
        return self._kinds.get(name) == kind

    def _expression(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=bool() | int() as number):
                return str(int(number))
            case ast.Name(id=name) if name in self._locals:
                return self._value(f"load i64, ptr %{name}.at")
            case ast.Name(id=name) if self._is(name, ARRAY):
                return f"%{name}"
            case ast.Name() | ast.Attribute() if isinstance(self._global(node), int):
                return str(int(self._global(node)))
            case ast.Subscript():
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
                case "array", ast.Name(id=name) if self._is(name, ARRAY):
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
