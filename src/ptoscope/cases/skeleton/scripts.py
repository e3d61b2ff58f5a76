"""The scripts of a new case. They need nothing but NumPy, so that they run everywhere."""

from __future__ import annotations

from collections.abc import Sequence

from ptoscope.cases.skeleton.arguments import HostArgument
from ptoscope.isa.dtypes import BF16, DType

ELEMENTS = 1024
"""How many elements an array of a new case has."""

_BF16_HELPERS = '''

def to_bf16(values):
    """The bits of bfloat16 values, rounded to nearest even (NaN is not expected here)."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    """The values of bfloat16 bits."""
    return (np.asarray(bits, np.uint16).astype(np.uint32) << 16).view(np.float32)
'''


def golden_text(kernel: str, arguments: Sequence[HostArgument]) -> str:
    """golden.py: the inputs, and what the outputs should be."""
    names = ", ".join(a.name for a in arguments)
    outputs = [a for a in arguments if a.is_output]
    constants = [_constant(a) for a in arguments]
    made = [f"    {a.name} = {_made(a)}" for a in arguments]
    copies = [f"    {a.name} = {a.name}.copy()" for a in outputs]
    returned = ", ".join(f'"{a.name}": {a.name}' for a in outputs)
    listed = ", ".join(f'"{a.name}": {a.name}' for a in arguments)
    helpers = _BF16_HELPERS if any(a.dtype is BF16 for a in arguments) else ""
    lines = [
        f'"""The data of a case for {kernel}.',
        "",
        "Writes to the working directory: v1.bin, v2.bin, ... hold the arguments of the kernel in",
        "order, golden_<name>.bin what an output should hold afterwards.",
        '"""',
        "",
        "import numpy as np",
        "",
        "SEED = 1",
        *constants,
        *([helpers.rstrip("\n")] if helpers else []),
        "",
        "",
        f"def expected({names}):",
        '    """The outputs as they should be: what the kernel computes, in NumPy."""',
        "    # Replace this: it says that the kernel leaves its outputs as they are.",
        *copies,
        f"    return {{{returned}}}",
        "",
        "",
        "def main():",
        *(
            ["    rng = np.random.default_rng(SEED)"]
            if any(a.is_pointer and not a.is_output for a in arguments)
            else []
        ),
        *made,
        f"    arguments = {{{listed}}}",
        "    for name, value in arguments.items():",
        '        np.asarray(value).tofile(f"{name}.bin")',
        "    for name, value in expected(**arguments).items():",
        '        np.asarray(value, arguments[name].dtype).tofile(f"golden_{name}.bin")',
        "",
        "",
        'if __name__ == "__main__":',
        "    main()",
    ]
    return "\n".join(lines) + "\n"


def compare_text(kernel: str, arguments: Sequence[HostArgument]) -> str:
    """compare.py: whether the outputs are right."""
    outputs = [a for a in arguments if a.is_output]
    rows = [f'    "{a.name}": (np.{_numpy(a.dtype)}, {_tolerance(a.dtype)}),' for a in outputs]
    lines = [
        f'"""Judges the outputs of a case for {kernel}: exit status 0 if they are right."""',
        "",
        "import sys",
        "",
        "import numpy as np",
        "",
        "# Element type and tolerance, absolute and relative; 0 asks for the same bits.",
        "OUTPUTS = {",
        *rows,
        "}",
        "",
        "",
        "def is_right(name, dtype, tolerance):",
        '    """Says what is wrong with an output, if anything."""',
        '    expected = np.fromfile(f"golden_{name}.bin", dtype)',
        '    got = np.fromfile(f"{name}.bin", dtype)',
        "    if got.shape != expected.shape:",
        '        print(f"{name}: {got.size} elements, expected {expected.size}")',
        "        return False",
        "    if tolerance:",
        "        close = np.isclose(got, expected, tolerance, tolerance, equal_nan=True)",
        "    else:",
        '        bits = f"u{got.dtype.itemsize}"',
        "        close = got.view(bits) == expected.view(bits)",
        "    if not close.all():",
        "        at = int(np.argmin(close))",
        '        print(f"{name}[{at}] is {got[at]}, expected {expected[at]}")',
        "    return bool(close.all())",
        "",
        "",
        'if __name__ == "__main__":',
        "    results = [is_right(name, *how) for name, how in OUTPUTS.items()]",
        "    sys.exit(0 if all(results) else 1)",
    ]
    return "\n".join(lines) + "\n"


def _numpy(dtype: DType) -> str:
    """The type that holds the elements: NumPy's own, or the bits."""
    name = dtype.array if dtype.storage == dtype.array else dtype.storage
    return "bool_" if name == "bool" else name


def _tolerance(dtype: DType) -> str:
    return {"float32": "1e-6", "float16": "1e-3"}.get(_numpy(dtype), "0")


def _constant(argument: HostArgument) -> str:
    name = argument.name.upper()
    if argument.is_pointer:
        return f"{name}_ELEMENTS = {ELEMENTS}  # {argument.label}"
    return f"{name} = 1  # {argument.label}"


def _made(argument: HostArgument) -> str:
    name, kind = argument.name.upper(), f"np.{_numpy(argument.dtype)}"
    if not argument.is_pointer:
        return f"to_bf16({name})" if argument.dtype is BF16 else f"{kind}({name})"
    size = f"{name}_ELEMENTS"
    if argument.is_output:
        return f"np.zeros({size}, {kind})"
    if argument.dtype is BF16:
        return f"to_bf16(rng.uniform(-8, 8, {size}))"
    if _numpy(argument.dtype).startswith("float"):
        return f"rng.uniform(-8, 8, {size}).astype({kind})"
    return f"rng.integers(0, 100, {size}).astype({kind})"
