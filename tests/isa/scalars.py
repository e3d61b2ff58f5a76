"""Runs scalar operations on many raw values: in through GM, out through GM.

Types that memory does not hold are made from those it does: index and f64 from i64, i1
from i8.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

import ptoscope

WIDTH = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
WIDTH |= {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
_CARRIER = {"index": "i64", "f64": "i64", "i1": "i8"}
_MAKE = {"index": "arith.index_cast", "f64": "arith.bitcast", "i1": "arith.trunci"}
_UNMAKE = {"index": "arith.index_cast", "f64": "arith.bitcast", "i1": "arith.extui"}


def carrier(dtype: str) -> str:
    """The type that memory holds for a scalar type."""
    return _CARRIER.get(dtype, dtype)


def _array(values: Sequence[int], dtype: str) -> Any:
    held = carrier(dtype)
    raw = np.array(values, dtype=f"uint{max(8, WIDTH[held])}")
    if held in ("f16", "f32"):
        return raw.view(f"float{WIDTH[held]}")
    return raw if held == "bf16" else raw.view(f"int{WIDTH[held]}")


@cache
def _kernel(body: str, operands: tuple[str, ...], results: tuple[str, ...]) -> Any:
    params = [f"%in{i}: !pto.ptr<{carrier(t)}, gm>" for i, t in enumerate(operands)]
    params += [f"%out{i}: !pto.ptr<{carrier(t)}, gm>" for i, t in enumerate(results)]
    lines: list[str] = []
    for i, t in enumerate(operands):
        held = carrier(t)
        name = f"%x{i}" if held != t else f"%{'abc'[i]}"
        lines.append(f"{name} = pto.load_scalar %in{i}[%i] : !pto.ptr<{held}, gm> -> {held}")
        if held != t:
            lines.append(f"%{'abc'[i]} = {_MAKE[t]} {name} : {held} to {t}")
    lines.append(body)
    for i, t in enumerate(results):
        held = carrier(t)
        value = f"%r{i}"
        if held != t:
            lines.append(f"%y{i} = {_UNMAKE[t]} {value} : {t} to {held}")
            value = f"%y{i}"
        lines.append(f"pto.store_scalar {value}, %out{i}[%i] : !pto.ptr<{held}, gm>, {held}")
    code = "\n      ".join(lines)
    return ptoscope.load(
        f"""module {{
  func.func @scalars({", ".join(params)}, %n: index) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {{
      {code}
    }}
    return
  }}
}}
"""
    )


def run(
    body: str,
    operands: tuple[str, ...],
    results: tuple[str, ...],
    values: Sequence[tuple[int, ...]],
) -> list[tuple[int, ...]]:
    """The body uses %a, %b, %c and defines %r0, %r1; raw bits in, raw bits out."""
    columns = list(zip(*values, strict=True)) if operands else []
    ins = [_array(c, t) for c, t in zip(columns, operands, strict=True)]
    outs = [_array([0x55] * len(values), t) for t in results]
    _kernel(body, operands, results)(*ins, *outs, len(values))
    raw = [o.view(f"uint{8 * o.itemsize}").tolist() for o in outs]
    return list(zip(*raw, strict=True))
