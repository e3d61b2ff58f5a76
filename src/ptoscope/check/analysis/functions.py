"""Functions of expressions: each works out what it can, and is otherwise a symbol of itself."""

from __future__ import annotations

from collections.abc import Callable

from ptoscope.check.analysis.expr import (
    ONE,
    UNBOUNDED,
    WORKED_OUT,
    ZERO,
    Expr,
    function,
    of,
    single,
)

_ALL_BITS = 64


def negative(value: Expr) -> Expr:
    """1 if it is below 0, else 0."""
    low, high = value.bounds()
    if high < 0:
        return ONE
    if low >= 0:
        return ZERO
    return function("negative", (value,), 0, 1)


def is_zero(value: Expr) -> Expr:
    """1 if it is 0, else 0."""
    if not value.terms:
        return ZERO if value.const else ONE
    low, high = value.bounds()
    if low > 0 or high < 0:
        return ZERO
    return function("is_zero", (value,), 0, 1)


def least(one: Expr, other: Expr) -> Expr:
    """The lesser of two numbers."""
    return select(negative(one - other), one, other)


def positive_part(value: Expr) -> Expr:
    """It where it is above 0, else 0."""
    return select(negative(value), ZERO, value)


def select(condition: Expr, yes: Expr, no: Expr) -> Expr:
    """`condition ? yes : no`."""
    if not condition.terms:
        return yes if condition.const else no
    if yes == no:
        return yes
    flipped = single(ONE - condition)
    if flipped is not None:
        return select(of(flipped), no, yes)
    (a, b), (c, d) = yes.bounds(), no.bounds()
    low, high = min(a, c), max(b, d)
    test = single(condition)
    if test is not None and test.kind == "negative":
        # yes < no ? yes : no is the lesser of the two, and the other way round the greater.
        if test.args[0] == yes - no:
            high = min(b, d)
        elif test.args[0] == no - yes:
            low = max(a, c)
    return function("select", (condition, yes, no), low, high)


def quotient(value: Expr, divisor: Expr) -> Expr:
    """Divided and cut toward zero."""
    low, high = value.bounds()
    by = divisor.number
    if by is None or by == 0:
        return function("quotient", (value, divisor), -UNBOUNDED, UNBOUNDED)
    exact = value.over(by)
    if exact is not None:
        return exact
    if not value.terms:
        cut = abs(value.const) // abs(by)
        return Expr(cut if (value.const < 0) == (by < 0) else -cut)
    ends = [int(abs(end) // abs(by)) * (1 if (end < 0) == (by < 0) else -1) for end in (low, high)]
    return function("quotient", (value, divisor), min(ends), max(ends))


def iterations(span: Expr, step: Expr) -> Expr:
    """How often a loop runs that goes over `span` by `step`: rounded up, at least 0."""
    by = step.number
    low, high = span.bounds()
    if by is None:
        return function("iterations", (span, step), 0, UNBOUNDED)
    if by <= 0:
        return function("iterations", (span, step), 0, UNBOUNDED)
    if not span.terms:
        return Expr(max(0, -(-span.const // by)))
    exact = span.over(by)
    if exact is not None and low >= 0:
        return exact
    return function("iterations", (span, step), max(0, -(-low // by)), max(0, -(-high // by)))


def bitwise(kind: str, left: Expr, right: Expr) -> Expr:
    """`and`, `or`, `xor` of integers."""
    if not left.terms and not right.terms:
        a, b = left.const, right.const
        return Expr(a & b if kind == "and" else a | b if kind == "or" else a ^ b)
    if not left.terms:
        left, right = right, left
    low, high = left.bounds()
    mask = right.number
    if mask == 0:
        return ZERO if kind == "and" else left
    if (low, high) == (0, 1) and mask == 1:
        return {"and": left, "or": ONE, "xor": ONE - left}[kind]
    if kind == "and" and mask is not None and mask > 0:
        if low >= 0 and high <= mask and mask & (mask + 1) == 0:
            return left
        return function("and", (left, right), 0, mask)
    other_low, other_high = right.bounds()
    if low >= 0 and other_low >= 0 and high < UNBOUNDED and other_high < UNBOUNDED:
        top = (1 << max(high.bit_length(), other_high.bit_length())) - 1
        return function(kind, (left, right), 0, top)
    return function(kind, (left, right), -UNBOUNDED, UNBOUNDED)


def shifted(value: Expr, amount: Expr) -> Expr:
    """To the right, keeping the sign; an amount is read as unsigned."""
    by = amount.number
    low, high = value.bounds()
    if by is None:
        return function("shifted", (value, amount), min(low, 0), max(high, 0))
    by = by if 0 <= by < _ALL_BITS else _ALL_BITS
    if not value.terms:
        return Expr(value.const >> by)
    return value.over(1 << by) or function("shifted", (value, amount), low >> by, high >> by)


def wrapped(value: Expr, bits: Expr, signed: Expr) -> Expr:
    """The low bits of it, read with or without a sign."""
    width = bits.const
    least = -(1 << (width - 1)) if signed.const else 0
    most = least + (1 << width) - 1
    if not value.terms:
        return Expr((value.const - least) % (1 << width) + least)
    low, high = value.bounds()
    if low >= least and high <= most:
        return value
    return function("wrapped", (value, bits, signed), least, most)


def _bits(kind: str) -> Callable[[Expr, Expr], Expr]:
    return lambda left, right: bitwise(kind, left, right)


WORKED_OUT.update(
    {
        "sum": Expr.__add__,
        "product": Expr.__mul__,
        "negative": negative,
        "is_zero": is_zero,
        "select": select,
        "quotient": quotient,
        "iterations": iterations,
        "and": _bits("and"),
        "or": _bits("or"),
        "xor": _bits("xor"),
        "shifted": shifted,
        "wrapped": wrapped,
    }
)
