"""Doors for programs: hooks, set-up, MCP, HTTP."""
