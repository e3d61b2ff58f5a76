"""The host program of a case, read and run: small C++ code that fills memory and launches kernels.

Text to tokens to tree to effects: `tokens`, `tree`, `expressions` and `statements` (with `types`),
`program`; then `values`, `library`, `evaluator`, `interpreter`.
"""
