"""Kernels written in Python: compiled to the same programs as text, or run as plain Python."""
