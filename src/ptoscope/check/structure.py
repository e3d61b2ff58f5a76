"""Structure: what stands where. (What a scope sees, and what flows through blocks, types
already say: the reader reports it.)"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import I16
from ptoscope.isa.scalar import castptr, strict_vecscope, vecscope
from ptoscope.isa.types import Scalar, can_be_passed, is_vector_state
from ptoscope.program import Block, For, Loop, Op, Scope


def _placed(block: Block, inside: Op | None) -> Iterator[tuple[Op, Op | None]]:
    """Every operation with the vecscope it stands in."""
    for op in block.ops:
        yield op, inside
        for inner in op.blocks:
            yield from _placed(inner, op if isinstance(op, Scope) else inside)


def _needs_scope(context: Context) -> Iterator[Finding]:
    function = context.function
    if any(is_vector_state(t) for t in context.types(function.params + function.body.yields)):
        # It is made to be called inside a vecscope.
        return
    for op, scope in _placed(function.body, None):
        record = TABLE.get(op.name)
        vector_values = any(is_vector_state(t) for t in context.types(op.operands + op.results))
        belongs = vector_values or (record is not None and record.where == "vecscope")
        if scope is None and belongs and not isinstance(op, Scope):
            yield Finding(
                op.span,
                f"{op.name} stands outside a vecscope",
                found="no vecscope around it",
                expected=f"a {vecscope.name} {{ ... }} or {strict_vecscope.name} around it",
                hint=_why_no_scope(context, op),
            )


def _why_no_scope(context: Context, op: Op) -> str:
    """Returns why no vecscope was put around an instruction where the text has none."""
    record = TABLE.get(op.name)
    if record is not None and record.cost_kind == "barrier":
        return "it orders accesses to UB inside a vecscope; flags and pto.barrier order pipes"
    last_used = context.once(_last_used)
    lines = [last_used[slot] for slot in op.results if slot in last_used]
    if not lines:
        return "vectors, masks and align state exist only inside a vecscope"
    return (
        f"none can be inferred: what it makes is used in line {max(lines)}, and no value leaves a "
        "vecscope; copies, synchronisation and scalar accesses to memory end one"
    )


def _last_used(context: Context) -> dict[int, int]:
    """The last line that uses each value."""
    found: dict[int, int] = {}
    for op in context.function.ops():
        for slot in op.operands:
            found[slot] = max(op.span.line, found.get(slot, 0))
    return found


def _needs_outside(context: Context) -> Iterator[Finding]:
    for op, scope in _placed(context.function.body, None):
        record = TABLE.get(op.name)
        if scope is not None and record is not None and record.where == "outside":
            what = "a vecscope" if isinstance(op, Scope) else op.name
            yield Finding(
                op.span,
                f"{what} stands inside a vecscope",
                found=f"inside the vecscope of line {scope.span.line}",
                expected=f"{op.name} before or after it",
                hint="a vecscope holds vector and scalar instructions only, and no other scope",
            )


def _inside(block: Block, loops: tuple[Op, ...]) -> Iterator[tuple[Op, tuple[Op, ...]]]:
    """Every operation with the loops around it in its vecscope, the innermost first."""
    for op in block.ops:
        yield op, loops
        around = () if isinstance(op, Scope) else (op, *loops) if isinstance(op, Loop) else loops
        for inner in op.blocks:
            yield from _inside(inner, around)


def _needs_loops(context: Context) -> Iterator[Finding]:
    types = context.function.types
    for op, loops in _inside(context.function.body, ()):
        record = TABLE.get(op.name)
        if record is None or not record.loops:
            continue
        counted = takewhile(lambda o: isinstance(o, For) and types[o.index] == Scalar(I16), loops)
        found, wanted = len(list(counted)), len(op.operands)
        if found < wanted:
            yield Finding(
                op.span,
                f"{op.name} stands in {found} loops of i16, and has {wanted} strides",
                found=f"{found} of {wanted}",
                expected="for each stride an scf.for of i16 around it, inside the vecscope",
                hint="a loop of i16 has bounds and a step of that type, and says so: "
                "scf.for %i = %low to %high step %by : i16 { ... }",
            )


def _parameters(context: Context) -> Iterator[Finding]:
    function = context.function
    if not function.is_kernel and len(context.program.functions) > 1:
        # Others may call it, in another file.
        return
    for slot in function.params:
        kind = function.types[slot]
        if can_be_passed(kind):
            continue
        yield Finding(
            function.span,
            f"parameter %{function.names[slot]} cannot be passed to a kernel",
            found=str(kind),
            expected="a scalar or a pointer to gm",
            hint=f"make UB pointers in the kernel with {castptr.name}",
        )


def _results(context: Context) -> Iterator[Finding]:
    function = context.function
    alone = len(context.program.functions) == 1
    launched = alone and all(can_be_passed(kind) for kind in context.types(function.params))
    if not function.body.yields or not (function.is_kernel or launched):
        return
    yield Finding(
        function.span,
        f"kernel @{function.name} returns {len(function.body.yields)} "
        f"value{'s' if len(function.body.yields) > 1 else ''}",
        found=", ".join(str(t) for t in context.types(function.body.yields)),
        expected="no results",
        hint="a launch takes nothing back: store results to memory of the caller",
    )


RULES = (
    Rule("PTO0301", "vector instructions stand inside a vecscope", _needs_scope),
    Rule("PTO0302", "DMA, synchronisation and scopes stand outside a vecscope", _needs_outside),
    Rule("PTO0303", "kernel parameters are scalars and GM pointers", _parameters, "warning"),
    Rule("PTO0307", "a vector address has a loop of i16 for each stride", _needs_loops),
    Rule("PTO0308", "a kernel returns nothing", _results),
)
