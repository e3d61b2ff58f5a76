"""Tokens to the tree: expressions and types."""

from __future__ import annotations

from collections.abc import Sequence

from ptoscope.cases.host.tokens import CppToken, Unreadable
from ptoscope.cases.host.tree import (
    Assign,
    Braces,
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
    TypeName,
)
from ptoscope.cases.host.types import QUALIFIERS, is_type

_BINARY = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", ">", "<=", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_ASSIGN = ("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=")
_CASTS = ("static_cast", "reinterpret_cast", "const_cast")
_ESCAPES = {"n": "\n", "t": "\t", "0": "\0", "r": "\r"}
_END = CppToken("end", "", "the end of the file")


class ExpressionParser:
    """Reads expressions and types from the tokens it is given; `aliases` are further names of
    types."""

    def __init__(self, tokens: Sequence[CppToken], aliases: dict[str, TypeName]) -> None:
        self.tokens = tokens
        self.aliases = aliases
        self.at = 0

    @property
    def next(self) -> CppToken:
        return self.peek(0)

    def peek(self, ahead: int) -> CppToken:
        at = self.at + ahead
        return self.tokens[at] if at < len(self.tokens) else _END

    def take(self, text: str = "") -> CppToken:
        """The next token, which must be `text` where one is given."""
        token = self.next
        if token.kind == "end" or (text and token.text != text):
            wanted = f", where '{text}' is expected" if text else ""
            raise Unreadable(f"{token.where}: cannot read '{token.text}'{wanted}")
        self.at += 1
        return token

    def try_take(self, text: str) -> bool:
        if self.next.text == text and self.next.kind != "string":
            self.at += 1
            return True
        return False

    def type_name(self) -> TypeName:
        """A type: words, what is in angle brackets, stars."""
        words: list[str] = []
        while self.next.kind == "name":
            word = self.next.text
            if word in QUALIFIERS or (word == "std" and self.peek(1).text == "::"):
                self.at += 2 if word == "std" else 1
                continue
            known = is_type(" ".join([*words, word]), self.aliases)
            if words and not known:
                break
            words.append(word)
            self.take()
            if self.next.text == "::":
                self.take()
                words.append("::" + self.take().text)
        if not words:
            raise Unreadable(f"{self.next.where}: cannot read '{self.next.text}' as a type")
        pointers = 0
        reference = False
        while self.next.text in ("*", "&", "&&") or self.next.text in QUALIFIERS:
            text = self.take().text
            pointers += text == "*"
            reference = reference or text in ("&", "&&")
        name = " ".join(words).replace(" ::", "::")
        alias = self.aliases.get(name)
        if alias is not None:
            return TypeName(alias.name, alias.pointers + pointers, reference)
        return TypeName(name, pointers, reference)

    def expression(self) -> CppNode:
        value = self.assignment()
        while self.try_take(","):
            value = CppBinary(value.where, ",", value, self.assignment())
        return value

    def assignment(self) -> CppNode:
        target = self._choice()
        token = self.next
        if token.kind == "mark" and token.text in _ASSIGN:
            self.take()
            return Assign(token.where, token.text[:-1], target, self.initializer())
        return target

    def _choice(self) -> CppNode:
        test = self._binary(0)
        if not self.try_take("?"):
            return test
        then = self.expression()
        self.take(":")
        return Choice(test.where, test, then, self.assignment())

    def _binary(self, level: int) -> CppNode:
        if level == len(_BINARY):
            return self._unary()
        left = self._binary(level + 1)
        while self.next.kind == "mark" and self.next.text in _BINARY[level]:
            token = self.take()
            left = CppBinary(token.where, token.text, left, self._binary(level + 1))
        return left

    def _unary(self) -> CppNode:
        token = self.next
        if token.kind == "mark" and token.text in ("!", "~", "-", "+", "&", "*", "++", "--"):
            self.take()
            return CppUnary(token.where, token.text, self._unary())
        if token.text == "sizeof":
            return self._sizeof()
        if token.text == "(" and (kind := self._cast_type()) is not None:
            return Cast(token.where, kind, self._unary())
        return self._postfix(self._primary())

    def _sizeof(self) -> CppNode:
        where = self.take().where
        kind = self._cast_type() if self.next.text == "(" else None
        return SizeOf(where, kind, self._unary() if kind is None else None)

    def _cast_type(self) -> TypeName | None:
        """The type in parentheses, if it is one; nothing is read otherwise."""
        mark = self.at
        try:
            self.take("(")
            kind = self.type_name()
            if self.try_take(")") and (kind.pointers or is_type(kind.name, self.aliases)):
                return kind
        except Unreadable:
            pass
        self.at = mark
        return None

    def _primary(self) -> CppNode:
        token = self.take()
        if token.kind == "number":
            return CppLiteral(token.where, _number(token))
        if token.kind == "string":
            text = _string(token)
            if token.text[0] == "'":
                return CppLiteral(token.where, ord(text))
            while self.next.kind == "string":
                text += _string(self.take())
            return CppLiteral(token.where, text)
        if token.text == "(":
            value = self.expression()
            self.take(")")
            return value
        if token.kind != "name":
            raise Unreadable(f"{token.where}: cannot read '{token.text}'")
        name = token.text
        if name in _CASTS:
            self.take("<")
            kind = self.type_name()
            self.take(">")
            self.take("(")
            value = self.expression()
            self.take(")")
            return Cast(token.where, kind, value)
        while self.next.text == "::":
            self.take()
            name += "::" + self.take().text
        if self.next.text == "(" and is_type(name, self.aliases):
            self.at -= 1
            kind = self.type_name()
            self.take("(")
            value = self.expression()
            self.take(")")
            return Cast(token.where, kind, value)
        return CppName(token.where, name)

    def _postfix(self, value: CppNode) -> CppNode:
        while True:
            token = self.next
            if token.text == "(" and isinstance(value, CppName):
                value = CppCall(token.where, value.name, self._arguments("(", ")"))
            elif token.text == "<<<" and isinstance(value, CppName):
                launch = self._arguments("<<<", ">>>")
                value = CppCall(token.where, value.name, self._arguments("(", ")"), launch)
            elif token.text == "[":
                self.take()
                value = CppIndex(token.where, value, self.expression())
                self.take("]")
            elif token.kind == "mark" and token.text in ("++", "--"):
                value = CppUnary(self.take().where, token.text, value, after=True)
            else:
                return value

    def _arguments(self, opening: str, closing: str) -> list[CppNode]:
        self.take(opening)
        given: list[CppNode] = []
        while not self.try_take(closing):
            given.append(self.assignment())
            if not self.try_take(","):
                self.take(closing)
                break
        return given

    def initializer(self) -> CppNode:
        """A value, or values in braces."""
        if self.next.text != "{":
            return self.assignment()
        where = self.take("{").where
        items: list[CppNode] = []
        while not self.try_take("}"):
            items.append(self.initializer())
            if not self.try_take(","):
                self.take("}")
                break
        return Braces(where, items)


def _number(token: CppToken) -> int | float:
    text = token.text.replace("'", "")
    is_hex = text[:2] in ("0x", "0X")
    text = text.rstrip("uUlLzZ" if is_hex else "uUlLzZfF")
    try:
        if not is_hex and any(c in text for c in ".eE"):
            return float(text)
        if text[:1] == "0" and text.isdigit():
            return int(text, 8)
        return int(text, 0)
    except ValueError:
        raise Unreadable(f"{token.where}: cannot read the number {token.text}") from None


def _string(token: CppToken) -> str:
    parts = token.text[1:-1].split("\\")
    text = parts[0]
    escaped = iter(parts[1:])
    for part in escaped:
        text += _ESCAPES.get(part[:1], part[:1]) + part[1:] if part else "\\" + next(escaped, "")
    return text
