"""One number, changed by two kernels in turn."""

import numpy as np

START = 5

if __name__ == "__main__":
    np.int32(START).tofile("v1.bin")
    np.int32(((START + 1) * 3 + 1) * 3).tofile("golden_v1.bin")
