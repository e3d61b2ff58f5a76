"""Types: operands, results and attributes fit the record of their instruction."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ptoscope.check.masks import regranulated
from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.check.text import Fix
from ptoscope.diagnostics import nearest
from ptoscope.isa import TABLE
from ptoscope.isa.distributions import suffix_bits
from ptoscope.isa.dtypes import DType
from ptoscope.isa.parts import NO_PIPES
from ptoscope.isa.patterns import Bindings, Pattern, PtrTo
from ptoscope.isa.predicates import pattern_maker
from ptoscope.isa.record import Form, Operand, Record
from ptoscope.isa.types import AttrValue, Mask, Ptr, Scalar, Type, VReg
from ptoscope.program import Op


def operands_of(form: Form, op: Op) -> tuple[Operand, ...]:
    """The operand descriptions of one use, its clauses unrolled as they were written."""
    out = list(form.operands)
    by_keyword = {group.keyword: group for group in form.groups}
    for keyword, count in op.segments:
        out.extend(by_keyword[keyword].operands[:count])
    return tuple(out)


def bindings(operands: tuple[Operand, ...], types: tuple[Type, ...]) -> Bindings:
    """What the operands decide about the instruction's type variables."""
    known: Bindings = {}
    # Scalars last: a signless one serves a signed or unsigned vector, so that decides.
    pairs = sorted(zip(operands, types, strict=False), key=lambda p: isinstance(p[1], Scalar))
    for operand, type in pairs:
        operand.type.match(type, known)
    return known


def fits(context: Context, op: Op, record: Record) -> bool:
    """Whether all operands and results have types that the instruction takes."""
    form = record.forms[op.form]
    described = (*operands_of(form, op), *form.results)
    kinds = (*context.types(op.operands), *context.types(op.results))
    known = bindings(described, kinds)
    return len(described) == len(kinds) and all(
        d.type.match(k, known) for d, k in zip(described, kinds, strict=True)
    )


def sound(context: Context, wanted: Callable[[Record], bool]) -> Iterator[tuple[Op, Record]]:
    """The uses of the instructions that are wanted, where types fit: what others do is not
    known."""
    for op in context.function.ops():
        record = TABLE.get(op.name)
        if record is not None and wanted(record) and fits(context, op, record):
            yield op, record


_IN_MICRO = "legal in the micro specification: --revision micro"


def described(context: Context) -> Iterator[tuple[Op, Record, Form]]:
    """Every instruction without a body, with its record and the form it is written in."""
    for op in context.function.ops():
        record = TABLE.get(op.name)
        if record is not None and not op.blocks:
            yield op, record, record.forms[op.form]


def _misfits(context: Context) -> Iterator[Finding]:
    for op, record, form in described(context):
        operands = operands_of(form, op)
        types, results = context.types(op.operands), context.types(op.results)
        if len(operands) != len(types) or len(form.results) != len(results):
            yield Finding(
                op.span,
                f"{record.name} does not take these operands",
                found=f"{len(types)} operands, {len(results)} results",
                expected=f"{len(operands)} operands, {len(form.results)} results",
                hint=f"see `ptoscope isa {record.short}`",
            )
            continue
        known = bindings((*operands, *form.results), (*types, *results))
        for index, (operand, type) in enumerate(zip(operands, types, strict=True)):
            if not operand.type.match(type, known):
                span = context.operand_span(op, index)
                yield Finding(
                    span,
                    f"{record.name}: operand '{operand.name}' has the wrong type",
                    found=str(type),
                    expected=operand.type.expected(known),
                    hint=_hint(operand.type, type, known),
                    fix=_fix(context, op, index, operand.type.resolve(known)),
                )
        for result, type in zip(form.results, results, strict=True):
            if not result.type.match(type, known):
                yield Finding(
                    op.span,
                    f"{record.name}: result '{result.name}' has the wrong type",
                    found=str(type),
                    expected=result.type.expected(known),
                )


def _hint(pattern: Pattern, type: Type, known: Bindings) -> str:
    decided = pattern.resolve(known)
    if isinstance(decided, Mask) and isinstance(type, Mask):
        maker = pattern_maker(decided.bits, TABLE)
        such = "" if maker is None else f", such as {maker.short}"
        return f"{decided.lanes} lanes need a b{decided.bits} mask{such}"
    if (
        isinstance(pattern, PtrTo)
        and isinstance(type, Ptr)
        and pattern.space not in ("S", type.space)
    ):
        if {pattern.space, type.space} == {"gm", "ub"}:
            return "vector code reads and writes UB only; a DMA moves data between GM and UB"
        return f"copies move data from memory to memory; this operand is in {pattern.space.upper()}"
    if isinstance(decided, (VReg, Scalar)) and isinstance(type, (VReg, Scalar)):
        return "there is no implicit conversion: all operands have one element type"
    return ""


def _fix(context: Context, op: Op, index: int, decided: Type | None) -> Fix:
    kind = context.function.types[op.operands[index]]
    if isinstance(decided, Mask) and isinstance(kind, Mask):
        return regranulated(context, op, index, decided.bits)
    return ()


def _illegal_elements(context: Context) -> Iterator[Finding]:
    for op, record, form in described(context):
        known = bindings(
            (*operands_of(form, op), *form.results),
            (*context.types(op.operands), *context.types(op.results)),
        )
        for variable, types in record.types.items():
            dtype = known.get(variable)
            anywhere = types.manual if types.micro is None else types.manual + types.micro
            if not isinstance(dtype, DType) or dtype in types.legal(
                context.target, context.revision
            ):
                continue
            if dtype in anywhere and _elsewhere(context, record, variable, dtype):
                # The profile rules say on which target it would be legal.
                continue
            legal = types.legal(context.target, context.revision)
            yield Finding(
                op.span,
                f"{record.name} has no form for {dtype} elements",
                found=str(dtype),
                expected=", ".join(str(d) for d in legal),
                hint=_revision_hint(context, record, variable, dtype),
            )


def _elsewhere(context: Context, record: Record, variable: str, dtype: DType) -> bool:
    """Whether the type is legal in this revision but for the target."""
    types = record.types[variable]
    listed = types.micro if context.revision == "micro" and types.micro else types.manual
    return dtype in listed


def _revision_hint(context: Context, record: Record, variable: str, dtype: DType) -> str:
    types = record.types[variable]
    if context.revision == "manual" and dtype in (types.micro or ()):
        return _IN_MICRO
    return ""


def _bad_attributes(context: Context) -> Iterator[Finding]:
    for op, record, form in described(context):
        for attr in form.attrs:
            value = op.attrs.get(attr.name, attr.default)
            if value is None or attr.allows(value):
                continue
            known = (
                NO_PIPES.get(str(value), "") if attr.kind == "pipe" else _in_pairs(record, value)
            )
            near = "" if known else nearest(str(value), _of_width(context, op, attr.values))
            likely = near.split("'")[1] if near else ""
            packed = packs(likely) or packs(str(value))
            yield Finding(
                op.span,
                f"{record.name}: '{attr.name}' has no such value",
                found=str(value),
                expected=", ".join(attr.choices),
                hint="; ".join(filter(None, (known, near, PACKED if packed else ""))),
                fix=context.text.replace(op, f'"{value}"', f'"{likely}"')
                if likely and not packed
                else (),
            )


def _in_pairs(record: Record, value: AttrValue) -> str:
    """That a mode is one for two vectors, if it is."""
    pair = TABLE.get(f"{record.name}x2")
    taken = () if pair is None else (attr for form in pair.forms for attr in form.attrs)
    if pair is None or not any(attr.allows(value) for attr in taken):
        return ""
    return f"the mode is for two vectors: {pair.name} has both"


def _width(context: Context, op: Op) -> int:
    """The bits of an element in memory, or else of the vectors in a use; 0 without either. A
    4-bit element is seen as its byte."""
    kinds = context.types(op.operands + op.results)
    known = [t for t in kinds if isinstance(t, Ptr)] or [t for t in kinds if isinstance(t, VReg)]
    return 8 * known[0].dtype.bytes if known else 0


PACKED = (
    "which part of each lane is stored, or what a lane is made of, depends on mode and mask "
    "together: choose them by what the values are used for"
)
"""What to think about where a mode packs or unpacks."""


def packs(mode: str) -> bool:
    """Whether a mode stores a part of every lane, or makes a lane of less: which one is meant
    depends on the values, so that none is written in the place of another."""
    return "PK" in mode


def _of_width(context: Context, op: Op, modes: tuple[str, ...]) -> list[str]:
    """The modes that are not for elements of another width."""
    width = _width(context, op)
    return [m for m in modes if not width or suffix_bits(m) in (0, width)]


def _width_suffixes(context: Context) -> Iterator[Finding]:
    if context.revision == "micro":
        return
    for op, record, form in described(context):
        attr = "dist" if "dist" in op.attrs else "stride"
        mode = str(op.attrs.get(attr, ""))
        bits, width = suffix_bits(mode), _width(context, op)
        if bits and width and width != bits:
            right = f"{mode.removesuffix(f'_B{bits}')}_B{width}"
            known = right in form.attr(attr).values
            yield Finding(
                op.span,
                f"{record.name}: mode {mode} is for {bits}-bit elements",
                found=f"{width}-bit elements",
                expected=f"mode {right}" if known else f"a mode for {width}-bit elements",
                hint=f"{PACKED}; {_IN_MICRO}" if packs(mode) else _IN_MICRO,
                fix=context.text.replace(op, f'"{mode}"', f'"{right}"')
                if known and not packs(mode)
                else (),
            )


RULES = (
    Rule("PTO0101", "operand and result types fit the instruction", _misfits),
    Rule("PTO0102", "the instruction has a form for the element type", _illegal_elements),
    Rule("PTO0103", "attribute values come from their lists", _bad_attributes),
    Rule("PTO0104", "the width a mode names is the element's", _width_suffixes),
)
