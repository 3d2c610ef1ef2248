"""Memories on several machines: segments of a log that travel through a dumb place."""
