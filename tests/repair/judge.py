"""Break, fix, compare: what the suggested fixes make of a mistake."""

from __future__ import annotations

from dataclasses import dataclass

from ptoscope.check import check
from ptoscope.check.apply import fixed
from ptoscope.diagnostics import Diagnostic, PtoError, edited
from ptoscope.kernel import Kernel, stops
from ptoscope.sources import choose_target, parse
from ptoscope.watch import Watch, watch

from .mistakes import Mistake
from .subjects import Launch, Subject

SCHEDULES = ("program", "lazy", "eager", "seed:1")
STEPS = 100_000

RIGHT, WRONG, LEFT = "right", "clean but wrong", "findings left"
HARMLESS, MISSED = "harmless", "not found"
"""Nothing is found, and the results are those of the correct kernel in every order, or not."""


@dataclass(frozen=True)
class Verdict:
    """How it ended; `offered`: whether there was a fix to apply."""

    mistake: Mistake
    ending: str
    offered: bool
    text: str
    codes: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def is_clean(subject: Subject) -> bool:
    """Whether nothing is found in the correct kernel: only then a mistake is all there is."""
    return not (findings(subject, subject.text) or watched(subject, subject.text))


def judge(mistake: Mistake) -> Verdict:
    """Applies all fixes of check and of races, again and again, and compares the results."""
    subject = mistake.subject
    first = findings(subject, mistake.text)
    found = first or watched(subject, mistake.text)
    codes = tuple(dict.fromkeys(d.code for d in found))
    if not found:
        ending = HARMLESS if is_right(subject, mistake.text) else MISSED
        return Verdict(mistake, ending, False, mistake.text)
    text, offered = mistake.text, any(d.fix for d in found)
    left: list[Diagnostic] = []
    for _ in range(8):
        text, _, left = fixed(text, lambda text: findings(subject, text))
        if left:
            break
        left = watched(subject, text)
        fixes = [d.fix for d in left if d.fix]
        if not fixes:
            break
        offered = True
        text = edited(text, fixes[0])
    if left:
        said = tuple(dict.fromkeys(d.code for d in left))
        return Verdict(mistake, LEFT, offered, text, codes, said)
    return Verdict(mistake, RIGHT if is_right(subject, text) else WRONG, offered, text, codes)


def findings(subject: Subject, text: str) -> list[Diagnostic]:
    """What check finds in a text, but for notes."""
    try:
        program = parse(text, subject.name, None, subject.revision)
        found = check(program, choose_target(program, None), subject.revision)
    except PtoError as error:
        found = list(error.diagnostics)
    return [d for d in found if d.severity != "note"]


def watched(subject: Subject, text: str) -> list[Diagnostic]:
    """Races and faults of the launches of a text that check finds nothing in."""
    found: list[Diagnostic] = []
    for launch in subject.launches:
        kernel = subject.kernel(text, launch.entry)
        if any(stops(d, force=True) for d in kernel.findings):
            continue
        seen = watch(kernel, launch.arguments, Watch(races=True), launch.grid, STEPS, "reference")
        found += seen.diagnostics
    return found


def is_right(subject: Subject, text: str) -> bool:
    """Whether a text gives the results of the correct kernel, in every order."""
    return all(_same(subject, launch, text) for launch in subject.launches)


def _same(subject: Subject, launch: Launch, text: str) -> bool:
    expected = _outputs(subject, launch, subject.text, "program")
    return all(_outputs(subject, launch, text, s) == expected for s in SCHEDULES)


def _outputs(subject: Subject, launch: Launch, text: str, schedule: str) -> list[bytes]:
    kernel: Kernel = subject.kernel(text, launch.entry)
    try:
        return launch.outputs(kernel, schedule)
    except PtoError as error:
        return [error.diagnostics[0].code.encode()]
