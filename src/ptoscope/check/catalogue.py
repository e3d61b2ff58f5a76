"""The catalogue: every code with its reason, a bad example and the same example put right.

Each code has a file in `examples/`. It begins with comments, `// why:` and `// source:`, and
where they are not a5 and manual, `// target:` and `// revision:`; lines that go on are
indented. Then follow `// bad` and `// fixed`, each with a whole kernel. A comment
`// expect CODE: words` stands on every line of the bad one that is reported. The examples of
kernels in Python are in files `.txt`; there it is `# expect CODE: words`.

A code that only a run reports also says how to run: `// run:` is what follows the kernel on
the command line of `ptoscope run`, `// call:` the arguments of a call from Python, for what a
command line cannot pass. `ptoscope check` finds nothing in these kernels. Where the arguments
are wrong and not the kernel, there is no `// fixed`, and `// fixed run:` or `// fixed call:`
has the right ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ptoscope.check import RULES
from ptoscope.check.revisions import ONLY_IN_ANOTHER, UNNAMED
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
    "PTO0012": "the module's revision exists",
    "PTO0013": "a module whose meaning depends on the revision names one",
    "PTO0014": "calls come to an end",
    "PTO0015": "a function has one section for each kind of core",
    "PTO0016": "a text that is not legal in revision manual names its revision",
}
"""What is reported while a file is read: by code, what holds of a file without that error."""

RUN = {
    "PTO0701": "accesses of two pipes to the same bytes are ordered in every run",
    "PTO0702": "copies of one pipe to the same bytes are ordered in every run",
    "PTO0703": "a mem_bar orders accesses to the same bytes of a vecscope in every run",
    "PTO0704": "no block touches what another one writes",
    "PTO0705": "every legal order gives the same result",
    "PTO0706": "a signal orders accesses of two cores to the same bytes in every run",
    "PTO0711": "undefined data does not reach GM",
    "PTO0712": "undefined data does not decide an address",
    "PTO0713": "undefined data does not decide a mask",
    "PTO0714": "undefined data does not decide a branch",
    "PTO0901": "a run stays inside UB",
    "PTO0902": "a run stays inside the arrays it was given",
    "PTO0903": "addresses of a run are aligned as the access needs it",
    "PTO0904": "what a pipe waits for happens",
    "PTO0905": "event and buffer ids of a run are in range, and buffers released by their holder",
    "PTO0906": "no integer is divided by zero",
    "PTO0907": "the numbers of a copy fit their fields in every run",
    "PTO0908": "the step of a loop is positive",
    "PTO0909": "a read-only array is not written",
    "PTO0910": "numbers that instructions take at run time are in range",
    "PTO0911": "indices of a scatter differ in every run where the target needs it",
    "PTO0912": "a stream goes on, and is flushed, where it ended",
    "PTO0913": "a kernel waits for no other core",
    "PTO0914": "what a run does is modelled",
    "PTO0915": "a run ends within the iterations it was given",
    "PTO0916": "no flag is left set and no buffer held when a run ends",
    "PTO0917": "a flag is not set more often than it can count",
    "PTO0918": "a kernel does not stop itself",
}
"""What is reported of a run: by code, what holds of a run without it."""

ARGUMENTS = {
    "PTO0801": "a kernel is given one argument for each parameter",
    "PTO0802": "an array has the elements of its pointer",
    "PTO0803": "a pointer parameter is given an array",
    "PTO0804": "a scalar parameter is given a number of its type",
    "PTO0805": "a file holds a whole number of elements",
    "PTO0806": "an .npy file can be read",
    "PTO0807": "there is enough memory for what is asked",
    "PTO0808": "results are those that were expected",
    "PTO0809": "a run does what the one does that it is compared with",
    "PTO0810": "a row of measured points is a run with its cycles",
}
"""What is reported of the arguments of a run."""

PYTHON = {
    "PTO0309": "buffers of a kernel in Python that are live at once fit UB",
    "PTO1001": "a kernel has only such Python as a kernel can have",
    "PTO1002": "values of a kernel are used as instructions can use them",
    "PTO1003": "a name has a value where it is read",
    "PTO1004": "a value keeps its type through loops and branches",
    "PTO1005": "what is computed while a kernel is compiled raises nothing",
    "PTO1006": "the source of a kernel can be read",
    "PTO1007": "the parameters of a kernel say what they are",
    "PTO1008": "a file of kernels can be imported",
}
"""What is reported of a kernel in Python before it has a text."""

COMMAND = {
    "PTO0000": "the command line asks for something that there is",
    "PTO9999": "ptoscope itself does not fail",
}
"""What is reported of no kernel."""

NO_EXAMPLE = (
    *("PTO0000", "PTO0007", "PTO0309", "PTO0805", "PTO0806", "PTO0810", "PTO1006", "PTO9999"),
)
"""Codes of which a kernel, with arguments that can be written in a line, is no example."""

_TITLES = {**READER, **RUN, **ARGUMENTS, **PYTHON, **COMMAND}
_WARNINGS = ("PTO0916", ONLY_IN_ANOTHER)
"""Those of `_TITLES` that stop nothing."""

_EXPECT = re.compile(r"\s*(?://|#) expect (PTO\d{4}): (.*?)(?=\s*// expect|$)")
_FIELD = re.compile(
    r"// (why|source|target|revision|run|call|fixed run|fixed call):(?: (.*))?",
)


@dataclass(frozen=True)
class Expected:
    """A finding that an example's line has; its message or what it found says `words`."""

    line: int
    code: str
    words: str


@dataclass(frozen=True)
class Use:
    """How an example is run: `run` are words after the kernel on the command line, `call`
    arguments in Python. Both are None where `ptoscope check` reports it without a run."""

    run: str | None = None
    call: str | None = None

    def __bool__(self) -> bool:
        return self.run is not None or self.call is not None


@dataclass(frozen=True)
class Entry:
    """All that is known about one code. `use` is how its bad example is run, `fixed_use` how
    the fixed one is; where only the arguments were wrong, both examples are the same text."""

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
    use: Use
    fixed_use: Use
    suffix: str = ".pto"
    """Of the files that its examples are: `.pto` or `.py`."""


def codes() -> tuple[str, ...]:
    """Every code that ptoscope reports."""
    return tuple(sorted({*_TITLES, *(rule.code for rule in RULES)}))


def groups() -> list[str]:
    """The codes in short: `PTO0101 to PTO0111` for those of one hundred."""
    hundreds: dict[str, list[str]] = {}
    for code in codes():
        hundreds.setdefault(code[:5], []).append(code)
    return [" to ".join(dict.fromkeys((same[0], same[-1]))) for same in hundreds.values()]


def near(code: str) -> list[str]:
    """Codes that a misspelt one may stand for: of the same group, the nearest number first.
    None where it has no number."""
    digits = re.sub(r"\D", "", code)[:4]
    if not digits:
        return []
    wanted = int(digits)

    def distance(known: str) -> tuple[bool, int]:
        number = int(known[3:])
        return number // 100 != wanted // 100, abs(number - wanted)

    return sorted(sorted(codes(), key=distance)[:5])


@cache
def entry(code: str) -> Entry:
    """The entry of a code; KeyError if there is none."""
    rules = {rule.code: (rule.title, rule.severity) for rule in RULES}
    severity = "warning" if code in _WARNINGS else "note" if code == UNNAMED else "error"
    title, severity = rules.get(code) or (_TITLES[code], severity)
    path = EXAMPLES / f"{code}.pto"
    in_python = not path.exists()
    text = (path.with_suffix(".txt") if in_python else path).read_text(encoding="utf-8")
    head, _, rest = text.partition("\n// bad\n")
    marked, _, fixed = rest.partition("\n// fixed\n")
    marked = marked.strip("\n")
    bad = "\n".join(_EXPECT.sub("", line) for line in marked.split("\n"))
    fields = _fields(head)
    revision: Revision = "micro" if fields.get("revision") == "micro" else "manual"
    use = Use(fields.get("run"), fields.get("call"))
    return Entry(
        code,
        title,
        severity,
        fields["why"],
        fields["source"],
        fields.get("target", DEFAULT_TARGET),
        revision,
        bad,
        fixed.strip("\n") or bad,
        _expected(marked),
        use,
        Use(fields.get("fixed run", use.run), fields.get("fixed call", use.call)),
        ".py" if in_python else ".pto",
    )


def _fields(head: str) -> dict[str, str]:
    """The comments before the examples, by their names."""
    fields: dict[str, str] = {}
    name = ""
    for line in head.split("\n"):
        begins = _FIELD.fullmatch(line)
        if begins:
            name = begins[1]
            fields[name] = begins[2] or ""
        elif name and line.startswith("//   "):
            fields[name] += " " + line.removeprefix("//   ").strip()
    return fields


def _expected(text: str) -> tuple[Expected, ...]:
    return tuple(
        Expected(number, found[1], found[2])
        for number, line in enumerate(text.split("\n"), 1)
        for found in _EXPECT.finditer(line)
    )
