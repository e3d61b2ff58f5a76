"""The add in Triton's interpreter, as a program with TRITON_INTERPRET=1 set.

Argument n, a multiple of 8192; prints the best CPU time of some runs in seconds.
"""

# Triton and PyTorch are no dependencies: the benchmark runs this only where both are installed.
# pyright: reportMissingImports=false, reportInvalidTypeForm=false, reportIndexIssue=false

import sys
import time

import torch
import triton
import triton.language as tl

TILE = 8192
RUNS = 3


@triton.jit
def _add(a, b, out, n, TILE: tl.constexpr):
    place = tl.program_id(0) * TILE + tl.arange(0, TILE)
    inside = place < n
    total = tl.load(a + place, mask=inside) + tl.load(b + place, mask=inside)
    tl.store(out + place, total, mask=inside)


def main() -> None:
    torch.set_num_threads(1)
    n = int(sys.argv[1])
    a = torch.arange(n, dtype=torch.float32) % 1000
    b, out = torch.full_like(a, 0.5), torch.zeros_like(a)
    best = float("inf")
    for _ in range(RUNS):
        start = time.process_time()
        _add[(triton.cdiv(n, TILE),)](a, b, out, n, TILE=TILE)
        best = min(best, time.process_time() - start)
    assert torch.equal(out, a + b)
    print(f"{best:.9f}")


if __name__ == "__main__":
    main()
