"""Files that are made from the live tables: `python -m tideline_cli.cli.generate` writes them."""
