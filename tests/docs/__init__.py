"""What the documents show is run, and compared with what they print."""
