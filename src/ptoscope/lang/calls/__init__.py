"""Every instruction as a function of Python, generated from its record."""
