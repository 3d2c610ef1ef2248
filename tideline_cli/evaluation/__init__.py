"""How good the answers of a memory are, by questions whose answers are known."""
