"""Random programs: `generate(seed)` gives a kernel text and what it is called with."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from ptoscope.isa.targets import REVISIONS, TARGETS
from ptoscope.isa.types import Ptr
from tests.fuzz import copy_faults, faults, stages
from tests.fuzz.data import Array, Number
from tests.fuzz.kernel import Kernel
from tests.fuzz.text import MARK, Block, Stage

FAULTY = 0.2
"""Which part of the programs faults."""
ALL_FAULTS = (*faults.FAULTS, *copy_faults.FAULTS)


@dataclass(frozen=True)
class Program:
    """A kernel that checks clean. A legal one also runs without a fault; one that is not
    stops with the diagnostic `fault_code` at one of the `fault_lines`."""

    seed: int
    text: str
    target: str
    revision: str
    grid: int
    parameters: tuple[Array | Number, ...]
    fault_code: str = ""

    @property
    def legal(self) -> bool:
        return not self.fault_code

    @property
    def fault_lines(self) -> tuple[int, ...]:
        """The lines at which a faulty program may stop."""
        rows = enumerate(self.text.split("\n"), 1)
        return tuple(number for number, row in rows if row.endswith(MARK))

    def arguments(self) -> list[Any]:
        """Fresh arguments, the same every time."""
        return [
            p.make(self.seed, at) if isinstance(p, Array) else p.value
            for at, p in enumerate(self.parameters)
        ]


def generate(seed: int) -> Program:
    """The program of a seed, always the same."""
    rng = random.Random(f"ptoscope {seed}")
    fault = rng.choice(ALL_FAULTS) if rng.random() < FAULTY else None
    target = rng.choice(("a5", "a5", "a5", "a5", "a2a3", "cpu"))
    if fault and target not in fault.targets:
        target = rng.choice(fault.targets)
    revision = rng.choice(REVISIONS)
    grid = rng.choice((1, 1, 1, 1, 2, 3, 4))
    kernel = Kernel(rng, TARGETS[target], revision, grid)
    root = Block(kernel, Stage(0))
    sizes = [rng.randint(3, 10) for _ in range(rng.choice((1, 1, 2, 2, 3)))]
    faulty = rng.randrange(len(sizes))
    for at, size in enumerate(sizes):
        stages.write(root, size, fault if at == faulty else None)
    return Program(
        seed,
        _text(kernel, root),
        target,
        revision,
        grid,
        tuple(kernel.parameters),
        kernel.fault_code,
    )


def _text(kernel: Kernel, root: Block) -> str:
    parameters = ", ".join(
        f"%{p.name}: {Ptr(p.dtype, 'gm') if isinstance(p, Array) else p.dtype}"
        for p in kernel.parameters
    )
    inner = "\n".join(f"    {row}" for row in [*kernel.head, *root.lines])
    return (
        f'module attributes {{pto.target_arch = "{kernel.target.name}"}} {{\n'
        f"  func.func @fuzz({parameters}) attributes {{pto.aicore}} {{\n"
        f"{inner}\n    return\n  }}\n}}\n"
    )
