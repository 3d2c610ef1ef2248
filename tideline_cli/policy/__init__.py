"""May it be written, may it be shown? Pure rules."""
