"""Products of matrices: one instruction of the matrix unit, or one of two as a condition says."""

from __future__ import annotations

from typing import Any

from ptoscope.lang import instructions
from ptoscope.lang.matrices import FlatArray, MatrixArray
from ptoscope.lang.scalars import known
from ptoscope.lang.template import Template
from ptoscope.lang.values import Misuse, described


def _matmul(c: Any, a: Any, b: Any, init: Any = True, bias: Any = None, tf32: Any = None) -> None:
    """The product of a matrix in L0A and one in L0B, in L0C: `c = a @ b`, or with `bias` of BT
    `c = bias + a @ b`. Where `init` does not hold, it is added to what is in `c`: with `init=k ==
    0` in a loop, the first part of a sum replaces what is there. How many rows and columns they
    have is what the copies brought. `tf32` ("round_even" or "round_away") rounds factors of f32
    first."""
    if init:
        multiply(c, a, b, bias, tf32)
    else:
        accumulate(c, a, b, tf32)


matmul = Template(_matmul, language=True)


def multiply(c: Any, a: Any, b: Any, bias: Any, tf32: Any) -> None:
    """A product, or a bias and a product."""
    sizes, clauses = _product(c, a, b, tf32)
    if bias is None:
        instructions.call("pto.mad", a, b, c, *sizes, **clauses)
        return
    if not isinstance(bias, FlatArray) or bias.type.space != "bt":
        raise Misuse(f"{described(bias)} is no bias", expected="an array in BT, as pto.bt(...)")
    instructions.call("pto.mad_bias", a, b, c, bias, *sizes, **clauses)


def accumulate(c: Any, a: Any, b: Any, tf32: Any) -> None:
    """What is there and a product."""
    sizes, clauses = _product(c, a, b, tf32)
    instructions.call("pto.mad_acc", a, b, c, *sizes, **clauses)


def _product(c: Any, a: Any, b: Any, tf32: Any) -> tuple[tuple[Any, Any, Any], dict[str, Any]]:
    """The sizes of a product, and the clauses of its instruction."""
    for value, space in ((c, "l0c"), (a, "l0a"), (b, "l0b")):
        if not isinstance(value, MatrixArray) or value.type.space != space:
            raise Misuse(
                f"{described(value)} cannot stand here",
                expected=f"a matrix in {space.upper()}, as pto.{space}(...)",
                hint="of parts load a matrix of its own",
            )
    (rows, inner), (other, columns) = a.shape, b.shape
    if inner != other or c.shape != (rows, columns):
        raise Misuse(
            "these matrices do not multiply",
            found=f"{_shape(a)} by {_shape(b)} to {_shape(c)}",
            expected="m x k by k x n to m x n",
        )
    m, k = a.counts
    n = b.counts[1]
    c.counts = m, n
    clauses: dict[str, Any] = {} if tf32 is None else {"tf32_mode": tf32}
    if (known(m) or 1) == 1:
        # Fractals hold a single row too.
        clauses["disable_gemv"] = True
    return (m, n, k), clauses


def _shape(matrix: MatrixArray[Any]) -> str:
    return " x ".join(map(str, matrix.shape))
