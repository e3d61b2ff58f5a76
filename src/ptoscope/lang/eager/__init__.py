"""A kernel run as plain Python: one instruction after the other, on NumPy."""
