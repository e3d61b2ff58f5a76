"""Instructions that mean different things in the two revisions, where nobody says which."""

from __future__ import annotations

from dataclasses import replace

from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.record import Site
from ptoscope.isa.targets import DEFAULT_REVISION, REVISIONS, Revision, Target
from ptoscope.program import Program, site_of

UNNAMED = "PTO0013"


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
    others: list[Revision] = [r for r in REVISIONS if r != DEFAULT_REVISION]
    meanings = (f"{r}: {record.meaning_in(r) or record.doc}" for r in others)
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
