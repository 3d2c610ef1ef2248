"""One file per subcommand: its options as a table, and `run`."""
