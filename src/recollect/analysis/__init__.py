"""What a memory did: which remembered words were looked at, how far they were heard, what they changed."""
