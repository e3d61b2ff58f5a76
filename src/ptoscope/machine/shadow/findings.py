"""Where undefined data arrived: one finding for each pair of lines, with a count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ptoscope.diagnostics import Diagnostic, Span
from ptoscope.isa.compare import vsel
from ptoscope.isa.record import Site
from ptoscope.isa.table import names
from ptoscope.machine.shadow.lanes import ShadowLanes
from ptoscope.machine.shadow.origins import DETAIL_BITS, Ids, Origins
from ptoscope.program import Program

REACHES_GM = "PTO0711"
REACHES_ADDRESS = "PTO0712"
REACHES_MASK = "PTO0713"
REACHES_BRANCH = "PTO0714"

_ARRIVALS = {
    REACHES_GM: ("reaches GM", "data that was written before, in every byte copied"),
    REACHES_ADDRESS: ("decides an address", "an address computed from defined data"),
    REACHES_MASK: ("decides a mask", "a mask that is defined in every lane it governs"),
    REACHES_BRANCH: ("decides a branch", "a decision made from defined data"),
}
_HINTS = {
    "never written": "copy or store to these bytes first, or leave them out of what is used",
    "inactive lane": "documents forbid relying on inactive lanes: merge with "
    f"{vsel.name}, or store with the mask of the computation",
    "beyond a tail": "store and copy no more than the tail has, or pad it when it is copied in",
    "unflushed align bytes": "flush the stream "
    f"({names(lambda r: r.stream is not None and r.stream.kind == 'flushes')}) before its bytes "
    "are read",
}
_LEFT = (
    f"store every byte that is copied (merge with {vsel.name} and store all lanes), or copy only "
    "what was stored"
)


@dataclass
class _Finding:
    """The first time undefined data from one line arrived at another, the first that is an
    error if any is, and how often it arrived."""

    code: str
    site: Site
    origin: int
    what: str
    iteration: str
    severity: str
    items: int = 0
    times: int = 0


class ShadowFindings:
    """The findings of a run."""

    def __init__(self, book: Origins) -> None:
        self._book = book
        self._found: dict[tuple[str, Span, str, int], _Finding] = {}

    def of_core(self, book: Origins) -> ShadowFindings:
        """The same findings, as one core comes to them."""
        made = ShadowFindings(book)
        made._found = self._found
        return made

    def arrived(self, code: str, site: Site, what: Any, origins: Ids, excused: Any = None) -> None:
        """Undefined items arrived at a site; `what(i)` names item i of them. Those that are
        `excused` are a warning where no other comes from the same line."""
        numbers = origins >> DETAIL_BITS
        groups: dict[tuple[str, Span, str, int], list[Any]] = {}
        for number in np.unique(numbers):
            event = self._book.events[int(number)]
            key = (code, site.span, event.kind, event.line)
            groups.setdefault(key, []).append(np.flatnonzero(numbers == number))
        for key, parts in groups.items():
            items = np.sort(np.concatenate(parts))
            wrong = items if excused is None else items[~excused[items]]
            severity = "error" if len(wrong) else "warning"
            first = int((wrong if len(wrong) else items)[0])
            found = self._found.get(key)
            before = (found.items, found.times) if found is not None else (0, 0)
            if found is None or (severity, found.severity) == ("error", "warning"):
                where = self._book.iteration()
                origin = int(origins[first])
                found = _Finding(code, site, origin, what(first), where, severity)
                self._found[key] = found
            found.items, found.times = before[0] + len(items), before[1] + 1

    def decided(self, code: str, site: Site, what: str, value: object, where: Any = None) -> None:
        """A value decided something; a finding if any of its lanes (of those `where`) is
        undefined."""
        if not isinstance(value, ShadowLanes) or value.v is None:
            return
        lanes = np.flatnonzero(value.v if where is None else (value.v != 0) & where)

        def name(item: int) -> str:
            return what if value.count == 1 else f"{what} of lane {lanes[item]}"

        self.arrived(code, site, name, value.origins()[lanes])

    def diagnostics(self, program: Program) -> list[Diagnostic]:
        """What was found, by line."""
        found = sorted(self._found.values(), key=lambda f: (f.site.span, f.code, f.origin))
        return [self._diagnostic(program, f) for f in found]

    def _diagnostic(self, program: Program, found: _Finding) -> Diagnostic:
        event, _ = self._book.of(found.origin)
        arrival, expected = _ARRIVALS[found.code]
        where = f" (at {found.iteration})" if found.iteration else ""
        unit = "bytes" if found.code == REACHES_GM else "lanes"
        times = f"{found.times} executions" if found.times > 1 else "one execution"
        often = f"; {found.items} {unit} in {times}"
        return program.diagnostic(
            found.code,
            found.site.span,
            f"{found.site.record.name}: undefined data {arrival}: {found.what}{where}",
            severity=found.severity,
            found=self._book.describe(found.origin) + (often if found.items > 1 else ""),
            expected=expected,
            hint=_LEFT if event.kind == "inactive lane" and event.writer else _HINTS[event.kind],
        )
