"""What is said about a run of cases: tables, counts, and JUnit XML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ptoscope.cases.outcome import PASSED, VERDICTS, Outcome
from ptoscope.junit import JunitCase, junit_xml


def case_rows(outcomes: Sequence[Outcome]) -> list[tuple[str, ...]]:
    """Family, case, verdict, time."""
    return [
        (
            o.case.family,
            o.case.name,
            f"{o.verdict} {o.unsupported}".rstrip(),
            f"{o.seconds:.2f} s",
        )
        for o in outcomes
    ]


def count(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """How many there are of each verdict, how many in all, how many equal bit for bit."""
    verdicts = Counter(o.verdict for o in outcomes)
    return {
        **{verdict: verdicts[verdict] for verdict in VERDICTS},
        "total": len(outcomes),
        "exact": sum(o.passed and o.exact is True for o in outcomes),
    }


def count_families(outcomes: Sequence[Outcome]) -> dict[str, dict[str, int]]:
    """The counts of each family."""
    families: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        families.setdefault(outcome.case.family, []).append(outcome)
    return {family: count(families[family]) for family in sorted(families)}


def family_rows(families: Mapping[str, Mapping[str, int]]) -> list[tuple[str, ...]]:
    """One row of counts per family."""
    columns = (*VERDICTS, "total")
    return [(family, *(str(c[k]) for k in columns)) for family, c in families.items()]


def explanation(outcome: Outcome) -> str:
    """Why a case did not pass, and how to run it again; for one that passed, what should be
    known about it; empty if there is nothing to say."""
    if outcome.verdict == "unsupported":
        return ""
    if outcome.passed:
        differing = [f"not bit for bit: {d['text']}" for d in outcome.differences]
        if outcome.exact is False and not differing:
            differing = ["not bit for bit: NaNs have other bits"]
        other = [f"{outcome.verdict}: {outcome.detail}"] if outcome.detail else []
        told = (*other, *differing, *outcome.notes, *_printed(outcome))
        return "\n".join(f"{outcome.case.title}: {text}" for text in told)
    lines = [f"{outcome.verdict} {outcome.case.title}", outcome.detail, outcome.compare]
    lines += [*outcome.notes, *_printed(outcome), f"rerun: {outcome.rerun}"]
    lines.append(f"data: {outcome.kept}" if outcome.kept else "")
    return "\n  ".join(line for line in lines if line)


def _printed(outcome: Outcome) -> list[str]:
    """What the kernels printed, line by line."""
    left_out = outcome.prints_left_out
    more = [f"{left_out} further prints left out"] if left_out else []
    return [*(one["told"] for one in outcome.printed), *more]


def revisions(outcomes: Sequence[Outcome]) -> str:
    """The revisions that kernels were run in."""
    return ", ".join(sorted({o.revision for o in outcomes if o.revision}))


def summary(counts: Mapping[str, int], seconds: float, revision: str) -> str:
    """One line for the whole run."""
    told = [f"{counts[v]} {v}" for v in VERDICTS if counts[v]]
    passed = sum(counts[v] > 0 for v in PASSED)
    if passed:
        told[passed - 1] += f" ({counts['exact']} bit for bit)"
    cases = f"{counts['total']} case{'' if counts['total'] == 1 else 's'}"
    used = f", revision {revision}" if revision else ""
    return f"{cases} in {seconds:.1f} s{used}: {', '.join(told)}"


def junit(outcomes: Sequence[Outcome], seconds: float) -> bytes:
    """The run as JUnit XML: a suite per family."""
    return junit_xml("ptoscope cases", [_junit_case(o) for o in outcomes], seconds)


def _junit_case(outcome: Outcome) -> JunitCase:
    family, verdict = outcome.case.family, outcome.verdict
    case = JunitCase(family, family, outcome.case.name, outcome.seconds, output=outcome.output)
    if verdict == "unsupported":
        return replace(case, became="skipped", message=outcome.detail)
    if outcome.passed:
        return case
    return replace(
        case,
        became="error" if verdict == "error" else "failure",
        message=outcome.detail,
        text="\n".join([explanation(outcome), *(str(d) for d in outcome.findings)]),
        kind=verdict,
    )
