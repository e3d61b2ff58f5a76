"""The catalogue: every rule with its reason, a bad example and the same example put right.

Each code has a file in `examples/`. It begins with comments, `// why:` and `// source:`, and
where they are not a5 and manual, `// target:` and `// revision:`; lines that go on are
indented. Then follow `// bad` and `// fixed`, each with a whole kernel. A comment
`// expect CODE: words` stands on every line of the bad one that is reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ptoscope.check import RULES
from ptoscope.isa.targets import DEFAULT_TARGET, Revision

EXAMPLES = Path(__file__).with_name("examples")

READER = {
    "PTO0001": "the text follows the grammar",
    "PTO0002": "operations are known",
    "PTO0003": "values are defined before they are used, where they can be seen",
    "PTO0004": "a name is defined once",
    "PTO0005": "types exist, and a vector register has 256 bytes",
    "PTO0006": "the uses of a placeholder decide what it stands for",
    "PTO0007": "the file is UTF-8 text",
    "PTO0008": "an operation has its operands and attributes",
    "PTO0009": "a value is used with the type it has",
    "PTO0010": "functions and bodies are whole",
    "PTO0011": "the module's target exists",
}
"""What is reported while a file is read: by code, what holds of a file without that error."""

NO_EXAMPLE = ("PTO0007",)
"""Codes of which a text file cannot hold an example."""

_EXPECT = re.compile(r"\s*// expect (PTO\d{4}): (.*?)(?=\s*// expect|$)")
_FIELD = re.compile(r"// (why|source|target|revision): (.*)")


@dataclass(frozen=True)
class Expected:
    """A finding that an example's line has; its message or what it found says `words`."""

    line: int
    code: str
    words: str


@dataclass(frozen=True)
class Entry:
    """All that is known about one code."""

    code: str
    title: str
    severity: str
    why: str
    source: str
    target: str
    revision: Revision
    bad: str
    fixed: str
    expected: tuple[Expected, ...]


def codes() -> tuple[str, ...]:
    """Every code that `ptoscope check` reports."""
    return tuple(sorted({*READER, *(rule.code for rule in RULES)}))


def near(code: str) -> list[str]:
    """Codes that a misspelt one may stand for: of the same group, the nearest number first."""
    digits = re.sub(r"\D", "", code)[:4]
    if not digits:
        return list(codes())
    wanted = int(digits)

    def distance(known: str) -> tuple[bool, int]:
        number = int(known[3:])
        return number // 100 != wanted // 100, abs(number - wanted)

    return sorted(sorted(codes(), key=distance)[:5])


@cache
def entry(code: str) -> Entry:
    """The entry of a code; KeyError if there is none."""
    rules = {rule.code: (rule.title, rule.severity) for rule in RULES}
    title, severity = rules.get(code) or (READER[code], "error")
    text = (EXAMPLES / f"{code}.pto").read_text(encoding="utf-8")
    head, _, rest = text.partition("\n// bad\n")
    bad, _, fixed = rest.partition("\n// fixed\n")
    fields = _fields(head)
    revision: Revision = "micro" if fields.get("revision") == "micro" else "manual"
    return Entry(
        code,
        title,
        severity,
        fields["why"],
        fields["source"],
        fields.get("target", DEFAULT_TARGET),
        revision,
        "\n".join(_EXPECT.sub("", line) for line in bad.strip("\n").split("\n")),
        fixed.strip("\n"),
        _expected(bad.strip("\n")),
    )


def _fields(head: str) -> dict[str, str]:
    """The comments before the examples, by their names."""
    fields: dict[str, str] = {}
    name = ""
    for line in head.split("\n"):
        begins = _FIELD.fullmatch(line)
        if begins:
            name = begins[1]
            fields[name] = begins[2]
        elif name and line.startswith("//   "):
            fields[name] += " " + line.removeprefix("//   ").strip()
    return fields


def _expected(text: str) -> tuple[Expected, ...]:
    return tuple(
        Expected(number, found[1], found[2])
        for number, line in enumerate(text.split("\n"), 1)
        for found in _EXPECT.finditer(line)
    )
