"""A memory on a PostgreSQL server: the tables and statements of a file, by another engine."""
