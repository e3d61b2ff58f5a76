"""Rules: what is wrong with a kernel before it runs."""

from __future__ import annotations

from dataclasses import replace

from ptoscope.budget import program_budget
from ptoscope.check import (
    addresses,
    atomics,
    constraints,
    contents,
    conversions,
    cores,
    inactive,
    lanes,
    profile,
    refusals,
    resources,
    squeezed,
    structure,
    types,
)
from ptoscope.check.built import of_python
from ptoscope.check.rule import Context, Rule, list_contexts
from ptoscope.check.streams import rules as streams
from ptoscope.check.synchronisation import cluster_rules
from ptoscope.check.synchronisation import rules as synchronisation
from ptoscope.check.unfinished import Unfinished
from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.parts import core_ids
from ptoscope.isa.targets import Revision, Target
from ptoscope.program import Program

OPERATION_RULES: tuple[Rule, ...] = (
    *types.RULES,
    *conversions.RULES,
    *constraints.RULES,
    *profile.RULES,
    *structure.RULES,
)
"""Those that look at one operation at a time and where it stands."""

CORE_RULES: tuple[Rule, ...] = cores.RULES
"""As these, of programs that are whole: only then is it known which cores run them."""

VALUE_RULES: tuple[Rule, ...] = (
    *lanes.RULES,
    *streams.RULES,
    *squeezed.RULES,
    *resources.RULES,
)
"""Those that follow values through a function."""

MEMORY_RULES: tuple[Rule, ...] = (
    *addresses.RULES,
    *refusals.RULES,
    *contents.RULES,
    *inactive.RULES,
    *atomics.RULES,
    *synchronisation.RULES,
    *cluster_rules.RULES,
)
"""Those that follow what a function does to memory and to the other pipes. They read it only
where every operation is right: what a wrong one does is not known, and leaving it out would
bring findings that are none."""

RULES: tuple[Rule, ...] = (*OPERATION_RULES, *CORE_RULES, *VALUE_RULES, *MEMORY_RULES)


def check_operations(program: Program, target: Target, revision: Revision) -> list[Diagnostic]:
    """What is wrong with single operations of a program that is not whole."""
    contexts = list_contexts(program, target, revision)
    return _sorted([d for c in contexts for rule in OPERATION_RULES for d in rule.diagnostics(c)])


def broken_constraints(program: Program, target: Target, revision: Revision) -> list[Diagnostic]:
    """Where instructions are not as their records ask for. What such a one does is not known."""
    contexts = list_contexts(program, target, revision)
    found = [d for c in contexts for rule in constraints.RULES for d in rule.diagnostics(c)]
    return _sorted([of_python(d) for d in found] if program.built else found)


def check(program: Program, target: Target, revision: Revision) -> list[Diagnostic]:
    """Returns all findings in all functions, in source order. A rule that fails, or has no budget
    for a whole function, leaves a finding about that, and the others go on."""
    size = sum(1 for function in program.functions for _ in function.ops())
    with program_budget(size):
        contexts = list_contexts(program, target, revision)
        findings = [finding for context in contexts for finding in _of_function(context)]
    if program.built:
        findings = [of_python(finding) for finding in findings]
    return _sorted(findings)


def _of_function(context: Context) -> list[Diagnostic]:
    first, *others = _as_cores(context)
    unfinished = Unfinished(context)
    findings: list[Diagnostic] = []
    is_right = True
    for rule in RULES:
        if is_right or rule not in MEMORY_RULES:
            found = unfinished.diagnostics(rule, first)
            findings += found
            alone = rule in OPERATION_RULES or rule in CORE_RULES
            wrong = bool(found) and rule.severity == "error" and alone
            is_right = is_right and not wrong
            if is_right and others and rule in MEMORY_RULES:
                more = [d for c in others for d in unfinished.diagnostics(rule, c)]
                findings += _more(more, found)
    return [*findings, *unfinished.said()]


def _as_cores(context: Context) -> list[Context]:
    """A function as every core of a block runs it."""
    block: list[Context] = []
    cores = core_ids(context.function.cores)
    made = [replace(context, core=core, block=block, _made={}) for core in cores]
    if len(made) > 1:
        block += made
    return made


def _more(findings: list[Diagnostic], known: list[Diagnostic]) -> list[Diagnostic]:
    """What other cores find, once."""
    seen = {(d.code, d.span, d.message) for d in known}
    made: list[Diagnostic] = []
    for finding in findings:
        key = finding.code, finding.span, finding.message
        if key not in seen:
            seen.add(key)
            made.append(finding)
    return made


def _sorted(findings: list[Diagnostic]) -> list[Diagnostic]:
    """In source order. What several calls of a function lead to is one finding."""
    called = [d for d in findings if d.span.calls]
    once = {(d.code, d.span[:3], d.message): d for d in reversed(called)}
    others = [d for d in findings if not d.span.calls]
    return sorted([*others, *once.values()], key=lambda d: (d.span, d.code))
