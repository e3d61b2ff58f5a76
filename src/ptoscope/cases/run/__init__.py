"""Cases under way: `pool` hands them to a `server`, which forks a process for each `case`."""
