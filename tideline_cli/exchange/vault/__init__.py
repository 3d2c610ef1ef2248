"""A memory as a folder of notes that link to one another, and back."""
