"""Conversions: which element types an instruction converts between, and in which direction."""

from __future__ import annotations

from collections.abc import Iterator

from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.check.text import Fix
from ptoscope.check.types import bindings, described, operands_of
from ptoscope.isa.dtypes import DType
from ptoscope.isa.record import Form, Record
from ptoscope.isa.types import Scalar
from ptoscope.program import Op

_PARTS = {"P0": "EVEN", "P1": "ODD", "EVEN": "P0", "ODD": "P1"}
"""The same part where two and where four lanes of the narrow type make one of the wide."""


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
            value = op.attrs.get(attr.name, attr.default)
            legal = taken.get(attr.name, (str(attr.default),))
            if value is None or not attr.allows(value) or value in legal:
                continue
            listed = attr.name in taken
            right = _PARTS.get(str(value), "") if listed else ""
            yield Finding(
                op.span,
                f"{record.name} from {pair[0]} to {pair[1]}: '{attr.name}' "
                + ("has no such value" if listed else "means nothing"),
                found=str(value),
                expected=", ".join(legal) if listed else f"no '{attr.name}'",
                fix=context.text.replace(op, f'"{value}"', f'"{right}"')
                if right in legal
                else context.text.drop_entry(op, attr.name),
            )


_WIDER = ("arith.extsi", "arith.extui", "arith.extf")
_NARROWER = ("arith.trunci", "arith.truncf")
_OPPOSITE = {
    "arith.extsi": "arith.trunci",
    "arith.extui": "arith.trunci",
    "arith.extf": "arith.truncf",
    "arith.trunci": "arith.extsi",
    "arith.truncf": "arith.extf",
}


def _width_error(name: str, source: int, result: int) -> str:
    if name in _WIDER and not source < result:
        return "the result has to be wider than the operand"
    if name in _NARROWER and not source > result:
        return "the result has to be narrower than the operand"
    if name == "arith.bitcast" and source != result:
        return "operand and result have to be equally wide"
    return ""


def _other_way(context: Context, op: Op) -> Fix:
    """The instruction for the other direction; there is none between equal widths."""
    source, result = context.types(op.operands + op.results)
    assert isinstance(source, Scalar)
    assert isinstance(result, Scalar)
    if source.dtype.bits == result.dtype.bits or op.name not in _OPPOSITE:
        return ()
    return context.text.rename(op, _OPPOSITE[op.name])


def _between_integers(context: Context, op: Op, source: int, result: int) -> Fix:
    if source == result:
        return ()
    wider = "arith.extui" if op.name == "arith.index_castui" else "arith.extsi"
    return context.text.rename(op, wider if source < result else "arith.trunci")


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
            yield Finding(
                op.span,
                f"{op.name}: {wrong}",
                found=f"{source} to {result}",
                fix=_other_way(context, op),
            )
        index = [t.dtype.name == "index" for t in (source, result)]
        if op.name.startswith("arith.index_cast") and sum(index) != 1:
            yield Finding(
                op.span,
                f"{op.name} converts between index and an integer",
                found=f"{source} to {result}",
                hint="use arith.extsi, arith.extui or arith.trunci between integers",
                fix=_between_integers(context, op, source.dtype.bits, result.dtype.bits),
            )


RULES = (
    Rule("PTO0105", "conversions go in the direction they say", _conversion_widths),
    Rule("PTO0106", "the instruction converts between these element types", _absent_pairs),
    Rule("PTO0107", "attributes suit the types converted", _absent_pair_attributes),
)
