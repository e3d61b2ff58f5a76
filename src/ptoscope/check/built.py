"""Findings about a program that was built of Python: nothing of its source is edited, and what to
write is said as Python."""

from __future__ import annotations

import re
from dataclasses import replace

from ptoscope.diagnostics import Diagnostic

_BRACKETS = re.compile(r"\b(pto\.\w+)\[([^\[\]]*)\]")
_PIPE = re.compile(r"\b(pto\.)(?:pipe_)?barrier #pto\.pipe<(\w+)>")
_WORD = re.compile(r'\b(pto\.\w+) ("\w+")')


def as_python(text: str) -> str:
    """A sentence with the instructions that it quotes written as calls."""
    text = _BRACKETS.sub(r"\1(\2)", text)
    text = _PIPE.sub(r'\1pipe_barrier("\2")', text)
    return _WORD.sub(r"\1(\2)", text)


def of_python(finding: Diagnostic) -> Diagnostic:
    """A finding about Python: without a fix, which is a change of our own text."""
    hint, expected = as_python(finding.hint), as_python(finding.expected)
    return replace(finding, fix=(), hint=hint, expected=expected)
