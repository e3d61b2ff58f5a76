"""Seven blocks, on arrays with room for ten."""

import numpy as np

BLOCKS = 7
ROOM = 10

if __name__ == "__main__":
    numbers = np.full(ROOM, -1, np.int64)
    for name in ("v1", "v2"):
        numbers.tofile(f"{name}.bin")
    numbers[:BLOCKS] = np.arange(BLOCKS)
    numbers.tofile("golden_v1.bin")
    numbers[:BLOCKS] = BLOCKS
    numbers.tofile("golden_v2.bin")
