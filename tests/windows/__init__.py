"""The program on Windows' own Python, below wine: `make windows`."""
