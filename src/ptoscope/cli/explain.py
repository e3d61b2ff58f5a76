"""`ptoscope check --explain`: what a code means, with an example and what is reported of it."""

from __future__ import annotations

import tempfile
import textwrap
from dataclasses import asdict, replace
from pathlib import Path

from ptoscope.check import catalogue
from ptoscope.check.catalogue import Entry, Use
from ptoscope.check.revisions import ONLY_IN_ANOTHER, UNNAMED
from ptoscope.cli import options, run
from ptoscope.cli.examine import examine, examine_text
from ptoscope.cli.kernels import kernel_word
from ptoscope.cli.output import Result
from ptoscope.diagnostics import Diagnostic, PtoError, UsageError
from ptoscope.isa.targets import DEFAULT_TARGET
from ptoscope.kernel import prepare

BAD, FIXED = "bad.pto", "fixed.pto"
"""What the examples are called; those in Python are bad.py and fixed.py."""


def explain(code: str) -> Result:
    """A code: why it exists, an example that has it, and the example put right. UsageError if
    there is no such code."""
    code = code.upper()
    if code not in catalogue.codes():
        near = catalogue.near(code)
        others = f"near it are {', '.join(near)}" if near else f"codes are {_groups()}"
        raise UsageError(f"there is no code {code[:40]}; {others}")
    entry = catalogue.entry(code)
    found = findings(entry) if entry.bad else []
    page = [f"{code} ({entry.severity}): {entry.title}"]
    for title, content in _sections(entry, found).items():
        if content.strip():
            page.append(f"\n{title}\n{textwrap.indent(content.rstrip(), '  ')}")
    rule = {k: v for k, v in asdict(entry).items() if k != "expected"}
    return Result("check", page, {"rule": {**rule, "findings": [d.as_json() for d in found]}})


def findings(entry: Entry) -> list[Diagnostic]:
    """What ptoscope reports of a bad example: `check` of the text, or a run of it."""
    if entry.use.run is not None:
        return _run(entry, entry.use.run)
    if entry.use.call is not None:
        return _call(entry, entry.use.call)
    if entry.suffix == ".py":
        return _check_python(entry)
    target = None if _names(entry, "target_arch") else entry.target
    unnamed = entry.code in (UNNAMED, ONLY_IN_ANOTHER) or _names(entry, "revision")
    revision = None if unnamed else entry.revision
    return examine_text(entry.bad, BAD, target, revision)[1]


def _check_python(entry: Entry) -> list[Diagnostic]:
    """What `ptoscope check` reports of an example in Python."""
    with tempfile.TemporaryDirectory(prefix="ptoscope-") as directory:
        path = Path(directory, _named(entry, BAD))
        path.write_text(entry.bad, encoding="utf-8")
        found = examine(kernel_word(str(path)), options.read(["check", str(path)]))[1]
    return [replace(d, file=path.name) for d in found]


def _named(entry: Entry, file: str) -> str:
    return str(Path(file).with_suffix(entry.suffix))


def _run(entry: Entry, words: str) -> list[Diagnostic]:
    """What `ptoscope run` reports, on the engine that starts at once."""
    with tempfile.TemporaryDirectory(prefix="ptoscope-") as directory:
        path = Path(directory, BAD)
        path.write_text(entry.bad, encoding="utf-8")
        command = ["run", str(path), *words.split(), *_options(entry), "--engine", "reference"]
        found = run.answer(options.read(command)).diagnostics
    return [replace(d, file=BAD) for d in found]


def _call(entry: Entry, call: str) -> list[Diagnostic]:
    """What a call from Python reports."""
    import numpy as np

    kernel = prepare(entry.bad, BAD, entry.target, entry.revision)
    # The text is the catalogue's own, not a user's.
    arguments = eval(f"({call},)", {"np": np})
    try:
        kernel(*arguments, engine="reference")
    except PtoError as error:
        return list(error.diagnostics)
    return kernel.warnings


def _sections(entry: Entry, found: list[Diagnostic]) -> dict[str, str]:
    """The parts of the page by their titles; empty ones are not shown."""
    options = {
        "target_arch": f"--target {entry.target}",
        "revision": f"--revision {entry.revision}",
    }
    chosen = " ".join(option for name, option in options.items() if not _names(entry, name))
    reported = f"what `{_shown(entry, entry.use)}` reports" if entry.use else "what is reported"
    sections = {
        "why": textwrap.fill(entry.why, 88),
        "source": textwrap.fill(entry.source, 88),
        _named(entry, BAD) + ("" if entry.suffix == ".py" else f" ({chosen})"): entry.bad,
        reported: "\n".join(str(d) for d in found),
    }
    if entry.fixed != entry.bad:
        sections[_named(entry, FIXED)] = entry.fixed
    elif entry.use:
        sections["put right"] = _shown(entry, entry.fixed_use)
    return sections


def _shown(entry: Entry, use: Use) -> str:
    """How an example is run, as one would write it."""
    if use.run is None:
        return f'ptoscope.load("{BAD}")({use.call})'
    return " ".join(["ptoscope run", BAD, *use.run.split(), *_options(entry)])


def _options(entry: Entry) -> list[str]:
    """Options for what differs from the defaults."""
    target = [] if entry.target == DEFAULT_TARGET else ["--target", entry.target]
    return target + ([] if entry.revision == "manual" else ["--revision", entry.revision])


def _names(entry: Entry, attribute: str) -> bool:
    """Whether the module of the bad example says it itself."""
    return f"pto.{attribute}" in entry.bad


def _groups() -> str:
    return ", ".join(catalogue.groups())
