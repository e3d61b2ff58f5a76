"""The plugin that pytest finds: the fixture `pto_check`, and `--pto-junit`.

Every suite of an environment loads it, so that nothing is imported before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ptoscope.testing.verify import Check


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ptoscope", "kernels checked by pto_check")
    group.addoption(
        "--pto-junit",
        metavar="FILE",
        help="write a JUnit XML file with a case for each check of a kernel, engine and target",
    )


def pytest_configure(config: pytest.Config) -> None:
    path = config.getoption("--pto-junit")
    if path is not None:
        from ptoscope.testing.junit_report import JunitReport

        config.pluginmanager.register(JunitReport(config, path), "ptoscope-junit")


# Of the session: hypothesis has no fault to find with it, and it holds nothing of a test.
@pytest.fixture(scope="session")
def pto_check() -> Check:
    """`ptoscope.testing.pto_check`: fails the test if a kernel is not what is expected."""
    from ptoscope.testing.verify import pto_check

    return pto_check
