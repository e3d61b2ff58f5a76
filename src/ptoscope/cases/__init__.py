"""Case directories: a kernel, a script that makes its data, a script that judges its results.

A case directory holds `kernel.pto`, `golden.py` (writes the inputs and the expected outputs
to the working directory), `compare.py` (exits 0 if the outputs are right) and the host code,
`launch.cpp` and `main.cpp`, which says which file becomes which argument.
"""
