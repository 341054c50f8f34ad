"""From two text files to a prepared corpus: vocabularies learned, pairs encoded, problems reported."""

import hashlib
import json
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path

from recollect.batches.prepared import (
    DICTIONARY,
    HELD_OUT,
    MANIFEST,
    PROBLEMS,
    TRAIN,
    TUNE,
    VERSION,
    InputFile,
    Manifest,
    Prepared,
)
from recollect.batches.shard import ShardWriter
from recollect.batches.vocabularies import (
    Progress,
    Vocabularies,
    VocabularyKind,
    VocabularyOptions,
    learn_vocabularies,
)
from recollect.errors import ConfigError, DataError
from recollect.files import fingerprint
from recollect.text.cleaning import Cleaning, survey
from recollect.text.dictionary import learn_dictionary, save_dictionary
from recollect.text.document import ParallelDocument
from recollect.text.names import learn_names
from recollect.text.pairs import DocumentEnd, Pair, stream_pairs
from recollect.text.problems import Kind, Problems
from recollect.text.sample import Sample
from recollect.text.subwords import SubwordVocabulary
from recollect.text.variants import Shares, Variants
from recollect.text.vocabulary import UNK, Side, Vocabulary, load_vocabulary

__all__ = ["Prepared", "Progress", "VocabularyKind", "prepare"]

SIDES: tuple[Side, Side] = ("source", "target")
_RULES = 1  # how text is cleaned and varied; another number, and what was prepared before is not the same
Cut = Callable[[Sequence[str]], list[list[int]]]
"""Sources to ids."""

_CHUNK = 20_000  # pairs encoded at a time; what is drawn by chance depends on it
_DICTIONARY_SAMPLE = 200_000  # pairs with unknown words, and as many without


def _silent(doing: str, done: int, total: int | None) -> None:
    """Report no progress."""


@dataclass(frozen=True, slots=True)
class _Inputs:
    source: Path
    target: Path
    starts: Path | None
    cleaning: Cleaning | None = None
    held_out: int = 0
    variants: Variants | None = None
    reversed: bool = False

    @property
    def files(self) -> tuple[Path, Path]:
        """Where the two sides of what is trained on come from."""
        return (self.target, self.source) if self.reversed else (self.source, self.target)

    def stream(self, problems: Problems) -> Iterator[Pair | DocumentEnd]:
        """What is to be trained on."""
        items = self.part(problems, training=True)
        return self._turned(items if self.variants is None else self.variants.vary(items))

    def held(self) -> Iterator[Pair | DocumentEnd]:
        """What is not."""
        return self._turned(self.part(Problems(), training=False))

    def _turned(self, items: Iterator[Pair | DocumentEnd]) -> Iterator[Pair | DocumentEnd]:
        if not self.reversed:
            return items
        return (
            replace(item, source=item.target, target=item.source) if isinstance(item, Pair) else item
            for item in items
        )

    def part(self, problems: Problems, *, training: bool) -> Iterator[Pair | DocumentEnd]:
        """The documents to be trained on, as they are in the files, or else those that are held out."""
        document = 0
        for item in self._cleaned(problems):
            aside = self.held_out > 0 and document % self.held_out == self.held_out - 1
            if aside != training:
                yield item
            document += isinstance(item, DocumentEnd)

    def _cleaned(self, problems: Problems) -> Iterator[Pair | DocumentEnd]:
        items = stream_pairs(self.source, self.target, self.starts, problems)
        if self.cleaning is None:
            yield from items
            return
        for item, fault in self.cleaning.clean(items):
            if fault is None:
                yield item
            elif isinstance(item, Pair):
                problems.report(fault, self.source, item.line, f"{item.source} | {item.target}")


def prepare(
    folder: Path,
    *,
    source: Path,
    target: Path,
    starts: Path | None,
    vocabulary: VocabularyKind,
    size_source: int,
    size_target: int,
    joint: bool,
    max_length: int,
    clean: bool = False,
    held_out: int = 0,
    variants: Shares = Shares(),
    redrawn: float = 0.0,
    reversed: bool = False,
    vocabularies: Path | None = None,
    tune: Sequence[ParallelDocument] | None,
    seed: int,
    progress: Progress = _silent,
) -> Prepared:
    """Make `folder` from the training files, or open it if it was made from the same ones in the same way.

    `max_length` is in tokens of either side; longer pairs are skipped and reported. With `clean`, so are
    pairs not worth learning from, and documents that are there twice. One of `held_out` documents (0: none)
    is written to held-out.source and held-out.target instead. `variants` are the shares of the training
    documents that are written as others would have written them, `redrawn` that of the sources cut into
    subwords by chance. `reversed` makes targets of sources and sources of targets, after all that but
    before anything is cut.
    `vocabularies` is a folder whose vocabularies are taken instead of new ones.
    """
    if vocabulary == "words" and variants.punctuated:
        raise ConfigError("[data] punctuated is for raw text: between words of tokenised text are no clauses")
    if joint and size_source != size_target:
        raise ConfigError(f"a joint vocabulary has one size, not {size_source} and {size_target}")
    inputs = _Inputs(source, target, starts, held_out=held_out, reversed=reversed)
    options = VocabularyOptions(vocabulary, size_source, size_target, joint, seed)
    tune_text = "".join(json.dumps(asdict(document), ensure_ascii=False) + "\n" for document in tune or ())
    manifest = Manifest(
        version=VERSION,
        inputs=_describe(inputs),
        tune_sha256=hashlib.sha256(tune_text.encode()).hexdigest(),
        options={
            **asdict(options),
            "max_length": max_length,
            "clean": clean,
            "held_out": held_out,
            "variants": None if variants == Shares() else asdict(variants),
            "redrawn": redrawn,
            "reversed": reversed,
            "rules": _RULES if clean or variants != Shares() else 0,
            "vocabularies": None if vocabularies is None else _fingerprints(vocabularies),
        },
        counts={},
        skipped={},
    )
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        _check_same(folder, manifest)
        progress(f"{folder} was prepared from the same files with the same options: used as it is", 0, None)
        return Prepared.open(folder, reused=True)

    partial = folder.with_name(f".{folder.name}.partial")
    if partial.exists():
        shutil.rmtree(partial)
    partial.mkdir(parents=True)
    (partial / TUNE).write_text(tune_text, encoding="utf-8", newline="\n")
    if clean:
        progress("surveying", 0, None)
        inputs = replace(inputs, cleaning=survey(stream_pairs(source, target, starts, Problems())))
    if variants != Shares():
        inputs = replace(inputs, variants=_learn_variants(inputs, variants, seed, progress))
    if vocabularies is None:
        learned = learn_vocabularies(inputs.stream(Problems()), options, progress)
    else:
        pairs = sum(isinstance(item, Pair) for item in inputs.stream(Problems()))
        source_side, target_side = (load_vocabulary(vocabularies, side) for side in SIDES)
        learned = Vocabularies(source_side, target_side, pairs)
    learned.source.save(partial, "source")
    learned.target.save(partial, "target")
    dictionary_pairs = _DictionaryPairs(seed)
    # Subwords have no unknown words, and so no use for a dictionary.
    encoded = dictionary_pairs.offer if vocabulary == "words" else _forget
    cut = _redrawing(learned.source, redrawn, max_length, seed) if redrawn else learned.source.encode_many
    encoder = _Encoder(inputs, learned, cut, max_length, encoded)
    counts = encoder.encode(partial / TRAIN, progress)
    if vocabulary == "words":
        progress("learning the dictionary", 0, None)
        save_dictionary(learn_dictionary(dictionary_pairs.chosen()), partial / DICTIONARY)
    if held_out:
        counts["held_out_pairs"] = _write_held_out(partial, inputs)
    encoder.problems.write(partial / PROBLEMS)
    skipped = {str(kind): count for kind, count in encoder.problems.counts.items()}
    replace(manifest, counts=counts, skipped=skipped).write(partial / MANIFEST)
    partial.replace(folder)  # the folder appears whole or not at all
    return Prepared.open(folder, reused=False)


def _learn_variants(inputs: _Inputs, shares: Shares, seed: int, progress: Progress) -> Variants:
    if not shares.written_names:
        return Variants(shares, {}, seed)
    progress("learning names", 0, None)
    return Variants(shares, learn_names(lambda: inputs.part(Problems(), training=True), seed), seed)


def _fingerprints(folder: Path) -> list[str]:
    """Return what tells a folder's vocabularies from others."""
    return [fingerprint(path) for side in SIDES for path in sorted(folder.glob(f"{side}.*"))]


class _DictionaryPairs:
    """Pairs to learn the dictionary from: a sample of those with unknown words, and one of the others.

    The dictionary is asked about unknown words only, and these are too rare for a fair sample alone.
    """

    def __init__(self, seed: int) -> None:
        self._known: Sample[Pair] = Sample(_DICTIONARY_SAMPLE, seed)
        self._unknown: Sample[Pair] = Sample(_DICTIONARY_SAMPLE, seed)

    def offer(self, pair: Pair, unknown: bool) -> None:
        (self._unknown if unknown else self._known).offer(pair)

    def chosen(self) -> list[Pair]:
        return sorted(chain(self._known.items, self._unknown.items), key=lambda pair: pair.line)


def _forget(pair: Pair, unknown: bool) -> None:
    """Take no note of an encoded pair."""


def _redrawing(vocabulary: Vocabulary, share: float, max_length: int, seed: int) -> Cut:
    """Return a way to cut sources: a share of them by chance, where that does not make them too long."""
    if not isinstance(vocabulary, SubwordVocabulary):
        raise ConfigError("[data] redrawn is for subwords: a word can be cut in one way only")
    chance = random.Random(f"{seed}:cutting")

    def cut(sources: Sequence[str]) -> list[list[int]]:
        found = vocabulary.encode_many(sources)
        chosen = [row for row in range(len(sources)) if chance.random() < share]
        drawn = vocabulary.draw_many([sources[row] for row in chosen], chance.getrandbits(31))
        for row, ids in zip(chosen, drawn, strict=True):
            if len(ids) <= max_length:
                found[row] = ids
        return found

    return cut


class _Encoder:
    """The second reading of the files: pairs to ids, chunk by chunk."""

    def __init__(
        self,
        inputs: _Inputs,
        vocabularies: Vocabularies,
        cut: Cut,
        max_length: int,
        encoded: Callable[[Pair, bool], None],  # told each pair, and whether it has an unknown word
    ) -> None:
        self.problems = Problems()
        self._encoded = encoded
        self._inputs = inputs
        self._vocabularies = vocabularies
        self._cut = cut
        self._max_length = max_length

    def encode(self, folder: Path, progress: Progress) -> dict[str, int]:
        """Write the shard; the counts of what went in."""
        vocabularies = self._vocabularies
        chunk: list[Pair | DocumentEnd] = []
        done = 0
        with ShardWriter(folder, vocabularies.source.size, vocabularies.target.size) as writer:
            for item in self._inputs.stream(self.problems):
                chunk.append(item)
                if len(chunk) == _CHUNK:
                    self._write(chunk, writer)
                    done += sum(isinstance(item, Pair) for item in chunk)
                    chunk.clear()
                    progress("encoding", done, vocabularies.pairs)
            self._write(chunk, writer)
            progress("encoding", vocabularies.pairs, vocabularies.pairs)
        if writer.pairs == 0:
            files = f"{self._inputs.source} and {self._inputs.target}"
            raise DataError(f"{files}: not one usable pair; {self.problems.summary()}")
        return {
            "pairs": writer.pairs,
            "documents": writer.documents,
            "source_tokens": writer.source_tokens,
            "target_tokens": writer.target_tokens,
            "source_vocabulary": vocabularies.source.size,
            "target_vocabulary": vocabularies.target.size,
        }

    def _write(self, chunk: Sequence[Pair | DocumentEnd], writer: ShardWriter) -> None:
        pairs = [item for item in chunk if isinstance(item, Pair)]
        sources = iter(self._cut([pair.source for pair in pairs]))
        targets = iter(self._vocabularies.target.encode_many([pair.target for pair in pairs]))
        for item in chunk:
            if isinstance(item, DocumentEnd):
                writer.end_document()
                continue
            source, target = next(sources), next(targets)
            sides = zip((source, target), self._inputs.files, strict=True)
            if all(self._fits(ids, file, item) for ids, file in sides):
                writer.add(source, target)
                self._encoded(item, UNK in source or UNK in target)

    def _fits(self, ids: Sequence[int], file: Path, pair: Pair) -> bool:
        if not ids:
            self.problems.report(Kind.NOTHING_LEFT, file, pair.line, f"{pair.source} | {pair.target}")
        elif len(ids) > self._max_length:
            detail = f"{len(ids)} tokens, at most {self._max_length} are taken"
            self.problems.report(Kind.TOO_LONG, file, pair.line, detail)
        return 0 < len(ids) <= self._max_length


def _write_held_out(folder: Path, inputs: _Inputs) -> int:
    """Write the documents that are not trained on as plain text, an empty line between them."""
    count = 0
    with (
        (folder / HELD_OUT[0]).open("w", encoding="utf-8", newline="\n") as source,
        (folder / HELD_OUT[1]).open("w", encoding="utf-8", newline="\n") as target,
    ):
        for item in inputs.held():
            pair = isinstance(item, Pair)
            source.write(f"{item.source if isinstance(item, Pair) else ''}\n")
            target.write(f"{item.target if isinstance(item, Pair) else ''}\n")
            count += pair
    return count


def _describe(inputs: _Inputs) -> dict[str, InputFile]:
    described: dict[str, InputFile] = {}
    for role, path in (("source", inputs.source), ("target", inputs.target), ("starts", inputs.starts)):
        if path is not None:
            if not path.is_file():
                raise DataError(f"{path}: there is no such file")
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            described[role] = InputFile(str(path), path.stat().st_size, digest)
    return described


def _check_same(folder: Path, wanted: Manifest) -> None:
    found = Manifest.read(folder / MANIFEST)
    # As it was before there was a choice.
    options = {
        "clean": False,
        "held_out": 0,
        "variants": None,
        "redrawn": 0.0,
        "reversed": False,
        "rules": 0,
        **found.options,
    }
    differences = [
        f"{name} was {options.get(name)}, now {value}"
        for name, value in wanted.options.items()
        if options.get(name) != value
    ]
    for role in sorted({*found.inputs, *wanted.inputs}):
        before, now = found.inputs.get(role), wanted.inputs.get(role)
        if (before and before.sha256) != (now and now.sha256):
            paths = [file.path if file else "none" for file in (before, now)]
            differences.append(f"the {role} file was {paths[0]}, now {paths[1]} with other content")
    if found.tune_sha256 != wanted.tune_sha256:
        differences.append("the tuning set has other content")
    if differences:
        raise DataError(f"{folder} was prepared otherwise ({'; '.join(differences)}); choose another folder")
