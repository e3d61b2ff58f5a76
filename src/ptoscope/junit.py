"""JUnit XML: what programs that collect the results of tests read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree as Xml

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class JunitCase:
    """One case: what became of it (nothing if it passed), why in a line and in full, and what it
    printed. `kind` is the kind of failure, where there are several."""

    suite: str
    classname: str
    name: str
    seconds: float
    became: Literal["", "failure", "error", "skipped"] = ""
    message: str = ""
    text: str = ""
    kind: str = ""
    output: str = ""


def junit_xml(name: str, cases: Sequence[JunitCase], seconds: float) -> bytes:
    """Cases as the XML of a file, suite by suite in the order of their names."""
    root = Xml.Element("testsuites", name=_clean(name), time=f"{seconds:.3f}")
    for suite in sorted({case.suite for case in cases}):
        own = [case for case in cases if case.suite == suite]
        found = [case.became for case in own]
        element = Xml.SubElement(
            root,
            "testsuite",
            name=_clean(suite),
            tests=str(len(own)),
            failures=str(found.count("failure")),
            errors=str(found.count("error")),
            skipped=str(found.count("skipped")),
            time=f"{sum(case.seconds for case in own):.3f}",
        )
        for case in own:
            _add(element, case)
    Xml.indent(root)
    return Xml.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _add(suite: Xml.Element, case: JunitCase) -> None:
    element = Xml.SubElement(
        suite,
        "testcase",
        classname=_clean(case.classname),
        name=_clean(case.name),
        time=f"{case.seconds:.3f}",
    )
    if case.became:
        child = Xml.SubElement(element, case.became, message=_clean(case.message))
        if case.kind:
            child.set("type", _clean(case.kind))
        if case.text:
            child.text = _clean(case.text)
    if case.output:
        Xml.SubElement(element, "system-out").text = _clean(case.output)


def _clean(text: str) -> str:
    return _NOT_XML.sub("?", text)
