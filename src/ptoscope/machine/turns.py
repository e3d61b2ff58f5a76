"""What the cores of a block do while one of them runs."""

RUNS, WAITS, COULD_GO_ON, ENDED = range(4)
"""It runs, or could; it waits; it waits and could go on all the same; it has ended."""
