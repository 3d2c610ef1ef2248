"""The checks that doctor makes of a store, part by part, and what --repair changes."""
