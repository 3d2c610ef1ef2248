"""The passes over many facts: gather, plan (pure), apply in short transactions."""
