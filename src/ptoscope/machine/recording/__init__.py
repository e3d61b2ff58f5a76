"""The reference engine, writing down what it does."""
