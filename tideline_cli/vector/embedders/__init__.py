"""Learned embedders: models that know which words mean the same."""
