"""New cases: directories with scripts and host code to fill in."""
