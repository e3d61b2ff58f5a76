"""Integers known in part: polynomials of symbols, with a range for every symbol.

A symbol is a leaf (a launch scalar, the iteration of a loop) or a function of expressions that
no polynomial says (`negative`, `select`, `quotient`). Expressions compare by value, so that
the same computation written twice is known to give the same number, and `substitute` works
functions out again once their arguments are known.

Sums and products are taken not to overflow unless they are constants; a constant wraps
where it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Final

from ptoscope.budget import spend, spend_small

UNBOUNDED: Final = 1 << 80
MOST_TERMS: Final = 64
"""Sums and products of more terms are functions, not polynomials."""
MOST_FACTORS: Final = 8
"""So are those with a term of more factors."""
DEEPEST: Final = 30
"""Functions of functions up to so many are told apart by what they are made of."""
_NONE: frozenset[Symbol] = frozenset()
_SYMBOL_BYTES, _ENTRY_BYTES = 400, 60
"""Bytes of a symbol, and of an entry of its sets: roughly."""


class Symbol:
    """A number with a name: `kind` and `ident` for a leaf, `kind` and `args` for a function.
    Its value lies between `low` and `high`, inclusive; with `reached` it takes both."""

    __slots__ = ("_hash", "args", "below", "depth", "high", "ident", "kind", "low", "reached")

    def __init__(
        self,
        kind: str,
        ident: object = None,
        args: tuple[Expr, ...] = (),
        low: int = -UNBOUNDED,
        high: int = UNBOUNDED,
        reached: bool = False,
    ) -> None:
        self.kind = kind
        self.ident = ident
        self.args = args
        self.low = low
        self.high = high
        self.reached = reached
        self._hash = hash((kind, ident, args))
        self.below: frozenset[Symbol] = _NONE.union(*(arg.symbols for arg in args))
        """The symbols of its arguments."""
        spend_small(len(self.below))
        spend(0, _SYMBOL_BYTES + _ENTRY_BYTES * len(self.below))
        self.depth: int = 1 + max(
            (s.depth for arg in args for t in arg.terms for s in t), default=0
        )

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if (
            not isinstance(other, Symbol)
            or self._hash != other._hash
            or (self.kind, self.ident, self.args) != (other.kind, other.ident, other.args)
        ):
            return False
        # What was made twice is compared once: the next time its parts are identical.
        other.args, other.below = self.args, self.below
        return True

    def __repr__(self) -> str:
        inside = ", ".join(map(repr, self.args))
        return f"{self.kind}{'' if self.ident is None else self.ident}" + (
            f"({inside})" if self.args else ""
        )


Monomial = tuple[Symbol, ...]
"""A product of symbols, in a fixed order."""


class Expr:
    """A constant plus coefficients of products of symbols."""

    __slots__ = ("_bounds", "_hash", "_symbols", "const", "terms")

    def __init__(self, const: int, terms: Mapping[Monomial, int] | None = None) -> None:
        self.const = const
        self.terms: Mapping[Monomial, int] = terms or {}
        self._hash: int | None = None
        self._bounds: tuple[int, int] | None = None
        self._symbols: frozenset[Symbol] | None = None if self.terms else _NONE

    @property
    def number(self) -> int | None:
        """Its value, where it is a constant."""
        return None if self.terms else self.const

    @property
    def symbols(self) -> frozenset[Symbol]:
        """The symbols it depends on, also those inside functions."""
        if self._symbols is None:
            own = [symbol for term in self.terms for symbol in term]
            self._symbols = frozenset(own).union(*(symbol.below for symbol in own))
        return self._symbols

    @property
    def variable(self) -> Expr:
        """It without its constant: what two expressions share that differ by a number."""
        return Expr(0, self.terms)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.const, frozenset(self.terms.items())))
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Expr) and self.const == other.const and self.terms == other.terms
        )

    def __repr__(self) -> str:
        parts = ["*".join([str(c), *map(repr, term)]) for term, c in self.terms.items()]
        return " + ".join([*parts, str(self.const)] if self.const or not parts else parts)

    def __add__(self, other: Expr) -> Expr:
        if not other.terms:
            return Expr(self.const + other.const, self.terms)
        if not self.terms:
            return Expr(self.const + other.const, other.terms)
        merged = _merged(self.terms, other.terms, 1)
        if len(merged) > MOST_TERMS:
            (a, b), (c, d) = self.bounds(), other.bounds()
            return function("sum", (self, other), a + c, b + d)
        return Expr(self.const + other.const, merged)

    def __sub__(self, other: Expr) -> Expr:
        if not other.terms:
            return Expr(self.const - other.const, self.terms)
        merged = _merged(self.terms, other.terms, -1)
        if len(merged) > MOST_TERMS:
            return self + other.times(-1)
        return Expr(self.const - other.const, merged)

    def __mul__(self, other: Expr) -> Expr:
        if not other.terms:
            return self.times(other.const)
        if not self.terms:
            return other.times(self.const)
        if (
            len(self.terms) * len(other.terms) > MOST_TERMS
            or max(map(len, self.terms)) + max(map(len, other.terms)) > MOST_FACTORS
        ):
            return function("product", (self, other), -UNBOUNDED, UNBOUNDED)
        spend(len(self.terms) * len(other.terms))
        out: dict[Monomial, int] = {}
        for left, c in self._all():
            for right, d in other._all():
                term = tuple(sorted(left + right, key=hash))
                out[term] = out.get(term, 0) + c * d
        const = out.pop((), 0)
        return Expr(const, {term: c for term, c in out.items() if c})

    def _all(self) -> list[tuple[Monomial, int]]:
        return [((), self.const), *self.terms.items()]

    def times(self, factor: int) -> Expr:
        """It, so many times."""
        if factor == 1:
            return self
        if factor == 0:
            return ZERO
        return Expr(self.const * factor, {t: c * factor for t, c in self.terms.items()})

    def over(self, divisor: int) -> Expr | None:
        """It divided by a number, where that leaves no remainder whatever the symbols are."""
        if self.const % divisor or any(c % divisor for c in self.terms.values()):
            return None
        return Expr(self.const // divisor, {t: c // divisor for t, c in self.terms.items()})

    def bounds(self) -> tuple[int, int]:
        """The least and the greatest value it may have."""
        if self._bounds is None:
            low, high = self._bounded()
            self._bounds = max(low, -UNBOUNDED), min(high, UNBOUNDED)
        return self._bounds

    def _bounded(self) -> tuple[int, int]:
        """Work the bounds out: the sums of those of the terms, before and after remainders are
        taken out. Each quotient is tried once, the outermost first: to try every order of them
        would take exponential time."""
        low, high = self._termwise()
        quotients = [t[0] for t in self.terms if t[0].kind == "quotient" and len(t) == 1]
        rest, below, above = self, 0, 0
        for quotient in sorted(quotients, key=lambda symbol: -symbol.depth):
            spend(len(rest.terms))
            made = rest._without_remainder(quotient)
            if made is not None:
                rest, below, above = made[0], below + made[1], above + made[2]
                least, most = rest._termwise()
                low, high = max(low, least + below), min(high, most + above)
        return low, high

    def _termwise(self) -> tuple[int, int]:
        """Add the bounds of the terms."""
        low = high = self.const
        for term, coefficient in self.terms.items():
            a, b = term[0].low, term[0].high
            for symbol in term[1:]:
                corners = [x * y for x in (a, b) for y in (symbol.low, symbol.high)]
                a, b = min(corners), max(corners)
            a, b = a * coefficient, b * coefficient
            low, high = low + min(a, b), high + max(a, b)
        return low, high

    def _without_remainder(self, quotient: Symbol) -> tuple[Expr, int, int] | None:
        """Take out a remainder: a value less so many times its quotient. Returns the rest and
        the bounds of the remainder; None if the expression has none."""
        coefficient = self.terms.get((quotient,), 0)
        value, divisor = quotient.args
        by = divisor.number
        if not by or not coefficient or coefficient % by:
            return None
        times = -coefficient // by
        rest = self - (value - of(quotient) * Expr(by)) * Expr(times)
        if len(rest.terms) >= len(self.terms):
            return None
        low, high = value.bounds()
        # It has the sign of the value, and is no greater than that.
        ends = times * max(1 - abs(by), min(low, 0)), times * min(abs(by) - 1, max(high, 0))
        return rest, min(ends), max(ends)

    def substitute(
        self, known: Mapping[Symbol, Expr], made: dict[Symbol, Expr] | None = None
    ) -> Expr:
        """Replace symbols, and work functions of them out again; `made` keeps the functions
        that were worked out, each once."""
        if not self.terms or known.keys().isdisjoint(self.symbols):
            return self
        spend(len(self.terms))
        made = {} if made is None else made
        total = Expr(self.const)
        for term, coefficient in self.terms.items():
            product = _replaced(term[0], known, made)
            for symbol in term[1:]:
                product = product * _replaced(symbol, known, made)
            total = total + product.times(coefficient)
        return total


def _merged(a: Mapping[Monomial, int], b: Mapping[Monomial, int], sign: int) -> dict[Monomial, int]:
    out = dict(a)
    for term, coefficient in b.items():
        total = out.get(term, 0) + sign * coefficient
        if total:
            out[term] = total
        else:
            out.pop(term, None)
    return out


def _replaced(symbol: Symbol, known: Mapping[Symbol, Expr], made: dict[Symbol, Expr]) -> Expr:
    found = known.get(symbol)
    if found is not None:
        return found
    if known.keys().isdisjoint(symbol.below):
        return of(symbol)
    if symbol not in made:
        args = tuple(arg.substitute(known, made) for arg in symbol.args)
        work = WORKED_OUT.get(symbol.kind)
        made[symbol] = (
            of(Symbol(symbol.kind, symbol.ident, args, symbol.low, symbol.high))
            if work is None
            else work(*args)
        )
    return made[symbol]


WORKED_OUT: dict[str, Callable[..., Expr]] = {}
"""The functions, by their kind."""

ZERO: Final = Expr(0)
ONE: Final = Expr(1)


def of(symbol: Symbol) -> Expr:
    """A symbol as an expression."""
    return Expr(0, {(symbol,): 1})


_numbers = count()


def function(kind: str, args: tuple[Expr, ...], low: int, high: int) -> Expr:
    """A function of expressions that no polynomial says."""
    made = Symbol(kind, None, args, low, high)
    if made.depth > DEEPEST:
        # Of what is nested deeper only that is kept which it depends on.
        bottom = (s for s in made.below if not s.below)
        leaves = tuple(of(s) for s in sorted(bottom, key=hash))
        made = Symbol("deep", next(_numbers), leaves, low, high)
    return of(made)


def single(value: Expr) -> Symbol | None:
    """The symbol that a value is, if it is just one."""
    if value.const or len(value.terms) != 1:
        return None
    ((term, coefficient),) = value.terms.items()
    return term[0] if coefficient == 1 and len(term) == 1 else None


def affine(value: Expr) -> bool:
    """Whether it is a sum of single symbols that reach both ends of their ranges: then its
    bounds are reached too."""
    return all(len(term) == 1 and term[0].reached for term in value.terms)
