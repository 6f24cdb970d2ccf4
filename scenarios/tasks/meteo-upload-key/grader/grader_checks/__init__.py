"""Checks that enter the work tree after the work has ended."""
