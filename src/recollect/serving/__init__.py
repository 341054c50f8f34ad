"""A server that remembers: sessions that people correct, an API for programs, and a page to work in."""
