"""Every way to use an instruction: form, types, attribute values, target and revision."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from ptoscope.isa.dtypes import ELEMENTS, SCALARS, DType
from ptoscope.isa.patterns import Bindings, Pattern
from ptoscope.isa.record import Attr, Form, Record, Site
from ptoscope.isa.targets import REVISIONS, TARGETS, Revision, Target
from ptoscope.isa.types import (
    GRANULARITIES,
    SPACES,
    Align,
    AttrValue,
    Mask,
    Ptr,
    Scalar,
    Type,
    VAddr,
    VReg,
)
from tests.isa.elements import Element

_TYPES: tuple[Type, ...] = (
    *(VReg(d) for d in ELEMENTS),
    *(Ptr(d, s) for d in ELEMENTS for s in SPACES),
    *(Mask(b) for b in GRANULARITIES),
    Align(),
    *(VAddr(b) for b in GRANULARITIES),
    *(Scalar(d) for d in SCALARS),
)


@dataclass(frozen=True)
class Use:
    """One use, as a formula sees it: names and numbers, nothing of the meaning."""

    site: Site

    @property
    def target(self) -> str:
        return self.site.target.name

    @property
    def micro(self) -> bool:
        return self.site.micro

    @property
    def form(self) -> int:
        return self.site.form

    def attr(self, name: str) -> str:
        """The token of an attribute, empty where the form has none."""
        return str(self.site.attrs.get(name, ""))

    @cached_property
    def operands(self) -> tuple[Element, ...]:
        """The element of each operand; a mask's is the integer of its granularity."""
        return tuple(element(t) for t in self.site.operands)

    @cached_property
    def results(self) -> tuple[Element, ...]:
        return tuple(element(t) for t in self.site.results)

    def __str__(self) -> str:
        site = self.site
        types = [str(t) for t in (*site.operands, *site.results)]
        attrs = [str(v) for v in site.attrs.values()]
        words = [*dict.fromkeys(types), *attrs, self.target, site.revision, f"form {self.form}"]
        return " ".join(words)


def updates(use: Use) -> bool:
    """Whether it is a post-update form: the last result is the base, advanced."""
    return bool(use.site.results) and isinstance(use.site.results[-1], Ptr)


def unit(use: Use, operand: int, size: int) -> int:
    """The bytes that an offset counts: those said, of a vector address one."""
    return 1 if isinstance(use.site.operands[operand], VAddr) else size


def element(type: Type) -> Element:
    """The element type as the tests see it: an index is 64 bits wide."""
    if isinstance(type, Mask):
        return Element(f"ui{type.bits}")
    if isinstance(type, Align):
        return Element("ui8")
    if isinstance(type, VAddr):
        return Element("ui32")
    name = type.dtype.name
    return Element("i64" if name == "index" else name)


def uses(record: Record) -> Iterator[Use]:
    """Legal uses, without clauses: all of one target and revision; of the others all types and
    revisions of their own, and every fifth use of what the first has too."""
    known: set[tuple[int, tuple[Type, ...]]] = set()
    number = 0
    for name in ("a5", "a2a3", "cpu"):
        for revision in REVISIONS if name in record.targets else ():
            own = not known or (revision == "micro" and bool(record.micro_formula))
            found = list(_of(record, TARGETS[name], revision))
            for use in found:
                number += 1
                if own or _types_of(use) not in known or number % 5 == 0:
                    yield use
            known.update(_types_of(use) for use in found)


def _types_of(use: Use) -> tuple[int, tuple[Type, ...]]:
    return use.form, (*use.site.operands, *use.site.results)


def _of(record: Record, target: Target, revision: Revision) -> Iterator[Use]:
    for index, form in enumerate(record.forms):
        for types, known in _types(record, form, target, revision):
            cut = len(form.operands)
            for attrs in _attributes(record, form, target, known):
                site = Site(record, types[:cut], types[cut:], attrs, target, revision, form=index)
                if not any(c.broken(site) for c in record.constraints):
                    yield Use(site)


def _types(
    record: Record, form: Form, target: Target, revision: Revision
) -> list[tuple[tuple[Type, ...], Bindings]]:
    """Every choice of types for the operands and results that is legal there."""
    legal = {v: t.legal(target, revision) for v, t in record.types.items()}
    chosen: list[tuple[tuple[Type, ...], Bindings]] = [((), {})]
    for operand in (*form.operands, *form.results):
        longer: list[tuple[tuple[Type, ...], Bindings]] = []
        for types, known in chosen:
            for type in _fitting(operand.type, known, target):
                bound = dict(known)
                if operand.type.match(type, bound) and all(
                    bound[v] in allowed for v, allowed in legal.items() if v in bound
                ):
                    longer.append(((*types, type), bound))
        chosen = longer
    if record.pairs:
        chosen = [c for c in chosen if (c[1]["T"], c[1]["U"]) in record.pairs]
    return chosen


def _fitting(pattern: Pattern, known: Bindings, target: Target) -> list[Type]:
    decided = pattern.resolve(known)
    if decided is not None:
        return [decided]
    return [
        t
        for t in _TYPES
        if pattern.match(t, dict(known)) and (not isinstance(t, (VReg, Ptr)) or target.has(t.dtype))
    ]


def _attributes(
    record: Record, form: Form, target: Target, known: Bindings
) -> Iterator[dict[str, AttrValue]]:
    absent = record.absent.get(target.name, {})
    choices: list[list[AttrValue]] = []
    for attr in form.attrs:
        values = _values(attr)
        if record.pairs and attr.values:
            source, result = known["T"], known["U"]
            assert isinstance(source, DType)
            assert isinstance(result, DType)
            assert attr.default is not None
            values = list(record.pairs[source, result].get(attr.name, (attr.default,)))
        choices.append([v for v in values if v not in absent.get(attr.name, ())])
    for values in product(*choices):
        yield dict(zip((a.name for a in form.attrs), values, strict=True))


def _values(attr: Attr) -> list[AttrValue]:
    return list(attr.values) if attr.values else [attr.low, attr.high]
