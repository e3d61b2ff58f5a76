"""Which names a loop carries and a branch gives back: liveness of names over a syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import NamedTuple

NameSet = frozenset[str]
_NONE: NameSet = frozenset()


class _Effect(NamedTuple):
    """What statements do to names: which they read before they give them a value, and to which
    they give one in any case."""

    reads: NameSet = _NONE
    sets: NameSet = _NONE

    def then(self, other: _Effect) -> _Effect:
        """The effect of both, one after the other."""
        return _Effect(self.reads | (other.reads - self.sets), self.sets | other.sets)

    def before(self, after: NameSet) -> NameSet:
        """The names that are live before, given those that are live after."""
        return self.reads | (after - self.sets)


class Flow:
    """For each loop, branch and `with` of a function, the names that leave it.

    `leaving[node]` are names that it assigns and that are read again: after it, or, of a loop, in
    a later iteration. They are sorted.
    """

    def __init__(self, function: ast.FunctionDef) -> None:
        self.leaving: dict[ast.AST, tuple[str, ...]] = {}
        self._effects: dict[ast.stmt, _Effect] = {}
        self._note(function.body, _NONE)

    def _note(self, body: Sequence[ast.stmt], after: NameSet) -> None:
        """Notes what leaves statements, given the names that are live after them."""
        for node in reversed(body):
            match node:
                case ast.For():
                    # At the end of an iteration, the next one may follow.
                    again = self._all(node.body).reads - assigned([node.target])
                    self._leaves(node, node.body, after | again)
                case ast.While():
                    self._leaves(node, node.body, after | self._of(node).reads)
                case ast.If():
                    self._leaves(node, [*node.body, *node.orelse], after)
                case ast.With():
                    self._leaves(node, node.body, after)
                case _:
                    pass
            after = self._of(node).before(after)

    def _leaves(self, node: ast.stmt, body: list[ast.stmt], after: NameSet) -> None:
        self.leaving[node] = tuple(sorted(assigned(body) & after))
        if isinstance(node, ast.If):
            self._note(node.body, after)
            self._note(node.orelse, after)
        else:
            self._note(body, after)

    def _of(self, node: ast.stmt) -> _Effect:
        found = self._effects.get(node)
        if found is None:
            found = self._effects[node] = self._effect(node)
        return found

    def _all(self, body: Sequence[ast.stmt]) -> _Effect:
        whole = _Effect()
        for node in body:
            whole = whole.then(self._of(node))
        return whole

    def _effect(self, node: ast.stmt) -> _Effect:
        match node:
            case ast.For():
                inside = self._all(node.body).reads - assigned([node.target])
                return _Effect(read(node.iter) | inside)
            case ast.While():
                return _Effect(read(node.test) | self._all(node.body).reads)
            case ast.If():
                yes, no = self._all(node.body), self._all(node.orelse)
                return _Effect(read(node.test) | yes.reads | no.reads, yes.sets & no.sets)
            case ast.With():
                opened = _Effect(
                    read(*(item.context_expr for item in node.items)),
                    assigned([i.optional_vars for i in node.items if i.optional_vars]),
                )
                return opened.then(self._all(node.body))
            case ast.Expr(ast.Call(ast.Name("print" | "breakpoint"))):
                # It does something in a plain run only, where all names have values.
                return _Effect()
            case ast.Assign():
                return _Effect(read(node), assigned(node.targets))
            case ast.AnnAssign():
                sets = assigned([node.target]) if node.value is not None else _NONE
                return _Effect(read(node), sets)
            case _:
                return _Effect(read(node))


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
