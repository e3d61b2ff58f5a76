"""Reads instructions: one grammar of items for all of them, then the record's forms decide.

A line with `ins( )` or `outs( )` is in destination form. A name without `pto.` stands before
assembly form. Any other line is SSA form where it fits, and else assembly form.
"""

from __future__ import annotations

from xdsl.ir import Attribute, SSAValue

from ptoscope.ir import assembly
from ptoscope.ir.dialect import PREFIX, Instruction
from ptoscope.ir.errors import STRUCTURE, SYNTAX, WRONG_OPERANDS, Stop
from ptoscope.ir.literals import implied_results, keep_clauses, python_literal, types_fit
from ptoscope.ir.misfit import plural
from ptoscope.ir.module import Note
from ptoscope.ir.properties import properties
from ptoscope.ir.reader import Reader
from ptoscope.ir.shape import NO_ARROW, Mismatch, Plan, Shape
from ptoscope.ir.written import Written
from ptoscope.isa.record import Form


def instruction(reader: Reader, name: int) -> Instruction:
    """Reads an instruction of the table that is written with its full name."""
    text = reader.text
    written = Written(reader, name, reader.language.matchers[text[name]])
    if text[reader.i] in DESTINATIONS and text[reader.i + 1] == "(":
        return _destinations(written)
    shape = written.scan()
    plans = written.matcher.plans(shape)
    if plans and (written.named or all([text[p] in reader.values for p in written.values])):
        return _build(written, shape, plans)
    if written.named:
        return _ssa(written, shape, plans)
    found = assembly.read(written, shape, prefixed=True)
    return found or _ssa(written, shape, plans)


def mnemonic(reader: Reader, name: int) -> Instruction:
    """Reads an instruction that is written without `pto.`."""
    text = reader.text
    if text[name - 1] == "=":
        word = text[name]
        hint = f"write {PREFIX}{word}, or name the results behind {word} and leave out the '='"
        raise reader.unknown(name, word, hint)
    written = Written(reader, name, reader.language.matchers[PREFIX + text[name]])
    if text[reader.i] in DESTINATIONS and text[reader.i + 1] == "(":
        return _destinations(written)
    shape = written.scan()
    found = assembly.read(written, shape)
    if found is None:
        raise misfit(written, assembly.mismatch(written.matcher, shape))
    return found


DESTINATIONS = ("ins", "outs")


def misfit(written: Written, wrong: Mismatch) -> Stop:
    """Collects why no form fits; the caller raises what this returns."""
    items = written.items
    place = items[wrong.item] if 0 <= wrong.item < len(items) else written.name
    return written.reader.findings.stop(
        WRONG_OPERANDS,
        place,
        wrong.message,
        found=wrong.found,
        expected=wrong.expected,
        hint=wrong.hint,
    )


def _ssa(written: Written, shape: Shape, plans: tuple[Plan, ...]) -> Instruction:
    if plans:
        return _build(written, shape, plans)
    # What the operands are called is still worth checking.
    for place in written.values:
        written.reader.use(place)
    raise misfit(written, written.matcher.mismatch(shape))


def _destinations(written: Written) -> Instruction:
    reader = written.reader
    if written.named:
        message = "the results of this form are named in outs( ), not before '='"
        raise reader.findings.stop(SYNTAX, reader.i, message, found=reader.text[reader.i])
    shape = written.scan_destinations()
    plans = written.matcher.plans(shape)
    if not plans:
        for place in written.values:
            reader.use(place)
        raise _wrong_destinations(written, shape) or misfit(
            written, written.matcher.mismatch(shape)
        )
    op = _build(written, shape, plans)
    if written.outs is None:
        if op.results:
            raise _missing(written, written.matcher.record.forms[reader.notes[op].form])
        return op
    packs, places = written.outs
    reader.notes[op] = reader.notes[op]._replace(packs=packs)
    reader.bind(op, packs, places, written.name)
    return op


def _wrong_destinations(written: Written, shape: Shape) -> Stop | None:
    """The finding that all fits but the number of results, if that is so."""
    for form in written.matcher.record.forms:
        count = len(form.results)
        right = shape._replace(results=count or NO_ARROW)
        if not written.matcher.plans(right):
            continue
        if written.outs is None:
            return _missing(written, form)
        places = written.outs[1]
        named = "1 is named" if shape.results == 1 else f"{shape.results} are named"
        name = written.matcher.record.name
        return written.reader.findings.stop(
            STRUCTURE,
            places[0],
            f"{name} has {plural(count, 'result') if count else 'no results'}, but {named}",
            found=str(shape.results),
            expected=str(count),
            hint="" if count else "an operation without results has no outs",
        )
    return None


def _missing(written: Written, form: Form) -> Stop:
    names = ", ".join(f"%{r.name}" for r in form.results)
    kinds = ", ".join(str(r.type) for r in form.results)
    many = plural(len(form.results), "result")
    return written.reader.findings.stop(
        WRONG_OPERANDS,
        written.name,
        f"{written.matcher.record.short} needs outs( ) for its {many}",
        found="no outs",
        expected=f"outs({names} : {kinds})",
    )


def _build(written: Written, shape: Shape, plans: tuple[Plan, ...]) -> Instruction:
    reader = written.reader
    use = reader.use
    values = [use(place) for place in written.values]
    plan = plans[0] if len(plans) == 1 else _choose(written, plans, values)
    if plan.results != "listed":
        for at, listed in enumerate(written.listed):
            value = values[plan.typed[at]]
            if value.type is not listed:
                reader.agree(value, listed, written.listed_at[at])
    record = written.matcher.record
    form = record.forms[plan.form]
    found: dict[str, Attribute] = {}
    if plan.attrs or written.entries:
        found = properties(reader, form, plan.attrs, written.literals, written.entries)
    if plan.results == "arrow":
        results = written.results
    elif plan.results == "listed":
        results = written.listed
    else:
        results = implied_results(form)
    if shape.clauses:
        keep_clauses(found, len(form.operands), shape.clauses)
    op = reader.language.classes[record.name].create(
        operands=[values[p] for p in plan.operands], result_types=results, properties=found
    )
    assert isinstance(op, Instruction)
    last = reader.i - 1
    places = tuple([written.values[p] for p in plan.operands])
    reader.notes[op] = Note(0, 0, last, last, places, (), plan.form, shape.clauses)
    return op


def _choose(written: Written, plans: tuple[Plan, ...], values: list[SSAValue]) -> Plan:
    """The plan that the types fit best; the first of several equals."""

    def fit(plan: Plan) -> tuple[int, int, int]:
        form = written.matcher.record.forms[plan.form]
        listed = 0
        if plan.results == "arrow":
            pairs = zip(plan.typed, written.listed, strict=True)
            listed = sum(values[at].type is type for at, type in pairs)
        operands = [values[p].type for p in plan.operands]
        literals = sum(
            form.attr(name).allows(python_literal(written.reader.text[written.literals[at]]))
            for name, at in plan.attrs
        )
        return types_fit(form, operands, written.results or written.listed), listed, literals

    return max(plans, key=fit)
