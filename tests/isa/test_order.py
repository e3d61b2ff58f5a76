"""The rulebook of order, in the words of the documents: who waits for whom is settled when
instructions are issued."""

from __future__ import annotations

from ptoscope.isa.order.ledger import Ledger, Ticket
from ptoscope.isa.order.pipes import CarryingPipes, Knowledge
from ptoscope.isa.order.rules import BARRIER, GET, RELEASE, SET, WAIT, OrderRule
from ptoscope.isa.parts import MOST_PENDING, PIPE_ALL, PIPES

S, V, IN, OUT = "PIPE_S", "PIPE_V", "PIPE_MTE2", "PIPE_MTE3"


class Issued:
    """Synchronisations of one core, in order of issue."""

    def __init__(self) -> None:
        self.ledger = Ledger(PIPES, PIPE_ALL)

    def __call__(self, rule: OrderRule, src: str, *rest: object) -> Ticket[str]:
        dst = str(rest[0]) if rule in (SET, WAIT) else None
        return rule.settle(self.ledger, src, dst, rest[1:] if dst else rest)


def test_the_nth_wait_awaits_the_nth_set_of_its_flag() -> None:
    issue = Issued()
    first, second = issue(SET, IN, V, 0), issue(SET, IN, V, 0)
    assert issue(WAIT, IN, V, 0).awaits == (first.gives,)
    assert issue(WAIT, IN, V, 0).awaits == (second.gives,)
    later = issue(WAIT, IN, V, 0)
    assert later.awaits == (issue(SET, IN, V, 0).gives,)
    assert (first.pipe, later.pipe) == (IN, V)


def test_a_flag_is_two_pipes_and_an_event() -> None:
    issue = Issued()
    others = [issue(SET, *flag).gives for flag in ((IN, V, 1), (IN, OUT, 0), (V, IN, 0))]
    assert issue(WAIT, IN, V, 0).awaits[0] not in others


def test_a_flag_has_room_for_so_many_sets() -> None:
    issue = Issued()
    sets = [issue(SET, IN, V, 0) for _ in range(MOST_PENDING + 2)]
    assert all(one.room is None for one in sets[:MOST_PENDING])
    waits = [issue(WAIT, IN, V, 0) for _ in range(2)]
    assert [one.room for one in sets[MOST_PENDING:]] == [one.takes for one in waits]


def test_an_acquisition_awaits_the_releases_issued_before_it() -> None:
    issue = Issued()
    for pipe in (IN, V):
        issue(GET, pipe, 3, 0)
    first, other = issue(RELEASE, IN, 3, 0), issue(RELEASE, V, 3, 0)
    issue(RELEASE, OUT, 4, 0)
    last = issue(RELEASE, IN, 3, 0)
    acquired = issue(GET, OUT, 3, 0)
    assert issue(RELEASE, V, 3, 0).gives not in acquired.awaits
    # The second release by a pipe comes after its first.
    assert set(acquired.awaits) == {last.gives, other.gives}
    assert first.gives is not None
    assert last.gives == (first.gives[0], 2)
    assert issue(GET, OUT, 3, 1).awaits == ()


def test_a_release_in_mode_1_waits_for_the_other_holders() -> None:
    issue = Issued()
    for pipe in (IN, V, V, OUT):
        issue(GET, pipe, 3, 0)
    issue(GET, S, 4, 0)
    assert issue(RELEASE, V, 3, 0).behind == ()
    assert issue(RELEASE, OUT, 3, 1).behind == (V, IN)
    assert issue(RELEASE, V, 3, 1).behind == (IN,)
    assert issue(RELEASE, IN, 3, 1).behind == ()


def test_a_release_of_what_the_pipe_does_not_hold() -> None:
    issue = Issued()
    issue(GET, IN, 3, 0)
    assert [issue(RELEASE, pipe, 3, 0).unheld for pipe in (V, IN, IN)] == [True, False, True]


def test_barriers() -> None:
    issue = Issued()
    of_all, of_one = issue(BARRIER, PIPE_ALL), issue(BARRIER, IN)
    assert (of_all.pipe, of_all.drains, of_all.behind) == (S, True, PIPES)
    assert (of_one.pipe, of_one.drains, of_one.behind) == (IN, False, (IN,))


def test_what_only_signals_holds_up_no_copy() -> None:
    issue = Issued()
    assert issue(SET, IN, V, 0).signals
    assert issue(RELEASE, IN, 0, 1).signals
    assert not issue(WAIT, IN, V, 0).signals
    assert not issue(GET, IN, 0, 0).signals
    assert not issue(BARRIER, IN).signals


def test_numbers_that_are_not_known() -> None:
    """An unknown mode may wait or not; an unknown buffer may be any."""
    issue = Issued()
    issue(GET, IN, 3, 0)
    issue(RELEASE, IN, 3, 0)
    assert (issue(GET, V, 3, "?").awaits, issue(GET, V, 3, "?").doubt) == ((), (IN,))
    assert issue(RELEASE, V, 3, "?").doubt == PIPES
    assert not issue(RELEASE, OUT, "?", 0).unheld
    assert issue(RELEASE, V, 3, 1).doubt == PIPES
    assert not issue(RELEASE, OUT, 3, 0).unheld


class Names(Knowledge[str, str, frozenset[str]]):
    """What is complete, by name; `before` of each what was complete when it began."""

    def __init__(self) -> None:
        self.before: dict[str, set[str]] = {}
        self._known = {pipe: frozenset[str]() for pipe in PIPES}
        self._done = {pipe: frozenset[str]() for pipe in PIPES}

    def at_issue(self, pipe: str) -> frozenset[str]:
        return self._known[S]

    def begin(self, pipe: str, item: str, issued: frozenset[str]) -> None:
        self._known[pipe] |= issued

    def access(self, pipe: str, item: str) -> None:
        self.before[item] = set(self._known[pipe])
        self._done[pipe] |= {item}

    def complete(self, pipe: str, item: str) -> frozenset[str]:
        return self._known[pipe] | self._done[pipe]

    def all_complete(self, pipes: tuple[str, ...], item: str) -> frozenset[str]:
        return frozenset[str]().union(*(self.complete(pipe, item) for pipe in pipes))

    def learn(self, pipe: str, value: frozenset[str]) -> None:
        self._known[pipe] |= value

    def defer(self, pipe: str, value: frozenset[str]) -> None:
        self._done[pipe] |= value


class Run:
    """Work `(pipe, name)` and synchronisations, executed in order of issue."""

    def __init__(self) -> None:
        self._issued, self._names = Issued(), Names()
        self.pipes = CarryingPipes(self._names, S)
        self.before = self._names.before

    def work(self, pipe: str, name: str) -> None:
        assert self.pipes.issue(name, pipe)

    def sync(self, name: str, rule: OrderRule, *rest: object) -> bool:
        ticket = self._issued(rule, str(rest[0]), *rest[1:])
        return self.pipes.issue(name, ticket.pipe, ticket)


def test_a_wait_brings_what_was_complete_at_its_set_and_no_more() -> None:
    run = Run()
    run.work(IN, "a")
    run.sync("set", SET, IN, V, 0)
    run.work(IN, "b")
    run.sync("wait", WAIT, IN, V, 0)
    run.work(V, "c")
    assert run.before == {"a": set(), "b": set(), "c": {"a"}}


def test_a_wait_that_comes_first_holds_its_pipe_up() -> None:
    run = Run()
    run.sync("wait", WAIT, IN, V, 0)
    run.work(V, "c")
    assert run.pipes.stuck() == ["wait"]
    assert run.pipes.pending() == {"wait", "c"}
    run.work(IN, "a")
    run.sync("set", SET, IN, V, 0)
    assert run.before["c"] == {"a"}
    assert run.pipes.stuck() == []


def test_a_release_in_mode_1_brings_what_stood_before_it_on_other_holders() -> None:
    run = Run()
    run.sync("i", GET, IN, 0, 0)
    run.sync("v", GET, V, 0, 0)
    run.sync("hold", WAIT, S, V, 0)
    run.work(V, "a")
    run.sync("release", RELEASE, IN, 0, 1)
    run.work(V, "b")
    run.work(IN, "behind")
    assert set(run.pipes.stuck()) == {"hold", "release"}
    run.sync("set", SET, S, V, 0)
    run.sync("o", GET, OUT, 0, 0)
    run.work(OUT, "c")
    assert run.before["c"] == {"a"}
    # Copies behind a release do not wait for what it waited for.
    assert run.before["behind"] == set()


def test_a_barrier_of_all_stops_the_scalar_unit() -> None:
    run = Run()
    run.work(IN, "a")
    assert run.sync("all", BARRIER, PIPE_ALL)
    run.work(OUT, "b")
    assert run.before["b"] == {"a"}
    run.sync("wait", WAIT, IN, V, 0)
    assert not run.sync("again", BARRIER, PIPE_ALL)


def test_the_scalar_unit_does_not_issue_while_it_waits() -> None:
    assert not Run().sync("wait", WAIT, IN, S, 0)


def test_a_barrier_of_one_pipe_orders_its_copies() -> None:
    run = Run()
    run.work(OUT, "a")
    run.work(OUT, "b")
    run.sync("bar", BARRIER, OUT)
    run.work(OUT, "c")
    assert run.before == {"a": set(), "b": set(), "c": {"a", "b"}}


def test_an_account_that_begins_with_the_state_of_another_settles_the_same() -> None:
    one = Issued()
    for pipe in (IN, V):
        one(GET, pipe, 3, 0)
    one(RELEASE, IN, 3, 0)
    for _ in range(2):
        one(SET, IN, V, 0)
    one(WAIT, IN, V, 0)
    other = Issued()
    other.ledger = Ledger(PIPES, PIPE_ALL, one.ledger.state())
    # Two sets so far are tokens 1 and 2, and from there on -1 and 0.
    assert [issue(WAIT, IN, V, 0).awaits[0][1] for issue in (one, other)] == [2, 0]
    sets = [issue(SET, IN, V, 0).gives for issue in (one, other)]
    assert [token and token[1] for token in sets] == [3, 1]
    assert [issue(GET, OUT, 3, 0).awaits[0][1] for issue in (one, other)] == [1, 0]
    # V still holds the buffer.
    assert one(RELEASE, OUT, 3, 1).behind == other(RELEASE, OUT, 3, 1).behind == (V,)
