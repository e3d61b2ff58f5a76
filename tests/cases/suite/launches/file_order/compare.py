"""The result, with a message for each element that is off."""

import sys

import numpy as np

wrong = np.flatnonzero(
    np.fromfile("result.bin", np.float32) != np.fromfile("golden_result.bin", np.float32)
)
for at in wrong:
    print("element", at)
sys.exit(len(wrong) > 0)
