"""The kernels that are measured against C: arguments, sizes, targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import inputs

KERNELS = Path(__file__).with_name("kernels")
_KI, _MI = 1 << 10, 1 << 20


@dataclass(frozen=True)
class Case:
    """A kernel, and the C function of the same name and parameters.

    `arguments(size)` makes fresh arguments; the one at `result` is what the kernel writes.
    `target` is the least speed as a fraction of C's, which has the same staging; `unstaged` that
    of C without any, where `bench/c/unstaged.c` has it. `traffic` is the bytes that pass between GM
    and UB at the full size. The small size is for checks of the results.
    """

    name: str
    what: str
    target: float | None
    size: int
    small: int
    arguments: Callable[[int], list[Any]]
    result: int
    traffic: Callable[[int], int]
    source: str | None = None
    unstaged: float | None = None

    @property
    def path(self) -> Path:
        return KERNELS / f"{self.name}.pto"


REPAIRABLE = (
    Case(
        "add",
        "f32 add, 16 Mi",
        1.3,
        16 * _MI,
        3 * 8192,
        inputs.add,
        2,
        lambda n: 12 * n,
        unstaged=0.8,
    ),
    Case(
        "axpy",
        "f32 axpy, masks and a tail, 16 Mi + 13",
        1.3,
        16 * _MI + 13,
        2 * 8192 + 77,
        inputs.axpy,
        2,
        lambda n: 12 * n,
        unstaged=0.8,
    ),
    Case(
        "scale",
        "f32 scale, 16 Mi",
        1.3,
        16 * _MI,
        3 * 8192,
        inputs.scale,
        1,
        lambda n: 8 * n,
        unstaged=0.8,
    ),
    Case(
        "copy",
        "f32 copy, 16 Mi",
        1.3,
        16 * _MI,
        3 * 8192,
        inputs.rows,
        1,
        lambda n: 8 * n,
        unstaged=0.8,
    ),
    Case(
        "add_tiles",
        "f32 add, tiles of 64, 16 Mi",
        0.8,
        16 * _MI,
        37 * 64,
        inputs.add,
        2,
        lambda n: 12 * n,
    ),
    Case(
        "embedding",
        "rows of 64 f32 of a table, load_scalar, 256 Ki rows",
        0.8,
        256 * _KI,
        77,
        inputs.embedding,
        2,
        lambda n: (8 * inputs.COLUMNS + 4) * n,
    ),
    Case(
        "softmax",
        "row softmax, 64 Ki rows of 128",
        1.0,
        65536,
        37,
        inputs.softmax,
        1,
        lambda rows: 8 * 128 * rows,
    ),
    Case(
        "gelu", "GELU polynomial, 16 Mi", 0.9, 16 * _MI, 3 * 8192, inputs.gelu, 1, lambda n: 8 * n
    ),
    Case(
        "scale_f16",
        "f16 to f32, scale, to f16, 16 Mi",
        1.0,
        16 * _MI,
        2 * 16384,
        inputs.scale_f16,
        1,
        lambda n: 4 * n,
    ),
    Case(
        "quantise_i8",
        "f16 to i8, scale and saturate, 16 Mi",
        1.0,
        16 * _MI,
        2 * 16384,
        inputs.quantise_i8,
        1,
        lambda n: 3 * n,
    ),
    Case(
        "gather16",
        "gather of 16-bit elements, 4 Mi",
        0.5,
        4 * _MI,
        3 * 2048,
        inputs.gather16,
        2,
        lambda n: 4 * n + 2 * inputs.TABLE,
    ),
    Case(
        "prefix_sum",
        "prefix sums of i32 rows, vshift, 16 Mi",
        0.9,
        16 * _MI,
        3 * 2048,
        inputs.integers,
        1,
        lambda n: 8 * n,
    ),
    Case(
        "compaction",
        "positive f32 elements, vsqz, 16 Mi",
        0.9,
        16 * _MI,
        3 * 4096,
        inputs.rows,
        1,
        lambda n: 6 * n,
    ),
    Case(
        "stencil",
        "three-point stencil of f32 rows, vslide, 16 Mi",
        0.9,
        16 * _MI,
        3 * 4096,
        inputs.stencil,
        1,
        lambda n: 8 * n,
    ),
    Case(
        "transpose16",
        "16x16 tiles of i16, vtranspose, 16 Mi",
        0.9,
        16 * _MI,
        2 * 8192,
        inputs.halfwords,
        1,
        lambda n: 4 * n,
    ),
    Case(
        "transpose_gather",
        "64x64 tiles of f32, vgather2, 16 Mi",
        0.9,
        16 * _MI,
        2 * 4096,
        inputs.rows,
        1,
        lambda n: 8 * n,
    ),
    Case(
        "histogram",
        "histogram of 64 bins, vgather2 and vscatter, 16 Mi",
        0.8,
        16 * _MI,
        2 * 16384,
        inputs.samples,
        1,
        lambda n: n,
    ),
    Case(
        "histogram_bytes",
        "histogram of 256 bins, vgather2 and vscatter, 16 Mi",
        None,
        16 * _MI,
        2 * 16384,
        inputs.bytes_of,
        1,
        lambda n: n,
    ),
    Case(
        "add_in_l1",
        "f32 add on 4 KiB in L1",
        0.8,
        400_000,
        5,
        inputs.in_l1,
        0,
        lambda repeats: 3 * 4096,
        source="in_l1",
    ),
    Case(
        "gelu_in_l1",
        "GELU on 4 KiB in L1",
        0.8,
        40_000,
        5,
        inputs.in_l1,
        0,
        lambda repeats: 3 * 4096,
        source="in_l1",
    ),
)

CASES = (
    *REPAIRABLE,
    Case(
        "sort_rows",
        "rows of 2048 f32 sorted, vbitsort and vmrgsort4, 128 rows",
        None,
        128,
        3,
        inputs.sort_rows,
        1,
        lambda rows: 12 * inputs.SORTED * rows,
    ),
)
"""With one whose address, broken on purpose, gets a fix that only looks right: `tests.repair` knows
nothing of it yet."""
