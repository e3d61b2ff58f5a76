"""Expressions of check: long chains of functions take time that grows as they do, and keep the
bounds that arithmetic gives."""

from __future__ import annotations

from ptoscope.check.analysis.expr import MOST_TERMS, Expr, Symbol, of
from ptoscope.check.analysis.functions import quotient

LEVELS = 25
"""Enough that twice the work for each level would not end."""
MOST = 2**31 - 1


def leaf(name: str) -> Symbol:
    """Make a parameter that is not negative."""
    return Symbol("param", name, (), 0, MOST, True)


def rest(value: Expr, by: int) -> Expr:
    """Make a remainder."""
    return value - quotient(value, Expr(by)).times(by)


def chain(value: Expr) -> Expr:
    """Add a remainder and a quotient, level by level."""
    for _ in range(LEVELS):
        value = rest(value, 7) + quotient(value, Expr(3))
    return value


def chained(value: int) -> int:
    """Work the chain out for a number."""
    for _ in range(LEVELS):
        value = value % 7 + value // 3
    return value


def test_a_chain_of_remainders_has_bounds() -> None:
    low, high = chain(of(leaf("n"))).bounds()
    most = MOST
    for _ in range(LEVELS):
        most = 6 + most // 3
    assert (low, high) == (0, most)


def test_a_chain_that_was_made_twice_is_equal() -> None:
    one, other = chain(of(leaf("n"))), chain(of(leaf("n")))
    assert one == other
    assert one != chain(of(leaf("m")))


def test_a_chain_is_worked_out_where_its_number_is_known() -> None:
    made = chain(of(leaf("n"))).substitute({leaf("n"): Expr(123_456_789)})
    assert made.number == chained(123_456_789)


def test_a_sum_of_many_remainders_has_their_bounds() -> None:
    divisors = range(2, 2 + MOST_TERMS // 2)
    total = sum((rest(of(leaf(f"n{by}")), by) for by in divisors), Expr(0))
    assert total.bounds() == (0, sum(by - 1 for by in divisors))


def test_a_remainder_is_no_greater_than_the_dividend() -> None:
    """What is less than 8 is its own remainder by 16."""
    assert rest(rest(of(leaf("n")), 8), 16).bounds() == (0, 7)


def test_a_long_sum_stays_what_it_is() -> None:
    leaves = [leaf(f"n{i}") for i in range(4 * MOST_TERMS)]
    total = sum((of(symbol) for symbol in leaves), Expr(5))
    assert len(total.terms) <= MOST_TERMS
    assert total.bounds() == (5, 5 + len(leaves) * MOST)
    assert total.symbols >= set(leaves)
    known = {symbol: Expr(i) for i, symbol in enumerate(leaves)}
    assert total.substitute(known).number == 5 + sum(range(len(leaves)))
    assert (total - total).number == 0
