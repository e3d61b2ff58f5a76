"""The page in a real browser: what it shows, and what keys and clicks do."""
