"""What doctor asks of a store, in its parts, and what --repair sets right in them."""
