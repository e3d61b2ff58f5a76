"""`@pto.kernel`: a function of Python as a kernel."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ptoscope.arguments import Array, KernelArgument, array_dtype
from ptoscope.diagnostics import Diagnostic, PtoError, UsageError
from ptoscope.expansion import with_sections
from ptoscope.ir.module import Module
from ptoscope.ir.printing import print_module
from ptoscope.isa.targets import AUTO, DEFAULT_REVISION, DEFAULT_TARGET
from ptoscope.isa.types import Ptr
from ptoscope.kernel import Kernel, from_program, sound
from ptoscope.lang.compile.function import compile_function
from ptoscope.lang.eager.run import PlainKernel
from ptoscope.lang.fingerprint import fingerprint
from ptoscope.lang.flow import Flow
from ptoscope.lang.memory.map import MemoryMap
from ptoscope.lang.signature import Parameters, parameters
from ptoscope.lang.source import KernelSource, read_source
from ptoscope.lang.template import Template
from ptoscope.lang.variants import Variant, Variants
from ptoscope.once import MakingLock, once_property
from ptoscope.signature import Signature
from ptoscope.sources import named_revision, named_target

if TYPE_CHECKING:
    from ptoscope.replay.run import RecordedRun
    from ptoscope.timing import Timing
    from ptoscope.view.page import Page
    from ptoscope.watch import Seen


class Empty:
    """An array that a launch allocates: `pto.empty(n)`."""

    def __init__(self, *shape: int) -> None:
        self.shape = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape


def empty(*shape: int) -> Empty:
    """In the place of an array argument: the launch makes one of this shape and of the
    parameter's type, filled with zeros, and the call returns it."""
    return Empty(*shape)


class PythonKernel:
    """A kernel written in Python. Call it with arrays and numbers to run it; `kernel[grid](...)`
    runs it on so many blocks. `text` is what it is compiled to."""

    def __init__(self, function: Callable[..., Any], target: str, revision: str, sync: str) -> None:
        self.function = function
        self.target_name, self.sync = target, sync
        functools.update_wrapper(self, function)
        self._revision = revision
        self._variants = Variants()
        self._making = MakingLock()

    @once_property
    def source(self) -> KernelSource:
        """Its source."""
        return read_source(self.function)

    @once_property
    def flow(self) -> Flow:
        """Which names leave its loops and branches."""
        return Flow(self.source.tree)

    @once_property
    def parameters(self) -> Parameters:
        """Its parameters."""
        return parameters(self.source)

    def __repr__(self) -> str:
        return f"<kernel {self.function.__name__} for {self.target_name}>"

    def __reduce__(self) -> str:
        # It is found again by its name, as a function is.
        return self.function.__qualname__

    def __copy__(self) -> PythonKernel:
        return self

    def __deepcopy__(self, _: Any) -> PythonKernel:
        return self

    def on(self, target: str | None = None, **fixed: Any) -> Kernel:
        """The kernel for a target, with values of its fixed parameters other than their
        defaults, as `ptoscope.load` gives it for text."""
        return self.specialised(target, fixed).kernel

    def specialised(
        self, target: str | None, fixed: Mapping[str, Any], revision: str | None = None
    ) -> Variant:
        """The variant for a target, a revision and values of the fixed parameters, compiled if it
        is not kept; PtoError with all that is wrong with it."""
        name = self.target_name if target is None else target
        wanted = self._revision if revision in (None, AUTO) else revision
        values = self._fixed(fixed)
        key = name, wanted, tuple(map(fingerprint, values.values()))
        found = self._variants.find(key)
        if found is None:
            with self._making:
                found = self._variants.find(key)
                if found is None:
                    found = self._compiled(values, name, wanted)
                    self._variants.add(key, found)
        return found

    def _compiled(self, values: Mapping[str, Any], target: str, revision: str) -> Variant:
        on, chosen = named_target(target), named_revision(revision)
        compiled = compile_function(
            self.source, self.flow, self.parameters, values, on, chosen, self.sync
        )
        text = print_module(Module(with_sections(compiled.program)))
        kernel = from_program(compiled.program, on, chosen, text)
        plain = PlainKernel(self.source, self.flow, self.parameters, kernel, compiled)
        return Variant(plain, compiled, kernel)

    def _fixed(self, given: Mapping[str, Any]) -> dict[str, Any]:
        known = self.parameters
        unknown = [name for name in given if name not in known.fixed]
        if unknown:
            raise UsageError(
                f"{self.function.__name__} has no fixed parameter '{unknown[0]}'; "
                f"there are {', '.join(known.fixed) or 'none'}"
            )
        values: dict[str, Any] = {}
        for name in known.fixed:
            default = known.signature.parameters[name].default
            if name not in given and default is known.signature.empty:
                raise UsageError(f"{self.function.__name__} needs a value for '{name}'")
            values[name] = given.get(name, default)
        return values

    @property
    def kernel(self) -> Kernel:
        """The kernel for its own target and the defaults of its fixed parameters."""
        return self.on()

    @property
    def text(self) -> str:
        """The canonical text of what it is compiled to, with the lines of Python as locations."""
        return self.kernel.text

    @property
    def signature(self) -> Signature:
        """What a launch passes to it."""
        return self.kernel.signature

    @property
    def findings(self) -> list[Diagnostic]:
        """What is wrong with it, on its own target."""
        return self.check()

    def check(self, target: str | None = None, **fixed: Any) -> list[Diagnostic]:
        """What is wrong with it on a target, with values of its fixed parameters: errors of its
        Python, or what the rules find in what it is compiled to."""
        try:
            return self.on(target, **fixed).findings
        except PtoError as error:
            return list(error.diagnostics)

    @property
    def memory(self) -> MemoryMap:
        """Where its arrays lie, in each memory of the chip."""
        return self.specialised(None, {}).compiled.memory

    def split(self, arguments: Any, named: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Arguments of a call: those of the run in order, and the fixed ones."""
        known = self.parameters
        try:
            values = known.bound(arguments, named)
        except TypeError as error:
            raise UsageError(f"{self.function.__name__}: {error}") from None
        return [values[name] for name in known.run], {name: values[name] for name in known.fixed}

    def __call__(
        self,
        *arguments: Any,
        grid: int = 1,
        engine: str | None = None,
        threads: int | None = None,
        max_steps: int | None = None,
        target: str | None = None,
        accumulate: str | None = None,
        **named: Any,
    ) -> Any:
        """Runs it on `grid` blocks; arrays are written in place. Gives the arrays that were asked
        for by `pto.empty`: one, a tuple of several, or None. Options as of `Kernel`."""
        given, fixed = self.split(arguments, named)
        kernel = sound(self.on(target, **fixed)).accumulating(accumulate)
        given, new = self._allocated(given)
        kernel(*given, grid=grid, engine=engine, threads=threads, max_steps=max_steps)
        return _results(new)

    def eager(
        self,
        *arguments: Any,
        grid: int = 1,
        max_steps: int | None = None,
        target: str | None = None,
        **named: Any,
    ) -> Any:
        """Runs its body as plain Python on NumPy, to the same bits: there `print` and
        `breakpoint()` work, which are left out when it is compiled, and values show what they
        hold (`v.numpy()`). Arguments and result as of a call."""
        given, fixed = self.split(arguments, named)
        found = self.specialised(target, fixed)
        sound(found.kernel)
        given, new = self._allocated(given)
        found.plain.run(given, fixed, grid, max_steps)
        return _results(new)

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        """`kernel[grid](...)`, as `kernel(..., grid=grid)`."""
        blocks = grid
        if isinstance(grid, tuple):
            if len(grid) != 1:
                raise UsageError("a grid has one dimension: the number of blocks")
            blocks = grid[0]
        return functools.partial(self.__call__, grid=blocks)

    def time(self, *arguments: Any, target: str | None = None, **named: Any) -> Timing:
        """Its cycles: arguments as of a call, options as of `Kernel.time`."""
        kernel, given, options = self._to_look_into(arguments, named, target)
        return kernel.time(*given, **options)

    def watch(self, *arguments: Any, target: str | None = None, **named: Any) -> Seen:
        """Its races, undefined data and other results in other orders: arguments as of a call,
        options as of `Kernel.watch`."""
        kernel, given, options = self._to_look_into(arguments, named, target)
        return kernel.watch(*given, **options)

    def record(self, *arguments: Any, target: str | None = None, **named: Any) -> RecordedRun:
        """A run to look into: arguments as of a call, options as of `Kernel.record`."""
        kernel, given, options = self._to_look_into(arguments, named, target)
        return kernel.record(*given, **options)

    def view(self, *arguments: Any, target: str | None = None, **named: Any) -> Page:
        """A page that shows a run: arguments as of a call, options as of `Kernel.view`."""
        kernel, given, options = self._to_look_into(arguments, named, target)
        return kernel.view(*given, **options)

    def _to_look_into(
        self, arguments: Any, named: Mapping[str, Any], target: str | None
    ) -> tuple[Kernel, list[KernelArgument], dict[str, Any]]:
        """The kernel, whatever is wrong with it; its arguments; and what else is said by name."""
        own = self.parameters.signature.parameters
        given, fixed = self.split(arguments, {n: v for n, v in named.items() if n in own})
        given, _ = self._allocated(given)
        return self.on(target, **fixed), given, {n: v for n, v in named.items() if n not in own}

    def _allocated(self, given: list[Any]) -> tuple[list[KernelArgument], list[Array]]:
        """Arguments with new arrays where they were asked for; and those."""
        new: list[Array] = []
        found: list[Any] = []
        for value, kind in zip(given, self.parameters.run.values(), strict=True):
            if isinstance(value, Empty):
                if not isinstance(kind, Ptr):
                    raise UsageError("pto.empty stands for an array, not for a scalar")
                value = np.zeros(value.shape, array_dtype(kind.dtype))
                new.append(value)
            found.append(value)
        return found, new


def _results(new: list[Array]) -> Any:
    if not new:
        return None
    return new[0] if len(new) == 1 else tuple(new)


@overload
def kernel(function: Callable[..., Any], /) -> PythonKernel: ...


@overload
def kernel(
    *, target: str = ..., revision: str = ..., sync: str = ...
) -> Callable[[Callable[..., Any]], PythonKernel]: ...


def kernel(
    function: Callable[..., Any] | None = None,
    /,
    *,
    target: str = DEFAULT_TARGET,
    revision: str = DEFAULT_REVISION,
    sync: str = "auto",
) -> Any:
    """Makes a kernel of a function. With `sync="manual"` no synchronisation is inserted."""
    named_target(target)
    named_revision(revision)
    if sync not in ("auto", "manual"):
        raise UsageError(f"unknown sync '{sync}'; there are auto and manual")
    if function is not None:
        return PythonKernel(function, target, revision, sync)
    return lambda function: PythonKernel(function, target, revision, sync)


def function(body: Callable[..., Any]) -> Template:
    """Makes a helper of kernels of a function: its body is written where it is called."""
    return Template(body)
