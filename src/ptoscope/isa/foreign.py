"""Operations of compilers that no vector kernel has, by families: for the error that says so."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """Operations that are executed elsewhere: how they are named, and what to say of them."""

    names: re.Pattern[str]
    reason: str


def _family(reason: str, *names: str) -> Family:
    return Family(re.compile(rf"pto\.(?:{'|'.join(names)})"), reason)


_FAMILIES = (
    _family(
        "it is SIMT code, one scalar program for many work items: no part of the vector "
        "instruction set, and not modelled",
        r"simt_\w+",
        "store_vfsimt_info",
        r"get_(?:tid|block_dim|grid_dim|block_idx)_[xyz]",
        r"get_(?:laneid|veccoreid|clock32|clock64|lanemask_\w+)",
        r"(?:vote|shuffle|redux|atomic)_\w+",
        "ldg|stg|prmt|mulhi|mul_i32toi64|convert|keep|resume",
        "exp|log|pow|ceil|floor|rint|round|fmin|fmax|fma",
        r"syncthreads|threadfence\w*",
    ),
    _family(
        "it is what compilers make of an instruction of the matrix unit, and not modelled: write "
        "the instruction itself",
        r"section\.cube",
        r"mad_\w+",
        r"(?:copy|load)_\w*(?:cbuf|matrix)\w*",
        r"set_\w+(?:outtol1|_nz_para)",
        "set_(?:fpc|quant_pre|relu_alpha|fix_clip_relu|channel_para|loop3_para)",
    ),
    _family(
        "it moves tiles between the vector and the matrix unit, which is not modelled",
        r"ai[cv]_initialize_pipe|initialize_\w+_pipe|(?:import_)?reserved?_buffer",
    ),
    _family(
        "arrays of scalars are not modelled: name the event by a number, or by a value",
        r"declare_\w+_array|\w+_array_(?:get|set)",
    ),
    _family(
        "it works on tiles: a compiler makes vector instructions of it, and these are read",
        r"t[a-z]\w*",
        r"(?:alloc|bind|declare|materialize)_tile\w*|\w*tensor_view\w*|partition_view|subview",
        "set_validshape|declare_global",
    ),
    _family(
        "it orders operations on tiles; between pipes pto.set_flag and pto.wait_flag do",
        "(?:record|wait)_event",
    ),
    _family("communication between devices is not modelled", r"comm\.\w+"),
)


def why_not(name: str) -> str:
    """Why an operation of this name is none of a vector kernel; empty where nothing is known of
    it. A name of the table is not to be asked for."""
    found = (family.reason for family in _FAMILIES if family.names.fullmatch(name))
    return next(found, "")
