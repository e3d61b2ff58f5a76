"""Which names a loop carries and a branch gives back: liveness of names over a syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

NameSet = frozenset[str]
_NONE: NameSet = frozenset()


class Flow:
    """For each loop, branch and `with` of a function, the names that leave it.

    `leaving[node]` are names that it assigns and that are read again: after it, or, of a loop, in
    a later iteration. They are sorted.
    """

    def __init__(self, function: ast.FunctionDef) -> None:
        self.leaving: dict[ast.AST, tuple[str, ...]] = {}
        self._before(function.body, _NONE)

    def _before(self, body: Sequence[ast.stmt], after: NameSet) -> NameSet:
        """What is live before statements, given what is live after them."""
        for statement in reversed(body):
            after = self._statement(statement, after)
        return after

    def _statement(self, node: ast.stmt, after: NameSet) -> NameSet:
        match node:
            case ast.For():
                targets = assigned([node.target])
                inside = after
                for _ in range(2):
                    inside |= self._before(node.body, inside | after) - targets
                self._note(node, node.body, inside | after)
                return (inside | after) | read(node.iter)
            case ast.While():
                inside = after | read(node.test)
                for _ in range(2):
                    inside |= self._before(node.body, inside) | read(node.test)
                self._note(node, node.body, inside)
                return inside
            case ast.If():
                self._note(node, [*node.body, *node.orelse], after)
                then = self._before(node.body, after)
                return then | self._before(node.orelse, after) | read(node.test)
            case ast.With():
                self._note(node, node.body, after)
                inner = self._before(node.body, after)
                named = assigned([i.optional_vars for i in node.items if i.optional_vars])
                return (inner - named) | read(*(item.context_expr for item in node.items))
            case ast.Expr(ast.Call(ast.Name("print" | "breakpoint"))):
                # It does something in a plain run only, where all names have values.
                return after
            case ast.Return():
                return read(node)
            case ast.AugAssign():
                return after | read(node)
            case _:
                return (after - _surely(node)) | read(node)

    def _note(self, node: ast.stmt, body: Iterable[ast.AST], live: NameSet) -> None:
        self.leaving[node] = tuple(sorted(assigned(body) & live))


def assigned(nodes: Iterable[ast.AST]) -> NameSet:
    """The names that are assigned somewhere in nodes; those of a comprehension are its own."""
    found: set[str] = set()
    rest = list(nodes)
    while rest:
        node = rest.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        hidden = node.target if isinstance(node, ast.comprehension) else None
        rest += [child for child in ast.iter_child_nodes(node) if child is not hidden]
    return frozenset(found)


def _surely(node: ast.stmt) -> NameSet:
    match node:
        case ast.Assign():
            return assigned(node.targets)
        case ast.AnnAssign():
            return assigned([node.target]) if node.value is not None else _NONE
        case _:
            return _NONE


def read(*nodes: ast.AST) -> NameSet:
    """The names that are read somewhere in nodes."""
    found: set[str] = set()
    for node in nodes:
        for name in ast.walk(node):
            if isinstance(name, ast.AugAssign) and isinstance(name.target, ast.Name):
                found.add(name.target.id)
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load):
                found.add(name.id)
    return frozenset(found)
