"""Where undefined data arrived: one finding for each pair of lines, with a count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ptoscope.diagnostics import Diagnostic, Span
from ptoscope.isa.record import Site
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
    "inactive lane": "documents forbid relying on inactive lanes: merge with pto.vsel, or store "
    "with the mask of the computation",
    "beyond a tail": "store and copy no more than the tail has, or pad it when it is copied in",
    "unflushed align bytes": "flush the stream (pto.vsta, pto.vstas or pto.vstar) before its "
    "bytes are read",
}


@dataclass
class _Finding:
    """The first time undefined data from one line arrived at another, and how often."""

    code: str
    site: Site
    origin: int
    what: str
    iteration: str
    items: int
    severity: str
    times: int = 1


class Findings:
    """The findings of a run."""

    def __init__(self, book: Origins) -> None:
        self._book = book
        self._found: dict[tuple[str, Span, str, int], _Finding] = {}

    def arrived(self, code: str, site: Site, what: Any, origins: Ids, partly: bool = False) -> None:
        """Undefined items arrived at a site; `what(i)` names item i of them. `partly` says
        that defined ones came with them: bytes of UB that nobody has touched are then more
        than there was to copy, which kernels do on purpose, and only a warning."""
        numbers = origins >> DETAIL_BITS
        groups: dict[tuple[str, Span, str, int], list[int]] = {}
        for number in np.unique(numbers):
            event = self._book.events[int(number)]
            key = (code, site.span, event.kind, event.line)
            items = np.flatnonzero(numbers == number)
            group = groups.setdefault(key, [int(items[0]), 0])
            group[0] = min(group[0], int(items[0]))
            group[1] += len(items)
        for key, (first, items) in groups.items():
            known = self._found.get(key)
            event, _ = self._book.of(int(origins[first]))
            severity = "warning" if partly and event.untouched else "error"
            if known is not None:
                known.items += items
                known.times += 1
                if severity == "error":
                    known.severity = severity
                continue
            where = self._book.iteration()
            self._found[key] = _Finding(
                code, site, int(origins[first]), what(first), where, items, severity
            )

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
            hint=_HINTS[event.kind],
        )
