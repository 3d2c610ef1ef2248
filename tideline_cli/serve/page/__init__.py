"""The pages: what commands print with `--json`, as HTML. Each is a function of that alone."""
