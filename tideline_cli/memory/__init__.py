"""The verbs on single facts: gather, decide, apply."""
