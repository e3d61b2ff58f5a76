"""Random legal kernels drawn from the instruction table, run on two engines and compared."""
