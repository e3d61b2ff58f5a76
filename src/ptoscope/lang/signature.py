"""The parameters of a kernel: arrays, scalars, and values that are fixed when it is compiled."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ptoscope.isa.dtypes import DType
from ptoscope.isa.types import Ptr, Scalar, Type
from ptoscope.lang.buffers import dtype_of
from ptoscope.lang.loops import RangeLoop
from ptoscope.lang.scalars import ScalarValue, fixed
from ptoscope.lang.source import SIGNATURE, KernelSource
from ptoscope.lang.values import Misuse
from ptoscope.once import once_property

T = TypeVar("T")
_PLAIN = (int, float, bool, str, tuple, list, type)


@dataclass(frozen=True)
class GmType:
    """The annotation `pto.gm[pto.f32]`."""

    dtype: DType


class gm(Generic[T]):
    """An array in GM: `x: pto.gm[pto.f32]`."""

    def __class_getitem__(cls, element: Any) -> Any:
        return GmType(dtype_of(element))


class static:
    """What is known when the kernel is compiled: `tile: pto.static = 1024` as a parameter (for a
    type checker `tile: int = 1024`, which means the same), and `for k in pto.static(range(4))` as
    a loop that is unrolled."""

    def __new__(cls, value: Any) -> Any:
        if isinstance(value, RangeLoop):
            bounds = [fixed(bound) for bound in value.written]
            if None in bounds:
                raise Misuse(
                    "the bounds of the range are not known when the kernel is compiled",
                    hint="leave pto.static out: then it is a loop of the kernel",
                )
            return list(range(*(bound for bound in bounds if bound is not None)))
        if isinstance(value, ScalarValue):
            raise Misuse("this is not known when the kernel is compiled", found=str(value.type))
        return value

    def __class_getitem__(cls, kind: Any) -> Any:
        return cls


@dataclass(frozen=True)
class Parameters:
    """`run` are those that a launch passes, with their types; `fixed` those of the compiler."""

    signature: inspect.Signature
    run: Mapping[str, Type]
    fixed: tuple[str, ...]

    def bound(self, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
        """Values of all parameters, with defaults; TypeError as of a call in Python."""
        given = dict(zip(self._by_position, arguments, strict=False))
        values = {**self._defaults, **given, **named}
        if (
            len(arguments) > len(self._by_position)
            or len(values) != len(self.signature.parameters)
            or not named.keys() <= self._by_name
            or not named.keys().isdisjoint(given)
        ):
            # It knows what is wrong, and takes several times as long.
            self.signature.bind(*arguments, **named)
        return values

    @once_property
    def _by_position(self) -> tuple[str, ...]:
        known = self.signature.parameters.items()
        return tuple(name for name, p in known if p.kind is not p.KEYWORD_ONLY)

    @once_property
    def _by_name(self) -> frozenset[str]:
        known = self.signature.parameters.items()
        return frozenset(name for name, p in known if p.kind is not p.POSITIONAL_ONLY)

    @once_property
    def _defaults(self) -> dict[str, Any]:
        known = self.signature.parameters.items()
        return {name: p.default for name, p in known if p.default is not p.empty}


def parameters(source: KernelSource) -> Parameters:
    """The parameters of a kernel; PtoError for what it cannot have."""
    function = source.function
    try:
        hints = inspect.get_annotations(function, eval_str=True)
    except Exception as error:
        raise source.error(
            SIGNATURE, source.tree, f"the annotations cannot be read: {error}"
        ) from None
    nodes = {a.arg: a for a in _all_arguments(source)}
    run: dict[str, Type] = {}
    fixed_ones: list[str] = []
    signature = inspect.signature(function)
    for name, parameter in signature.parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise source.error(SIGNATURE, nodes[name], "a kernel has no * parameters")
        match hints.get(name):
            case GmType(dtype):
                run[name] = Ptr(dtype, "gm")
            case type() as kind if issubclass(kind, ScalarValue):
                run[name] = Scalar(kind.dtype)
            case type() as kind if kind is static or kind in _PLAIN:
                fixed_ones.append(name)
            case None if parameter.default is not parameter.empty:
                fixed_ones.append(name)
            case other:
                raise source.error(
                    SIGNATURE,
                    nodes[name],
                    f"what the parameter '{name}' is, is not said",
                    found="no annotation" if other is None else str(other),
                    expected="pto.gm[pto.f32], pto.i32, pto.f32, ... or pto.static",
                )
    return Parameters(signature, run, tuple(fixed_ones))


def _all_arguments(source: KernelSource) -> list[Any]:
    found = source.tree.args
    rest = [a for a in (found.vararg, found.kwarg) if a is not None]
    return [*found.posonlyargs, *found.args, *found.kwonlyargs, *rest]
