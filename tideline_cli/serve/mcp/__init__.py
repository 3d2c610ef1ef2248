"""MCP over standard input and output: JSON-RPC by hand, five tools, and what they answer."""
