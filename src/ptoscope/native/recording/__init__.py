"""The native engine, writing down what it does."""
