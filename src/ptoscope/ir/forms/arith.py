"""How the scalar `arith` operations are written: what their records say of it."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from ptoscope.isa.dtypes import I1, INDEX
from ptoscope.isa.record import Record
from ptoscope.isa.types import AttrValue, Scalar

PROMISES = {"nneg": "", "exact": "", "overflow": "overflowFlags", "fastmath": "fastmath"}
"""What an operation may promise, and the property that holds it where it has a list of words.
No result that is defined depends on it."""


ROUNDING = "roundingmode"
"""The attribute of a conversion that says how it rounds."""


class Scheme(NamedTuple):
    """The text of one arith operation: `predicate, %a, %b : T`, `%a : T to U` of a cast, or
    `%a, %b : T, U` where both results are listed."""

    operands: int
    results: int
    predicates: tuple[str, ...]
    is_cast: bool
    selects: bool
    lists_results: bool
    roundings: tuple[str, ...]
    """The words for a rounding that may stand behind the operands, the default first."""

    def rounding(self, mode: str) -> dict[str, AttrValue]:
        """The attribute of a rounding; the default has none."""
        return {} if mode == self.roundings[0] else {ROUNDING: mode}


@cache
def scheme(record: Record) -> Scheme:
    """What is written of an operation."""
    form = record.forms[0]
    predicates = next((a.values for a in form.attrs if a.name == "predicate"), ())
    follows = [result.type.resolve({"T": INDEX}) for result in form.results]
    # The type of a cast's result does not follow from its operand's.
    is_cast = len(form.operands) == 1 and follows == [None]
    truth = Scalar(I1)
    selects = len(form.operands) == 3 and form.operands[0].type.resolve({}) == truth
    carry = len(follows) == 2 and follows[1] == truth
    roundings = next((a.values for a in form.attrs if a.name == ROUNDING), ())
    counts = len(form.operands), len(form.results)
    return Scheme(*counts, predicates, is_cast, selects, carry, roundings)
