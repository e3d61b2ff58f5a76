"""The expressions of a host program, worked out."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ptoscope.cases.host.library import CONSTANTS, HARMLESS
from ptoscope.cases.host.tokens import Unreadable
from ptoscope.cases.host.tree import (
    Assign,
    Cast,
    Choice,
    CppBinary,
    CppCall,
    CppIndex,
    CppLiteral,
    CppName,
    CppNode,
    CppUnary,
    SizeOf,
)
from ptoscope.cases.host.types import element, number_type, size_of
from ptoscope.cases.host.values import Element, HostAddress, Pointer, Variable

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_WIDEST = 64
"""Bits of the widest type."""
_LONGEST = 1024
"""Numbers become those of a type when they are stored; until then they may grow so far."""


class Evaluator:
    """Works out expressions in scopes of variables, the innermost last."""

    def __init__(self) -> None:
        self.scopes: list[dict[str, Variable]] = [{}]

    def call(self, node: CppCall) -> Any:
        """The value of a call."""
        raise NotImplementedError

    def value(self, node: CppNode) -> Any:
        match node:
            case CppLiteral():
                return node.value
            case CppName():
                if node.name.removeprefix("std::") in CONSTANTS:
                    return CONSTANTS[node.name.removeprefix("std::")]
                return self.lookup(node).value
            case CppUnary():
                return self._unary(node)
            case CppBinary():
                return self._binary(node)
            case Choice():
                return self.value(node.then if self.test(node.test) else node.other)
            case Assign():
                value = self.value(node.value)
                if node.op:
                    value = self._apply(node.op, self.value(node.target), value, node.where)
                self._store(node.target, value)
                return value
            case Cast():
                return self._cast(node)
            case SizeOf():
                return self._size(node)
            case CppCall():
                return self.call(node)
            case CppIndex():
                return Element(self._place(node)).get(node.where)
            case _:
                raise Unreadable(f"{node.where}: cannot tell what this expression is")

    def lookup(self, node: CppName) -> Variable:
        for scope in reversed(self.scopes):
            if node.name in scope:
                return scope[node.name]
        raise Unreadable(f"{node.where}: cannot tell what '{node.name}' is")

    def variable(self, node: CppNode) -> Variable:
        if isinstance(node, CppName):
            return self.lookup(node)
        raise Unreadable(f"{node.where}: a reference to something other than a variable")

    def _place(self, node: CppIndex) -> Pointer:
        base, index = self.value(node.base), self.value(node.index)
        if not isinstance(base, Pointer) or not isinstance(index, int):
            raise Unreadable(f"{node.where}: cannot index this")
        return base.moved(index, node.where)

    def _store(self, target: CppNode, value: Any) -> None:
        if isinstance(target, CppIndex):
            Element(self._place(target)).set(value, target.where)
        elif isinstance(target, CppUnary) and target.op == "*":
            pointed = self.value(target.operand)
            if isinstance(pointed, HostAddress):
                pointed.variable.set(value)
            elif isinstance(pointed, Pointer):
                Element(pointed).set(value, target.where)
            else:
                raise Unreadable(f"{target.where}: assignment through a null pointer")
        else:
            self.variable(target).set(value)

    def _unary(self, node: CppUnary) -> Any:
        if node.op == "&":
            if isinstance(node.operand, CppIndex):
                return self._place(node.operand)
            return HostAddress(self.variable(node.operand))
        value = self.value(node.operand)
        match node.op:
            case "!":
                return int(not truth(value, node.where))
            case "*":
                if isinstance(value, HostAddress):
                    return value.variable.value
                if isinstance(value, Pointer):
                    return Element(value).get(node.where)
                raise Unreadable(f"{node.where}: a null pointer is read")
            case "++" | "--":
                changed = self._apply(node.op[0], value, 1, node.where)
                self._store(node.operand, changed)
                return value if node.after else changed
        if not isinstance(value, (int, float)) or (node.op == "~" and isinstance(value, float)):
            raise Unreadable(f"{node.where}: cannot apply '{node.op}' to this")
        return {"-": operator.neg, "+": operator.pos, "~": operator.invert}[node.op](value)

    def _binary(self, node: CppBinary) -> Any:
        left = self.value(node.left)
        if node.op == "&&":
            return int(truth(left, node.where) and self.test(node.right))
        if node.op == "||":
            return int(truth(left, node.where) or self.test(node.right))
        right = self.value(node.right)
        return right if node.op == "," else self._apply(node.op, left, right, node.where)

    def _apply(self, op: str, left: Any, right: Any, where: str) -> Any:
        if left is HARMLESS:
            return HARMLESS
        if op in ("==", "!=") and not (_is_number(left) and _is_number(right)):
            # A null pointer equals null alone; 0 may stand for it.
            same = (left or None) == (right or None)
            return int(same == (op == "=="))
        if isinstance(left, Pointer) and isinstance(right, int) and op in ("+", "-"):
            return left.moved(right if op == "+" else -right, where)
        if not _is_number(left) or not _is_number(right):
            raise Unreadable(f"{where}: cannot apply '{op}' to these")
        try:
            if op in ("/", "%"):
                return _divide(op, left, right)
            if op in ("<<", ">>") and not 0 <= right < _WIDEST:
                raise ValueError("C++ leaves such a shift open")
            result = _OPERATORS[op](left, right)
        except (TypeError, ValueError, ZeroDivisionError, OverflowError, KeyError):
            raise Unreadable(f"{where}: cannot work out {left} {op} {right}") from None
        if isinstance(result, int) and result.bit_length() > _LONGEST:
            raise Unreadable(f"{where}: a number of more than {_LONGEST} bits")
        return int(result) if isinstance(result, bool) else result

    def _cast(self, node: Cast) -> Any:
        value = self.value(node.operand)
        numbers = number_type(node.type)
        if numbers is not None and isinstance(value, (int, float)):
            return numbers.convert(value)
        if isinstance(value, Pointer) and node.type.pointers:
            return Pointer(value.memory, value.offset, element(node.type))
        return value

    def _size(self, node: SizeOf) -> int:
        kind = node.type
        if kind is None:
            if isinstance(node.operand, CppName):
                variable = self.lookup(node.operand)
                if variable.size is not None:
                    return variable.size
                if isinstance(variable.value, Pointer) and not variable.value.memory.on_device:
                    raise Unreadable(f"{node.where}: sizeof of an array or pointer")
                kind = variable.type
            else:
                raise Unreadable(f"{node.where}: sizeof of an expression")
        size = size_of(kind)
        if size is None:
            raise Unreadable(f"{node.where}: cannot tell the size of '{kind.name}'")
        return size

    def test(self, node: CppNode) -> bool:
        """Whether a condition holds."""
        return truth(self.value(node), node.where)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))


def truth(value: Any, where: str) -> bool:
    if value is None or isinstance(value, (int, float, str, Pointer, HostAddress)):
        return value is not None and value != 0
    raise Unreadable(f"{where}: cannot tell whether this is true")


def _divide(op: str, left: Any, right: Any) -> int | float:
    if isinstance(left, int) and isinstance(right, int):
        # Towards zero, as C++ has it.
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if op == "/" else left - quotient * right
    if op == "%":
        raise TypeError("no remainder of fractions")
    return left / right
