"""Pairs about special registers: what a pipe leaves there for the scalar unit."""

from __future__ import annotations

from ..check.pipes import P, both, loop
from .kernels import EARLY, LATE, Pair
from .pairs_flags import plus

_TYPES = f"{P}, {P}, {P}, {P}, {P}, i64, i64"
_CONFIG = "%lists = arith.constant 3841 : i64\n%long = arith.constant 281479271743489 : i64"
_MERGE = f"pto.vmrgsort4 %b, %a, %a, %a, %a, %long, %lists : {_TYPES}"
_COUNTS = "%k0, %k1, %k2, %k3 = pto.get_vms4_sr : i16, i16, i16, i16"

REGISTERS = {
    "the counts of a merge that still runs": Pair(
        [_CONFIG, _MERGE + EARLY, plus(both("V", "S")), _COUNTS + LATE], "PTO0701", "RAW"
    ),
    "counts that the next merge overwrites": Pair(
        [
            _CONFIG,
            loop(
                _MERGE + EARLY,
                plus(both("V", "S")),
                _COUNTS + LATE,
            ),
        ],
        "PTO0701",
        "RAW",
        times=3,
    ),
}
