"""Names from outside that change after a kernel was compiled: a call looks at them again, on both
engines and in a plain run."""

from __future__ import annotations

import gc
import types
import weakref
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pytest

from ptoscope import PtoError, pto
from ptoscope.lang.variants import MOST_VARIANTS, Variants

settings: Any = types.ModuleType("settings")
settings.FACTOR, settings.FACTORS, settings.ADDEND = 2, [2], 0
FACTOR = 2
FACTORS = [2]
NESTED = {"factors": ([2], 0)}
TABLE = np.array([2])
SHARED = 2


@dataclass
class Options:
    factor: int = 2
    kind = 2


class Namespace:
    FACTOR = 2

    @staticmethod
    def product() -> int:
        return Namespace.FACTOR


class Scaled:
    kind = 2

    def __init__(self, factor: int) -> None:
        self.factor = factor

    def product(self) -> int:
        return self.factor * self.kind * SHARED


class Callable:
    def __call__(self) -> int:
        return SHARED


class Fresh:
    """Its attributes are made anew each time that they are read."""

    values: ClassVar = deque([2])

    @property
    def factor(self) -> Any:
        return lambda: FACTOR


fresh = Fresh()
product = Callable()
options = Options()
scaled = Scaled(1)


def shared(offset: int = 0) -> int:
    return indirect() + offset


def indirect() -> int:
    return SHARED + settings.ADDEND


@pto.function
def helper(n, factors=FACTORS):
    return n * FACTOR + SHARED * factors[0]


@pto.function
def other(n, factors=FACTORS):
    return n


@pto.kernel
def of_global(y: pto.gm[pto.i32], n: pto.i32):
    y[0] = n * FACTOR


@pto.kernel
def of_list(y: pto.gm[pto.i32], n: pto.i32):
    y[0] = n * FACTORS[0]


@pto.kernel
def of_nested(y: pto.gm[pto.i32], n: pto.i32):
    y[0] = n * NESTED["factors"][0][0]


@pto.kernel
def of_array(y: pto.gm[pto.i32], n: pto.i32):
    y[0] = n * int(TABLE[0])


@pto.kernel
def of_builtin(y: pto.gm[pto.i32], n: pto.i32):
    y[0] = n * len(FACTORS)


@pto.kernel
def of_module(y: pto.gm[pto.i32], n: pto.i32):
    y[0] = n * settings.FACTOR


@pto.kernel
def of_getattr(y: pto.gm[pto.i32], n: pto.i32):
    y[0] = n * getattr(settings, "FACTOR", 1)


@pto.kernel
def of_module_list(y: pto.gm[pto.i32], n: pto.i32):
    y[0] = n * settings.FACTORS[0]


@pto.kernel
def of_class(y: pto.gm[pto.i32], n: pto.i32):
    y[0] = n * Namespace.FACTOR


@pto.kernel
def of_class_function(y: pto.gm[pto.i32], n: pto.i32):
    y[0] = n * Namespace.product()


@pto.kernel
def of_object(y: pto.gm[pto.i32], n: pto.i32):
    y[0] = n * options.factor


@pto.kernel
def of_object_class(y: pto.gm[pto.i32], n: pto.i32):
    y[0] = n * options.kind


@pto.kernel
def of_method(y: pto.gm[pto.i32], n: pto.i32):
    y[0] = n * scaled.product()


@pto.kernel
def of_helper(y: pto.gm[pto.i32], n: pto.i32):
    y[0] = helper(n)


@pto.kernel
def of_function(y: pto.gm[pto.i32], n: pto.i32):
    y[0] = n * shared()


@pto.kernel
def of_callable(y: pto.gm[pto.i32], n: pto.i32):
    y[0] = n * product()


@pto.kernel
def of_fresh(y: pto.gm[pto.i32], n: pto.i32):
    y[0] = n * fresh.factor() * fresh.values.count(2) * FACTORS.count(2)


@pto.kernel
def of_condition(y: pto.gm[pto.i32], n: pto.i32):
    if FACTOR == 2:
        y[0] = n
    else:
        y[0] = n * SHARED


@pto.kernel
def of_fixed_class(y: pto.gm[pto.i32], n: pto.i32, space: type = Namespace):
    y[0] = n * space.FACTOR


def closure() -> tuple[Any, Any]:
    factor = 2

    @pto.kernel
    def kernel(y: pto.gm[pto.i32], n: pto.i32):
        y[0] = n * factor

    def change(to: int) -> None:
        nonlocal factor
        factor = to

    return kernel, change


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("FACTOR", "SHARED", "helper"):
        monkeypatch.setitem(globals(), name, globals()[name])
    for owner, name in (
        (settings, "FACTOR"),
        (settings, "ADDEND"),
        (Namespace, "FACTOR"),
        (Options, "kind"),
        (Scaled, "kind"),
        (options, "factor"),
        (scaled, "factor"),
    ):
        monkeypatch.setattr(owner, name, getattr(owner, name))
    yield
    for values in (FACTORS, NESTED["factors"][0], TABLE, settings.FACTORS):
        values[0] = 2


def results(kernel: Any, n: int) -> set[int]:
    """The numbers that both engines and a plain run write."""
    found: set[int] = set()
    for run in (
        partial(kernel, engine="native"),
        partial(kernel, engine="reference"),
        kernel.eager,
    ):
        y = np.zeros(1, np.int32)
        run(y, n)
        found.add(int(y[0]))
    return found


CHANGES: dict[str, tuple[Any, Any, int, int]] = {
    "global": (of_global, lambda: globals().update(FACTOR=7), 10, 35),
    "list": (of_list, lambda: FACTORS.__setitem__(0, 7), 10, 35),
    "nested": (of_nested, lambda: NESTED["factors"][0].__setitem__(0, 7), 10, 35),
    "array": (of_array, lambda: TABLE.__setitem__(0, 7), 10, 35),
    "module": (of_module, lambda: setattr(settings, "FACTOR", 7), 10, 35),
    "getattr": (of_getattr, lambda: setattr(settings, "FACTOR", 7), 10, 35),
    "getattr gone": (of_getattr, lambda: delattr(settings, "FACTOR"), 10, 5),
    "module's list": (of_module_list, lambda: settings.FACTORS.__setitem__(0, 7), 10, 35),
    "class": (of_class, lambda: setattr(Namespace, "FACTOR", 7), 10, 35),
    "function of a class": (of_class_function, lambda: setattr(Namespace, "FACTOR", 7), 10, 35),
    "class as a parameter": (of_fixed_class, lambda: setattr(Namespace, "FACTOR", 7), 10, 35),
    "object": (of_object, lambda: setattr(options, "factor", 7), 10, 35),
    "object's class": (of_object_class, lambda: setattr(Options, "kind", 7), 10, 35),
    "method's object": (of_method, lambda: setattr(scaled, "factor", 2), 20, 40),
    "method's class": (of_method, lambda: setattr(Scaled, "kind", 7), 20, 70),
    "method's global": (of_method, lambda: globals().update(SHARED=7), 20, 70),
    "helper's global": (of_helper, lambda: globals().update(SHARED=7), 14, 24),
    "helper's default": (of_helper, lambda: FACTORS.__setitem__(0, 7), 14, 24),
    "helper": (of_helper, lambda: globals().update(helper=other), 14, 5),
    "function's global": (of_function, lambda: globals().update(SHARED=7), 10, 35),
    "function's module": (of_function, lambda: setattr(settings, "ADDEND", 5), 10, 35),
    "callable's global": (of_callable, lambda: globals().update(SHARED=7), 10, 35),
    "global of what is made anew": (of_fresh, lambda: globals().update(FACTOR=7), 10, 35),
    "another path": (of_condition, lambda: globals().update(FACTOR=3), 5, 10),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_value_from_outside_that_changes(name: str) -> None:
    kernel, change, before, after = CHANGES[name]
    assert results(kernel, 5) == {before}
    change()
    assert results(kernel, 5) == {after}


def test_a_closure() -> None:
    kernel, change = closure()
    assert results(kernel, 5) == {10}
    change(7)
    assert results(kernel, 5) == {35}


def test_a_name_that_is_gone() -> None:
    assert results(of_global, 5) == {10}
    del globals()["FACTOR"]
    with pytest.raises(PtoError, match="'FACTOR' is not defined"):
        of_global(np.zeros(1, np.int32), 5)


def test_a_name_that_hides_one_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    assert results(of_builtin, 5) == {5}
    monkeypatch.setitem(globals(), "len", lambda values: 7)
    assert results(of_builtin, 5) == {35}


def test_values_that_come_back_find_what_was_compiled() -> None:
    first = of_list.kernel
    FACTORS[0] = 7
    second = of_list.kernel
    assert second is not first
    FACTORS[0] = 2
    assert of_list.kernel is first
    FACTORS[0] = 7
    assert of_list.kernel is second


def test_a_name_that_gets_an_equal_value_compiles_nothing() -> None:
    first = of_global.kernel
    globals()["FACTOR"] = int("2")
    assert of_global.kernel is first
    globals()["FACTOR"] = True
    assert of_global.kernel is not first


def test_an_attribute_that_is_made_anew_compiles_nothing() -> None:
    assert of_fresh.kernel is of_fresh.kernel


def test_the_text_and_the_findings_are_those_of_now() -> None:
    assert "arith.constant 2 : i32" in of_global.text
    globals()["FACTOR"] = 7
    assert "arith.constant 7 : i32" in of_global.text
    del globals()["FACTOR"]
    assert [d.code for d in of_global.findings] == ["PTO1003"]


@pto.kernel
def of_many(y: pto.gm[pto.i32], n: int = 0):
    y[0] = FACTOR + n


def test_a_kernel_keeps_the_variants_that_were_used_last() -> None:
    kernel: Any = pto.kernel(of_many.function)
    kernel._variants = Variants(most=3)
    first, second, third = (kernel.on(n=n) for n in range(3))
    assert kernel.on(n=0) is first
    kernel.on(n=3)
    assert len(kernel._variants) == 3
    assert kernel.on(n=0) is first
    assert kernel.on(n=2) is third
    assert kernel.on(n=1) is not second


def test_a_variant_that_is_not_kept_is_freed() -> None:
    kernel: Any = pto.kernel(of_many.function)
    kernel._variants = Variants(most=1)
    y = np.zeros(1, np.int32)
    kernel(y, n=0, engine="native")
    kernel.eager(y, n=0)
    gone = weakref.ref(kernel.on(n=0))
    kernel(y, n=1, engine="native")
    gc.collect()
    assert gone() is None


def test_variants_by_values_from_outside_are_bounded() -> None:
    kernel: Any = pto.kernel(of_many.function)
    for value in range(MOST_VARIANTS + 10):
        globals()["FACTOR"] = value
        kernel.on()
    assert len(kernel._variants) == MOST_VARIANTS
