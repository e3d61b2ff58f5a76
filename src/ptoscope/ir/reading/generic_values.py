"""Reads scalar operations of the pto dialect in generic form: `"pto.divi"(%a, %b) <{...}>`.

Their attributes decide, as the words of the custom form do, which operation of arith each is.
"""

from __future__ import annotations

from ptoscope.ir.attributes import Attribute
from ptoscope.ir.forms.arith import PROMISES, ROUNDING, Scheme, scheme
from ptoscope.ir.reading import arith, common_values
from ptoscope.ir.reading.attributes import flag_set, token_of
from ptoscope.ir.reading.findings import WRONG_OPERANDS
from ptoscope.ir.reading.generic_parts import GenericParts
from ptoscope.ir.reading.immediates import zero
from ptoscope.ir.types import UNKNOWN
from ptoscope.isa.arith import NEGATION

_SIGN = "signedness"
_PREDICATE = "scalar_cmp_predicate"
_SATURATION = "saturation"


def as_arith(parts: GenericParts) -> None:
    """Makes the parts those of the operation of arith that an alias stands for."""
    reader, alias = parts.reader, parts.word
    named = reader.language.aliases[alias]
    given = {**parts.attributes, **parts.properties}
    sign = _word(given.pop(_SIGN, None), _SIGN)
    common_values.check_sign(reader, named, sign, parts.name)
    kinds = reader.types_of(parts.values)
    record = common_values.chosen(
        named[sign],
        kinds[0] if kinds else UNKNOWN,
        parts.results[0] if parts.results else None,
    )
    parts.word, parts.attributes, parts.properties = record.name, {}, given
    how = scheme(record)
    if alias == NEGATION:
        places = list(parts.places)
        arith.check_count(reader, parts.name, alias, places, how._replace(operands=1))
        parts.values.insert(0, zero(reader, parts.name, kinds[0]))
        parts.places = (parts.name, *parts.places)
    if how.predicates and "predicate" in given:
        word = _word(given["predicate"], _PREDICATE)
        meant = common_values.relation(reader, parts.name, word, sign, how.predicates)
        given["predicate"] = Attribute(word, how.predicates.index(meant))
    _check_rounding(parts, how, given)
    for word, name in PROMISES.items():
        if name in given and name:
            listed = _word(given[name], word).replace(" ", "").split(",")
            given[name] = flag_set(reader, parts.name, f"arith.{word}", listed)


def _check_rounding(parts: GenericParts, how: Scheme, given: dict[str, Attribute]) -> None:
    saturation = given.pop(_SATURATION, None)
    wrong = ""
    if ROUNDING in given and not how.roundings:
        wrong = common_values.NO_ROUNDING
    elif saturation is not None and _word(saturation, _SATURATION) != "nosat":
        wrong = "saturation belongs to conversions in SIMT code"
    if wrong:
        raise parts.reader.findings.stop(WRONG_OPERANDS, parts.name, wrong, found=parts.word)


def _word(attribute: Attribute | None, kind: str) -> str:
    """The word of `#pto<kind word>`, `#pto.kind<word>` or `"word"`; empty without one."""
    if attribute is None:
        return ""
    if isinstance(attribute.value, str):
        return attribute.value
    return token_of(attribute, (kind,))
