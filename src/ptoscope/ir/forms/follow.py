"""Which types follow from others by the patterns of a form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ptoscope.ir import types
from ptoscope.ir.attributes import Segments
from ptoscope.ir.types import Placeholder, TextType
from ptoscope.isa.dtypes import ELEMENTS, DType
from ptoscope.isa.patterns import Bindings, Pattern
from ptoscope.isa.record import Form
from ptoscope.isa.types import GRANULARITIES, SPACES, Mask, Ptr, Scalar, Type


class Typing(NamedTuple):
    """The types of one use of a form.

    `results` has None where a type does not follow. `places[i]` is the operand that listed
    type i belongs to, or -1 for a result. `misfit` is the first listed type that belongs to
    nothing, or -1.
    """

    results: tuple[TextType | None, ...]
    places: tuple[int, ...]
    known: Bindings
    misfit: int = -1

    @property
    def complete(self) -> bool:
        """Whether every type is decided and every listed one used."""
        return self.misfit < 0 and None not in self.results


def bind(pattern: Pattern, type: Type | None, known: Bindings) -> bool:
    """Binds what a type that fits decides; one that does not leaves nothing behind."""
    if type is None:
        return False
    trial = dict(known)
    if not pattern.match(type, trial):
        return False
    known.update(trial)
    return True


def patterns(form: Form, segments: Segments) -> list[Pattern]:
    """The patterns of all operands, those of the clauses included."""
    found = [operand.type for operand in form.operands]
    groups = {group.keyword: group for group in form.groups}
    for keyword, count in segments:
        found += [operand.type for operand in groups[keyword].operands[:count]]
    return found


def follow(
    form: Form,
    wanted: Sequence[Pattern],
    operands: Sequence[TextType | None],
    order: Sequence[Sequence[int]],
    listed: Sequence[TextType],
    arrow: Sequence[TextType] | None,
) -> Typing:
    """Decides the result types from the operands', None where one is not known.

    `order` gives orders of operands in which the listed types may stand, before or behind
    the results', which are preferred. With an arrow the result types are those behind it.
    """
    known: Bindings = {}
    scalars: list[tuple[Pattern, Type]] = []
    for pattern, given in zip(wanted, operands, strict=True):
        type = types.known(given) if given is not None else None
        if isinstance(type, Scalar):
            # Last: a signless one serves a signed or unsigned vector, so that decides.
            scalars.append((pattern, type))
        else:
            bind(pattern, type, known)
    found: list[Typing] = []
    for sequence in _sequences(len(form.results), order, arrow is not None):
        typing = _place(form, wanted, operands, sequence, listed, dict(known))
        for pattern, type in scalars:
            bind(pattern, type, typing.known)
        typing = _resolve(form, operands, typing, arrow)
        if typing.complete:
            return typing
        found.append(typing)
    return max(found, key=lambda t: (t.misfit < 0, t.misfit))


def _sequences(
    results: int, order: Sequence[Sequence[int]], arrow: bool
) -> Iterator[tuple[int, ...]]:
    """Orders of results (-1 - i) and operands."""
    ends = () if arrow else tuple(-1 - i for i in range(results))
    for operands in order:
        yield (*ends, *operands)
    for operands in order if ends else ():
        yield (*operands, *ends)


def _place(
    form: Form,
    wanted: Sequence[Pattern],
    operands: Sequence[TextType | None],
    sequence: tuple[int, ...],
    listed: Sequence[TextType],
    known: Bindings,
) -> Typing:
    """Gives each listed type to the first value of the sequence that it fits."""
    results: list[TextType | None] = [None] * len(form.results)
    places: list[int] = []
    rest = iter(sequence)
    for number, given in enumerate(listed):
        for at in rest:
            if at < 0 and takes(form.results[-1 - at].type, given, known):
                results[-1 - at] = given
                places.append(-1)
                break
            if at >= 0 and types.compatible(operands[at] or types.UNKNOWN, given):
                bind(wanted[at], types.known(given), known)
                places.append(at)
                break
        else:
            return Typing(tuple(results), tuple(places), known, number)
    return Typing(tuple(results), tuple(places), known)


def _resolve(
    form: Form,
    operands: Sequence[TextType | None],
    typing: Typing,
    arrow: Sequence[TextType] | None,
) -> Typing:
    if arrow is not None:
        for result, given in zip(form.results, arrow, strict=True):
            bind(result.type, types.known(given), typing.known)
        return typing._replace(results=tuple(arrow))
    results = list(typing.results)
    undecided = [given for given in operands if given is not None and types.is_open(given)]
    for at, result in enumerate(form.results):
        if results[at] is None:
            decided = result.type.resolve(typing.known)
            if decided is not None:
                results[at] = types.the_one(decided)
                bind(result.type, decided, typing.known)
            else:
                # What the uses decide of an operand, they decide of the result.
                results[at] = next(
                    (u for u in undecided if takes(result.type, u, typing.known)), None
                )
    return typing._replace(results=tuple(results))


def takes(pattern: Pattern, given: TextType, known: Bindings) -> bool:
    """Whether a written type fits; binds what it decides. A placeholder fits where any type
    of its kind does."""
    if given is types.UNKNOWN:
        return True
    if given is types.MASK:
        return any(pattern.match(Mask(bits), dict(known)) for bits in GRANULARITIES)
    if isinstance(given, Placeholder):
        return bool(pointers(pattern, given, known))
    return bind(pattern, types.known(given), known)


def pointers(pattern: Pattern, open: Placeholder, known: Bindings) -> list[Ptr]:
    """The pointers that a placeholder may stand for."""
    likely = [d for d in known.values() if isinstance(d, DType)] or ELEMENTS[:1]
    elements = likely if open.element is None else [open.element]
    every = [Ptr(d, s) for d in elements for s in SPACES]
    return [type for type in every if pattern.match(type, dict(known))]
