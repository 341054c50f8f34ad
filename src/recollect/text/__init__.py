"""Documents, words and subwords as plain strings."""
