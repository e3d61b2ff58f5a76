"""The data of a case for double.

Writes to the working directory: v1.bin, v2.bin, ... hold the arguments of the kernel in
order, golden_<name>.bin what an output should hold afterwards.
"""

import numpy as np

SEED = 1
V1_ELEMENTS = 64  # %x: !pto.ptr<f32, gm>
V2_ELEMENTS = 64  # %y: !pto.ptr<f32, gm>


def expected(v1, v2):
    """The outputs as they should be: what the kernel computes, in NumPy."""
    v2 = v1 + v1
    return {"v2": v2}


def main():
    rng = np.random.default_rng(SEED)
    v1 = rng.uniform(-8, 8, V1_ELEMENTS).astype(np.float32)
    v2 = np.zeros(V2_ELEMENTS, np.float32)
    arguments = {"v1": v1, "v2": v2}
    for name, value in arguments.items():
        np.asarray(value).tofile(f"{name}.bin")
    for name, value in expected(**arguments).items():
        np.asarray(value, arguments[name].dtype).tofile(f"golden_{name}.bin")


if __name__ == "__main__":
    main()
