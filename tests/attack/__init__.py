"""The servers attacked: `make attack` at length, `test_attack.py` for a few seconds."""
