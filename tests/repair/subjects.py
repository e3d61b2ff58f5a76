"""Correct kernels with launches of them: what goes in, and what comes out."""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from bench.cases import REPAIRABLE

import ptoscope
from ptoscope.cases.find import find_cases
from ptoscope.cases.options import Options
from ptoscope.cases.run.case import run_case
from ptoscope.isa.targets import Revision
from ptoscope.kernel import Kernel, prepare
from tests.mutation.seeds import seeds


@dataclass(frozen=True)
class Launch:
    """One launch of a function."""

    entry: str
    arguments: tuple[Any, ...]
    grid: int

    def outputs(self, kernel: Kernel, schedule: str = "program") -> list[bytes]:
        """What all arrays hold afterwards."""
        arguments = copied(self.arguments)
        kernel(*arguments, grid=self.grid, engine="reference", schedule=schedule)
        return [a.tobytes() for a in arguments if isinstance(a, np.ndarray)]


@dataclass(frozen=True)
class Subject:
    """A correct kernel."""

    name: str
    text: str
    revision: Revision
    launches: tuple[Launch, ...]

    def kernel(self, text: str, entry: str | None = None) -> Kernel:
        """A kernel of another text."""
        return prepare(text, self.name, None, self.revision, entry)


def copied(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in arguments)


def own_subjects() -> Iterator[Subject]:
    """The kernels of this project: examples, seeds of mistakes, benchmarks."""
    for seed in seeds():
        kernel = ptoscope.load(seed.text, revision=seed.revision)
        launches = _seen(lambda kernel=kernel, seed=seed: seed.run(kernel))
        yield Subject(seed.name, seed.text, seed.revision, launches)
    for case in REPAIRABLE:
        text = case.path.read_text(encoding="utf-8")
        launch = Launch(case.name, tuple(case.arguments(case.small)), 1)
        yield Subject(f"bench/{case.name}", text, ptoscope.load(text).revision, (launch,))


def case_subjects(directory: str) -> Iterator[Subject]:
    """The cases below a directory that pass."""
    options = Options()
    for case in find_cases([directory]):
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(case.path)
            (Path(scratch) / "work").mkdir()
            answer: dict[str, Any] = {}
            launches = _seen(
                lambda path=path, scratch=scratch, answer=answer: answer.update(
                    run_case(path, Path(scratch), options, lambda stage: None)
                )
            )
            if answer.get("verdict") == "pass" and launches:
                text = (path / "kernel.pto").read_text(encoding="utf-8")
                yield Subject(case.title, text, "micro", launches)


def _seen(run: Callable[[], object]) -> tuple[Launch, ...]:
    """The launches that a function makes."""
    launches: list[Launch] = []
    call = Kernel.__call__

    def noted(self: Kernel, *arguments: Any, grid: int = 1, **others: Any) -> None:
        launches.append(Launch(self.name, copied(arguments), grid))
        call(self, *arguments, grid=grid, **others)

    with mock.patch.object(Kernel, "__call__", noted), contextlib.redirect_stdout(io.StringIO()):
        run()
    return tuple(launches)
