"""Sentence models: they translate one sentence and know nothing of documents."""
