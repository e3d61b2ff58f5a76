"""Runs attackers in turn: `python -m tests.attack --seconds 60 --only copies`."""

from __future__ import annotations

import argparse
import itertools
import signal
import sys
import time

from tests.attack.child import ATTACKERS, Child


class _Ended(BaseException):
    """A signal came."""


def _end(number: int, _: object) -> None:
    raise _Ended(number)


def main() -> int:
    """Exit status 1 if any attempt went wrong; 128 and its number for a signal."""
    parser = argparse.ArgumentParser(prog="python -m tests.attack")
    parser.add_argument("--seconds", type=float, default=60, help="how long, all together")
    parser.add_argument("--only", choices=ATTACKERS, nargs="+", default=ATTACKERS)
    parser.add_argument("--first", type=int, default=0, help="the first seed of each attacker")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    end = time.monotonic() + options.seconds
    seeds: dict[str, int] = {name: options.first for name in options.only}
    wrong = 0
    share = max(options.seconds / len(seeds) / 4, 1)
    for name in itertools.cycle(seeds):
        left = end - time.monotonic()
        if left <= 0:
            break
        child = Child(f"tests.attack.{name}")
        try:
            seeds[name], report = child.run(seeds[name], min(share, left))
        except _Ended as ended:
            number = signal.Signals(ended.args[0])
            print(f"ended by {number.name} in {name}, seed {child.seed}; {wrong} wrong before")
            return 128 + number
        if report:
            wrong += 1
            print(report, flush=True)
    counts = ", ".join(f"{seeds[name] - options.first} of {name}" for name in seeds)
    print(f"attempts: {counts}; {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
