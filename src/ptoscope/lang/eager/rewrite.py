"""A kernel's function, changed so that plain Python decides as the compiler does.

Only what Python would do otherwise is changed: `range`, `min` and `max` are those of kernels;
conditions and loops say where they are, and give the names that they change the types that the
compiler chose. Lines and columns stay, so that a debugger and a traceback show the source.
"""

from __future__ import annotations
import __future__

import ast
import copy
from collections.abc import Iterable
from dataclasses import dataclass
from types import CodeType, FunctionType, SimpleNamespace
from typing import Any

from ptoscope.lang.compile.expressions import SAME
from ptoscope.lang.eager import steps
from ptoscope.lang.flow import Flow, assigned
from ptoscope.lang.source import KernelSource

_STEPS = "\0steps"
"""Stands in a tree for the functions of `steps`; a constant of the code then, not a name, so that
a debugger shows the kernel's own names only."""
_FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
_CHANGED_NAMES = frozenset(function.__name__ for function in SAME)


@dataclass(frozen=True)
class PlainFunction:
    """A function that plain Python can run, and its code: its own first, then that of the
    comprehensions inside."""

    source: KernelSource
    function: FunctionType
    codes: tuple[CodeType, ...]


def plain_function(source: KernelSource, flow: Flow) -> PlainFunction:
    """The function of a source, changed; made once."""
    if source.plain is None:
        source.plain = _made(source, flow)
    return source.plain


def _made(source: KernelSource, flow: Flow) -> PlainFunction:
    original: Any = source.function
    tree = copy.deepcopy(source.tree)
    # Both are walked in the same order.
    twins = dict(zip(ast.walk(source.tree), ast.walk(tree), strict=True))
    leaving = {twins[node]: names for node, names in flow.leaving.items()}
    rewriter = _Rewriter(leaving)
    tree.body = rewriter.body(tree.body)
    free = original.__code__.co_freevars
    # Inside of a function that has them, free names are free.
    around = ast.parse(f"def around({', '.join(free)}): pass")
    outer = around.body[0]
    assert isinstance(outer, ast.FunctionDef)
    tree.decorator_list = []
    outer.body = [tree] if tree.name in free else [ast.Global([tree.name]), tree]
    ast.fix_missing_locations(around)
    flags = original.__code__.co_flags & _FUTURE
    module = compile(around, source.file, "exec", flags=flags, dont_inherit=True)
    code = _with_steps(_inner(_inner(module, "around"), tree.name))
    code = code.replace(co_qualname=original.__code__.co_qualname)
    cells = dict(zip(free, original.__closure__ or (), strict=True))
    closure = tuple(cells[name] for name in code.co_freevars)
    function = FunctionType(
        code, original.__globals__, original.__name__, original.__defaults__, closure
    )
    function.__kwdefaults__ = original.__kwdefaults__
    return PlainFunction(source, function, tuple(_all_codes(code)))


def _inner(code: CodeType, name: str) -> CodeType:
    return next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)


def _with_steps(code: CodeType) -> CodeType:
    def constant(value: Any) -> Any:
        if isinstance(value, CodeType):
            return _with_steps(value)
        return steps if value == _STEPS else value

    return code.replace(co_consts=tuple(map(constant, code.co_consts)))


def _all_codes(code: CodeType) -> Iterable[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _all_codes(inner)


class _Rewriter(ast.NodeTransformer):
    """`leaving` are the names that each loop and branch changes for what comes after."""

    def __init__(self, leaving: dict[ast.AST, tuple[str, ...]]) -> None:
        self._leaving = leaving

    def body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Statements, changed."""
        found: list[ast.stmt] = []
        for statement in statements:
            changed = self.visit(statement)
            found += changed if isinstance(changed, list) else [changed]
        return found

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in _CHANGED_NAMES and isinstance(node.ctx, ast.Load):
            return _call(node, "same", node)
        return node

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        names = self._leaving[node]
        inside = [name for name in names if name not in assigned([node.target])]
        node.iter = _call(node.iter, "loop", self.visit(node.iter))
        node.target = self.visit(node.target)
        node.body = [*_settled(node, inside), *self.body(node.body)]
        return [node, *_settled(node, names), _left(node)]

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        names = self._leaving[node]
        begin = _said(node, "while_begins")
        test = _call(node.test, "goes_on", _call(node.test, "iteration"), self.visit(node.test))
        node.test = test
        node.body = [*self.body(node.body), *_settled(node, names)]
        return [begin, *_settled(node, names), node, _left(node)]

    def visit_If(self, node: ast.If) -> ast.If:
        names = self._leaving[node]
        node.test = _call(node.test, "branch", self.visit(node.test))
        for side in ("body", "orelse"):
            body: list[ast.stmt] = getattr(node, side)
            last = body[-1] if body else node
            setattr(node, side, [*self.body(body), *_settled(last, names), _left(last)])
        return node

    def visit_With(self, node: ast.With) -> ast.With:
        first, *rest = node.items
        if rest:
            inner = ast.copy_location(ast.With(rest, node.body), node)
            node.items, node.body = [first], [inner]
        names = sorted(assigned(node.body))
        first.context_expr = self.visit(first.context_expr)
        last = node.body[-1]
        mine = [*self.body(node.body), *(_kept(last, name, give=True) for name in names)]
        others = [_kept(node, name, give=False) for name in names]
        node.body = [_at(_begin(node), ast.If(_call(_begin(node), "runs"), mine, others))]
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        target, value = node.target, self.visit(node.value)
        if isinstance(target, ast.Name):
            # A list is not changed in place: the name gets another one.
            old = ast.copy_location(ast.Name(target.id, ast.Load()), target)
            both = ast.copy_location(ast.BinOp(old, node.op, value), node)
            return ast.copy_location(ast.Assign([target], both), node)
        assert isinstance(target, ast.Subscript)
        place = _call(target, "fetched", self.visit(target.value), self.visit(target.slice))
        operator = ast.Constant(type(node.op).__name__)
        done = _call(target, "augmented", place, value, operator)
        return ast.copy_location(ast.Expr(done), node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        test = _call(node.test, "branch", self.visit(node.test))
        chosen = ast.IfExp(test, self.visit(node.body), self.visit(node.orelse))
        return _call(node, "chosen", ast.copy_location(chosen, node))

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        is_or = isinstance(node.op, ast.Or)
        first, *rest = [self.visit(value) for value in node.values]
        found = first
        for other in rest:
            test = _call(node, "needs_other", found, ast.Constant(is_or))
            either = ast.copy_location(ast.IfExp(test, other, ast.Constant(None)), node)
            found = _call(node, "joined", either, ast.Constant(is_or))
        return found

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        operand = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return _call(node, "inverted", operand)
        node.operand = operand
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        if len(node.ops) == 1:
            self.generic_visit(node)
            return node
        values = [self.visit(value) for value in (node.left, *node.comparators)]
        tests: list[ast.expr] = [ast.Constant(type(op).__name__) for op in node.ops]
        return _call(node, "compared", ast.Tuple(tests, ast.Load()), *values)

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        for each in node.generators:
            each.iter = _call(each.iter, "items", self.visit(each.iter))
            each.ifs = [self.visit(test) for test in each.ifs]
        node.elt = self.visit(node.elt)
        return node

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        whole = ast.copy_location(ast.ListComp(node.elt, node.generators), node)
        return _call(node, "in_tuple", self.visit_ListComp(whole))


def _call(at: ast.AST, name: str, *arguments: ast.expr) -> ast.expr:
    """A call of a function of `steps`, at the place of a node."""
    callee = ast.Attribute(ast.Constant(_STEPS), name, ast.Load())
    made = ast.Call(callee, list(arguments), [])
    for each in (made, callee, callee.value, *arguments):
        if not hasattr(each, "lineno"):
            ast.copy_location(each, at)
    return made


def _said(at: ast.stmt, name: str) -> ast.stmt:
    return ast.copy_location(ast.Expr(_call(_begin(at), name)), _begin(at))


def _left(at: ast.stmt) -> ast.stmt:
    return _said(at, "left")


def _settled(at: ast.stmt, names: Iterable[str]) -> list[ast.stmt]:
    """Gives names the types that the compiler chose, where it chose one."""
    here = _begin(at)
    found: list[ast.stmt] = []
    for name in names:
        word = ast.Constant(name)
        value = _call(here, "settled", word, ast.Name(name, ast.Load()))
        given = ast.Assign([ast.Name(name, ast.Store())], value)
        one = ast.If(_call(here, "settles", word), [given], [])
        for each in ast.walk(one):
            ast.copy_location(each, here)
        found.append(one)
    return found


def _kept(at: ast.stmt, name: str, give: bool) -> ast.stmt:
    """Hands an array of a section to the cores that do not run it, or takes it from there."""
    here, word = _begin(at), ast.Constant(name)
    if give:
        done: ast.stmt = ast.Expr(_call(here, "keep", word, ast.Name(name, ast.Load())))
    else:
        done = ast.Assign([ast.Name(name, ast.Store())], _call(here, "kept", word))
    one = ast.If(_call(here, "keeps", ast.Constant(name)), [done], [])
    for each in ast.walk(one):
        ast.copy_location(each, here)
    return one


def _at(here: Any, made: ast.If) -> ast.If:
    ast.copy_location(made, here)
    return made


def _begin(node: ast.stmt) -> Any:
    """The first character of a statement: what is added there belongs to its line."""
    line, column = node.lineno, node.col_offset
    return SimpleNamespace(
        _attributes=("lineno", "col_offset", "end_lineno", "end_col_offset"),
        lineno=line,
        col_offset=column,
        end_lineno=line,
        end_col_offset=column + 1,
    )
