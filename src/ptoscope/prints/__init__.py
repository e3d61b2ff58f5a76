"""What somebody asks to see of a run: requests, and a program that shows it."""
