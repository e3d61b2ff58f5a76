"""Pipes that know the loops around what they run, also of what had to wait."""

from __future__ import annotations

from ptoscope.isa.order.ledger import Ticket
from ptoscope.isa.record import Site
from ptoscope.machine.pipes import Pipes, Thunk
from ptoscope.machine.shadow.origins import Origins


class ShadowPipes(Pipes):
    """The same pipes; an instruction runs in the iterations of the loops that issued it."""

    def __init__(self, book: Origins) -> None:
        super().__init__(iterations=book.iterations)
        self._book = book

    def issue(
        self,
        pipe: str,
        site: Site,
        thunk: Thunk,
        ticket: Ticket[str] | None = None,
        swaps: bool = False,
    ) -> None:
        """As in Pipes."""
        book = self._book
        issued = (tuple(book.iterations), book.site, book.marks)

        def run() -> object:
            before = (tuple(book.iterations), book.site, book.marks)
            # In place: the loops that run keep hold of this list.
            book.iterations[:], book.site, book.marks = issued
            try:
                return thunk()
            finally:
                book.iterations[:], book.site, book.marks = before

        super().issue(pipe, site, run, ticket, swaps)
