"""The record: everything the product knows about one instruction, in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from ptoscope.diagnostics import NOWHERE, Span
from ptoscope.isa.copies import CopyPath
from ptoscope.isa.cost import NO_FIGURE, Cost, CostKind, RepeatRole
from ptoscope.isa.dtypes import DType
from ptoscope.isa.order.rules import OrderRule
from ptoscope.isa.parts import ALL_PIPES, MEMORIES, SCALAR_PIPE, CoreKind
from ptoscope.isa.patterns import Pattern, PtrTo
from ptoscope.isa.roles import Gives, Resize, StreamUse
from ptoscope.isa.targets import Revision, Target, TargetName
from ptoscope.isa.types import AttrValue, Type, VReg

Source = Literal["manual", "micro", "suite", "chosen"]
Topic = Literal["", "mask", "alignment"]
Pairs = Mapping[tuple[DType, DType], Mapping[str, tuple[str, ...]]]


@dataclass(frozen=True)
class Operand:
    """A named operand or result and the types it takes."""

    name: str
    type: Pattern
    doc: str = ""
    example: int | Callable[[DType], int] | None = None
    """A number for examples, where the name does not tell one; of the element type where that
    decides."""
    shifts: bool = False
    """It is an amount to shift by, which is less than the bits of an element."""
    immediate: str = ""
    """It is part of the instruction, so that it has to be a constant; names the instruction that
    takes any number instead."""
    seeds: bool = False
    """A vector address from which a stream goes on: it may seed one only."""
    distinct: bool = False
    """Its active lanes have to differ, but for targets where aliases are ordered."""


@dataclass(frozen=True)
class Attr:
    """A static token or number of an instruction.

    `values` lists the legal tokens; empty means any integer from `low` up to `high`. Where it is
    `numbered`, that word with a number from `low` up to `high` is legal, too. `kind` is
    the name of their set: `#pto.kind<token>` and `<token>` mean what `"token"` means. Where it
    `is_open`, they are examples, and any other string is legal, too. `alias` is the name that
    compilers give it, `other_tokens` are their spellings of its tokens, `other_kinds` the names of
    sets that have those: read, never printed.

    Where it has a `clause`, it is written as one, `*` for its token: `unit_flag(*)`, or `*` alone.
    Its default is not written. `written` are tokens that a clause spells in another way.
    """

    name: str
    values: tuple[str, ...] = ()
    default: AttrValue | None = None
    doc: str = ""
    low: int = 0
    high: int = 0
    kind: str = ""
    is_flag: bool = False
    """Whether 0 and 1 are written false and true."""
    needed: Revision | None = None
    """The revision in which it has to be written where it means something."""
    is_open: bool = False
    numbered: str = ""
    alias: str = ""
    other_tokens: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    other_kinds: tuple[str, ...] = ()
    clause: str = ""
    written: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)

    @property
    def is_unit(self) -> bool:
        """Tells an attribute of one value, which its name alone writes."""
        return self.is_flag and self.low == self.high

    @property
    def kinds(self) -> tuple[str, ...]:
        """The names of all sets that have its tokens."""
        return (self.kind, *self.other_kinds) if self.kind else ()

    def meant(self, written: AttrValue) -> AttrValue:
        """The value that is meant by a written one, which may be another spelling of it."""
        if isinstance(written, bool):
            return int(written)
        return self.other_tokens.get(written, written) if isinstance(written, str) else written

    def allows(self, value: AttrValue) -> bool:
        """Whether the value is one of this attribute's."""
        if not self.values:
            return isinstance(value, int) and self.low <= value <= self.high
        if value in self.values or not isinstance(value, str):
            return value in self.values
        return self.is_open or self._is_numbered(value)

    def _is_numbered(self, token: str) -> bool:
        number = token.removeprefix(self.numbered) if self.numbered else token
        return number != token and number in map(str, range(self.low, self.high + 1))

    @property
    def choices(self) -> tuple[str, ...]:
        """What it may be, for people: its tokens, or a range of numbers."""
        if not self.values:
            return (f"{self.low} to {self.high}",)
        if not self.numbered:
            return self.values
        single = tuple(v for v in self.values if not self._is_numbered(v))
        return (*single, f"{self.numbered}{self.low} to {self.numbered}{self.high}")


@dataclass(frozen=True)
class Group:
    """A clause such as `nburst(...)`: its operands follow those of the clauses before it.

    Without all of its operands it has the first `required`, and the rest default.
    `most` is how often it may stand there. Its keyword is repeated before its types where it may
    be missing, unless it is `unnamed` there, and where it is `named` there; where its types are
    `bracketed`, they stand in brackets behind it. One of a single operand may be written `inside`
    another clause: `pre_relu(clip = %c)`.
    """

    keyword: str
    operands: tuple[Operand, ...]
    arity: Literal["one", "many", "optional"] = "one"
    required: int = 0
    most: int = 1
    unnamed: bool = False
    inside: str = ""
    named: bool = False
    bracketed: bool = False

    @property
    def marked(self) -> bool:
        """Whether its keyword is repeated before its types."""
        return self.named or (self.arity != "one" and not self.unnamed)

    def takes(self, count: int) -> bool:
        """Whether it may have so many operands."""
        return count in (self.required or len(self.operands), len(self.operands))


@dataclass(frozen=True)
class Form:
    """One way to write an instruction.

    `syntax` is read by parser and printer alike. In it, a bare name is an operand,
    `a[b]` an address, `"x"` a token, `'x'` one without quotes and without a comma before it,
    `=x` an integer literal, `{x}` an entry of the attribute dictionary, `#x` a pipe attribute,
    `[...]` stands for itself, `groups` for the clauses, `region` for a body. After the colon
    stand the values whose types are written, and a word that is repeated behind them as `'x'`.
    With `bracketed`, brackets may stand around all that is before the colon.
    What compilers read `in_destination_form` alone is printed so in SSA form, too.

    One that is `in_text` only is no call of Python, where its values would be those of another.
    Where it is `unmasked`, documents write it without its mask, too, in every level: all lanes.

    `clauses` are the keywords of all clauses in their order, where some of them have words; with
    a comma before `groups` they are printed with commas. `compiled` are the names of all operands
    in the order in which compilers have them, where it is another.
    """

    operands: tuple[Operand, ...] = ()
    results: tuple[Operand, ...] = ()
    attrs: tuple[Attr, ...] = ()
    groups: tuple[Group, ...] = ()
    syntax: str = ""
    bracketed: bool = False
    in_destination_form: bool = False
    in_text: bool = False
    unmasked: bool = False
    clauses: tuple[str, ...] = ()
    compiled: tuple[str, ...] = ()

    @cached_property
    def pattern(self) -> str:
        """The syntax line, derived from the operands where none is given."""
        if self.syntax:
            return self.syntax
        inputs = ", ".join(o.name for o in self.operands)
        outputs = ", ".join(r.name for r in self.results)
        return f"{inputs} : {inputs}" + (f" -> {outputs}" if outputs else "")

    def attr(self, name: str) -> Attr:
        """The attribute of that name."""
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, Attr]:
        return {attr.name: attr for attr in self.attrs}


@dataclass(frozen=True)
class Types:
    """Which element types a type variable may stand for.

    `micro` is the list of revision micro where it differs; `without` removes types on a
    target.
    """

    manual: tuple[DType, ...]
    micro: tuple[DType, ...] | None = None
    without: Mapping[TargetName, tuple[DType, ...]] = field(
        default_factory=dict[TargetName, tuple[DType, ...]]
    )

    def legal(self, target: Target, revision: Revision) -> tuple[DType, ...]:
        """The legal types of a target and revision, in a fixed order."""
        allowed = self.micro if revision == "micro" and self.micro is not None else self.manual
        removed = self.without.get(target.name, ())
        return tuple(d for d in allowed if d not in removed and target.has(d))


@dataclass(frozen=True)
class When:
    """Which uses a cell of behaviour is about: those that meet every part that is given.

    `attrs` lists values of attributes, of which the use has one; an attribute that its form
    takes as an operand counts, as it may have one. `elements` lists types of which one of its
    registers has one, `results` types of which one that it writes has one.
    """

    revision: Revision | None = None
    targets: tuple[TargetName, ...] = ()
    forms: tuple[int, ...] = ()
    attrs: Mapping[str, tuple[AttrValue, ...]] = field(
        default_factory=dict[str, tuple[AttrValue, ...]]
    )
    elements: tuple[DType, ...] = ()
    results: tuple[DType, ...] = ()

    def holds(self, site: Site) -> bool:
        """Whether the use is one of these."""
        return (
            self.revision in (None, site.revision)
            and (not self.targets or site.target.name in self.targets)
            and (not self.forms or site.form in self.forms)
            and all(_has(site, name, values) for name, values in self.attrs.items())
            and _among(self.elements, (*site.operands, *site.results))
            and _among(self.results, site.results)
        )


def _has(site: Site, name: str, values: tuple[AttrValue, ...]) -> bool:
    if name in site.attrs:
        return site.attrs[name] in values
    return any(operand.name == name for operand in site.record.forms[site.form].operands)


def _among(dtypes: tuple[DType, ...], types: tuple[Type, ...]) -> bool:
    return not dtypes or any(isinstance(t, VReg) and t.dtype in dtypes for t in types)


ALWAYS = When()
IN_MANUAL = When("manual")
IN_MICRO = When("micro")


@dataclass(frozen=True)
class Evidence:
    """Where one cell of behaviour comes from, and for a chosen one, why.

    `cell` is a title for people; `when` says which uses it is about, `about` what a reference
    page shows it with.
    """

    cell: str
    source: Source
    note: str = ""
    when: When = ALWAYS
    about: Topic = ""


@dataclass(frozen=True, eq=False)
class Site:
    """One use of an instruction: all that is known before it runs.

    `segments` gives, for each clause written, its keyword and operand count.
    """

    record: Record
    operands: tuple[Type, ...]
    results: tuple[Type, ...]
    attrs: Mapping[str, AttrValue]
    target: Target
    revision: Revision
    span: Span = NOWHERE
    form: int = 0
    segments: tuple[tuple[str, int], ...] = ()

    @property
    def micro(self) -> bool:
        return self.revision == "micro"


Run = Callable[..., Any]
"""Executes one use on a core: `run(core, *operand_values)` gives the result value, a tuple
of them, or None."""

Meaning = Callable[[Site], Run]
"""Specialises an instruction to one use; called once per use, before anything runs."""

Where = Literal["vecscope", "outside", "anywhere"]


@dataclass(frozen=True)
class Constraint:
    """A condition on one use that types alone do not say.

    `broken` gives what was found, or an empty string where the condition holds.
    """

    sentence: str
    broken: Callable[[Site], str]
    hint: str = ""


class RegisterSetting(NamedTuple):
    """A special register, and what it is set to: None where an operand says so."""

    register: str
    value: int | None = None


@dataclass(frozen=True, eq=False)
class Record:
    """One instruction. `name` carries its dialect: `pto.vadd`, `arith.addi`."""

    name: str
    group: str
    doc: str
    forms: tuple[Form, ...]
    meaning: Meaning
    types: Mapping[str, Types] = field(default_factory=dict[str, Types])
    pairs: Pairs = field(default_factory=dict[tuple[DType, DType], Mapping[str, tuple[str, ...]]])
    """Where given, the only combinations of T and U, each with the tokens it takes; an attribute
    of tokens that is not listed has its default."""
    pipe: str = "PIPE_V"
    """The pipe that executes it; `=x` names the attribute that says which, and the scalar unit
    where a form has none."""
    path: CopyPath | None = None
    """Of a copy: from which memory to which."""
    rows_apart: bool = False
    """Of a copy: rows that overlap where they go are illegal."""
    order: OrderRule | None = None
    """Of a synchronisation of pipes: what it does to their order."""
    where: Where = "vecscope"
    pure: bool = True
    """Of one that may stand anywhere: it only computes, from its operands and the launch."""
    shows: bool = False
    """It only shows its operands to people: it is no event of a run, and takes no time."""
    stops: bool = False
    """It ends a run with a fault, whatever its operands are."""
    unreliable_zeros: bool = False
    """Inactive lanes of its results are zero, but the manual forbids to rely on it; revision
    micro makes it the machine's rule."""
    lanewise: bool = False
    """Lane i of its results comes from lane i of its operands."""
    stores_lanes: bool = False
    """It stores lane i of its vectors where lane i of its mask is active."""
    gives: Gives = "computed"
    resize: Resize | None = None
    stream: StreamUse | None = None
    loops: bool = False
    """Each of its operands goes with a loop around it, the innermost first: an scf.for of i16."""
    counts_bytes: bool = False
    """It leaves in SQZN how many bytes its active lanes fill."""
    clears: str = ""
    """The attribute that names a special register, which it sets to 0."""
    sets: RegisterSetting | None = None
    """What it sets a special register to, until another instruction does."""
    targets: tuple[TargetName, ...] = ("cpu", "a2a3", "a5")
    absent: Mapping[TargetName, Mapping[str, tuple[str, ...]]] = field(
        default_factory=dict[TargetName, Mapping[str, tuple[str, ...]]]
    )
    """Attribute values that a target lacks."""
    constraints: tuple[Constraint, ...] = ()
    cost: Cost = NO_FIGURE
    evidence: tuple[Evidence, ...] = ()
    formula: str = ""
    micro_formula: str = ""
    """The formula of revision micro, where it differs."""
    cpp: str = ""
    aliases: tuple[str, ...] = ()
    """Other names that it is read by; words after one of them stand behind its operands."""
    shown_by: Record | None = None
    """The instruction that its example is about, where what it does shows only in that."""

    def meaning_in(self, revision: Revision) -> str:
        """The formula of a revision."""
        return self.micro_formula if revision == "micro" and self.micro_formula else self.formula

    @cached_property
    def cost_kind(self) -> CostKind:
        """What it costs as: what its cost says, else what its path, place and pipe say."""
        if self.cost.kind is not None:
            return self.cost.kind
        if self.path is not None:
            return "copy"
        if self.where == "vecscope":
            return "compute"
        if self.pipe == "PIPE_M":
            return "product"
        return "bulk" if self.pipe == "PIPE_V" else "issue"

    @cached_property
    def core(self) -> CoreKind | None:
        """The only kind of core that executes it; None where any does. What copies between the
        memories of two of them is the affair of the one whose pipe it has, or else of the one
        that has its source."""
        if self.where == "vecscope":
            return "vector"
        pipe = next((p for p in ALL_PIPES if p.name == self.pipe), None)
        if pipe is None:
            return None
        if len(pipe.cores) == 1:
            return pipe.cores[0]
        if pipe.name == SCALAR_PIPE:
            return None
        spaces = [o.type.space for o in self.forms[0].operands if isinstance(o.type, PtrTo)]
        own = [m for m in (MEMORIES.get(space) for space in spaces) if m is not None and m.on_core]
        return own[0].core if own else None

    @cached_property
    def is_by_offsets(self) -> bool:
        """Whether a vector of offsets says where in memory it works."""
        return any(o.name == "offsets" for form in self.forms for o in form.operands)

    @property
    def repeat_role(self) -> RepeatRole:
        """What it is to A2/A3."""
        if self.cost.role is not None:
            return self.cost.role
        match self.cost_kind:
            case "compute":
                return "own"
            case "store":
                return "move"
            case _:
                return "part"

    @property
    def short(self) -> str:
        """The name without its dialect."""
        return self.name.partition(".")[2]
