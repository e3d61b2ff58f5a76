"""What the checks of a kernel found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ptoscope.diagnostics import Diagnostic
from ptoscope.tables import counted
from ptoscope.watch import Seen

RESULTS, AGREEMENT, TEXT = "results", "agreement", "check"


@dataclass(frozen=True)
class CheckOutcome:
    """What one check of a kernel found on a target: `check` is "results" (what is expected),
    "agreement" (with the reference engine, bit for bit), "check" (findings of the text), "races",
    "poison" or "schedules". `engine` is the one that ran; none reads a text. `skipped` says why
    nothing ran."""

    kernel: str
    target: str
    engine: str
    check: str
    seconds: float
    findings: tuple[Diagnostic, ...] = ()
    failed: bool = False
    skipped: str = ""

    @property
    def name(self) -> str:
        """`races (native)`."""
        return f"{self.check} ({self.engine})" if self.engine else self.check


class CheckFailed(AssertionError):
    """A kernel is not what a test expects; `outcomes` are those of all its checks."""

    def __init__(self, outcomes: Sequence[CheckOutcome]) -> None:
        self.outcomes: tuple[CheckOutcome, ...] = tuple(outcomes)
        super().__init__(_told(self.outcomes))


def _told(outcomes: Sequence[CheckOutcome]) -> str:
    """What failed, target by target."""
    lines: list[str] = []
    for target in dict.fromkeys(o.target for o in outcomes):
        own = [o for o in outcomes if o.target == target]
        failed = [o for o in own if o.failed]
        if failed:
            names = ", ".join(o.name for o in failed)
            of = f"{len(failed)} of {counted(len(own), 'check')} failed"
            lines.append(f"@{failed[0].kernel} on {target}: {of}: {names}")
            lines += map(str, _findings(failed))
    return "\n".join(lines)


def _findings(outcomes: Iterable[CheckOutcome]) -> list[Diagnostic]:
    """All findings, each once, without what a run shows better than the text."""
    seen, text = Seen(), list[Diagnostic]()
    for outcome in outcomes:
        if outcome.check == TEXT:
            text.extend(outcome.findings)
        else:
            seen.findings.setdefault(outcome.check, []).extend(outcome.findings)
    return seen.with_check(text)


_listeners: list[Callable[[CheckOutcome], None]] = []


@contextmanager
def heard_by(listener: Callable[[CheckOutcome], None]) -> Iterator[None]:
    """Within it, every outcome is given to the listener, too."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def tell(outcome: CheckOutcome) -> None:
    """Gives an outcome to those who listen."""
    for listener in _listeners:
        listener(outcome)
