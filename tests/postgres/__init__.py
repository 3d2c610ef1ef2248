"""A memory on a PostgreSQL server says what one in a file says."""
