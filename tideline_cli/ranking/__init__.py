"""In what order? Pure arithmetic on model values."""
