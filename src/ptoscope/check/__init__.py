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


OPERATION_RULES: tuple[Rule, ...] = (*types.RULES, *constraints.RULES, *profile.RULES)
"""Those that look at one operation at a time."""


def check_operations(program: Program, target: Target, revision: Revision) -> list[Diagnostic]:
    """What is wrong with single operations of a program that is not whole."""
    return _findings(program, target, revision, OPERATION_RULES)


def check(program: Program, target: Target, revision: Revision) -> list[Diagnostic]:
    """All findings in all functions, in source order."""
    return _findings(program, target, revision, RULES)


def _findings(
    program: Program, target: Target, revision: Revision, rules: tuple[Rule, ...]
) -> list[Diagnostic]:
    findings = [
        diagnostic
        for function in program.functions
        for rule in rules
        for diagnostic in rule.diagnostics(Context(program, function, target, revision))
    ]
    return sorted(findings, key=lambda d: (d.span, d.code))
