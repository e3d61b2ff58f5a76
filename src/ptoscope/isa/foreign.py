"""Operations and types of compilers that no vector kernel has, by levels: for the error that says
so."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class ForeignLevel:
    """Operations and types that are executed elsewhere: their names behind `pto.`, and the reason
    to give."""

    reason: str
    operations: re.Pattern[str]
    types: re.Pattern[str]


def _level(reason: str, *operations: str, types: str = "(?!)") -> ForeignLevel:
    return ForeignLevel(reason, re.compile("|".join(operations)), re.compile(types))


_LEVELS = (
    _level(
        "it is of the VMI level, logical vectors of any length, which is not modelled: a compiler "
        "makes vector instructions of it, and these are read",
        r"vmi\..+",
        types=r"vmi\..+",
    ),
    _level(
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
    _level(
        "it is what compilers make of an instruction of the matrix unit, and not modelled: write "
        "the instruction itself",
        r"section\.cube",
        r"mad_\w+",
        r"(?:copy|load)_\w*(?:cbuf|matrix)\w*",
        r"set_\w+(?:outtol1|_nz_para)",
        "set_(?:fpc|quant_pre|relu_alpha|fix_clip_relu|channel_para|loop3_para)",
    ),
    _level(
        "it moves tiles between the vector and the matrix unit, which is not modelled",
        r"ai[cv]_initialize_pipe|initialize_\w+_pipe|(?:import_)?reserved?_buffer",
        types="pipe",
    ),
    _level(
        "arrays of scalars are not modelled: name the event by a number, or by a value",
        r"declare_\w+_array|\w+_array_(?:get|set)",
        types=r"\w+_array",
    ),
    _level(
        "it is of the tile level: it works on tiles, which is not modelled; a compiler makes "
        "vector instructions of it, and these are read",
        r"t[a-z][\w.]*|m(?:gather|scatter)|simd\.tile_\w+|subset|pointer_cast",
        r"(?:alloc|bind|declare|materialize)_tile\w*|\w*tensor_view\w*|partition_view|subview",
        r"set_validshape|declare_global|get_scale_addr|set_img2col_\w+|set(?:fmatrix|[ht]f32mode)",
        types=r"tile\w*|\w*tensor_view|fmatrix_config|memref|global",
    ),
    _level(
        "it is of the tile level, which is not modelled: it orders operations on tiles; between "
        "pipes pto.set_flag and pto.wait_flag do",
        "(?:record|wait)_event|barrier_sync|syncall",
        types="event",
    ),
    _level(
        "it signals between the blocks of a launch (ffts_mode 0), which no page defines and which "
        "is not modelled: within a block pto.sync.set and pto.sync.wait do",
        "(?:set|wait)_cross_block",
    ),
    _level(
        "communication between devices is not modelled",
        r"comm\.[\w.]+|(?:build|wait|test)_async_\w+|make_group",
        types=r"comm\..+|async_\w+|group",
    ),
)


def why_not(name: str) -> str:
    """Returns why an operation, or a type with its `!`, is none of a vector kernel; empty where
    nothing is known of it. A name of the table is not to be asked for."""
    kind, dialect, word = name.partition("pto.")
    if kind not in ("", "!") or not dialect:
        return ""
    for level in _LEVELS:
        known = level.types if kind else level.operations
        if known.fullmatch(word):
            return level.reason
    return ""
