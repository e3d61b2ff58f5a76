"""Rules that fail, or whose budget ends, in a function. Each leaves one finding about itself, and
all other rules go on."""

from __future__ import annotations

from ptoscope.budget import EndedError, analysis_budget
from ptoscope.check.rule import Context, Rule
from ptoscope.diagnostics import NOWHERE, Diagnostic, internal_error

NOT_LOOKED_AT = "PTO0610"
"""The code of the note about an analysis whose budget ended."""


class Unfinished:
    """The rules of one function that did not end well, by what ended them: an analysis that
    several rules ask for is told of once."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._ended: dict[tuple[object, ...], tuple[Exception, list[Rule]]] = {}

    def diagnostics(self, rule: Rule, context: Context) -> list[Diagnostic]:
        """The findings of a rule, up to where it ends."""
        found: list[Diagnostic] = []
        try:
            with analysis_budget():
                for finding in rule.diagnostics(context):
                    found.append(finding)
        except Exception as error:
            where = error.op.span if isinstance(error, EndedError) and error.op else NOWHERE
            _, rules = self._ended.setdefault((type(error), str(error), where), (error, []))
            if rule not in rules:
                rules.append(rule)
        return found

    def said(self) -> list[Diagnostic]:
        """One finding for each end."""
        return [self._said(error, rules) for error, rules in self._ended.values()]

    def _said(self, error: Exception, rules: list[Rule]) -> Diagnostic:
        function, program = self._context.function, self._context.program
        codes = ", ".join(rule.code for rule in rules)
        if not isinstance(error, (EndedError, MemoryError)):
            said = internal_error(error)
            return program.diagnostic(
                said.code,
                function.span,
                f"{said.message}, in {codes} of function @{function.name}",
                hint=said.hint,
            )
        op = error.op if isinstance(error, EndedError) else None
        place = f"from {op.name} on " if op is not None else ""
        return program.diagnostic(
            NOT_LOOKED_AT,
            function.span if op is None else op.span,
            f"function @{function.name}: {place}not all is looked at",
            severity="note",
            found=error.what if isinstance(error, EndedError) else "there is not enough memory",
            hint=f"{codes} may find less than there is: make the function simpler, or split it; "
            "ptoscope run --check all looks at what a run really does",
        )
