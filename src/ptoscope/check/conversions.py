"""Conversions: which element types an instruction converts between, and in which direction."""

from __future__ import annotations

from collections.abc import Iterator

from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.check.text import Fix
from ptoscope.check.types import bindings, described, operands_of
from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import INDEX, DType
from ptoscope.isa.record import Form, Record
from ptoscope.isa.roles import Resize
from ptoscope.isa.table import names
from ptoscope.isa.types import Scalar
from ptoscope.program import Op


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
    for op, record, form in described(context):
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
    for op, record, form in described(context):
        pair = _pair(context, op, record, form) if record.pairs else None
        if pair is None or pair not in record.pairs:
            continue
        taken = record.pairs[pair]
        for attr in form.attrs:
            if not attr.values:
                continue
            value = op.attrs.get(attr.name, attr.default)
            legal = taken.get(attr.name, (str(attr.default),))
            listed = attr.name in taken
            needed = listed and attr.needed == context.revision
            if needed:
                legal = tuple(v for v in legal if v != attr.default)
            if needed and value == attr.default:
                yield Finding(
                    op.span,
                    f"{record.name} from {pair[0]} to {pair[1]} needs '{attr.name}'",
                    found=f"no '{attr.name}'",
                    expected=", ".join(legal),
                    hint=f"it says {attr.doc}",
                )
                continue
            drop = () if listed else context.text.drop_entry(op, attr.name)
            if value is None or not attr.allows(value) or (value in legal and not drop):
                continue
            yield Finding(
                op.span,
                f"{record.name} from {pair[0]} to {pair[1]}: '{attr.name}' "
                + ("has no such value" if listed else "means nothing"),
                found=str(value),
                expected=", ".join(legal) if listed else f"no '{attr.name}'",
                hint=f"'{attr.name}' decides what the result holds and where: choose it by how the "
                "result is used"
                if listed
                else "",
                fix=drop,
            )


def _width_error(resize: Resize, source: int, result: int) -> str:
    match resize.result:
        case "wider" if not source < result:
            return "the result has to be wider than the operand"
        case "narrower" if not source > result:
            return "the result has to be narrower than the operand"
        case "as wide" if source != result:
            return "operand and result have to be equally wide"
        case _:
            return ""


def _converter(context: Context, op: Op, resize: Resize) -> Fix:
    """The instruction that does convert between these types; there is none between equal
    widths. Bits that it adds are filled in the same way, where that was said."""
    source, result = context.types(op.operands + op.results)
    assert isinstance(source, Scalar)
    assert isinstance(result, Scalar)
    if source.dtype.bits == result.dtype.bits:
        return ()
    wanted = "wider" if source.dtype.bits < result.dtype.bits else "narrower"
    for record in TABLE.values():
        other = record.resize
        if other is None or other.result != wanted:
            continue
        if other.fill and resize.fill and other.fill != resize.fill:
            continue
        (form,) = record.forms
        if form.operands[0].type.match(source, {}) and form.results[0].type.match(result, {}):
            return context.text.rename(op, record.name)
    return ()


def _conversion_widths(context: Context) -> Iterator[Finding]:
    for op in context.function.ops():
        record = TABLE.get(op.name)
        resize = None if record is None else record.resize
        types = context.types(op.operands + op.results)
        if resize is None or len(types) != 2:
            continue
        source, result = types
        if not isinstance(source, Scalar) or not isinstance(result, Scalar):
            continue
        wrong = _width_error(resize, source.dtype.bits, result.dtype.bits)
        if wrong:
            yield Finding(
                op.span,
                f"{op.name}: {wrong}",
                found=f"{source} to {result}",
                fix=() if resize.result == "as wide" else _converter(context, op, resize),
            )
        if resize.result == "index" and (source.dtype is INDEX) == (result.dtype is INDEX):
            yield Finding(
                op.span,
                f"{op.name} converts between index and an integer",
                found=f"{source} to {result}",
                hint=f"use {names(_between_integers)} between integers",
                fix=_converter(context, op, resize),
            )


def _between_integers(record: Record) -> bool:
    widths = record.resize is not None and record.resize.result in ("wider", "narrower")
    return widths and record.gives == "number"


RULES = (
    Rule("PTO0105", "conversions go in the direction they say", _conversion_widths),
    Rule("PTO0106", "the instruction converts between these element types", _absent_pairs),
    Rule("PTO0107", "attributes suit the types converted", _absent_pair_attributes),
)
