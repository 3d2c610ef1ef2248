"""Documents into the memory: files found, read, cut into chunks, and stored as facts."""
