"""Sets of small numbers that share what they have in common.

A chain of accesses has a set for each, which is that of the one before and a little more. Numbers
are bits of chunks, and sets that agree in a chunk have the same one: many sets take little more
space than one, and to join two that are alike takes little time.
"""

from __future__ import annotations

from collections.abc import Iterable

BitSet = tuple[int, ...]
EMPTY: BitSet = ()
_CHUNK = 2048


def only(number: int) -> BitSet:
    """The set of one number."""
    chunk, bit = divmod(number, _CHUNK)
    return (0,) * chunk + (1 << bit,)


def union(one: BitSet, two: BitSet) -> BitSet:
    """All that is in either."""
    if one is two or not two:
        return one
    if len(one) < len(two):
        one, two = two, one
    return (*map(_either, one, two), *one[len(two) :])


def _either(one: int, two: int) -> int:
    if one is two or not two:
        return one
    both = one | two
    # The chunk that is there already, so that it is found to be the same the next time.
    return one if both == one else two if both == two else both


def without(numbers: BitSet, left_out: Iterable[int]) -> BitSet:
    """All but some that are in a set or not."""
    found = list(numbers)
    for number in left_out:
        chunk, bit = divmod(number, _CHUNK)
        if chunk < len(found):
            found[chunk] &= ~(1 << bit)
    return tuple(found)


def contains(numbers: BitSet, number: int) -> bool:
    """Whether a number is in a set."""
    chunk, bit = divmod(number, _CHUNK)
    return chunk < len(numbers) and bool(numbers[chunk] >> bit & 1)


def members(numbers: BitSet) -> list[int]:
    """The numbers, from the least."""
    return [chunk * _CHUNK + i for chunk, bits in enumerate(numbers) for i in bits_of(bits)]


def bits_of(bits: int) -> list[int]:
    """The numbers of the bits that are set, from the least."""
    if not bits:
        return []
    least = (bits & -bits).bit_length() - 1
    return [least + i for i, digit in enumerate(reversed(bin(bits >> least))) if digit == "1"]
