"""The HTTP door: reads for programs and pages for people, on this machine alone."""
