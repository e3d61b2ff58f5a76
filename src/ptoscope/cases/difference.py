"""Where outputs differ from what was expected, and by how much."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ptoscope.arguments import array_dtype
from ptoscope.isa.dtypes import DType


@dataclass(frozen=True)
class ArrayDifference:
    """The first element of one output that differs, and the farthest one.

    Distances are in units in the last place; None where one of the two is a NaN.
    """

    file: str
    golden: str
    type: str
    index: int
    expected: str
    got: str
    ulp: int | None
    differing: int
    elements: int
    largest_ulp: int | None

    def __str__(self) -> str:
        far = "no distance to a NaN" if self.ulp is None else f"{self.ulp} ulp apart"
        text = (
            f"{self.file}: element {self.index} of {self.elements} ({self.type}): expected "
            f"{self.expected}, got {self.got}, {far}; {self.differing} differ"
        )
        if self.differing > 1 and self.largest_ulp is not None:
            text += f", by at most {self.largest_ulp} ulp"
        return text


def compare_outputs(
    directory: Path, written: Mapping[str, DType | None]
) -> tuple[bool | None, list[ArrayDifference], str]:
    """Whether all outputs equal their golden files bit for bit (None if there are none to
    compare), the differences that are not merely two NaNs, and what is odd about the files."""
    differences: list[ArrayDifference] = []
    same: bool | None = None
    odd = ""
    for name, kind in written.items():
        golden = _golden(directory, name, len(written))
        if golden is None:
            continue
        got, expected = (directory / name).read_bytes(), golden.read_bytes()
        same = same is not False and got == expected
        if got == expected:
            continue
        if len(got) != len(expected):
            odd = f"{name} has {len(got)} bytes, {golden.name} has {len(expected)}"
        found = _first(name, golden.name, got, expected, kind)
        if found is not None:
            differences.append(found)
    return same, differences, odd


def _golden(directory: Path, name: str, outputs: int) -> Path | None:
    """The file with the expected contents of an output, by the names in use."""
    stem, suffix = Path(name).stem, Path(name).suffix
    short = stem.removeprefix("output_").removeprefix("out_")
    for candidate in (f"golden_{stem}", f"{stem}_golden", f"golden_{short}", f"expected_{stem}"):
        path = directory / f"{candidate}{suffix}"
        if path.is_file():
            return path
    all_golden = sorted(directory.glob(f"golden*{suffix}"))
    return all_golden[0] if len(all_golden) == outputs == 1 else None


def _first(
    name: str, golden: str, got: bytes, expected: bytes, kind: DType | None
) -> ArrayDifference | None:
    dtype = np.dtype(np.uint8) if kind is None else array_dtype(kind)
    count = min(len(got), len(expected)) // dtype.itemsize
    ours = np.frombuffer(got, dtype, count)
    theirs = np.frombuffer(expected, dtype, count)
    bits = np.dtype(f"u{dtype.itemsize}")
    differs = ours.view(bits) != theirs.view(bits)
    is_float = dtype.kind not in "iu"
    if is_float:
        ours_nan, theirs_nan = _is_nan(ours), _is_nan(theirs)
        differs &= ~(ours_nan & theirs_nan)
    places = np.flatnonzero(differs)
    if not len(places):
        return None
    distances = _distances(ours[places], theirs[places], is_float)
    known = [d for d in distances if d is not None]
    first = int(places[0])
    return ArrayDifference(
        name,
        golden,
        "bytes" if kind is None else str(kind),
        first,
        _spelled(theirs[first]),
        _spelled(ours[first]),
        distances[0],
        len(places),
        count,
        max(known) if known else None,
    )


def _is_nan(values: Any) -> Any:
    with np.errstate(all="ignore"):
        return np.isnan(values.astype(np.float64))


def _distances(ours: Any, theirs: Any, is_float: bool) -> list[int | None]:
    """How many steps from one representable value to the next lie between each two."""
    # As Python numbers: the distance of two 64-bit values needs 65 bits.
    if not is_float:
        pairs = zip(ours.tolist(), theirs.tolist(), strict=True)
        return [abs(int(a) - int(b)) for a, b in pairs]
    nan = (_is_nan(ours) | _is_nan(theirs)).tolist()
    pairs = zip(_ranks(ours), _ranks(theirs), nan, strict=True)
    return [None if unknown else abs(a - b) for a, b, unknown in pairs]


def _ranks(values: Any) -> list[int]:
    """The number of each float among all of its type in order; both zeros have 0."""
    bits = 8 * values.dtype.itemsize
    images = values.view(f"u{values.dtype.itemsize}").tolist()
    most = (1 << (bits - 1)) - 1
    return [-(image & most) if image > most else image for image in images]


def _spelled(value: Any) -> str:
    if value.dtype.kind in "iu":
        return str(int(value))
    if value.dtype.itemsize == 8:
        return repr(float(value))
    return str(value)
