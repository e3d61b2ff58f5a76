"""The compiled variants of a kernel: one for each target, revision, values of fixed parameters and
values from outside."""

from __future__ import annotations

import itertools
from typing import Any

from ptoscope.kernel import Kernel
from ptoscope.lang.compile.function import BuiltKernel
from ptoscope.lang.eager.run import PlainKernel

MOST_VARIANTS = 64
"""The number of variants that a kernel keeps; the one that was used longest ago goes first. One of
a kernel of sixty lines takes 0.3 MB."""


class Variant:
    """A kernel as it was compiled for values of its fixed parameters."""

    def __init__(self, plain: PlainKernel, compiled: BuiltKernel, kernel: Kernel) -> None:
        self.plain, self.compiled, self.kernel = plain, compiled, kernel
        self.used = 0


class Variants:
    """The variants of a kernel that were used last."""

    def __init__(self, most: int = MOST_VARIANTS) -> None:
        self._most = most
        self._by_key: dict[Any, tuple[Variant, ...]] = {}
        """Those for each target, revision and values of fixed parameters; they differ in values
        from outside."""
        self._uses = itertools.count(1)

    def __len__(self) -> int:
        return sum(map(len, self._by_key.values()))

    def find(self, key: Any) -> Variant | None:
        """The variant of a key whose values from outside are those of now."""
        for one in self._by_key.get(key, ()):
            if one.compiled.outside.unchanged():
                one.used = next(self._uses)
                return one
        return None

    def add(self, key: Any, variant: Variant) -> None:
        """Keeps a variant."""
        variant.used = next(self._uses)
        self._by_key[key] = (variant, *self._by_key.get(key, ()))
        if len(self) > self._most:
            self._forget()

    def _forget(self) -> None:
        key, oldest = min(
            ((key, one) for key, kept in self._by_key.items() for one in kept),
            key=lambda entry: entry[1].used,
        )
        kept = tuple(one for one in self._by_key[key] if one is not oldest)
        if kept:
            self._by_key[key] = kept
        else:
            del self._by_key[key]
