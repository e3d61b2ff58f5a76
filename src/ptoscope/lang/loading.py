"""`ptoscope.load`: a kernel of a text, of another front end, or in Python."""

from __future__ import annotations

import os

from ptoscope import kernel as text_kernels
from ptoscope.diagnostics import UsageError
from ptoscope.kernel import Kernel, sound
from ptoscope.lang.references import Reference, parse_reference
from ptoscope.sources import Loadable


def load(
    source: Loadable,
    target: str | None = None,
    revision: str | None = None,
    *,
    entry: str | None = None,
    force: bool = False,
) -> Kernel:
    """Reads, checks and prepares a kernel.

    A PathLike, or a string without a newline, is a path; any other string is kernel text. So is
    what other front ends' objects give: that of their method `mlir_text()`, else their `text`.
    `file.py:axpy` is a kernel in Python, `file.py` the only one of a file,
    `file.py:axpy:tile=512` one with values of its fixed parameters.

    `target` defaults to the module's `pto.target_arch`, else a5; `revision` to its
    `pto.revision`, else "manual"; those of a kernel in Python are its own. `entry` names the
    function where there are several. Raises PtoError with every error found; with `force`, a
    kernel whose only errors are in its addresses or its synchronisation can be run all the same.
    """
    is_path = isinstance(source, (str, os.PathLike))
    reference = parse_reference(os.fspath(source)) if is_path else None
    if reference is None:
        return text_kernels.load(source, target, revision, entry=entry, force=force)
    return sound(load_python(reference, target, revision, entry), force)


def load_python(
    reference: Reference, target: str | None, revision: str | None, entry: str | None = None
) -> Kernel:
    """The kernel in Python that is named, by its reference or by an entry, with what the check
    finds among its findings. PtoError where it cannot be compiled."""
    from ptoscope.lang.files import find_kernel, settings

    if entry is not None:
        named = entry.removeprefix("@")
        if reference.name and reference.name != named:
            raise UsageError(f"entry {entry[:40]}: the kernel is {reference.name}")
        reference = Reference(reference.file, named, reference.settings)
    kernel = find_kernel(reference)
    return kernel.specialised(target, settings(kernel, reference), revision).kernel
