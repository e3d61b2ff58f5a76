"""Files whose names say nothing about the order of the arguments."""

import numpy as np

if __name__ == "__main__":
    source = np.arange(64, dtype=np.float32)
    source.tofile("source.bin")
    np.zeros(64, np.float32).tofile("result.bin")
    (2 * source).tofile("golden_result.bin")
