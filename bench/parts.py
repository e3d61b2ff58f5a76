"""The parts of the benchmark, in the order in which they are measured and shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bench import (
    attention,
    case_runs,
    decoding,
    engine,
    launches,
    matrix,
    native,
    native_compile,
    native_process,
    others,
    races,
    start,
    text,
    timing,
)
from bench.measure import Job


@dataclass(frozen=True)
class Part:
    """Some jobs with a title."""

    title: str
    jobs: Callable[[], list[Job]]


PARTS = {
    "native": Part("Kernels on the native engine, one thread, one block", native.jobs),
    "matrix": Part(
        "Products on the native engine, one thread, one block",
        lambda: [*matrix.jobs(), *attention.jobs()],
    ),
    "launches": Part("Launches", launches.jobs),
    "compile": Part("Compiling", native_compile.jobs),
    "commands": Part(
        "Commands and their memory",
        lambda: [*start.jobs(), *native_process.jobs(), *case_runs.jobs()],
    ),
    "text": Part("Reading and checking a kernel", text.jobs),
    "engine": Part(
        "The reference engine", lambda: [*engine.jobs(), *native.reference_jobs(), *others.jobs()]
    ),
    "races": Part("Traces and races", lambda: [*races.jobs(), *decoding.jobs()]),
    "timing": Part("The cycle models", timing.jobs),
}
"""By the name that `python -m bench` takes."""
