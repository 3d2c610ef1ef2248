"""Public sets of questions, read from the files that their authors ship."""
