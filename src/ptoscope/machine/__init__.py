"""The reference engine: what is right, on NumPy."""
