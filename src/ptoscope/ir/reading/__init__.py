"""Text to program: tokens, then operations, each with a note of how it was written."""
