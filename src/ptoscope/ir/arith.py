"""Reads and writes the scalar `arith` operations, whose text has shapes of its own."""

from __future__ import annotations

import struct

from xdsl.dialects.arith import (
    CMPF_COMPARISON_OPERATIONS,
    CMPI_COMPARISON_OPERATIONS,
    FastMathFlagsAttr,
    IntegerOverflowAttr,
    IntegerOverflowFlag,
)
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    Signedness,
    UnitAttr,
    f64,
    i64,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation

from ptoscope.ir import types
from ptoscope.ir.errors import SYNTAX
from ptoscope.ir.module import Note
from ptoscope.ir.reader import Reader

CASTS = frozenset(
    f"arith.{name}"
    for name in (
        *("bitcast", "extf", "extsi", "extui", "fptosi", "fptoui"),
        *("index_cast", "index_castui", "sitofp", "trunci", "truncf", "uitofp"),
    )
)
COMPARISONS = {
    "arith.cmpi": tuple(CMPI_COMPARISON_OPERATIONS),
    "arith.cmpf": tuple(CMPF_COMPARISON_OPERATIONS),
}
WORDS = ("nneg", "exact")
"""Promises that an operation may carry; they change no result that is defined."""

_constants: dict[tuple[str, Attribute], Attribute] = {}


def operation(reader: Reader, name: int) -> Operation:
    """Reads any arith operation but a constant."""
    word = reader.text[name]
    properties: dict[str, Attribute] = {}
    if word in COMPARISONS:
        properties["predicate"] = _predicate(reader, COMPARISONS[word])
        reader.expect(",")
    places: list[int] = []
    while True:
        if reader.text[reader.i][:1] != "%":
            raise reader.findings.expected(reader.i, "a value")
        places.append(reader.i)
        reader.i += 1
        if not reader.accept(","):
            break
    _flags(reader, properties)
    attributes = reader.dictionary() if reader.text[reader.i] == "{" else {}
    reader.expect(":")
    at = reader.i
    listed = reader.type()
    count = operand_count(reader, word)
    if len(places) != count:
        for place in places:
            reader.use(place)
        raise reader.findings.stop(
            "PTO0008",
            name,
            f"{word} takes {count} operand{'' if count == 1 else 's'}, found {len(places)}",
            found=str(len(places)),
            expected=str(count),
        )
    values = [reader.use(place) for place in places]
    results: list[Attribute] = [listed]
    operands = [listed] * count
    if word in CASTS:
        reader.expect("to")
        results = [reader.type()]
    elif word in COMPARISONS:
        results = [types.I1]
    elif word == "arith.select":
        operands[0] = types.I1
    elif word == "arith.addui_extended":
        reader.expect(",")
        results = [listed, reader.type()]
    elif word in ("arith.mulsi_extended", "arith.mului_extended"):
        results = [listed, listed]
    for value, type in zip(values, operands, strict=True):
        if value.type is not type:
            reader.agree(value, type, at)
    return create(reader, word, places, results, properties, attributes)


def create(
    reader: Reader,
    word: str,
    places: list[int],
    results: list[Attribute],
    properties: dict[str, Attribute],
    attributes: dict[str, Attribute],
) -> Operation:
    """Makes the operation and notes where it stands."""
    op = reader.language.classes[word].create(
        operands=[reader.use(place) for place in places],
        result_types=results,
        properties=properties,
        attributes=attributes,
    )
    last = reader.i - 1
    reader.notes[op] = Note(0, 0, last, last, tuple(places))
    return op


def operand_count(reader: Reader, word: str) -> int:
    """How many operands an operation takes, from its record."""
    return len(reader.language.table[word].forms[0].operands)


def _predicate(reader: Reader, names: tuple[str, ...]) -> Attribute:
    # The predicate may be quoted, as older text has it.
    word = reader.text[reader.i].strip('"')
    if word not in names:
        hint = reader.findings.nearest(word, names)
        raise reader.findings.expected(reader.i, f"one of {', '.join(names)}", hint)
    reader.i += 1
    return IntegerAttr(names.index(word), i64)


def _flags(reader: Reader, properties: dict[str, Attribute]) -> None:
    while True:
        word = reader.text[reader.i]
        if word in WORDS:
            properties[word] = UnitAttr()
            reader.i += 1
        elif word in ("overflow", "fastmath") and reader.text[reader.i + 1] == "<":
            reader.i += 2
            flags: list[str] = []
            while not reader.accept(">"):
                flags.append(reader.text[reader.i])
                reader.i += 1
                if reader.text[reader.i] != ">":
                    reader.expect(",")
            properties["overflowFlags" if word == "overflow" else "fastmath"] = _flag_set(
                word, flags
            )
        else:
            return


def _flag_set(word: str, flags: list[str]) -> Attribute:
    try:
        if word == "overflow":
            named = "none" if flags == ["none"] else [IntegerOverflowFlag(f) for f in flags]
            return IntegerOverflowAttr(named)
        if flags in (["none"], ["fast"]):
            return FastMathFlagsAttr("fast" if flags == ["fast"] else "none")
        return FastMathFlagsAttr([FastMathFlag(f) for f in flags])
    except ValueError:
        raise ValueError(f"unknown {word} flag in <{', '.join(flags)}>") from None


def constant(reader: Reader, name: int) -> Operation:
    """Reads `arith.constant 1 : i32`, `arith.constant true`, `arith.constant 0x7FC0 : bf16`."""
    attributes = reader.dictionary() if reader.text[reader.i] == "{" else {}
    place = reader.i
    literal = reader.text[place]
    reader.i += 1
    if literal in ("true", "false"):
        kind = reader.type() if reader.accept(":") else types.I1
    elif literal[:1].isdecimal() or (literal[:1] == "-" and literal[1:2].isdecimal()):
        default = types.intern(f64 if "." in literal else i64)
        kind = reader.type() if reader.accept(":") else default
    else:
        raise reader.findings.expected(place, "a number, true or false")
    if kind is types.POISON:
        return create(reader, "arith.constant", [], [kind], {}, attributes)
    value = _constants.get((literal, kind))
    if value is None:
        value = _constants[literal, kind] = _constant(reader, place, literal, kind)
    return create(reader, "arith.constant", [], [kind], {"value": value}, attributes)


def _constant(reader: Reader, place: int, literal: str, kind: Attribute) -> Attribute:
    spelled = types.spelling(kind)
    if isinstance(kind, AnyFloat):
        if "x" in literal:
            bits = int(literal, 16)
            if bits >= 1 << kind.bitwidth or bits < 0:
                raise reader.findings.stop(
                    SYNTAX, place, f"{literal} does not fit {spelled}", found=literal
                )
            return FloatAttr(kind.unpack(bits.to_bytes(kind.bitwidth // 8, "little"), 1)[0], kind)
        if "." not in literal:
            raise reader.findings.expected(place, f"a float such as {literal}.0 for {spelled}")
        try:
            return FloatAttr(float(literal), kind)
        except (OverflowError, struct.error):
            raise reader.findings.stop(
                SYNTAX, place, f"{literal} does not fit {spelled}", found=literal
            ) from None
    if not isinstance(kind, IntegerType | IndexType):
        raise reader.findings.stop(
            SYNTAX, place, f"a constant is a number, not {spelled}", found=literal
        )
    if "." in literal:
        raise reader.findings.expected(place, f"an integer for {spelled}")
    value = {"true": 1, "false": 0}.get(literal)
    if literal in ("true", "false") and kind is not types.I1:
        raise reader.findings.expected(place, f"an integer for {spelled}")
    if value is None:
        value = int(literal, 16) if "x" in literal else int(literal)
    low, high = _range(kind)
    if not low <= value <= high:
        raise reader.findings.stop(
            SYNTAX,
            place,
            f"{literal if len(literal) < 40 else 'the number'} does not fit {spelled}",
            found=literal[:40],
            expected=f"{low} to {high}",
        )
    return IntegerAttr(normalized(value, kind), kind)


def normalized(value: int, kind: IntegerType | IndexType) -> int:
    """A signless number as the signed one with its bits, a truth value as 0 or 1."""
    if isinstance(kind, IndexType):
        bits = 64
    elif kind.signedness.data is Signedness.SIGNLESS:
        bits = kind.bitwidth
    else:
        return value
    if bits == 1:
        return value & 1
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _range(kind: IntegerType | IndexType) -> tuple[int, int]:
    if isinstance(kind, IndexType):
        return -(1 << 63), (1 << 64) - 1
    bits = kind.bitwidth
    match kind.signedness.data:
        case Signedness.SIGNED:
            return -(1 << (bits - 1)), (1 << (bits - 1)) - 1
        case Signedness.UNSIGNED:
            return 0, (1 << bits) - 1
        case _:
            return -(1 << (bits - 1)), (1 << bits) - 1


def literal(attr: Attribute) -> str:
    """How a constant's value is written, with its type."""
    if isinstance(attr, FloatAttr):
        return f"{_float_text(attr)} : {types.spelling(attr.type)}"
    assert isinstance(attr, IntegerAttr)
    number = python_value(attr)
    if isinstance(number, bool):
        return "true" if number else "false"
    return f"{number} : {types.spelling(attr.type)}"


def python_value(attr: Attribute) -> int | float | bool:
    """The value of a constant as Python has it."""
    if isinstance(attr, FloatAttr):
        return attr.value.data
    assert isinstance(attr, IntegerAttr)
    number = normalized(attr.value.data, attr.type)
    return bool(number) if attr.type == types.I1 else number


def _float_text(attr: FloatAttr) -> str:
    """The shortest decimal that reads back as the same bits; bits where there is none."""
    kind, value = attr.type, attr.value.data
    packed = kind.pack((value,))

    def same(text: str) -> bool:
        try:
            return kind.pack((float(text),)) == packed
        except OverflowError:
            return False

    for digits in range(1, 18):
        text = f"{value:.{digits}e}"
        if not text[-1].isdigit():
            break
        if same(text):
            mantissa, _, exponent = text.partition("e")
            plain = f"{value:.{max(1, digits - int(exponent))}f}"
            if -4 <= int(exponent) <= 8 and same(plain):
                whole, _, part = plain.partition(".")
                return f"{whole}.{part.rstrip('0') or '0'}"
            whole, _, part = mantissa.partition(".")
            return f"{whole}.{part.rstrip('0') or '0'}e{int(exponent):+03d}"
    return f"0x{int.from_bytes(packed, 'little'):0{kind.bitwidth // 4}X}"


def written(op: Operation, names: list[str]) -> str:
    """The text of an arith operation after its name. `names` are its operands."""
    word = op.name
    if word == "arith.constant":
        return literal(op.properties["value"])
    parts = ", ".join(names)
    if word in COMPARISONS:
        parts = f"{predicate(op)}, {parts}"
    parts += flags_text(op)
    last = op.operands[-1].type if op.operands else op.results[0].type
    if word in CASTS:
        return f"{parts} : {types.spelling(last)} to {types.spelling(op.results[0].type)}"
    if word == "arith.addui_extended":
        return f"{parts} : {', '.join(types.spelling(r.type) for r in op.results)}"
    return f"{parts} : {types.spelling(last)}"


def predicate(op: Operation) -> str:
    """The name of a comparison's predicate."""
    attr = op.properties["predicate"]
    assert isinstance(attr, IntegerAttr)
    return COMPARISONS[op.name][attr.value.data]


def flags_text(op: Operation) -> str:
    """The flags of an operation as they are written; nothing for those that say nothing."""
    text = "".join(f" {word}" for word in WORDS if word in op.properties)
    for name, word in (("overflowFlags", "overflow"), ("fastmath", "fastmath")):
        attr = op.properties.get(name)
        if isinstance(attr, IntegerOverflowAttr | FastMathFlagsAttr) and attr.data:
            every = isinstance(attr, FastMathFlagsAttr) and len(attr.data) == len(attr.enum_type)
            flags = ["fast"] if every else [str(f.value) for f in attr.enum_type if f in attr.data]
            text += f" {word}<{', '.join(flags)}>"
    return text
