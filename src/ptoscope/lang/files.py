"""Kernels in files of Python: imports a file once, and finds its kernels."""

from __future__ import annotations

import ast
import contextlib
import copyreg
import inspect
import io
import linecache
import os
import sys
import threading
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from ptoscope.bounded_files import read_file
from ptoscope.diagnostics import Diagnostic, PtoError, Span, UsageError, message_of, nearest
from ptoscope.lang.kernel import PythonKernel
from ptoscope.lang.references import Reference
from ptoscope.lang.source import IMPORT, characters
from ptoscope.lang.template import Template

_imported: dict[str, tuple[bytes, ModuleType]] = {}
"""Files that were imported, by their paths, with what they held then."""
_importing = threading.RLock()
"""Held while a file runs, which changes `sys.path` and `sys.stdout`. It is no `MakingLock`: forks
wait for those, and a file may run for any time."""


def _begin_anew() -> None:
    """Opens the lock in a forked process, which does not have the thread that holds it."""
    global _importing
    _importing = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


def _reduced(kernel: PythonKernel) -> Any:
    """How a kernel is pickled: one of a file by the path of that file."""
    known = _imported.get(kernel.__module__)
    if known is None or known[1] is not sys.modules.get(kernel.__module__):
        return kernel.__reduce__()
    return _of_file, (kernel.__module__, kernel.function.__qualname__)


def _of_file(path: str, name: str) -> PythonKernel:
    return find_kernel(Reference(path, name))


copyreg.pickle(PythonKernel, _reduced)


def find_kernel(reference: Reference) -> PythonKernel:
    """The kernel that is named. UsageError where there is none of that name; PtoError for a file
    that cannot be imported."""
    module = import_file(reference.file)
    found = kernels(module)
    listed = f"kernels are {', '.join(found)}" if found else "it has no kernel"
    if not reference.name:
        if len(found) != 1:
            which = "which kernel? " if found else ""
            raise UsageError(f"{reference.file}: {which}{listed}; write {reference.file}:NAME")
        return next(iter(found.values()))
    value = getattr(module, reference.name, None)
    if isinstance(value, PythonKernel):
        return value
    raise UsageError(f"{reference.file}: {_no_kernel(reference.name, module, listed, found)}")


def _no_kernel(
    name: str, module: ModuleType, listed: str, found: Mapping[str, PythonKernel]
) -> str:
    if not hasattr(module, name):
        near = nearest(name, found)
        return f"there is no {name}; {near or listed}"
    value = getattr(module, name)
    if isinstance(value, Template):
        return f"{name} is a helper, under @pto.function; {listed}"
    if inspect.isfunction(value):
        line = value.__code__.co_firstlineno
        return f"{name} (line {line}) is a plain function: @pto.kernel makes a kernel; {listed}"
    return f"{name} is of type {type(value).__name__}, no kernel; {listed}"


def kernels(module: ModuleType) -> dict[str, PythonKernel]:
    """The kernels that a module defines, by name, in the order of its lines."""
    found: dict[str, PythonKernel] = {}
    for name, value in vars(module).items():
        is_own = isinstance(value, PythonKernel) and value.__module__ == module.__name__
        if is_own and value not in found.values():
            found[name] = value
    return dict(sorted(found.items(), key=lambda i: i[1].function.__code__.co_firstlineno))


def settings(kernel: PythonKernel, reference: Reference) -> dict[str, Any]:
    """The values that a reference gives to fixed parameters: numbers and other literals, names
    that the kernel's file has, such as `pto.f32`; and for a parameter that is a text, the word.
    UsageError for anything else."""
    return {name: _setting(kernel, reference, name, text) for name, text in reference.settings}


def _setting(kernel: PythonKernel, reference: Reference, name: str, text: str) -> Any:
    parameter = kernel.parameters.signature.parameters.get(name)
    if parameter is not None and (
        isinstance(parameter.default, str) or parameter.annotation in (str, "str")
    ):
        return text
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        pass
    value: Any = None
    first, *rest = text.split(".")
    value = kernel.function.__globals__.get(first)
    for attribute in rest:
        value = getattr(value, attribute, None)
    if value is None:
        raise UsageError(
            f"{reference.file}:{kernel.function.__name__}: {name}={text[:40]} is neither a number "
            "or another literal nor a name of the file"
        )
    return value


def import_file(file: str) -> ModuleType:
    """The module of a file, which is run once; it is a module of its own, by the name of its
    path. What it prints goes to standard error. PtoError at the line where it goes wrong."""
    path = Path(file)
    try:
        data = bytes(read_file(path))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"cannot read {file}: {reason}") from None
    with _importing:
        known = _imported.get(str(path.resolve()))
        if known is not None and known[0] == data and known[1].__file__ == file:
            return known[1]
        return _imported_now(path.resolve(), data, file)


def _imported_now(path: Path, data: bytes, file: str) -> ModuleType:
    module = ModuleType(str(path))
    module.__file__ = file
    _run(module, data, file, str(path.parent))
    for value in vars(module).values():
        if isinstance(value, (PythonKernel, Template)):
            with contextlib.suppress(PtoError):
                # It is read while the file is what was imported.
                _ = value.source
    _imported[str(path)] = data, module
    return module


def _run(module: ModuleType, data: bytes, file: str, directory: str) -> None:
    sys.modules[module.__name__] = module
    sys.path.insert(0, directory)
    try:
        with contextlib.redirect_stdout(sys.stderr or io.StringIO()):
            code = compile(data, file, "exec", dont_inherit=True)
            # What was run is what is shown, also where the file is changed meanwhile.
            linecache.cache[file] = (len(data), None, _lines(data), file)
            exec(code, module.__dict__)
    except (PtoError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise PtoError([_failure(file, data, error)]) from None
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(directory)


def _lines(data: bytes) -> list[str]:
    encoding = "utf-8"
    with contextlib.suppress(SyntaxError):
        import tokenize

        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    text = data.decode(encoding, "replace")
    return [f"{line}\n" for line in text.replace("\r\n", "\n").split("\n")]


def _failure(file: str, data: bytes, error: BaseException) -> Diagnostic:
    """What went wrong while a file was run, at the last line of it that took part."""
    what = "" if isinstance(error, UsageError) else type(error).__name__
    said = message_of(error).split("\n")[0]
    if isinstance(error, SyntaxError):
        is_here = error.filename in (file, None, "<string>", "<unknown>")
        line = (error.lineno or 0) if is_here else 0
        said = error.msg or said
        column, length = error.offset or 1, 1
        if error.end_lineno == error.lineno and error.end_offset:
            length = max(1, error.end_offset - column)
    else:
        places = [p for p in traceback.extract_tb(error.__traceback__) if p.filename == file]
        line = (places[-1].lineno or 0) if places else 0
        text = _line(data, line)
        column = characters(text, places[-1].colno or 0) + 1 if places else 1
        length = 1
        if places and places[-1].end_lineno == line:
            length = max(1, characters(text, places[-1].end_colno or 0) + 1 - column)
    return Diagnostic(
        IMPORT,
        "the file cannot be imported",
        "error",
        file,
        Span(line, max(1, column), length) if line else Span(0, 0, 0),
        found=": ".join(filter(None, (what, said))),
        hint=_hint(error),
        source_line=_line(data, line),
    )


def _hint(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return 'put what is not for an import under if __name__ == "__main__":'
    if isinstance(error, ImportError):
        return "its own folder is searched first, then where Python finds its packages"
    return ""


def _line(data: bytes, line: int) -> str:
    lines = _lines(data)
    return lines[line - 1].rstrip("\r\n") if 0 < line <= len(lines) else ""
