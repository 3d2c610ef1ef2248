"""What a shell reads when it starts: `init.SHELL`, and `key.SHELL` for the key, in the language of
each. A line `#@NAME@` stands for lines that are put in or left out."""
