"""sync: replicas of one memory, joined through a place that only keeps files."""
