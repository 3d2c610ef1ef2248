"""Known attack patterns and the scan for them: `scan.scan` is what others call."""
