"""Progress bars on the terminal."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ptoscope.cli.terminal import for_own_codes
from ptoscope.diagnostics import visible

if TYPE_CHECKING:
    from ptoscope.kernel import Kernel

_SHORT, _REDRAWN = 1.0, 0.2
"""Seconds that a run takes before it has a bar, and after which the bar is drawn again."""


@contextlib.contextmanager
def progress(total: int) -> Iterator[Callable[[str], None]]:
    """Gives what advances a bar by one and describes it; nothing is drawn where there is no
    terminal."""
    if not _has_terminal():
        yield lambda description: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
    # It is drawn when something has ended: a thread of its own would only get in the way.
    console = Console(file=for_own_codes(sys.stderr))
    with Progress(*columns, console=console, transient=True, auto_refresh=False) as bar:
        task = bar.add_task("", total=total)

        def done(description: str) -> None:
            bar.update(task, advance=1, description=visible(description))
            bar.refresh()

        bar.refresh()
        yield done


@contextlib.contextmanager
def run_progress(kernel: Kernel, grid: int) -> Iterator[None]:
    """Shows on a terminal how many blocks of a run have begun, if the run takes long."""
    if grid == 1 or not _has_terminal():
        yield
        return
    asked: list[Callable[[], int]] = []
    over = threading.Event()
    drawer = threading.Thread(target=_draw_blocks, args=(asked, grid, over), daemon=True)
    kernel.follow = asked.append
    drawer.start()
    try:
        yield
    finally:
        kernel.follow = None
        over.set()
        drawer.join()


def _draw_blocks(asked: list[Callable[[], int]], grid: int, over: threading.Event) -> None:
    """Draws a bar until a run is over; `asked` gets what says how far it is."""
    if over.wait(_SHORT):
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("blocks"))
    console = Console(file=for_own_codes(sys.stderr))
    with Progress(*columns, console=console, transient=True, auto_refresh=False) as bar:
        task = bar.add_task("", total=grid)
        while not over.wait(_REDRAWN):
            bar.update(task, completed=asked[-1]() if asked else 0)
            bar.refresh()


def _has_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
