"""The types of the language, for type checkers and editors."""
