"""The only SQL and the only apsw; no rules of its own."""
