"""From documents to their translations: beam search over document lanes, and forced decoding."""
