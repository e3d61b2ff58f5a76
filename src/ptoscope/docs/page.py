"""The page of one instruction, section by section from its record."""

from __future__ import annotations

from ptoscope.docs import maps
from ptoscope.docs.costs import cost_lines
from ptoscope.docs.example_section import example_section
from ptoscope.docs.markdown import code, prose, slug, table, tabs, word
from ptoscope.docs.syntax import assembly, dps, ssa
from ptoscope.docs.values import MASKS
from ptoscope.isa.dtypes import DType
from ptoscope.isa.patterns import PtrTo
from ptoscope.isa.record import Form, Operand, Record, Types
from ptoscope.isa.targets import REVISIONS, TARGETS

LEVELS = {"SSA": ssa, "Destination-passing": dps, "Assembly": assembly}

_PLACES = {
    "vecscope": "inside a `pto.vecscope`",
    "outside": "outside any `pto.vecscope`",
    "anywhere": "inside or outside a `pto.vecscope`",
}
_HAND_OFF = {
    "PIPE_V": (
        "UB is filled by `PIPE_MTE2` and emptied by `PIPE_MTE3`. Both have to be waited for:",
        'pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]   // after the copy to UB\n'
        'pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]  // before the vecscope reads UB\n'
        'pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]   // after the vecscope wrote UB\n'
        'pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]  // before the copy from UB',
    ),
    "PIPE_MTE2": (
        "What it brings to UB is ready for the vector pipe after a flag; it may overwrite UB "
        "only when the vector pipe has read it:",
        'pto.wait_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID0"]  // before UB is overwritten\n'
        'pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]   // after the copy\n'
        'pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]  // before the vecscope reads UB',
    ),
    "PIPE_MTE3": (
        "It may read UB when the vector pipe has written it, and that may write again when the "
        "copy is done:",
        'pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]   // after the vecscope wrote UB\n'
        'pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]  // before the copy\n'
        'pto.set_flag["PIPE_MTE3", "PIPE_V", "EVENT_ID0"]   // after the copy',
    ),
}
_OTHERS = (
    "`pto.get_buf` and `pto.rls_buf` around the work of each pipe do the same by buffer ids, and "
    "`pto.barrier #pto.pipe<PIPE_ALL>` waits for all pipes."
)


def page(record: Record) -> str:
    """The whole page."""
    sections = {
        "Syntax": _syntax(record),
        "Operands": _operands(record),
        "Types": _types(record),
        "Meaning": _meaning(record),
        "Example": example_section(record),
        "Predicate behaviour": _predicates(record),
        "Pointer space": _spaces(record),
        "Pipe and hand-off": _pipe(record),
        "Target profiles": _profiles(record),
        "Distribution modes": _modes(record),
        "Constraints": _constraints(record),
        "Cost": _cost(record),
        "Evidence": _evidence(record),
    }
    group = f"[{record.group}](../groups/{slug(record.group)}/index.md)"
    head = f"# {record.short}\n\n{prose(record.doc)}\n\nGroup: {group}"
    body = [f"## {title}\n\n{text}" for title, text in sections.items() if text]
    return "\n\n".join([head, *body]) + "\n"


def _syntax(record: Record) -> str:
    parts: list[str] = []
    for number, form in enumerate(record.forms, 1):
        if len(record.forms) > 1:
            parts.append(f"Form {number}:")
        parts.append(tabs((t, code(way(record, form), "mlir")) for t, way in LEVELS.items()))
    cpp = f"C++ intrinsic: {word(record.cpp)}" if record.cpp else ""
    also = f"Also read as {', '.join(map(word, record.aliases))}." if record.aliases else ""
    return "\n\n".join(filter(None, [*parts, also, cpp]))


def _operands(record: Record) -> str:
    rows: dict[tuple[str, ...], None] = {}
    for form in record.forms:
        inner = [o for g in form.groups for o in g.operands]
        for kind, operands in (("operand", [*form.operands, *inner]), ("result", form.results)):
            rows |= dict.fromkeys(_operand(kind, o) for o in operands)
        for attr in form.attrs:
            values = ", ".join(word(v or '""') for v in attr.choices)
            values += " or any other text" if attr.is_open else ""
            default = f"; default {word(str(attr.default))}" if attr.default is not None else ""
            rows[word(attr.name), "attribute", values, prose(attr.doc) + default] = None
    if not rows:
        return "It has none."
    return table(("name", "", "type or values", "what it is"), rows)


def _operand(kind: str, operand: Operand) -> tuple[str, ...]:
    return word(f"%{operand.name}"), kind, word(str(operand.type)), prose(operand.doc)


def _types(record: Record) -> str:
    if not record.types:
        return "The types are those of the syntax lines."
    parts: list[str] = []
    used: dict[DType, None] = {}
    for variable, types in record.types.items():
        # Targets and revisions that agree share a row.
        rows: dict[str, list[str]] = {}
        for name in record.targets:
            legal = {r: types.legal(TARGETS[name], r) for r in REVISIONS}
            used |= dict.fromkeys(d for row in legal.values() for d in row)
            same = len(set(legal.values())) == 1
            for revision, row in legal.items():
                where = TARGETS[name].title + ("" if same else f", revision {revision}")
                rows.setdefault(_names(row), []).append(where)
        shared = [("; ".join(dict.fromkeys(where)), text) for text, where in rows.items()]
        parts.append(table(("on", word(variable)), shared))
    if record.pairs:
        pairs: dict[DType, list[DType]] = {}
        for source, result in record.pairs:
            pairs.setdefault(source, []).append(result)
        parts.append(table(("from", "to"), [(word(str(t)), _names(us)) for t, us in pairs.items()]))
    by_width = {n: [d for d in used if d.lanes == n] for n in sorted({d.lanes for d in used})}
    widths = table(
        ("vector width N", "element types"), [(str(n), _names(ds)) for n, ds in by_width.items()]
    )
    return "\n\n".join([*parts, widths])


def _names(dtypes: tuple[DType, ...] | list[DType]) -> str:
    return ", ".join(word(str(d)) for d in dtypes) or "none"


def _meaning(record: Record) -> str:
    if not record.micro_formula:
        return _loop(record.formula)
    return f"{_loop(record.formula)}\n\nIn revision micro:\n\n{_loop(record.micro_formula)}"


def _loop(meaning: str) -> str:
    formula, _, note = meaning.partition(", see ")
    steps = [step.strip() for step in formula.split(";")]
    if "[i]" in meaning:
        inner = "\n".join(f"    {step};" for step in steps)
        inner += f"  // see {note}" if note else ""
        return code(f"for (int i = 0; i < N; i++) {{\n{inner}\n}}", "c")
    return code("\n".join(steps))


def _predicates(record: Record) -> str:
    masks = dict.fromkeys(
        f"{word(f'%{o.name}')}: {prose(o.doc or 'a predicate register')}."
        for form in record.forms
        for o in form.operands
        if isinstance(o.type, MASKS)
    )
    notes = [
        f"{prose(e.cell)}: {prose(e.note)}" for e in record.evidence if masks and e.about == "mask"
    ]
    if not masks:
        return "It takes no predicate: every lane takes part."
    return "\n".join(f"- {row}" for row in [*masks, *notes])


def _spaces(record: Record) -> str:
    operands = [o for f in record.forms for o in (*f.operands, *f.results)]
    pointers = {
        o.name: "GM or UB" if o.type.space == "S" else o.type.space.upper()
        for o in operands
        if isinstance(o.type, PtrTo)
    }
    if not pointers:
        return "It takes no pointer."
    return table(("pointer", "memory"), [(word(f"%{n}"), s) for n, s in pointers.items()])


def _pipe(record: Record) -> str:
    place = f"It stands {_PLACES[record.where]}."
    if record.pipe.startswith("="):
        return f"It is issued to the pipe that `{record.pipe[1:]}` names. {place}"
    if record.pipe not in _HAND_OFF:
        return f"`{record.pipe}`: the scalar unit executes it in program order. {place}"
    sentence, lines = _HAND_OFF[record.pipe]
    return f"`{record.pipe}`. {place}\n\n{sentence}\n\n{code(lines, 'mlir')}\n\n{_OTHERS}"


def _profiles(record: Record) -> str:
    rows: list[tuple[str, ...]] = []
    for target in TARGETS.values():
        if target.name not in record.targets:
            rows.append((target.title, "no", "-", "-"))
            continue
        gone = [d for t in record.types.values() for d in _listed(t) if d in _gone(t, target.name)]
        absent = record.absent.get(target.name, {})
        values = ", ".join(word(v) for values in absent.values() for v in values)
        rows.append((target.title, "yes", _names(list(dict.fromkeys(gone))), values or "none"))
    return table(("target", "has it", "without the types", "without the values"), rows)


def _listed(types: Types) -> tuple[DType, ...]:
    return tuple(dict.fromkeys((*types.manual, *(types.micro or ()))))


def _gone(types: Types, target: str) -> set[DType]:
    machine = TARGETS[target]
    kept = {d for revision in REVISIONS for d in types.legal(machine, revision)}
    return set(_listed(types)) - kept


def _modes(record: Record) -> str:
    parts: list[str] = []
    for names, drawn in maps.grouped(record):
        parts.append(f"**{', '.join(map(word, names))}**: {prose(drawn[0].doc)}")
        shown: set[str] = set()
        for lane_map in drawn:
            if lane_map.register in shown:
                parts.append(f"{prose(lane_map.doc)}:")
            shown.add(lane_map.register)
            parts.append(maps.svg(lane_map))
    if not parts:
        return ""
    note = (
        "Numbers in UB count elements from the effective address, numbers of a register its "
        "lanes; a few lanes further on are shown where the map changes."
    )
    return "\n\n".join([note, *parts])


def _constraints(record: Record) -> str:
    lines = [f"It stands {_PLACES[record.where]}."]
    lines += [f"{prose(c.sentence)}. {prose(c.hint)}".strip() for c in record.constraints]
    lines += [f"Alignment: {prose(e.note)}" for e in record.evidence if e.about == "alignment"]
    if maps.maps(record):
        by_target = [
            f"{t.title} {t.norm_alignment or 'the element size'}"
            for t in TARGETS.values()
            if t.name in record.targets
        ]
        lines.append(f"Bytes that an address is a multiple of: {', '.join(by_target)}.")
    return "\n".join(f"- {row}" for row in lines)


def _cost(record: Record) -> str:
    return "\n".join(f"- {prose(line)}" for line in cost_lines(record))


def _evidence(record: Record) -> str:
    rows = [(prose(e.cell), e.source, prose(e.note)) for e in record.evidence]
    return table(("cell", "source", "what it says"), rows) + (
        "\n\nWhat the sources are: [how to read a page](../reading.md#evidence)."
    )


def short_types(record: Record) -> str:
    """What T may stand for on any target, in one cell."""
    found: dict[str, None] = {}
    for types in list(record.types.values())[:1]:
        for target in record.targets:
            found |= dict.fromkeys(str(d) for d in types.legal(TARGETS[target], "manual"))
    return ", ".join(map(word, found))


def arith_page(records: list[Record]) -> str:
    """All scalar operations of the surrounding code on one page."""
    parts = [
        "# arith",
        "Scalar operations of the surrounding code, as the shared dialect defines them. They "
        "run on `PIPE_S`, inside or outside a `pto.vecscope`.",
    ]
    rows = [
        (word(r.name), ", ".join(dict.fromkeys(_kinds(f) for f in r.forms)), word(r.formula))
        for r in records
    ]
    parts.append(table(("operation", "types", "meaning"), rows))
    cells = [
        (word(r.name), prose(e.cell), e.source, prose(e.note)) for r in records for e in r.evidence
    ]
    parts += ["## Evidence", table(("operation", "cell", "source", "what it says"), cells)]
    return "\n\n".join(parts) + "\n"


def _kinds(form: Form) -> str:
    inputs = ", ".join(word(str(o.type)) for o in form.operands)
    outputs = ", ".join(word(str(r.type)) for r in form.results)
    return f"{inputs} to {outputs}" if inputs else outputs
