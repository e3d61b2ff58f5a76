"""v1.bin, v2.bin, v3.bin are what the launching function takes, in its order."""

import numpy as np

if __name__ == "__main__":
    np.int32(3).tofile("v1.bin")
    np.float32(0.5).tofile("v2.bin")
    p = np.ones(8, np.float32)
    p.tofile("v3.bin")
    p[3] = 0.5
    p.tofile("golden_v3.bin")
