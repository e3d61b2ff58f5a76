"""Benchmarks: every row a ratio of CPU time against a named baseline in the same run."""
