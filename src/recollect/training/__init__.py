"""Two passes: the sentence model on shuffled sentences, then the memory's gate on documents in order."""
