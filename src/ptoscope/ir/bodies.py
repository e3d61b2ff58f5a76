"""Checks on bodies: where terminators stand and what they hand on."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.func import ReturnOp
from xdsl.dialects.scf import ConditionOp, YieldOp
from xdsl.ir import Attribute, Operation, Region, SSAValue

from ptoscope.ir import types
from ptoscope.ir.errors import STRUCTURE, WRONG_OPERANDS, WRONG_TYPE
from ptoscope.ir.module import Note, name_of
from ptoscope.ir.reader import Reader

TERMINATORS = (ReturnOp, YieldOp, ConditionOp)


def terminator(
    reader: Reader, name: int, op_type: type[Operation], first: tuple[int, ...] = ()
) -> Operation:
    """Reads the `%a, ... : T, ...` of a terminator, behind the operands in `first`."""
    if not reader.in_function:
        message = f"{reader.text[name]} stands outside a function"
        raise reader.findings.stop(STRUCTURE, name, message, found=reader.text[name])
    places: list[int] = []
    if reader.text[reader.i][:1] == "%" and reader.text[reader.i + 1] in (",", ":"):
        places.append(reader.i)
        reader.i += 1
        while reader.accept(","):
            if reader.text[reader.i][:1] != "%":
                raise reader.findings.expected(reader.i, "a value")
            places.append(reader.i)
            reader.i += 1
        reader.expect(":")
        at = reader.i
        listed = reader.type_list()
        values = [reader.use(place) for place in places]
        if len(listed) != len(values):
            message = f"{len(values)} values, but {len(listed)} types"
            raise reader.findings.stop(
                WRONG_OPERANDS, at, message, found=str(len(listed)), expected=str(len(values))
            )
        for value, type in zip(values, listed, strict=True):
            reader.agree(value, type, at)
    all_places = (*first, *places)
    op = op_type.create(operands=[reader.use(place) for place in all_places])
    last = reader.i - 1
    reader.notes[op] = Note(0, 0, last, last, all_places)
    return op


def check_block(reader: Reader, region: Region, terminator: type[Operation] | None) -> None:
    """Terminators stand at the end of the right kind of body only; a vecscope has none."""
    for op in region.block.ops:
        if not isinstance(op, TERMINATORS):
            continue
        note = reader.notes[op]
        found = reader.text[note.name]
        if terminator is None or not isinstance(op, terminator):
            message = f"{found} cannot end this body"
            wanted = terminator.name if terminator else "no terminator"
            reader.findings.at(STRUCTURE, note.name, message, found=found, expected=wanted)
        elif op.next_op is not None:
            after = reader.notes[op.next_op].name
            message = f"nothing may follow {found}"
            reader.findings.at(STRUCTURE, after, message, found=reader.text[after])


def check_values(
    reader: Reader,
    op: Operation,
    values: Sequence[SSAValue],
    wanted: Sequence[Attribute],
    whose: str,
    skip: int = 0,
) -> None:
    """The values a terminator hands on have the types of those who receive them."""
    note = reader.notes[op]
    if len(values) != len(wanted):
        message = f"{whose} has {len(wanted)} results, but {len(values)} values are given"
        reader.findings.at(
            STRUCTURE, note.name, message, found=str(len(values)), expected=str(len(wanted))
        )
        return
    for at, (value, type) in enumerate(zip(values, wanted, strict=True)):
        own = value.type
        if types.compatible(own, type):
            continue
        place = note.operands[at + skip]
        reader.findings.at(
            WRONG_TYPE,
            place,
            f"%{name_of(value)} is {types.spelling(own)}, but {whose} takes {types.spelling(type)}",
            found=types.spelling(own),
            expected=types.spelling(type),
        )
