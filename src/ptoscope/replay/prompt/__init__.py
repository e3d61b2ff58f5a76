"""The commands of `ptoscope debug`: moves in a recorded run, and what can be seen there."""
