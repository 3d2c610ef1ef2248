"""Files of a checkout that are made from the live tables: `python -m generate` writes them."""
