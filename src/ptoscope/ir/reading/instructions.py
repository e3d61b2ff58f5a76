"""Reads instructions: one grammar of items for all of them, then the record's forms decide.

A line with `ins( )` or `outs( )` is in destination form. A name without `pto.` stands before
assembly form. Any other line is SSA form where it fits, and else assembly form.
"""

from __future__ import annotations

from ptoscope.ir import types
from ptoscope.ir.forms.choose import types_fit
from ptoscope.ir.forms.follow import bind, patterns
from ptoscope.ir.forms.mismatch import plural
from ptoscope.ir.forms.outline import LEFT_OUT, NO_ARROW, LineOutline, Mismatch, Plan
from ptoscope.ir.language import PREFIX
from ptoscope.ir.module import Note
from ptoscope.ir.reading import assembly, immediates
from ptoscope.ir.reading.attributes import all_attributes, given_attributes
from ptoscope.ir.reading.findings import STRUCTURE, SYNTAX, WRONG_OPERANDS, Stop
from ptoscope.ir.reading.literals import is_number, literal_value
from ptoscope.ir.reading.masks import all_lanes
from ptoscope.ir.reading.names import LOST
from ptoscope.ir.reading.operand_tokens import OperandTokens
from ptoscope.ir.reading.reader import Reader
from ptoscope.ir.types import TextType
from ptoscope.isa.patterns import Bindings
from ptoscope.isa.record import Form
from ptoscope.program import Op


def instruction(reader: Reader, name: int) -> Op:
    """Reads an instruction of the table that is written with its full name."""
    text = reader.text
    tokens = OperandTokens(reader, name, reader.language.matcher(text[name]))
    if text[reader.i] in DESTINATIONS and text[reader.i + 1] == "(":
        return _destinations(tokens)
    outline = tokens.scan()
    if _outs_follow(reader):
        return _destinations(tokens, outline)
    plans = tokens.matcher.plans(outline)
    if plans and (tokens.named or immediates.are_known(tokens)):
        return _build(tokens, outline, plans)
    if tokens.named:
        return _ssa(tokens, outline, plans)
    found = assembly.read(tokens, outline, prefixed=True)
    return found or _ssa(tokens, outline, plans, assembly_too=True)


def mnemonic(reader: Reader, name: int) -> Op:
    """Reads an instruction that is written without `pto.`."""
    text = reader.text
    if text[name - 1] == "=":
        word = text[name]
        hint = f"write {PREFIX}{word}, or name the results behind {word} and leave out the '='"
        raise reader.unknown(name, word, hint)
    tokens = OperandTokens(reader, name, reader.language.matcher(PREFIX + text[name]))
    if text[reader.i] in DESTINATIONS and text[reader.i + 1] == "(":
        return _destinations(tokens)
    outline = tokens.scan()
    if _outs_follow(reader):
        return _destinations(tokens, outline)
    found = assembly.read(tokens, outline)
    if found is not None:
        return found
    wrong = assembly.mismatch(tokens.matcher, outline)
    other = immediates.as_values(tokens, outline)
    if other is not None:
        found = assembly.read(tokens, other)
        if found is not None:
            return found
        wrong = max(wrong, assembly.mismatch(tokens.matcher, other), key=lambda m: m.score)
    raise misfit(tokens, wrong)


DESTINATIONS = ("ins", "outs")


def _outs_follow(reader: Reader) -> bool:
    """Sees results named behind operands that stand without `ins( )`."""
    return reader.text[reader.i] == "outs" and reader.text[reader.i + 1] == "("


def misfit(tokens: OperandTokens, wrong: Mismatch) -> Stop:
    """Collects why no form fits; the caller raises what this returns."""
    items = tokens.items
    place = items[wrong.item] if 0 <= wrong.item < len(items) else tokens.name
    return tokens.reader.findings.stop(
        WRONG_OPERANDS,
        place,
        wrong.message,
        found=wrong.found,
        expected=wrong.expected,
        hint=wrong.hint,
    )


def _ssa(
    tokens: OperandTokens,
    outline: LineOutline,
    plans: tuple[Plan, ...],
    *,
    assembly_too: bool = False,
) -> Op:
    if plans:
        return _build(tokens, outline, plans)
    other = immediates.as_values(tokens, outline)
    if other is not None:
        if plans := tokens.matcher.plans(other):
            return _build(tokens, other, plans)
        found = assembly.read(tokens, other, prefixed=True) if assembly_too else None
        if found is not None:
            return found
    raise _mismatch(tokens, outline, other)


def _mismatch(tokens: OperandTokens, outline: LineOutline, other: LineOutline | None) -> Stop:
    """Why no form fits; `other` is the outline with its numbers as operands, if it has some."""
    # What the operands are called is still worth checking.
    for place in tokens.values:
        immediates.used(tokens.reader, place)
    wrong = [tokens.matcher.mismatch(o) for o in (outline, other) if o is not None]
    return misfit(tokens, max(wrong, key=lambda m: m.score))


def _destinations(tokens: OperandTokens, before: LineOutline | None = None) -> Op:
    """Reads destination form; `before` is what stands before `outs` without `ins( )`."""
    reader = tokens.reader
    if tokens.named:
        message = "the results of this form are named in outs( ), not before '='"
        raise reader.findings.stop(SYNTAX, reader.i, message, found=reader.text[reader.i])
    outline = tokens.scan_destinations(before)
    plans = tokens.matcher.plans(outline)
    other = None if plans else immediates.as_values(tokens, outline)
    if other is not None:
        plans = tokens.matcher.plans(other)
        outline = other if plans else outline
    if not plans:
        raise _wrong_destinations(tokens, other or outline) or _mismatch(tokens, outline, other)
    op = _build(tokens, outline, plans)
    if tokens.outs is None:
        if op.results:
            raise _missing(tokens, tokens.matcher.record.forms[op.form])
        return op
    packs, places = tokens.outs
    reader.notes[op] = reader.notes[op]._replace(packs=packs)
    reader.bind(op.results, packs, places, tokens.name)
    return op


def _wrong_destinations(tokens: OperandTokens, outline: LineOutline) -> Stop | None:
    """The finding that all fits but the number of results, if that is so."""
    for form in tokens.matcher.record.forms:
        count = len(form.results)
        right = outline._replace(results=count or NO_ARROW)
        if not tokens.matcher.plans(right):
            continue
        if tokens.outs is None:
            return _missing(tokens, form)
        places = tokens.outs[1]
        named = "1 is named" if outline.results == 1 else f"{outline.results} are named"
        name = tokens.matcher.record.name
        return tokens.reader.findings.stop(
            STRUCTURE,
            places[0],
            f"{name} has {plural(count, 'result') if count else 'no results'}, but {named}",
            found=str(outline.results),
            expected=str(count),
            hint="" if count else "an operation without results has no outs",
        )
    return None


def _missing(tokens: OperandTokens, form: Form) -> Stop:
    names = ", ".join(f"%{r.name}" for r in form.results)
    kinds = ", ".join(str(r.type) for r in form.results)
    many = plural(len(form.results), "result")
    return tokens.reader.findings.stop(
        WRONG_OPERANDS,
        tokens.name,
        f"{tokens.matcher.record.short} needs outs( ) for its {many}",
        found="no outs",
        expected=f"outs({names} : {kinds})",
    )


def _build(tokens: OperandTokens, outline: LineOutline, plans: tuple[Plan, ...]) -> Op:
    reader = tokens.reader
    use = reader.use
    if tokens.numbers:
        values = [immediates.used(reader, place) for place in tokens.values]
    else:
        values = [use(place) for place in tokens.values]
    plan = plans[0] if len(plans) == 1 else _choose(tokens, plans, values)
    if plan.results != "listed":
        for at, listed in enumerate(tokens.listed):
            reader.agree(values[plan.typed[at]], listed, tokens.listed_at[at])
    record = tokens.matcher.record
    form = record.forms[plan.form]
    given = given_attributes(reader, form, plan.attrs, tokens.literals, tokens.entries)
    if plan.results == "arrow":
        results = tokens.results
    elif plan.results == "listed":
        results = tokens.listed
    else:
        results = _implied_results(form)
    last = reader.i - 1
    places = tuple([tokens.name if p == LEFT_OUT else tokens.values[p] for p in plan.operands])
    operands = [LOST if p == LEFT_OUT else values[p] for p in plan.operands]
    if tokens.numbers:
        typed = zip(plan.typed, tokens.listed, strict=False)
        listed_of = {plan.operands.index(at): type for at, type in typed}
        operands = immediates.settled(
            reader, form, outline.clauses, operands, places, listed_of, results
        )
    if LEFT_OUT in plan.operands:
        operands = _with_mask(tokens, form, plan, operands, results)
    return reader.make(
        tokens.name,
        record.name,
        operands,
        results,
        Note(0, 0, last, last, places, given=tuple(given)),
        all_attributes(form, given),
        form=plan.form,
        segments=outline.clauses,
    )


def _with_mask(
    tokens: OperandTokens, form: Form, plan: Plan, operands: list[int], results: list[TextType]
) -> list[int]:
    """Puts a mask of all lanes in the place of the one that is left out."""
    reader = tokens.reader
    known: Bindings = {}
    given = [
        None if at == LEFT_OUT else value for at, value in zip(plan.operands, operands, strict=True)
    ]
    types_of = [None if v is None else types.known(reader.type_of(v)) for v in given]
    for pattern, type in zip(patterns(form, ()), types_of, strict=False):
        bind(pattern, type, known)
    mask = all_lanes(tokens, form, known, given, results)
    return [mask if value is None else value for value in given]


def _implied_results(form: Form) -> list[TextType]:
    """The result types of a form whose text has none."""
    resolved = [result.type.resolve({}) for result in form.results]
    return [types.UNKNOWN if t is None else types.the_one(t) for t in resolved]


def _choose(tokens: OperandTokens, plans: tuple[Plan, ...], values: list[int]) -> Plan:
    """The plan that the types fit best; the first of several equals."""
    reader = tokens.reader

    def fit(plan: Plan) -> tuple[int, int, int]:
        form = tokens.matcher.record.forms[plan.form]
        written = dict(zip(plan.typed, tokens.listed, strict=plan.results == "arrow"))
        listed = sum(reader.type_of(values[at]) is type for at, type in written.items())
        operands = [
            types.UNKNOWN
            if p == LEFT_OUT
            else written.get(p, types.NUMBER)
            if is_number(reader.text[tokens.values[p]])
            else reader.type_of(values[p])
            for p in plan.operands
        ]
        literals = sum(
            form.attr(name).allows(literal_value(reader.text[tokens.literals[at]]))
            for name, at in plan.attrs
        )
        return types_fit(form, operands, tokens.results or tokens.listed), listed, literals

    return max(plans, key=fit)
