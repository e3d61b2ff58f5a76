"""Faults: what stops a run, with the place and the values involved."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptoscope.diagnostics import Diagnostic
    from ptoscope.isa.record import Site
    from ptoscope.program import Program

OUT_OF_UB = "PTO0901"
OUT_OF_GM = "PTO0902"
MISALIGNED = "PTO0903"
DEADLOCK = "PTO0904"
SYNC_MISUSE = "PTO0905"
DIVISION = "PTO0906"
DMA_FIELD = "PTO0907"
LOOP_STEP = "PTO0908"
READ_ONLY = "PTO0909"
AMOUNT = "PTO0910"
SCATTER_ALIAS = "PTO0911"
STREAM = "PTO0912"
OTHER_CORE = "PTO0913"
NOT_MODELLED = "PTO0914"
STEPS = "PTO0915"
LEFT_SET = "PTO0916"
FLAG_OVERFLOW = "PTO0917"

UNDEFINED_AFTER = "after a fault the contents of pointer arguments are undefined"


class Fault(Exception):
    """Raised where an instruction cannot go on; loops add their iteration on the way out."""

    def __init__(
        self,
        site: Site,
        code: str,
        message: str,
        found: str = "",
        expected: str = "",
        hint: str = "",
    ) -> None:
        super().__init__(message)
        self.site = site
        self.code = code
        self.message = message
        self.found = found
        self.expected = expected
        self.hint = hint
        self.iterations: list[str] = []
        self.queued = False
        self.core: int = 0
        """Which core of its block it happened on."""
        self.core_title = ""
        """As messages write that, where there are several."""

    def in_lane(self, lane: int) -> Fault:
        """Notes which lane it happened in."""
        self.iterations.append(f"lane {lane}")
        return self

    def inside(self, iteration: str) -> None:
        """Notes the iteration of a loop the fault happened in; inner loops come first."""
        if not self.queued:
            self.iterations.insert(0, iteration)

    def diagnostic(self, program: Program, block: int, grid: int) -> Diagnostic:
        """The finding for people."""
        where = [self.core_title] if self.core_title else []
        where += self.iterations
        if grid > 1:
            where.insert(0, f"block {block} of {grid}")
        place = f" (at {', '.join(where)})" if where else ""
        hint = f"{self.hint}; {UNDEFINED_AFTER}" if self.hint else UNDEFINED_AFTER
        return program.diagnostic(
            self.code,
            self.site.span,
            f"{self.site.record.name}: {self.message}{place}",
            found=self.found,
            expected=self.expected,
            hint=hint,
        )


def too_many_steps(site: Site, limit: int) -> Fault:
    """The fault of a kernel that is not done after so many iterations of its loops."""
    return Fault(
        site,
        STEPS,
        f"not done after {limit} iterations of its loops",
        expected=f"at most {limit} iterations in a block (the limit that was set)",
        hint="check how the loop ends, or raise the limit",
    )
