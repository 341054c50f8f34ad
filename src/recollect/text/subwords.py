"""A vocabulary of subwords learned from raw text by SentencePiece, able to spell out any text."""

import io
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import sentencepiece

from recollect.errors import DataError
from recollect.text.lookalikes import known_lookalikes
from recollect.text.specials import BOS, EOS, PAD, SPECIALS, UNK

__all__ = ["SubwordMethod", "SubwordVocabulary"]

SubwordMethod = Literal["unigram", "bpe"]

_SHARPNESS = 0.3  # exponent of a drawn cutting's probability: half of Chinese lines come out as usual
_THREADS = 2  # a fixed number: sums over threads, and so the pieces, depend on it
_MANY = 100  # texts: fewer are cut sooner than threads have started
_WORD_START = "▁"
_LARGE_ALPHABET = 1000
# For text that will be written again: white space and invisible characters only, typography is kept.
_TO_SPACE = [*range(0x09, 0x0E), *range(0x1C, 0x20), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B)]
_TO_SPACE += [0x2028, 0x2029, 0x202F, 0x205F, 0x3000]
_TO_NOTHING = [*range(0x01, 0x09), *range(0x0E, 0x1C), 0x7F, 0xAD, 0x200B, 0x2060, 0xFEFF]


class SubwordVocabulary:
    """A SentencePiece model with our ids for the specials and bytes for rare characters.

    A vocabulary that is only `read` takes typography that it does not know for what looks like it: bytes
    that were never seen in training tell a model nothing.
    """

    FILE = "{side}.subwords.model"

    def __init__(self, model: bytes, *, read: bool = False) -> None:
        self._model = model
        self._processor = sentencepiece.SentencePieceProcessor()
        self._processor.LoadFromSerializedProto(model)
        if [self._processor.IdToPiece(token) for token in (PAD, UNK, BOS, EOS)] != list(SPECIALS):
            raise DataError("a SentencePiece model must have <pad> <unk> <s> </s> as ids 0 to 3")
        self._read_as = known_lookalikes(self._knows) if read else {}

    @classmethod
    def learn(
        cls, sentences: Sequence[str], size: int, *, written: bool, method: SubwordMethod = "unigram"
    ) -> "SubwordVocabulary":
        """At most `size` pieces; a vocabulary whose text is to be `written` keeps typography as it is.

        A vocabulary that is only read folds compatible characters, such as full-width letters, into one.
        """
        model = io.BytesIO()
        with tempfile.TemporaryDirectory() as scratch:
            if written:
                rules = Path(scratch, "rules.tsv")
                rules.write_text(_rules(), encoding="utf-8")
                normalisation: dict[str, Any] = {"normalization_rule_tsv": str(rules)}
            else:
                normalisation = {"normalization_rule_name": "nmt_nfkc"}
            try:
                sentencepiece.SentencePieceTrainer.Train(
                    sentence_iterator=iter(sentences),
                    model_writer=model,
                    vocab_size=size,
                    model_type=method,
                    character_coverage=0.9995 if _has_large_alphabet(sentences) else 1.0,
                    byte_fallback=True,
                    hard_vocab_limit=False,
                    shuffle_input_sentence=False,
                    num_threads=_THREADS,
                    pad_id=PAD,
                    unk_id=UNK,
                    bos_id=BOS,
                    eos_id=EOS,
                    unk_surface=SPECIALS[UNK],
                    minloglevel=2,
                    **normalisation,
                )
            except RuntimeError as error:
                raise DataError(
                    f"SentencePiece cannot learn {size} subwords from {len(sentences)} sentences: {error}"
                ) from None
        return cls(_without_scratch_path(model.getvalue()), read=not written)

    def only_read(self) -> "SubwordVocabulary":
        """Return the same pieces for text that is not written again."""
        return SubwordVocabulary(self._model, read=True)

    @property
    def size(self) -> int:
        """How many ids there are, specials included."""
        return int(self._processor.GetPieceSize())

    def normalise(self, text: str) -> str:
        """The text as this vocabulary sees it: what decoding its ids gives back."""
        text = text.translate(self._read_as)
        return str(self._processor.Normalize(text)).replace(_WORD_START, " ").strip(" ")

    def encode(self, text: str) -> list[int]:
        """Ids of the most probable pieces."""
        return list(self._processor.Encode(text.translate(self._read_as)))

    def encode_many(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of the pieces of each text; of many texts, on two threads."""
        if len(texts) < _MANY:
            return [self.encode(text) for text in texts]
        read = [text.translate(self._read_as) for text in texts]
        return list(self._processor.Encode(read, num_threads=_THREADS))

    def draw_many(self, texts: Sequence[str], seed: int) -> list[list[int]]:
        """Ids of pieces that each text may be cut into: the likelier, the more often; the same for a seed."""
        if not texts:
            return []
        read = [text.translate(self._read_as) for text in texts]
        # A thread takes the seed when it draws for the first time; a list is given to a new thread.
        sentencepiece.set_random_generator_seed(seed)
        drawn = self._processor.Encode(
            read, enable_sampling=True, alpha=_SHARPNESS, nbest_size=-1, num_threads=1
        )
        return list(drawn)

    def decode(self, ids: Sequence[int]) -> str:
        """Text of the pieces; padding, start and end are left out."""
        return str(self._processor.Decode([int(token) for token in ids]))

    def piece(self, token: int) -> str:
        """The piece of one id, `▁` standing for a space before it."""
        return str(self._processor.IdToPiece(int(token)))

    def starts_word(self, token: int) -> bool:
        """Whether a space stands before the piece."""
        return self.piece(token).startswith(_WORD_START)

    def _knows(self, character: str) -> bool:
        return not any(self._processor.IsByte(token) for token in self._processor.Encode(character))

    def save(self, folder: Path, side: str) -> None:
        """Write the SentencePiece model."""
        (folder / self.FILE.format(side=side)).write_bytes(self._model)

    @classmethod
    def load(cls, folder: Path, side: str) -> "SubwordVocabulary":
        """Read what `save` wrote."""
        path = folder / cls.FILE.format(side=side)
        try:
            return cls(path.read_bytes(), read=side == "source")
        except RuntimeError:
            raise DataError(f"{path}: not a SentencePiece model, or a damaged one") from None


def _without_scratch_path(model: bytes) -> bytes:
    # The model remembers where its rules were read, which differs each time. Protocol buffers merge
    # when concatenated: normalizer_spec (field 3) with an empty normalization_rule_tsv (field 6) wins.
    merged = sentencepiece.SentencePieceProcessor()
    merged.LoadFromSerializedProto(model + b"\x1a\x02\x32\x00")
    return bytes(merged.serialized_model_proto())


def _has_large_alphabet(sentences: Sequence[str]) -> bool:
    alphabet: set[str] = set()
    for sentence in sentences:
        alphabet.update(sentence)
    return len(alphabet) > _LARGE_ALPHABET


def _rules() -> str:
    to_space = [f"{character:X}\t20\n" for character in _TO_SPACE]
    to_nothing = [f"{character:X}\t\n" for character in _TO_NOTHING]
    return "".join(to_space + to_nothing)
