"""The revision of a text that names none, and the instructions that depend on it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ptoscope.check import MEMORY_RULES, check, check_operations
from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.record import Site
from ptoscope.isa.targets import (
    DEFAULT_REVISION,
    OTHER_REVISIONS,
    REVISIONS,
    Revision,
    Target,
)
from ptoscope.program import Program, site_of

UNNAMED = "PTO0013"
ONLY_IN_ANOTHER = "PTO0016"
_OF_MEMORY = {rule.code for rule in MEMORY_RULES}


class Checked(NamedTuple):
    """The findings of a program, and the revision that it was read in."""

    revision: Revision
    findings: list[Diagnostic]


def check_as(program: Program, target: Target, named: Revision | None) -> Checked:
    """Checks a program in the revision that is named. Where none is, in the first one in which
    its text is legal; a warning tells of one that is not the default. If there is none, in the
    default."""
    default = named or DEFAULT_REVISION
    found = check(program, target, default)
    errors = _errors(found)
    if named is not None or not errors:
        return Checked(default, found)
    for other in OTHER_REVISIONS:
        there = check(program, target, other)
        illegal = [d for d in errors if d.code not in _OF_MEMORY]
        legal = all(d.code in _OF_MEMORY for d in _errors(there))
        if not _errors(there) or (illegal and legal):
            told = _only_in(other, program, (illegal or errors)[0])
            return Checked(other, sorted([told, *there], key=lambda d: (d.span, d.code)))
    return Checked(default, found)


def legal_in(program: Program, target: Target) -> Revision:
    """The first revision in which every operation of a program is legal that is not whole; the
    default if there is none."""
    for revision in REVISIONS:
        if not _errors(check_operations(program, target, revision)):
            return revision
    return DEFAULT_REVISION


def _errors(findings: list[Diagnostic]) -> list[Diagnostic]:
    return [d for d in findings if d.severity == "error"]


def _only_in(revision: Revision, program: Program, error: Diagnostic) -> Diagnostic:
    return program.diagnostic(
        ONLY_IN_ANOTHER,
        error.span,
        f"only revision {revision} allows this line, so the text is read in revision {revision}",
        severity="warning",
        found=f"in revision {DEFAULT_REVISION}: {error.message}",
        expected=f"a module that names revision {revision}",
        hint=f'module attributes {{pto.revision = "{revision}"}}, or --revision {revision}',
    )


def ambiguous(program: Program, target: Target) -> list[Diagnostic]:
    """One note for a module that names no revision and depends on it, at the first such
    instruction."""
    if program.revision:
        return []
    sites = [
        site
        for function in program.functions
        for op in function.ops()
        if _differs(site := site_of(function, op, target, DEFAULT_REVISION))
    ]
    if not sites:
        return []
    record = sites[0].record
    default = record.meaning_in(DEFAULT_REVISION) or record.doc
    names = list(dict.fromkeys(site.record.name for site in sites))
    also = f" (and {', '.join(names[1:])})" if names[1:] else ""
    meanings = (f"{r}: {record.meaning_in(r) or record.doc}" for r in OTHER_REVISIONS)
    return [
        program.diagnostic(
            UNNAMED,
            sites[0].span,
            f"{names[0]}{also}: the meaning depends on the revision, and the module names none",
            severity="note",
            found="; ".join((f"{DEFAULT_REVISION}, the default: {default}", *meanings)),
            hint="name the one that is meant: "
            f'module attributes {{pto.revision = "{DEFAULT_REVISION}"}}, or --revision',
        )
    ]


def _differs(site: Site) -> bool:
    """Returns True if the use is legal in both revisions and does other things in them."""
    told = {
        revision
        for cell in site.record.evidence
        for revision in REVISIONS
        if cell.when.revision == revision and cell.when.holds(replace(site, revision=revision))
    }
    # What only revision micro tells of is often what the manual forbids.
    return "manual" in told or ("micro" in told and bool(site.record.micro_formula))
