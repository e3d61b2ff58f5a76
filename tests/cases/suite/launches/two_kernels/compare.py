"""The number."""

from pathlib import Path

assert Path("v1.bin").read_bytes() == Path("golden_v1.bin").read_bytes(), "another number"
