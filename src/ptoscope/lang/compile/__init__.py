"""From the source of a kernel to a program."""
