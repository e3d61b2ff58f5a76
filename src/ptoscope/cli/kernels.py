"""The kernels that a command line names: a file of text, standard input, or a kernel in Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ptoscope.cli.files import kernel_name, read_kernel, readable
from ptoscope.cli.options import Request
from ptoscope.diagnostics import UsageError
from ptoscope.lang.references import Reference, parse_reference

if TYPE_CHECKING:
    from ptoscope.kernel import Kernel


class KernelWord(NamedTuple):
    """A word that names a kernel: its file, and which kernel of it where that is Python."""

    text: str
    path: Path
    python: Reference | None

    @property
    def name(self) -> str:
        """What it is called in what is said of it."""
        return kernel_name(self.path) if self.python is None else self.text

    @property
    def title(self) -> str:
        """What it is called, in short: the name of a kernel in Python, or of the file."""
        if self.python is not None and self.python.name:
            return self.python.name
        return self.path.stem


def kernel_word(text: str) -> KernelWord:
    """The kernel that a word names; UsageError if its file cannot be read."""
    python = parse_reference(text)
    return KernelWord(text, readable(text if python is None else python.file), python)


def names_kernel(text: str) -> bool:
    """Whether a word looks like a kernel, where arguments may stand as well."""
    return text.endswith(".pto") or parse_reference(text) is not None


def not_edited(word: KernelWord, option: str) -> UsageError:
    """What is said where Python would have to be changed."""
    return UsageError(f"{option}: {word.path} is Python, which is not edited")


def prepared(word: KernelWord, request: Request) -> Kernel:
    """The kernel of a word, as the request's target, revision, entry and sums say. PtoError for
    what cannot be read as a kernel; what the check finds is among its findings."""
    target, revision, entry = (request.get(name) for name in ("target", "revision", "entry"))
    return prepared_for(word, target, revision, entry).accumulating(request.get("accumulate"))


def prepared_for(
    word: KernelWord, target: str | None, revision: str | None, entry: str | None = None
) -> Kernel:
    """The same for a target, revision and entry; None stands for what the kernel says itself."""
    if word.python is not None:
        from ptoscope.lang.loading import load_python

        return load_python(word.python, target, revision, entry)
    from ptoscope.kernel import prepare

    file, text = read_kernel(word.path)
    return prepare(text, file, target, revision, entry)
