"""One file per document format."""
