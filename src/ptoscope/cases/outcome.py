"""What became of a case."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ptoscope.cases.find import Case
from ptoscope.cases.options import Options
from ptoscope.diagnostics import Diagnostic, shortened
from ptoscope.isa.targets import OTHER_REVISIONS, Revision


def passed_in(revision: Revision) -> str:
    """Returns the verdict on a case that passes in this revision alone, and names none."""
    return f"pass ({revision})"


PASSED = ("pass", *map(passed_in, OTHER_REVISIONS))
VERDICTS = (*PASSED, "fail", "fault", "race", "undefined", "unsupported", "error")
"""pass: compare.py is content; where only another revision makes it so, the verdict names that one.
fail: it is not, or there are warnings and they count. fault: the kernel was stopped, or would have
been where nothing lies behind its arrays. race, undefined: compare.py is content, but the result
depends on an order that nothing keeps, or on data that nobody wrote (only looked for when asked).
unsupported: the kernel needs an instruction that is not modelled. error: the case itself is
wrong."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The verdict on a case and its reason. `exact` says whether the outputs equal the golden
    files bit for bit, None where there is nothing to compare."""

    case: Case
    verdict: str
    detail: str
    seconds: float
    rerun: str
    exact: bool | None = None
    compare: str = ""
    unsupported: str = ""
    output: str = ""
    kept: str = ""
    notes: tuple[str, ...] = ()
    differences: tuple[Mapping[str, Any], ...] = ()
    findings: tuple[Diagnostic, ...] = field(default=())
    revision: str = ""
    """The one its kernel was read in; empty if it could not be read."""
    printed: tuple[Mapping[str, Any], ...] = ()
    """What the launches of its kernels printed; `told` is a line for people."""
    prints_left_out: int = 0

    @property
    def passed(self) -> bool:
        return self.verdict in PASSED

    def as_json(self) -> dict[str, object]:
        """The stable JSON form."""
        return {
            "family": self.case.family,
            "case": self.case.name,
            "path": self.case.path,
            "verdict": self.verdict,
            "revision": self.revision or None,
            "detail": self.detail,
            "seconds": round(self.seconds, 4),
            "exact": self.exact,
            "unsupported": self.unsupported or None,
            "compare": self.compare,
            "notes": list(self.notes),
            "differences": [dict(d) for d in self.differences],
            "diagnostics": [d.as_json() for d in self.findings],
            "printed": [{k: v for k, v in one.items() if k != "told"} for one in self.printed],
            "prints_left_out": self.prints_left_out,
            "output": self.output,
            "rerun": self.rerun,
            "kept": self.kept or None,
        }


def make_outcome(case: Case, options: Options, answer: Mapping[str, Any]) -> Outcome:
    """The outcome a run's answer stands for."""
    findings = [Diagnostic.from_record(record) for record in answer.get("findings", ())]
    return Outcome(
        case,
        answer["verdict"],
        shortened(answer["detail"]),
        answer["seconds"],
        rerun_command(case, options),
        answer.get("exact"),
        shortened(answer.get("compare", "")),
        shortened(answer.get("unsupported", ""), 80),
        answer.get("output", "") if answer["verdict"] not in PASSED else "",
        answer.get("kept", ""),
        tuple(shortened(note) for note in answer.get("notes", ())),
        tuple(answer.get("differences", ())),
        tuple(findings),
        answer.get("revision", ""),
        tuple(answer.get("printed", ())),
        answer.get("prints_left_out", 0),
    )


def rerun_command(case: Case, options: Options) -> str:
    """The command that runs just this case the same way."""
    words = ["ptoscope", "cases", case.path]
    defaults = Options()
    for name, value, default in zip(Options._fields, options, defaults, strict=True):
        if value is not None and value != default:
            words += [f"--{name}"] if value is True else [f"--{name}", value]
    return shlex.join(words)
