"""How far a command is: a bar on the terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

from ptoscope.cli.terminal import for_own_codes
from ptoscope.diagnostics import visible


@contextlib.contextmanager
def progress(total: int) -> Iterator[Callable[[str], None]]:
    """Gives what advances a bar by one and describes it; nothing is drawn where there is no
    terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
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
