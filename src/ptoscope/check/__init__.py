"""Rules: what is wrong with a kernel before it runs."""

from __future__ import annotations

from ptoscope.check import constraints, profile, streams, structure, types
from ptoscope.check.rule import Context, Rule
from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.targets import Revision, Target
from ptoscope.program import Program

RULES: tuple[Rule, ...] = (
    *types.RULES,
    *constraints.RULES,
    *profile.RULES,
    *structure.RULES,
    *streams.RULES,
)


def check(program: Program, target: Target, revision: Revision) -> list[Diagnostic]:
    """All findings in all functions, in source order."""
    findings = [
        diagnostic
        for function in program.functions
        for rule in RULES
        for diagnostic in rule.diagnostics(Context(program, function, target, revision))
    ]
    return sorted(findings, key=lambda d: (d.span, d.code))
