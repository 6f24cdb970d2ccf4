"""Plain-file bookkeeping: see README.md for the map of modules."""

__version__ = "2.3.1"
