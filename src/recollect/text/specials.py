"""The four token ids that every vocabulary shares."""

__all__ = ["BOS", "EOS", "PAD", "SPECIALS", "UNK"]

PAD, UNK, BOS, EOS = 0, 1, 2, 3
SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")  # by id
