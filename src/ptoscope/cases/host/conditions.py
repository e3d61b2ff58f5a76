"""The conditions of `#if`: integers of 64 bits, their operators, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from ptoscope.cases.host.evaluator import Evaluator
from ptoscope.cases.host.expressions import ExpressionParser
from ptoscope.cases.host.tokens import CppToken, Unreadable
from ptoscope.cases.host.tree import Choice, CppBinary, CppLiteral, CppNode, CppUnary


def condition_holds(tokens: Sequence[CppToken]) -> bool:
    """Whether a condition holds in which macros are replaced; Unreadable if C++ does not allow
    it, leaves it open, or works it out with unsigned numbers where that makes a difference."""
    words = [_word(token) for token in tokens]
    parser = ExpressionParser(words, {})
    unsigned = any(_is_unsigned(word) for word in words)
    try:
        tree = parser.expression()
        if parser.next.kind != "end":
            raise Unreadable(f"cannot read '{parser.next.text}'")
        return bool(_Condition(unsigned).value(tree))
    except RecursionError:
        raise Unreadable("it is nested too deeply") from None


def _word(token: CppToken) -> CppToken:
    """The names that are left stand for 0."""
    if token.kind != "name":
        return token
    return CppToken("number", "1" if token.text == "true" else "0", token.where)


def _is_unsigned(token: CppToken) -> bool:
    return token.kind == "number" and "u" in token.text.lower()


class _Condition(Evaluator):
    """Numbers and operators alone; every step has to stay where signed and unsigned agree."""

    def __init__(self, unsigned: bool) -> None:
        super().__init__()
        self._least = 0 if unsigned else -(1 << 63)

    def value(self, node: CppNode) -> int:
        match node:
            case CppLiteral(value=int()) | CppUnary(op="!" | "~" | "-" | "+", after=False):
                pass
            case CppBinary(op=op) if op != ",":
                pass
            case Choice():
                pass
            case _:
                raise Unreadable("more than integers and their operators")
        result = super().value(node)
        if not self._least <= result < 1 << 63:
            raise Unreadable(f"{result} is not a number of 64 bits there")
        return result
