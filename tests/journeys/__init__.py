"""Journeys: what a person does with a memory in a fortnight, and in months of nights."""
