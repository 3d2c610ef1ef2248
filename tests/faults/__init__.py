"""Faults: what the store survives, as figures. `make faults` runs all of it at length."""
