"""From text on disk to batches of token ids: prepared shards, sentence batches, document lanes."""
