"""What is said unasked."""
