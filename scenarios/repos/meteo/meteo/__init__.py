"""Toolkit for the data of small weather stations."""

__version__ = "2.3.0"
