"""A recorded run, to look into: every moment of it, forwards and back."""
