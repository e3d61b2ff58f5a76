"""What is said about a run of cases: tables, counts, and JUnit XML."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree as Xml

from ptoscope.cases.outcome import FAILURES, VERDICTS, Outcome

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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
        "exact": sum(o.verdict == "pass" and o.exact is True for o in outcomes),
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
    if outcome.verdict == "pass":
        differing = [f"not bit for bit: {d['text']}" for d in outcome.differences]
        if outcome.exact is False and not differing:
            differing = ["not bit for bit: NaNs have other bits"]
        told = (*differing, *outcome.notes, *_printed(outcome))
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
    exact = f" ({counts['exact']} bit for bit)"
    told = [f"{counts[v]} {v}{exact if v == 'pass' else ''}" for v in VERDICTS if counts[v]]
    cases = f"{counts['total']} case{'' if counts['total'] == 1 else 's'}"
    used = f", revision {revision}" if revision else ""
    return f"{cases} in {seconds:.1f} s{used}: {', '.join(told)}"


def junit(outcomes: Sequence[Outcome], seconds: float) -> bytes:
    """The run as JUnit XML: a suite per family."""
    root = Xml.Element("testsuites", name="ptoscope cases", time=f"{seconds:.3f}")
    for family, counts in count_families(outcomes).items():
        own = [o for o in outcomes if o.case.family == family]
        suite = Xml.SubElement(
            root,
            "testsuite",
            name=_clean(family),
            tests=str(counts["total"]),
            failures=str(sum(counts[v] for v in FAILURES)),
            errors=str(counts["error"]),
            skipped=str(counts["unsupported"]),
            time=f"{sum(o.seconds for o in own):.3f}",
        )
        for outcome in own:
            _junit_case(suite, outcome)
    Xml.indent(root)
    return Xml.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _junit_case(suite: Xml.Element, outcome: Outcome) -> None:
    case = Xml.SubElement(
        suite,
        "testcase",
        classname=_clean(outcome.case.family),
        name=_clean(outcome.case.name),
        time=f"{outcome.seconds:.3f}",
    )
    kind = {**dict.fromkeys(FAILURES, "failure"), "unsupported": "skipped", "error": "error"}
    if outcome.verdict in kind:
        child = Xml.SubElement(case, kind[outcome.verdict], message=_clean(outcome.detail))
        if outcome.verdict != "unsupported":
            child.set("type", outcome.verdict)
            text = [explanation(outcome), *(str(d) for d in outcome.findings)]
            child.text = _clean("\n".join(text))
    if outcome.output:
        Xml.SubElement(case, "system-out").text = _clean(outcome.output)


def _clean(text: str) -> str:
    return _NOT_XML.sub("?", text)
