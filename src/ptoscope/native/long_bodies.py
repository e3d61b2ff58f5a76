"""Instructions that take long code: written once, as functions of the module that are called.

What an exponential or a conversion to a narrow float takes is hundreds of machine instructions.
Where a kernel uses one at several places, LLVM would spend its time on each of them.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from ptoscope.isa.dtypes import I1
from ptoscope.isa.record import Run, Site
from ptoscope.isa.types import Mask, Scalar, VReg
from ptoscope.native import types
from ptoscope.native.joins import JoinShape, Parts, parts, rebuilt, shape
from ptoscope.native.llvm_text import LlvmFunction, Value
from ptoscope.native.pipes import PipeCore, captures
from ptoscope.program import Function, Op

_LONG, _LONG_IN_LOOPS = 1 << 10, 8 << 10
"""Bytes of vectors from which on a body is long. In loops, where a call takes time again and
again, 128 registers of the widest processors."""


class LongBody(NamedTuple):
    """A body that is a function, and what it gives."""

    function: LlvmFunction
    name: str
    result: str
    """The LLVM type of what it returns."""
    shapes: list[JoinShape]
    is_tuple: bool


class LongBodies:
    """Those of a kernel, found while its code is written."""

    def __init__(self, core: PipeCore, function: Function) -> None:
        self._core = core
        self._uses = Counter(_use(function, op) for op in function.ops())
        self._function = function
        self._known: dict[Any, LongBody | None] = {}

    def applied(self, op: Op, site: Site, run: Run, values: list[Any]) -> Any:
        """What an instruction gives for these values."""
        use = _use(self._function, op)
        if use is None or self._uses[use] == 1:
            return run(self._core, *values)
        kinds = [_kind(value, type) for value, type in zip(values, site.operands, strict=True)]
        side_exits = self._core.side_exits
        least = _LONG_IN_LOOPS if side_exits.loops or side_exits.outer else _LONG
        key = use, tuple(kinds), least
        body = self._known.get(key)
        # One of a text that was taken back is gone.
        if key not in self._known or (body and not self._core.code.is_written(body.function)):
            body = self._known[key] = self._written(site, run, values, kinds, least)
        if body is None:
            return run(self._core, *values)
        return self._called(body, values, kinds)

    def _written(
        self, site: Site, run: Run, values: list[Any], kinds: list[Any], least: int
    ) -> LongBody | None:
        """The body as a function; None where it is short, or more than computing."""
        code, side_exits = self._core.code, len(self._core.side_exits.all)
        passed = [kind for kind in kinds if isinstance(kind, JoinShape)]
        with code.outlined("") as function:
            given = [code.promised(_packed_type(one)) for one in passed]
            rows = iter(self._unpacked(passed, given))
            results = run(
                self._core,
                *(
                    next(rows) if isinstance(kind, JoinShape) else value
                    for kind, value in zip(kinds, values, strict=True)
                ),
            )
            is_tuple = isinstance(results, tuple)
            made: list[Any] = list(results) if isinstance(results, tuple) else [results]
            shapes = [shape(m, type) for m, type in zip(made, site.results, strict=True)]
            result = self._returned(self._packed(made, shapes))
        del self._core.side_exits.all[side_exits:]
        names = {value.name for value in given}
        text = [*function.allocas, *function.lines, *function.cold]
        if function.value_bytes < least or not names.issuperset(captures(text)):
            return None
        if any(word in line for line in text for word in ("%state", "%ub", "%args")):
            return None
        name = f"{site.record.short}{code.fresh()}"
        listed = ", ".join(map(str, given))
        function.only_computes = True
        function.head = f"define {result} @{name}({listed})"
        code.finish(function)
        return LongBody(function, name, result, shapes, is_tuple)

    def _returned(self, values: list[Value]) -> str:
        """Ends a function that gives these; the type of what it returns."""
        code = self._core.code
        if len(values) == 1:
            code.do(f"ret {values[0]}")
            return values[0].type
        kind = f"{{ {', '.join(value.type for value in values)} }}"
        name = "poison"
        for i, value in enumerate(values):
            whole = f"%whole{i}"
            code.do(f"{whole} = insertvalue {kind} {name}, {value}, {i}")
            name = whole
        code.do(f"ret {kind} {name}")
        return kind

    def _called(self, body: LongBody, values: list[Any], kinds: list[Any]) -> Any:
        code = self._core.code
        pairs = [(v, k) for v, k in zip(values, kinds, strict=True) if isinstance(k, JoinShape)]
        given = self._packed([value for value, _ in pairs], [kind for _, kind in pairs])
        code.function.calls.append(body.function)
        call = f"call {body.result} @{body.name}({', '.join(map(str, given))})"
        if not body.is_tuple:
            return self._unpacked(body.shapes, [code.emit(body.result, call)])[0]
        whole = f"%whole{code.fresh()}"
        code.do(f"{whole} = {call}")
        made = [
            code.emit(_packed_type(one), f"extractvalue {body.result} {whole}, {i}")
            for i, one in enumerate(body.shapes)
        ]
        return tuple(self._unpacked(body.shapes, made))

    # Lanes of one bit are passed as one number: as vectors, each would have a register.

    def _packed(self, values: list[Any], shapes: list[JoinShape]) -> list[Value]:
        code = self._core.code
        made: list[Value] = []
        for one, (value,) in zip(shapes, parts(values, shapes), strict=True):
            kind = _packed_type(one)
            same = kind == value.type
            made.append(value if same else code.emit(kind, f"bitcast {value} to {kind}"))
        return made

    def _unpacked(self, shapes: list[JoinShape], values: list[Value]) -> list[Any]:
        code = self._core.code
        made: list[Parts] = []
        for one, value in zip(shapes, values, strict=True):
            kind = types.row(one.dtype, one.lanes)
            same = kind == value.type
            made.append([value if same else code.emit(kind, f"bitcast {value} to {kind}")])
        return rebuilt(code, shapes, made)


def _packed_type(shape: JoinShape) -> str:
    return f"i{shape.lanes}" if shape.dtype is I1 else types.row(shape.dtype, shape.lanes)


def _use(function: Function, op: Op) -> Any:
    """What has to be the same of two uses of a body; None of one that is never a function."""
    operands = tuple(function.types[slot] for slot in op.operands)
    results = tuple(function.types[slot] for slot in op.results)
    if not results or not all(isinstance(type, (VReg, Mask)) for type in results):
        return None
    if not all(isinstance(type, (VReg, Mask, Scalar)) for type in operands):
        return None
    return op.name, operands, results, str(sorted(op.attrs.items())), op.form, op.segments


def _kind(value: Any, type: Any) -> Any:
    """The shape that a value is passed in; one that is known now is not passed."""
    known = value.gated.uniform if isinstance(type, Mask) else value.uniform
    if known is None:
        return shape(value, type)
    count = value.gated.count if isinstance(type, Mask) else value.count
    return value.dtype, count, types.raw_bits(known)
