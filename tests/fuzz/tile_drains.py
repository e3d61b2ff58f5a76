"""What a random drain of L0C does: where to, as what, scaled, cut and laid out how."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import F32, I64, DType
from ptoscope.isa.record import AttrValue, Site
from ptoscope.isa.targets import Target
from ptoscope.isa.types import Ptr, Scalar, Type

Payloads = dict[str, int | Literal["vector"]]
PITCH = 48
"""Elements from a row to the next."""


@dataclass(frozen=True)
class Drain:
    """A memory, the type of what comes there, words, numbers, and what the clauses have: a
    number, or "vector" for parameters in FB."""

    space: str
    dtype: DType
    attrs: dict[str, AttrValue]
    numbers: dict[str, int]
    payloads: Payloads


def drawn_drain(
    rng: random.Random, target: Target, source: DType, shape: tuple[int, int], published: bool
) -> Drain:
    """A legal one."""
    while True:
        found = _try(rng, target, source, shape, published)
        if found is not None:
            return found


def _try(
    rng: random.Random, target: Target, source: DType, shape: tuple[int, int], published: bool
) -> Drain | None:
    space = rng.choice(("gm", "l1", "ub") if target.name == "a5" else ("gm",))
    record = TABLE[f"pto.mte_l0c_{space}"]
    legal = [u for t, u in record.pairs if t is source and target.has(u)]
    dtype = rng.choice(legal)
    words = record.pairs[source, dtype]
    attrs: dict[str, AttrValue] = {name: rng.choice(values) for name, values in words.items()}
    attrs["unit_flag"] = "check_and_clear" if published else "none"
    high = -(-shape[0] // 16) * 16
    numbers = {"src_stride": high, "dst_stride": PITCH, "sid": rng.randrange(4)}
    numbers["l2_cache_ctrl"] = rng.randrange(16)
    payloads: Payloads = {}
    mode, relu = str(attrs["pre_quant_mode"]), str(attrs["pre_relu_mode"])
    if mode.endswith(("_vec", "_scalar")):
        payloads["pre_quant"] = "vector" if mode.endswith("_vec") else rng.randrange(1, 40)
    if relu in ("scalar_relu", "vector_relu"):
        payloads["pre_relu"] = "vector" if relu == "vector_relu" else rng.randrange(1, 40)
    if attrs["layout"] == "nz2dn":
        payloads["nz2dn"] = 1
    if attrs["layout"] == "nz2nz":
        numbers["dst_stride"] = 16 * high
    if space == "ub" and attrs["dst_split"] == "none":
        payloads["dst_mode"] = 0
    if space == "gm" and (attrs["atomic_type"] == "none") != (attrs["atomic_op"] == "none"):
        return None
    if attrs.get("dst_split") == "split_m" and shape[0] % 2:
        return None
    if attrs.get("dst_split") == "split_n" and shape[1] % 32:
        return None
    types: list[Type] = [Ptr(source, "l0c"), Ptr(dtype, space)]
    types += [Scalar(I64)] * (len(record.forms[0].operands) - 2)
    segments: list[tuple[str, int]] = []
    for group in record.forms[0].groups:
        if group.keyword in payloads:
            types.append(_payload(group.keyword, payloads[group.keyword] == "vector"))
            segments.append((group.keyword, 1))
    site = Site(record, tuple(types), (), attrs, target, "micro", segments=tuple(segments))
    if any(constraint.broken(site) for constraint in record.constraints):
        return None
    in_order: Payloads = {keyword: payloads[keyword] for keyword, _ in segments}
    return Drain(space, dtype, attrs, numbers, in_order)


def _payload(keyword: str, vector: bool) -> Type:
    """What a clause has: parameters in FB or a float, or a number."""
    if keyword not in ("pre_quant", "pre_relu"):
        return Scalar(I64)
    return Ptr(F32, "fb") if vector else Scalar(F32)
