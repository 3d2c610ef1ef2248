"""The manual and the completion scripts, made from the live tables."""
