"""In and out in bulk."""
