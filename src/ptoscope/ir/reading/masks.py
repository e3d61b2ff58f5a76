"""Masks that a line leaves out: all lanes take part, by a `pset` before it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ptoscope.ir import types
from ptoscope.ir.forms.follow import bind
from ptoscope.ir.module import Note
from ptoscope.ir.reading.attributes import all_attributes
from ptoscope.ir.reading.findings import WRONG_OPERANDS
from ptoscope.ir.reading.names import LOST
from ptoscope.ir.reading.operand_tokens import OperandTokens
from ptoscope.ir.types import TextType
from ptoscope.isa.patterns import Bindings, MaskFor
from ptoscope.isa.predicates import pattern_maker
from ptoscope.isa.record import Form
from ptoscope.isa.types import Mask, Type, VReg


def all_lanes(
    tokens: OperandTokens,
    form: Form,
    known: Bindings,
    values: Sequence[int | None],
    results: Sequence[TextType],
) -> int:
    """Gives the mask that a line without one stands for; `values` has None in its place."""
    reader = tokens.reader
    if any(r is types.UNKNOWN for r in results):
        return LOST
    given = [reader.type_of(v) for v in values if v is not None]
    decided = _mask_type(form, known, (*given, *results))
    maker = None
    if isinstance(decided, Mask):
        if decided.bits in reader.masks:
            return reader.masks[decided.bits]
        maker = pattern_maker(decided.bits, reader.language.table)
    if not isinstance(decided, Mask) or maker is None:
        raise reader.findings.stop(
            WRONG_OPERANDS,
            tokens.name,
            f"the mask of {tokens.matcher.record.short} does not follow; write it",
            found="no mask",
            expected=str(form.operands[-1].type),
        )
    (made,) = maker.forms
    at = tokens.name
    note = Note(at, at, at, at, given=(made.attrs[0].name,), implied=True)
    attrs = all_attributes(made, {made.attrs[0].name: "PAT_ALL"})
    op = reader.make(at, maker.name, (), [types.the_one(decided)], note, attrs)
    (found,) = op.results
    reader.masks[decided.bits] = found
    reader.slots.names[found] = reader.new_name(f"all_b{decided.bits}")
    reader.before.append(op)
    return found


def _mask_type(form: Form, known: Bindings, given: Iterable[TextType]) -> Type | None:
    """Finds the mask that is left out: the one that follows, else that of the first vector."""
    mask = form.operands[-1].type
    decided = mask.resolve(known)
    if decided is not None:
        return decided
    for vector in given:
        if isinstance(vector, VReg):
            type = MaskFor("T").resolve({"T": vector.dtype})
            return type if bind(mask, type, known) else None
    return None
