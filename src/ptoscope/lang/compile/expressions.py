"""ExpressionWalker of a kernel: Python's own operators, on values of the kernel."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from ptoscope.diagnostics import PtoError, UsageError, message_of, nearest
from ptoscope.isa.dtypes import I1
from ptoscope.isa.table import TABLE
from ptoscope.lang import loops, scalars
from ptoscope.lang.compile import build
from ptoscope.lang.compile.emitter import Emitter
from ptoscope.lang.compile.frame import Frame, Gone
from ptoscope.lang.flow import assigned
from ptoscope.lang.scalars import ScalarValue
from ptoscope.lang.source import RAISED, UNDEFINED, UNSUPPORTED
from ptoscope.lang.template import Template
from ptoscope.lang.values import KernelValue, Misuse, described, wrapped
from ptoscope.program import Op

BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.MatMult: operator.matmul,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
SAME: dict[Any, Any] = {
    range: loops.counted,
    min: scalars.minimum,
    max: scalars.maximum,
}
"""Functions of Python that mean the same on values of a kernel."""
_ONLY_PLAIN = (print, breakpoint)
"""What does something in a plain run only."""


class ExpressionWalker:
    """Evaluates expressions of one frame."""

    def __init__(self, emitter: Emitter, frame: Frame) -> None:
        self.emitter, self.frame = emitter, frame

    def value(self, node: ast.expr) -> Any:
        """What an expression is: a value of the kernel, or an object that is known now."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            what, hint = _WORDS.get(type(node), (type(node).__name__, ""))
            raise self.unsupported(node, what, hint)
        try:
            return method(node)
        except (PtoError, UsageError):
            raise
        except Misuse as error:
            raise self.frame.source.misused(node, error) from None
        except (Exception, SystemExit) as error:
            raise self._raised(node, error) from None

    def unsupported(self, node: ast.AST, what: str, hint: str = "") -> PtoError:
        """The error for Python that a kernel cannot have."""
        return self.frame.source.error(UNSUPPORTED, node, f"a kernel has no {what}", hint=hint)

    def doing(self, node: ast.AST, action: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """`action(...)` with its operations at the place of the node; what goes wrong is an
        error there."""
        before = self.emitter.span
        self.emitter.span = self.frame.span(node)
        try:
            return action(*given, **named)
        except Misuse as error:
            raise self.frame.source.misused(node, error) from None
        except (PtoError, UsageError):
            raise
        except (Exception, SystemExit) as error:
            if _mixes(error, given):
                raise self._no_operator(node, given) from None
            raise self._raised(node, error) from None
        finally:
            self.emitter.span = before

    def _raised(self, node: ast.AST, error: BaseException) -> PtoError:
        return self.frame.source.error(
            RAISED,
            node,
            f"{type(error).__name__}: {message_of(error)}",
            hint="this is computed while the kernel is compiled",
        )

    def _no_operator(self, node: ast.AST, given: tuple[Any, ...]) -> PtoError:
        what = " and ".join(described(value) for value in given)
        return self.frame.source.error(
            "PTO1002",
            node,
            f"no instruction does this to {what}",
            found=what,
            hint="operators of vectors are one instruction each; others have their own names",
        )

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _name(self, node: ast.Name) -> Any:
        return self.frame.find(node)

    def _attribute(self, node: ast.Attribute) -> Any:
        owner = self.value(node.value)
        self.frame.outside.attribute(owner, node.attr)
        try:
            return self.doing(node, getattr, owner, node.attr)
        except PtoError:
            if hasattr(owner, node.attr):
                raise
        what = described(owner) if isinstance(owner, KernelValue) else ast.unparse(node.value)
        raise self.frame.source.error(
            UNDEFINED,
            node,
            f"{what} has no '{node.attr}'",
            found=node.attr,
            hint=nearest(node.attr, (name for name in dir(owner) if name[:1] != "_")),
        )

    def _tuple(self, node: ast.Tuple) -> Any:
        return tuple(self._items(node.elts))

    def _list(self, node: ast.List) -> Any:
        return list(self._items(node.elts))

    def _dict(self, node: ast.Dict) -> Any:
        if any(key is None for key in node.keys):
            raise self.unsupported(node, "** in a dictionary")
        return {
            self.value(key): self.value(value)
            for key, value in zip(node.keys, node.values, strict=True)
            if key is not None
        }

    def _items(self, nodes: list[ast.expr]) -> Iterator[Any]:
        for node in nodes:
            if isinstance(node, ast.Starred):
                yield from self.value(node.value)
            else:
                yield self.value(node)

    def _binop(self, node: ast.BinOp) -> Any:
        lhs, rhs = self.value(node.left), self.value(node.right)
        return self.doing(node, BINARY[type(node.op)], lhs, rhs)

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        operand = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            if isinstance(operand, ScalarValue):
                return self.doing(node, operator.invert, self.truth(node.operand, operand))
            return self.doing(node, operator.not_, operand)
        return self.doing(node, _UNARY[type(node.op)], operand)

    def truth(self, node: ast.AST, value: Any) -> Any:
        """A condition: an i1 scalar, or an object whose truth is known now."""
        if isinstance(value, ScalarValue) and value.dtype is not I1:
            return self.doing(node, operator.ne, value, 0)
        if isinstance(value, KernelValue) and not isinstance(value, ScalarValue):
            self.doing(node, bool, value)
        return value

    def _compare(self, node: ast.Compare) -> Any:
        left = self.value(node.left)
        found: Any = None
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.value(right_node)
            one = self.doing(node, COMPARE[type(op)], left, right)
            found = one if found is None else self.doing(node, operator.and_, found, one)
            left = right
        return found

    def _boolop(self, node: ast.BoolOp) -> Any:
        first, *rest = node.values
        found = self.value(first)
        for each in rest:
            found = self._either(node, found, each, isinstance(node.op, ast.Or))
        return found

    def _either(self, node: ast.BoolOp, found: Any, other: ast.expr, is_or: bool) -> Any:
        if not isinstance(found, KernelValue):
            return found if bool(found) == is_or else self.value(other)
        condition = self.truth(node, found)

        def evaluate() -> Any:
            return scalars.convert(self.truth(other, self.value(other)), I1)

        def fixed() -> Any:
            return scalars.constant(I1, is_or)

        return self.choice(node, condition, *((fixed, evaluate) if is_or else (evaluate, fixed)))

    def _ifexp(self, node: ast.IfExp) -> Any:
        condition = self.truth(node.test, self.value(node.test))
        if not isinstance(condition, KernelValue):
            return self.value(node.body if condition else node.orelse)
        return self.choice(
            node, condition, lambda: self.value(node.body), lambda: self.value(node.orelse)
        )

    def choice(
        self, node: ast.AST, condition: Any, yes: Callable[[], Any], no: Callable[[], Any]
    ) -> Any:
        """One of two values, of which only one is computed where that can be seen."""
        names, before = self.frame.names, dict(self.frame.names)
        with self.emitter.block() as then, self.emitter.decided() as here:
            first = yes()
        with self.emitter.block() as otherwise, self.emitter.decided() as there:
            second = no()
        both = _only_computes([*then, *otherwise])
        for name in [n for n, value in names.items() if value is not before.get(n)]:
            # A name that had no value has one now if both sides are computed.
            if name in before or not both:
                names[name] = Gone("it is given a value in a part that may not be computed")
        chosen = self._choice(node, condition, first, second, then, otherwise)
        here.types[""] = there.types[""] = chosen.type
        return chosen

    def _choice(
        self,
        node: ast.AST,
        condition: Any,
        first: Any,
        second: Any,
        then: list[Op],
        otherwise: list[Op],
    ) -> KernelValue:
        if _is_scalar(first) and _is_scalar(second) and _only_computes([*then, *otherwise]):
            self.emitter.merge([*then, *otherwise])
            return self.doing(node, scalars.select, condition, first, second)
        left, right = self._alike(node, first, second, then, otherwise)
        result = self.emitter.slot(left.type)
        sides = (then, (left.handle,)), (otherwise, (right.handle,))
        self.emitter.append(
            build.branch(condition.handle, *sides, (result,), self.frame.span(node))
        )
        return wrapped(left.type, result)

    def _alike(
        self, node: ast.AST, first: Any, second: Any, then: list[Op], otherwise: list[Op]
    ) -> tuple[KernelValue, KernelValue]:
        if _is_scalar(first) and _is_scalar(second):
            dtype = self.doing(node, scalars.common_or_own, first, second)
            found: list[KernelValue] = []
            for value, ops in ((first, then), (second, otherwise)):
                with self.emitter.again(ops):
                    found.append(self.doing(node, scalars.convert, value, dtype))
            return found[0], found[1]
        if (
            isinstance(first, KernelValue)
            and isinstance(second, KernelValue)
            and first.type == second.type
        ):
            return first, second
        raise self.frame.source.error(
            "PTO1004",
            node,
            "the two sides have different types",
            found=f"{described(first)}, {described(second)}",
            expected="one type",
        )

    def _subscript(self, node: ast.Subscript) -> Any:
        whole = self.value(node.value)
        return self.doing(node, operator.getitem, whole, self.key(node.slice))

    def key(self, node: ast.expr) -> Any:
        """What stands in brackets."""
        match node:
            case ast.Slice():
                parts = (node.lower, node.upper, node.step)
                return slice(*(None if part is None else self.value(part) for part in parts))
            case ast.Tuple():
                return tuple(self.key(part) for part in node.elts)
            case _:
                return self.value(node)

    def _joinedstr(self, node: ast.JoinedStr) -> Any:
        return "".join(str(self.value(part)) for part in node.values)

    def _formattedvalue(self, node: ast.FormattedValue) -> Any:
        value = self.value(node.value)
        spec = "" if node.format_spec is None else self.value(node.format_spec)
        return self.doing(node, format, value, spec)

    def _namedexpr(self, node: ast.NamedExpr) -> Any:
        value = self.value(node.value)
        self.frame.names[node.target.id] = value
        return value

    def _listcomp(self, node: ast.ListComp) -> Any:
        return self._comprehension(node)

    def _generatorexp(self, node: ast.GeneratorExp) -> Any:
        return tuple(self._comprehension(node))

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> list[Any]:
        own = assigned(each.target for each in node.generators)
        before = {name: value for name, value in self.frame.names.items() if name in own}
        items = list(self._comprehended(node.elt, node.generators))
        after = {name: value for name, value in self.frame.names.items() if name not in own}
        self.frame.names = {**after, **before}
        return items

    def _comprehended(self, item: ast.expr, loops_: list[ast.comprehension]) -> Iterator[Any]:
        if not loops_:
            yield self.value(item)
            return
        one, *rest = loops_
        for each in self.known_items(one.iter):
            self.bind(one.target, each)
            if all(self.value(test) for test in one.ifs):
                yield from self._comprehended(item, rest)

    def known_items(self, node: ast.expr) -> list[Any]:
        """The items of something that is known now."""
        found = self.value(node)
        if isinstance(found, loops.RangeLoop):
            bounds = [scalars.fixed(v) for v in found.written]
            if None in bounds:
                raise self.unsupported(
                    node,
                    "list of values that a run decides",
                    hint="its length has to be known when the kernel is compiled",
                )
            return list(range(*(bound for bound in bounds if bound is not None)))
        if isinstance(found, (loops.CountedLoop, KernelValue)):
            raise self.unsupported(node, "list of values that a run decides")
        return self.doing(node, list, found)

    def bind(self, target: ast.expr, value: Any) -> None:
        """Gives a value to a target of an assignment."""
        raise NotImplementedError

    def _call(self, node: ast.Call) -> Any:
        callee: Any = self.value(node.func)
        if any(callee is each for each in _ONLY_PLAIN):
            # What it is given is not even computed.
            return None
        given = list(self._items(node.args))
        named: dict[str, Any] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                named.update(self.value(keyword.value))
            else:
                named[keyword.arg] = self.value(keyword.value)
        if isinstance(callee, Template):
            return self.inlined(node, callee, given, named)
        for each in (callee, *given, *named.values()):
            self.frame.outside.called(each)
        if callee is getattr or callee is hasattr:
            self._reads_attribute(*given)
        if _hashable(callee):
            callee = SAME.get(callee, callee)
        if not _of_kernels(callee) and _has_values([*given, *named.values()]):
            name = getattr(callee, "__name__", str(callee))
            raise self.unsupported(
                node,
                f"call of {name} with values of a run",
                hint=_instead(callee, name),
            )
        return self.doing(node, callee, *given, **named)

    def _reads_attribute(self, owner: Any = None, name: Any = None, *_: Any) -> None:
        if isinstance(name, str):
            self.frame.outside.attribute(owner, name)

    def inlined(
        self, node: ast.Call, template: Template, given: list[Any], named: dict[str, Any]
    ) -> Any:
        """What a helper function returns, its body written down here."""
        raise NotImplementedError


_WORDS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lambda: ("lambda", "define a function outside, under @pto.function"),
    ast.Await: ("await", ""),
    ast.Yield: ("yield", "a kernel writes its results to arrays"),
    ast.YieldFrom: ("yield from", "a kernel writes its results to arrays"),
    ast.Set: ("set", "write a tuple or a list"),
    ast.SetComp: ("set comprehension", "write a list"),
    ast.DictComp: ("dictionary comprehension", "make the dictionary outside of the kernel"),
    ast.Starred: ("* here", ""),
}


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (ScalarValue, int, float))


def _hashable(value: Any) -> bool:
    return getattr(value, "__hash__", None) is not None and not isinstance(value, (list, dict))


def _has_values(given: Any) -> bool:
    if isinstance(given, (list, tuple)):
        return any(_has_values(each) for each in given)
    return isinstance(given, KernelValue)


_ON_ANYTHING: tuple[Any, ...] = (
    *(abs, len, isinstance, zip, enumerate, tuple, list, reversed, type, slice),
)
"""Functions of Python that take values of a kernel as they take any object."""


def _instead(callee: Any, name: str) -> str:
    """What to write for a call of a function that knows no values of kernels."""
    if isinstance(callee, FunctionType):
        return f"put @pto.function before def {name}, or use instructions of pto"
    of_vectors = f"v{name}"
    is_one = any(of_vectors == record.short for record in TABLE.values())
    return f"use pto.{of_vectors}" if is_one else "use instructions of pto"


def _of_kernels(callee: Any) -> bool:
    """Whether a function knows values of kernels."""
    owner = getattr(callee, "__self__", None)
    if isinstance(owner, (KernelValue, list, dict, tuple)) or callee in _ON_ANYTHING:
        return True
    return str(getattr(callee, "__module__", "")).startswith(("ptoscope.lang", "ptoscope.pto"))


def _mixes(error: BaseException, given: tuple[Any, ...]) -> bool:
    return (
        isinstance(error, TypeError)
        and "unsupported operand" in str(error)
        and any(isinstance(value, KernelValue) for value in given)
    )


def _only_computes(ops: list[Op]) -> bool:
    """Whether operations can be executed although their results are not used."""
    return all(op.name in scalars.CANNOT_FAIL for op in ops)
