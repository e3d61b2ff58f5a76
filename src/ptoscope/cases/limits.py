"""What a case may use."""

LIMIT = 60.0
"""Seconds a case may take, unless told otherwise."""
