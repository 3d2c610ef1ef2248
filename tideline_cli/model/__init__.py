"""What a memory is: frozen values and words, standard library only."""
