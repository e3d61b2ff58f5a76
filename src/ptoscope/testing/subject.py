"""The kernel that a test is about, whatever it was given as."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol, runtime_checkable

from ptoscope.diagnostics import UsageError
from ptoscope.kernel import Kernel, prepare
from ptoscope.sources import Loadable, read

Arguments = Sequence[Any] | Mapping[str, Any]
"""One argument per parameter, in their order or by their names."""


@runtime_checkable
class HasKernels(Protocol):
    """A kernel of Python: for each target it gives a `Kernel`. Where it has `eager`, it also runs
    as plain Python; where it has `split`, some of its parameters are fixed before a run."""

    def on(self, target: str | None = None, **fixed: Any) -> Kernel:
        """The kernel for a target, None for its own, with values of its fixed parameters."""
        ...


Subject = Kernel | HasKernels | Loadable
"""What a test may give: a kernel, one of Python, a path, a text, or what `ptoscope.load` takes."""


# A test with many examples is about the same few kernels.
_prepared = lru_cache(32)(prepare)


class Subjects:
    """A kernel on any target, with its arguments."""

    def __init__(self, subject: Subject, arguments: Arguments) -> None:
        self._subject = subject
        self._arguments = arguments
        self._fixed: dict[str, Any] = {}
        split: Any = getattr(subject, "split", None)
        if isinstance(subject, HasKernels) and callable(split):
            named = isinstance(arguments, Mapping)
            given: Any = split((), arguments) if named else split(arguments, {})
            self._arguments, self._fixed = given

    @property
    def arguments(self) -> tuple[Sequence[Any], Mapping[str, Any]]:
        """Those of a run: in order, and by name."""
        if isinstance(self._arguments, Mapping):
            return (), self._arguments
        return self._arguments, {}

    def on(self, target: str | None) -> Kernel:
        """The kernel for a target, None for its own, with what is wrong with it as its findings.
        PtoError where it cannot be read."""
        subject = self._subject
        if isinstance(subject, Kernel):
            if target is None or target == subject.target.name:
                return subject
            face = subject.signature.program
            text = subject.built_text or face.text
            return _prepared(text, face.file, target, subject.revision, subject.name)
        if isinstance(subject, HasKernels):
            return subject.on(target, **self._fixed)
        file, text = read(subject)
        return _prepared(text, file, target, None)

    @property
    def name(self) -> str:
        """What to call it where it cannot be read."""
        name = getattr(self._subject, "__name__", "")
        return name if isinstance(name, str) and name else "kernel"

    @property
    def eager(self) -> Callable[..., Any] | None:
        """How it runs as plain Python, if it does."""
        found = getattr(self._subject, "eager", None)
        return found if callable(found) else None

    def run_eagerly(
        self, names: Sequence[str], arguments: Sequence[Any], grid: int, target: str | None
    ) -> None:
        """Runs it as plain Python, for a target or its own; UsageError if it does not."""
        eager = self.eager
        if eager is None:
            raise UsageError("there is no engine 'eager' for this kernel: it is not of Python")
        options: dict[str, Any] = {"grid": grid} | ({} if target is None else {"target": target})
        if self._fixed:
            options |= {**dict(zip(names, arguments, strict=True)), **self._fixed}
            arguments = ()
        eager(*arguments, **options)
