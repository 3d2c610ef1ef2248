"""Rows from a file into the store: loss-free, resumable, each under its id."""
