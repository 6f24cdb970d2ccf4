"""Readers for files that other programs write."""
