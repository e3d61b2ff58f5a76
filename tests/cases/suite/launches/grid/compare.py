"""Judges the outputs of a case for number: exit status 0 if they are right."""

import sys

import numpy as np

# Element type and tolerance, absolute and relative; 0 asks for the same bits.
OUTPUTS = {
    "v1": (np.int64, 0),
    "v2": (np.int64, 0),
}


def is_right(name, dtype, tolerance):
    """Says what is wrong with an output, if anything."""
    expected = np.fromfile(f"golden_{name}.bin", dtype)
    got = np.fromfile(f"{name}.bin", dtype)
    if got.shape != expected.shape:
        print(f"{name}: {got.size} elements, expected {expected.size}")
        return False
    if tolerance:
        close = np.isclose(got, expected, tolerance, tolerance, equal_nan=True)
    else:
        bits = f"u{got.dtype.itemsize}"
        close = got.view(bits) == expected.view(bits)
    if not close.all():
        at = int(np.argmin(close))
        print(f"{name}[{at}] is {got[at]}, expected {expected[at]}")
    return bool(close.all())


if __name__ == "__main__":
    results = [is_right(name, *how) for name, how in OUTPUTS.items()]
    sys.exit(0 if all(results) else 1)
