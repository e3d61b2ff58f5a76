"""`--pto-junit`: a file with a case for each check of a kernel on an engine and a target."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from ptoscope.junit import JunitCase, junit_xml
from ptoscope.testing.outcome import CheckOutcome, heard_by

_ATTRIBUTE = "pto_outcomes"
"""Where a report of a test carries what its checks found, also from one process to another."""
_FIELDS = ("kernel", "target", "engine", "check")


class JunitReport:
    """Listens to the checks of every test, and writes the file when all are done."""

    def __init__(self, config: pytest.Config, path: str) -> None:
        self._path = Path(config.invocation_params.dir, path).resolve()
        self._is_worker = hasattr(config, "workerinput")
        if not self._is_worker:
            # What cannot be written is said before anything runs.
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._path.touch()
            except OSError as error:
                raise pytest.UsageError(f"--pto-junit {path}: {error.strerror}") from None
        self._begin = perf_counter()
        self._heard: list[CheckOutcome] = []
        self._cases: dict[tuple[str, ...], JunitCase] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        with heard_by(self._heard.append):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self,
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if self._heard:
            setattr(report, _ATTRIBUTE, _records(self._heard))
            self._heard.clear()
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for record in getattr(report, _ATTRIBUTE, ()):
            # A test that is run again says it again.
            key = report.nodeid, *(record[name] for name in _FIELDS)
            self._cases[key] = _case(report.nodeid, record)

    def pytest_sessionfinish(self) -> None:
        if self._is_worker:
            return
        cases = list(self._cases.values())
        self._path.write_bytes(junit_xml("pto_check", cases, perf_counter() - self._begin))


def _records(outcomes: Iterable[CheckOutcome]) -> list[dict[str, Any]]:
    """Outcomes of a test as plain data. A check that was made many times, of examples that
    hypothesis made, is told once: with its last failure, which is that of the smallest example."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for outcome in outcomes:
        key = outcome.kernel, outcome.target, outcome.engine, outcome.check
        record = found.setdefault(key, {**dict(zip(_FIELDS, key, strict=True)), "seconds": 0.0})
        record["seconds"] += outcome.seconds
        record["skipped"] = outcome.skipped
        if outcome.failed:
            told = [str(finding) for finding in outcome.findings]
            record["message"] = outcome.findings[0].message if told else "failed"
            record["text"] = "\n".join(told)
    return list(found.values())


def _case(nodeid: str, record: dict[str, Any]) -> JunitCase:
    on = "-".join(name for name in (record["target"], record["engine"]) if name)
    name = f"@{record['kernel']} {record['check']}[{on}]"
    file = nodeid.partition("::")[0]
    case = file, nodeid, name, record["seconds"]
    if "message" in record:
        return JunitCase(*case, "failure", record["message"], record["text"], record["check"])
    if record["skipped"]:
        return JunitCase(*case, "skipped", record["skipped"])
    return JunitCase(*case)
