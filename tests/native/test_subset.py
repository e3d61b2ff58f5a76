"""The compiled part of Python: machine code and Python give the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ptoscope.isa import targets
from ptoscope.native.subset import (
    Address,
    CompiledFunction,
    Ints,
    RawMemory,
    compiled,
    rarely_called,
)

SEVEN = 7


@compiled
def _double(x: int) -> int:
    return 2 * x


@compiled
def _everything(n: int, values: Ints) -> int:
    """All of the language once."""
    total = 0
    for i in range(n):
        if (values[i] < 0 and i != 2) or values[i] == SEVEN:
            continue
        elif not values[i] % 2:
            total += min(values[i], 50) - (values[i] >> 1)
        else:
            total = max(total, _double(values[i])) ^ 5
        for j in range(1, 4):
            if j == 3:
                break
            values[i] += j * j // 2 | 1
        k = 3
        while k > 0 and total < 1000:
            k -= 1
            total += k & 1
    if total > 10_000:
        return -total
    return total << 1


@pytest.mark.parametrize("seed", range(20))
def test_compiled_is_python(seed: int) -> None:
    values = np.random.default_rng(seed).integers(-20, 200, 30)
    twin = values.copy()
    assert _everything(30, values) == _everything.python(30, twin)
    assert (values == twin).all()


def _conditions(a: int, b: int) -> bool:
    return (a < b or a == SEVEN) and not b < 0


@compiled
def _values(a: int, b: int) -> int:
    """Conditions as values, comparisons in a row, division below zero, constants elsewhere."""
    total = _conditions(a, b) if a >= 0 else -1
    total += 2 * (-5 <= a < b)
    total = 4 * total + (a > 2 and _conditions(b, a)) + (not a)
    total ^= a // 32 * targets.BLOCK_BYTES
    return total * 64 + b % 32


@pytest.mark.parametrize("a", [-70, -33, -32, -5, -1, 0, 3, 7, 40])
@pytest.mark.parametrize("b", [-64, -1, 0, 4, 7, 95])
def test_values(a: int, b: int) -> None:
    assert _values(a, b) == _values.python(a, b)


@rarely_called
def _noted(memory: RawMemory, function: Address, base: Address) -> int:
    return memory.call(function, memory.word(base, 1), base)


@compiled
def _on_memory(memory: RawMemory, base: Address, other: Address, function: Address) -> Address:
    memory.set_word(base, 2, memory.word(base + 1, 0) - memory.word(base, 3))
    memory.set_byte(base + 5, memory.word(base, 1))
    memory.copy(other, base, 40)
    memory.move(other + 8, other, 40)
    memory.copy_line_past_cache(other + 64, base)
    if _noted(memory, function, base) < 0:
        return other
    return base + 8


@pytest.mark.parametrize("answer", [-(1 << 31), -1, 0, 5])
def test_memory(answer: int) -> None:
    """Every operation of memory once, on the same bytes."""
    memory = RawMemory(512)
    called: list[tuple[int, int]] = []

    def function(first: int, second: int) -> int:
        called.append((first, second))
        return answer

    base, other = memory.allocate(128, 64), memory.allocate(128, 64)
    memory.data[:] = np.random.default_rng(answer & 0xFF).integers(0, 256, 512)
    before = memory.data.copy()
    values = (memory, base, other, memory.function(function))
    assert _on_memory(*values) == (other if answer < 0 else base + 8)
    after = memory.data.copy()
    memory.data[:] = before
    assert _on_memory.python(*values) == (other if answer < 0 else base + 8)
    assert np.array_equal(memory.data, after)
    assert called[0] == called[1]
    # Against the bytes themselves: the byte, then 40 bytes twice, the second over the first.
    first = base - memory.start
    words = before.view(np.int64)[first // 8 :]
    assert after[first + 5] == before[first + 8]
    assert after[other - memory.start :][8:48].tobytes() == after[first:][:40].tobytes()
    assert after[other - memory.start :][64:].tobytes()[:64] == after[first:][:64].tobytes()
    unaligned = int.from_bytes(before[first + 1 : first + 9].tobytes(), "little", signed=True)
    expected = (unaligned - int(words[3])) % (1 << 64)
    assert int(after.view(np.uint64)[first // 8 + 2]) == expected


def test_memory_outside_the_piece_is_an_error() -> None:
    memory = RawMemory(64)
    for at in (memory.start - 1, memory.start + 57):
        with pytest.raises(IndexError):
            memory.word(at, 0)


def _words(n: int) -> int:
    return len(str(n))


def _stepped(n: int) -> int:
    total = 0
    for i in range(0, n, 2):
        total += i
    return total


def _either(a: int, b: int) -> int:
    return a or b


def _unknown(a: int, b) -> int:  # type: ignore
    return a


def _text(a: str) -> int:
    return 0


def _keyword(a: int) -> int:
    return _conditions(a, b=a)


def _too_few(memory: RawMemory, a: int) -> int:
    return memory.word(a)  # type: ignore


def _power(a: int) -> int:
    return a**2


def _overwritten(memory: RawMemory, values: Ints) -> int:
    values = memory  # type: ignore
    return values[0]


def _counts_with(values: Ints) -> int:
    for values in range(3):  # type: ignore
        if values > 1:
            return 1
    return 0


@pytest.mark.parametrize(
    "function",
    [
        _words,
        _stepped,
        _either,
        _unknown,
        _text,
        _keyword,
        _too_few,
        _power,
        _overwritten,
        _counts_with,
    ],
)
def test_what_is_not_compiled_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(SyntaxError, match="not compiled"):
        CompiledFunction(function).machine_code()


# fmt: off
def _closed_below(a: int) -> int:
    return (
        a
        # That was the last instruction.
    )
# fmt: on


def test_a_definition_reaches_to_its_last_bracket() -> None:
    assert CompiledFunction(_closed_below)(7) == 7


def test_two_functions_of_one_name_are_refused() -> None:
    other = _named_noted()

    @compiled
    def both(memory: RawMemory, a: Address) -> int:
        return _noted(memory, a, a) + other(a)

    both.function.__globals__["other"] = other
    try:
        with pytest.raises(SyntaxError, match="two functions called _noted"):
            both.machine_code()
    finally:
        del both.function.__globals__["other"]


def _named_noted() -> CompiledFunction:
    @compiled
    def _noted(a: int) -> int:
        return a

    return _noted


def test_arrays_of_another_type_are_refused() -> None:
    with pytest.raises(TypeError, match="int32"):
        _everything(3, np.zeros(3, np.int32))
