"""`ptoscope isa`: what the records say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from fnmatch import fnmatchcase

from ptoscope.cli.options import Request
from ptoscope.cli.output import Result
from ptoscope.diagnostics import UsageError, nearest
from ptoscope.docs.costs import cost_lines
from ptoscope.docs.maps import FIRST, grouped
from ptoscope.docs.syntax import ssa
from ptoscope.evidence import Chosen, chosen
from ptoscope.ir.language import STRUCTURE, language
from ptoscope.isa import INSTRUCTIONS, TABLE
from ptoscope.isa.foreign import why_not
from ptoscope.isa.record import Form, Group, Operand, Pairs, Record, Types
from ptoscope.isa.targets import REVISIONS, TARGETS, Revision
from ptoscope.tables import Table, counted


def answer(request: Request) -> Result:
    """The table, one instruction, or what was chosen."""
    if request.has("chosen"):
        return _chosen(request)
    if request.args and not _is_pattern(request.args[0]):
        described = [describe(record, request) for record in meant(request.args[0])]
        text = "\n\n".join(text for text, _ in described)
        return Result("isa", [text], {"instructions": [fields for _, fields in described]})
    view = _View(request)
    listed = _matching(request.args[0]) if request.args else list(INSTRUCTIONS.values())
    rows = [(r.group, r.short, r.doc, view.all_types(r)) for r in listed]
    table = Table(("group", "name", "what it does", "types"), rows)
    legend = f"{counted(len(rows), 'instruction')}; int8 stands for i8, si8 and ui8."
    records = [view.json(r) for r in listed]
    return Result("isa", [table, legend], {"instructions": records})


def _is_pattern(name: str) -> bool:
    return any(c in name for c in "*?[")


def _matching(pattern: str) -> list[Record]:
    """The instructions whose names, with or without their dialect, match; UsageError if none."""
    found = [
        r
        for r in TABLE.values()
        if fnmatchcase(_short(r.name), pattern) or fnmatchcase(r.name, pattern)
    ]
    if not found:
        raise UsageError(f"there is no instruction '{pattern}'; `ptoscope isa` lists them")
    return found


def _chosen(request: Request) -> Result:
    """Cells that no document fixes, of all instructions or of one."""
    records: Iterable[Record] = TABLE.values()
    if request.args:
        name = request.args[0]
        records = _matching(name) if _is_pattern(name) else meant(name)
    on = request.get("target")
    cells = [c for record in records if on in (None, *record.targets) for c in chosen(record)]
    page = [chosen_table(cells), f"{counted(len(cells), 'cell')} chosen: no document fixes them."]
    return Result("isa", page, {"chosen": [asdict(c) for c in cells]})


def chosen_table(cells: Iterable[Chosen]) -> Table:
    """Chosen cells for people."""
    rows = [(c.instruction, c.cell, c.why) for c in cells]
    return Table(("instruction", "cell", "why"), rows)


def find(name: str) -> Record:
    """The first record of a name; UsageError with the nearest one."""
    return meant(name)[0]


def meant(name: str) -> list[Record]:
    """Returns the records that an operation of this name is read as, with or without its dialect:
    an alias may stand for several. UsageError with the nearest name, or with what else it is."""
    names = {known: [record] for known, record in TABLE.items()}
    for alias, read_as in language().aliases.items():
        names[alias] = list(dict.fromkeys(r for records in read_as.values() for r in records))
    for full in (name, f"pto.{name}"):
        if full in names:
            return names[full]
    found = [record for record in TABLE.values() if _short(record.name) == name]
    if found:
        return found
    structure = next((full for full in STRUCTURE if name in (full, _short(full))), "")
    if structure:
        raise UsageError(f"{structure} is read, but is no instruction: `ptoscope isa` lists them")
    known = [*names, *map(_short, names)]
    elsewhere = why_not(name) or why_not(f"pto.{name}")
    hint = elsewhere or nearest(name, known) or "`ptoscope isa` lists them"
    raise UsageError(f"there is no instruction '{name}'; {hint}")


def _short(name: str) -> str:
    """Returns a name without its dialect."""
    return name.partition(".")[2] or name


def describe(record: Record, request: Request) -> tuple[str, dict[str, object]]:
    """One instruction as text and as JSON fields."""
    view = _View(request)
    return view.text(record), view.json(record)


class _View:
    """Records for the targets and revisions asked for; all of them by default."""

    def __init__(self, request: Request) -> None:
        target, revision = request.get("target"), request.get("revision")
        self.targets = [t for t in TARGETS.values() if target in (None, t.name)]
        self.revisions: list[Revision] = [r for r in REVISIONS if revision in (None, r)]

    def types(self, record: Record, types: Types) -> dict[str, dict[str, list[str]]]:
        """Element types per target and revision; none on a target without the instruction."""
        return {
            target.name: {
                revision: [str(d) for d in types.legal(target, revision)]
                if target.name in record.targets
                else []
                for revision in self.revisions
            }
            for target in self.targets
        }

    def all_types(self, record: Record) -> str:
        """What the first type variable may stand for anywhere in this view."""
        for types in record.types.values():
            by_target = self.types(record, types).values()
            names = [n for revisions in by_target for legal in revisions.values() for n in legal]
            return _shorten(dict.fromkeys(names)) or "none"
        return "-"

    def json(self, record: Record) -> dict[str, object]:
        """Everything the record says."""
        return {
            "name": record.name,
            "group": record.group,
            "doc": record.doc,
            "forms": [_form_json(record, form) for form in record.forms],
            "types": {var: self.types(record, types) for var, types in record.types.items()},
            "pairs": [
                {"T": str(t), "U": str(u), "attrs": {n: list(v) for n, v in attrs.items()}}
                for (t, u), attrs in self._pairs(record).items()
            ],
            "pipe": record.pipe,
            "where": record.where,
            "targets": list(record.targets),
            "formula": record.formula,
            "formula_micro": record.meaning_in("micro"),
            "cpp": record.cpp,
            "cost": asdict(record.cost),
            "evidence": [asdict(e) for e in record.evidence],
        }

    def text(self, record: Record) -> str:
        """Everything the record says, for people."""
        sections = {
            "syntax": [ssa(record, form) for form in record.forms],
            "operands": dict.fromkeys(line for f in record.forms for line in _operand_lines(f)),
            "modes": _mode_lines(record),
            "types": self._type_lines(record),
            "pairs": self._pair_lines(record),
            "meaning": _meaning_lines(record, self.revisions),
            "cost": cost_lines(record),
            "evidence": [f"{e.cell} [{e.source}] {e.note}".rstrip() for e in record.evidence],
        }
        lines = [record.name, f"  {record.doc}"]
        for title, content in sections.items():
            if content:
                lines += ["", title, *(f"  {line}" for line in content)]
        return "\n".join(lines)

    def _type_lines(self, record: Record) -> list[str]:
        lines: list[str] = []
        for variable, types in record.types.items():
            for target, by_revision in self.types(record, types).items():
                texts = {r: _shorten(names) or "none" for r, names in by_revision.items()}
                if len(set(texts.values())) == 1:
                    texts = {"": next(iter(texts.values()))}
                lines += [
                    f"{variable} {target:<5}{f'{r:<7}' if r else ''}{t}" for r, t in texts.items()
                ]
        return lines

    def _pairs(self, record: Record) -> Pairs:
        """Legal pairs of types that a target in this view has."""
        return {
            (t, u): attrs
            for (t, u), attrs in record.pairs.items()
            if any(target.has(t) and target.has(u) for target in self.targets)
        }

    def _pair_lines(self, record: Record) -> list[str]:
        """One line for each source type and set of attributes."""
        lines: dict[tuple[str, str], list[str]] = {}
        for (t, u), attrs in self._pairs(record).items():
            lines.setdefault((str(t), ", ".join(attrs)), []).append(str(u))
        return [f"{t} to {_shorten(us)} {{{names}}}" for (t, names), us in lines.items()]


_SIGNS = ("i", "si", "ui")
_PLACES = {
    "vecscope": "inside a vecscope",
    "outside": "outside a vecscope",
    "anywhere": "inside or outside a vecscope",
}


def _shorten(names: Iterable[str]) -> str:
    """Names of types; a width that all three kinds of integer have is one word."""
    given = list(names)
    words: list[str] = []
    for name in given:
        width = name.lstrip("sui")
        whole = all(f"{sign}{width}" in given for sign in _SIGNS)
        words.append(f"int{width}" if whole else name)
    return " ".join(dict.fromkeys(words))


def _operand_lines(form: Form) -> list[str]:
    operands = [*form.operands, *(o for g in form.groups for o in g.operands)]
    lines = [f"%{o.name}: {o.type}{_note(o.doc)}" for o in operands]
    for attr in form.attrs:
        values = " ".join(v or '""' for v in attr.choices)
        values += " or any other text" if attr.is_open else ""
        default = f" (default {attr.default})" if attr.default is not None else ""
        lines.append(f"{attr.name}: {values}{default}{_note(attr.doc)}")
    return [*lines, *(f"-> %{r.name}: {r.type}{_note(r.doc)}" for r in form.results)]


def _mode_lines(record: Record) -> list[str]:
    """What each distribution mode does to lanes: its words, and the elements of UB that the
    first lanes are."""
    lines: list[str] = []
    for modes, drawn in grouped(record):
        several = len({lane_map.register for lane_map in drawn}) > 1
        for lane_map in drawn:
            places = ["-" if p is None else str(p) for p in lane_map.places[:FIRST]]
            names = " ".join(modes) + (f", %{lane_map.register}" if several else "")
            lines.append(f"{names}: {lane_map.doc}; lanes 0 to 7: {' '.join(places)}")
    return lines


def _note(doc: str) -> str:
    return f" - {doc}" if doc else ""


def _meaning_lines(record: Record, revisions: list[Revision]) -> list[str]:
    pipe = record.pipe
    runs_on = f"the pipe that '{pipe[1:]}' names" if pipe.startswith("=") else pipe
    formulas = dict.fromkeys(record.meaning_in(r) or record.doc for r in revisions)
    marks = ("", "revision micro: ")
    lines = [mark + formula for mark, formula in zip(marks, formulas, strict=False)]
    lines.append(f"on {runs_on}, {_PLACES[record.where]}")
    lines.append(f"targets: {', '.join(record.targets)}")
    if record.aliases:
        lines = [*lines, f"also read as: {', '.join(record.aliases)}"]
    return [*lines, f"C++: {record.cpp}"] if record.cpp else lines


def _form_json(record: Record, form: Form) -> dict[str, object]:
    return {
        "syntax": ssa(record, form),
        "operands": [_operand_json(o) for o in form.operands],
        "results": [_operand_json(o) for o in form.results],
        "attrs": [asdict(a) for a in form.attrs],
        "groups": [_group_json(g) for g in form.groups],
    }


def _operand_json(operand: Operand) -> dict[str, object]:
    return {"name": operand.name, "type": str(operand.type), "doc": operand.doc}


def _group_json(group: Group) -> dict[str, object]:
    return {
        "keyword": group.keyword,
        "arity": group.arity,
        "required": group.required,
        "operands": [_operand_json(o) for o in group.operands],
    }
