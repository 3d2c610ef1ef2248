"""What programs get when they call."""
