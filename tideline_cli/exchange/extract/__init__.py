"""Distilling facts from conversations: passes that ask a model, and what is stored of replies."""
