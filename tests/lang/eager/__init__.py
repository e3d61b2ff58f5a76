"""Kernels run as plain Python."""
