"""Further forms of the words of a text, under which it is found: they stand behind its terms."""
