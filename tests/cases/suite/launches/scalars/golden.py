"""An array of zeros with one element set."""

import numpy as np

COUNT = 64
SCALE = 1.25

if __name__ == "__main__":
    p = np.zeros(COUNT, np.float32)
    p.tofile("p.bin")
    np.float32(SCALE).tofile("scale.bin")
    p[(COUNT - 1) // 2] = 2 * SCALE
    p.tofile("golden_p.bin")
