"""Every Python that the project names: which are there, and whether all tests pass on each."""
