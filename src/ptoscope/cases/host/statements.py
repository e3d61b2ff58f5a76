"""Tokens to the tree: statements and declarations."""

from __future__ import annotations

from ptoscope.cases.host.expressions import ExpressionParser
from ptoscope.cases.host.tokens import CppToken, Unreadable
from ptoscope.cases.host.tree import (
    CppBlock,
    CppIf,
    CppLoop,
    CppNode,
    CppSwitch,
    Declare,
    Evaluate,
    Jump,
    TypeName,
)


class Parser(ExpressionParser):
    """Reads statements, too."""

    def statements(self) -> list[CppNode]:
        """All that is left."""
        body: list[CppNode] = []
        while self.next.kind != "end":
            body.append(self.statement())
        return body

    def statement(self) -> CppNode:
        token = self.next
        where, text = token.where, token.text
        if text == "{":
            self.take()
            body: list[CppNode] = []
            while not self.try_take("}"):
                body.append(self.statement())
            return CppBlock(where, body)
        if text in ("if", "for", "while", "do"):
            return self._control(self.take())
        if text == "switch":
            return self._switch(self.take().where)
        if text in ("case", "default"):
            raise Unreadable(f"{where}: '{text}' does not stand in a switch itself")
        if text in ("break", "continue", "goto", "return"):
            self.take()
            label = self.take().text if text == "goto" else ""
            value = None if self.next.text == ";" else self.expression()
            self.take(";")
            return Jump(where, text, value, label)
        if text == ";":
            self.take()
            return CppBlock(where)
        if text in ("using", "typedef", "extern"):
            while not self.try_take(";"):
                self.take()
            return CppBlock(where)
        if token.kind == "name" and self.peek(1).text == ":":
            self.at += 2
            return CppBlock(where)
        if self.starts_declaration():
            declared = self.declaration()
            self.take(";")
            return declared
        value = self.expression()
        self.take(";")
        return Evaluate(where, value)

    def _control(self, keyword: CppToken) -> CppNode:
        where = keyword.where
        if keyword.text == "do":
            body = self.statement()
            self.take("while")
            self.take("(")
            test = self.expression()
            self.take(")")
            self.take(";")
            return CppLoop(where, None, test, None, body, test_first=False)
        self.try_take("constexpr")
        self.take("(")
        if keyword.text == "for":
            start = None if self.next.text == ";" else self._simple()
            self.take(";")
            test = None if self.next.text == ";" else self.expression()
            self.take(";")
            step = None if self.next.text == ")" else self.expression()
            self.take(")")
            return CppLoop(where, start, test, step, self.statement())
        test = self._simple()
        self.take(")")
        body = self.statement()
        if keyword.text == "while":
            return CppLoop(where, None, test, None, body)
        other = self.statement() if self.try_take("else") else None
        return CppIf(where, test, body, other)

    def _switch(self, where: str) -> CppNode:
        self.take("(")
        value = self._simple()
        self.take(")")
        self.take("{")
        body: list[CppNode] = []
        cases: list[tuple[CppNode | None, int]] = []
        while not self.try_take("}"):
            if self.next.text not in ("case", "default"):
                body.append(self.statement())
                continue
            is_default = self.take().text == "default"
            cases.append((None if is_default else self.expression(), len(body)))
            self.take(":")
        return CppSwitch(where, value, body, cases)

    def _simple(self) -> CppNode:
        return self.declaration() if self.starts_declaration() else self.expression()

    def starts_declaration(self) -> bool:
        """Whether a type and a name come next."""
        mark = self.at
        try:
            self.type_name()
            if self.next.kind != "name":
                return False
            return self.peek(1).text in ("=", ";", ",", "[", "{", "(")
        except Unreadable:
            return False
        finally:
            self.at = mark

    def declaration(self) -> CppNode:
        """A declaration of one or more variables, up to its semicolon."""
        where = self.next.where
        base = self.type_name()
        plain = TypeName(base.name, 0, base.reference)
        kind = base
        declared: list[CppNode] = []
        while True:
            name = self.take().text
            length: CppNode | None = None
            is_array = self.try_take("[")
            if is_array and not self.try_take("]"):
                length = self.expression()
                self.take("]")
            value: CppNode | None = None
            if self.try_take("=") or self.next.text == "{":
                value = self.initializer()
            elif self.try_take("("):
                value = self.expression()
                self.take(")")
            declared.append(Declare(where, kind, name, value, length, is_array))
            if not self.try_take(","):
                break
            pointers = 0
            while self.try_take("*"):
                pointers += 1
            kind = TypeName(plain.name, pointers)
        return declared[0] if len(declared) == 1 else CppBlock(where, declared, scope=False)
