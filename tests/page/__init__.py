"""The pages in a real browser: `make page`. Skipped where playwright or chromium is not there."""
