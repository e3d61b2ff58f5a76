"""Types: operands, results and attributes fit the record of their instruction."""

from __future__ import annotations

from collections.abc import Iterator

from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.diagnostics import nearest
from ptoscope.isa import TABLE
from ptoscope.isa.distributions import suffix_bits
from ptoscope.isa.dtypes import DType
from ptoscope.isa.patterns import Bindings, Pattern, PtrTo
from ptoscope.isa.record import Form, Operand, Record
from ptoscope.isa.types import Mask, Ptr, Scalar, Type, VReg
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


def _described(context: Context) -> Iterator[tuple[Op, Record, Form]]:
    for op in context.function.ops():
        record = TABLE.get(op.name)
        if record is not None and not op.blocks:
            yield op, record, record.forms[op.form]


def _misfits(context: Context) -> Iterator[Finding]:
    for op, record, form in _described(context):
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
        return f"{decided.lanes} lanes need a b{decided.bits} mask, such as pset_b{decided.bits}"
    if (
        isinstance(pattern, PtrTo)
        and isinstance(type, Ptr)
        and pattern.space not in ("S", type.space)
    ):
        return "vector code reads and writes UB only; a DMA moves data between GM and UB"
    if isinstance(decided, (VReg, Scalar)) and isinstance(type, (VReg, Scalar)):
        return "there is no implicit conversion: all operands have one element type"
    return ""


def _illegal_elements(context: Context) -> Iterator[Finding]:
    for op, record, form in _described(context):
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
        return "legal in the micro specification: --revision micro"
    return ""


def _pair(context: Context, op: Op, record: Record, form: Form) -> tuple[DType, DType] | None:
    """The types that a use converts between, where the instruction has both."""
    known = bindings(
        (*operands_of(form, op), *form.results),
        (*context.types(op.operands), *context.types(op.results)),
    )
    found = known.get("T"), known.get("U")
    for variable, dtype in zip("TU", found, strict=True):
        legal = record.types[variable].legal(context.target, context.revision)
        if not isinstance(dtype, DType) or dtype not in legal:
            return None
    source, result = found
    assert isinstance(source, DType)
    assert isinstance(result, DType)
    return source, result


def _absent_pairs(context: Context) -> Iterator[Finding]:
    for op, record, form in _described(context):
        pair = _pair(context, op, record, form) if record.pairs else None
        if pair is None or pair in record.pairs:
            continue
        source, result = pair
        reachable = [u for t, u in record.pairs if t is source and context.target.has(u)]
        between = [d for d in reachable if (d, result) in record.pairs]
        yield Finding(
            op.span,
            f"{record.name} has no form from {source} to {result}",
            found=f"{source} to {result}",
            expected=f"{source} to {', '.join(str(d) for d in reachable)}",
            hint=f"two conversions do it, through {between[0]}" if between else "",
        )


def _absent_pair_attributes(context: Context) -> Iterator[Finding]:
    for op, record, form in _described(context):
        pair = _pair(context, op, record, form) if record.pairs else None
        if pair is None or pair not in record.pairs:
            continue
        taken = record.pairs[pair]
        for attr in form.attrs:
            value = op.attrs.get(attr.name, attr.default)
            legal = taken.get(attr.name, (str(attr.default),))
            if value is None or not attr.allows(value) or value in legal:
                continue
            listed = attr.name in taken
            yield Finding(
                op.span,
                f"{record.name} from {pair[0]} to {pair[1]}: '{attr.name}' "
                + ("has no such value" if listed else "means nothing"),
                found=str(value),
                expected=", ".join(legal) if listed else f"no '{attr.name}'",
            )


def _bad_attributes(context: Context) -> Iterator[Finding]:
    for op, record, form in _described(context):
        for attr in form.attrs:
            value = op.attrs.get(attr.name, attr.default)
            if value is None or attr.allows(value):
                continue
            legal = attr.values or (f"{attr.low} to {attr.high}",)
            yield Finding(
                op.span,
                f"{record.name}: '{attr.name}' has no such value",
                found=str(value),
                expected=", ".join(legal),
                hint=nearest(str(value), attr.values),
            )


def _width_suffixes(context: Context) -> Iterator[Finding]:
    if context.revision == "micro":
        return
    for op, record, _ in _described(context):
        mode = op.attrs.get("dist") or op.attrs.get("stride")
        bits = suffix_bits(str(mode)) if mode else 0
        vectors = [t for t in context.types(op.operands + op.results) if isinstance(t, VReg)]
        # A 4-bit register is seen as its bytes.
        width = 8 * vectors[0].dtype.bytes if vectors else 0
        if bits and vectors and width != bits:
            yield Finding(
                op.span,
                f"{record.name}: mode {mode} is for {bits}-bit elements",
                found=f"{width}-bit elements ({vectors[0].dtype})",
                expected=f"a mode ending in _B{width}",
                hint="legal in the micro specification: --revision micro",
            )


_WIDER = ("arith.extsi", "arith.extui", "arith.extf")
_NARROWER = ("arith.trunci", "arith.truncf")


def _width_error(name: str, source: int, result: int) -> str:
    if name in _WIDER and not source < result:
        return "the result has to be wider than the operand"
    if name in _NARROWER and not source > result:
        return "the result has to be narrower than the operand"
    if name == "arith.bitcast" and source != result:
        return "operand and result have to be equally wide"
    return ""


def _conversion_widths(context: Context) -> Iterator[Finding]:
    for op in context.function.ops():
        types = context.types(op.operands + op.results)
        if len(types) != 2 or not all(isinstance(t, Scalar) for t in types):
            continue
        source, result = types
        assert isinstance(source, Scalar)
        assert isinstance(result, Scalar)
        wrong = _width_error(op.name, source.dtype.bits, result.dtype.bits)
        if wrong:
            yield Finding(op.span, f"{op.name}: {wrong}", found=f"{source} to {result}")
        index = [t.dtype.name == "index" for t in (source, result)]
        if op.name.startswith("arith.index_cast") and sum(index) != 1:
            yield Finding(
                op.span,
                f"{op.name} converts between index and an integer",
                found=f"{source} to {result}",
                hint="use arith.extsi, arith.extui or arith.trunci between integers",
            )


RULES = (
    Rule("PTO0101", "operand and result types fit the instruction", _misfits),
    Rule("PTO0102", "the instruction has a form for the element type", _illegal_elements),
    Rule("PTO0103", "attribute values come from their lists", _bad_attributes),
    Rule("PTO0104", "the width a mode names is the element's", _width_suffixes),
    Rule("PTO0105", "conversions go in the direction they say", _conversion_widths),
    Rule("PTO0106", "the instruction converts between these element types", _absent_pairs),
    Rule("PTO0107", "attributes suit the types converted", _absent_pair_attributes),
)
