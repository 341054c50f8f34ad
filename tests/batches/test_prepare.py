import json
import lzma
import shutil
from pathlib import Path
from unicodedata import normalize

import pytest

from recollect.batches import prepare as prepare_module
from recollect.batches.prepare import Prepared, prepare
from recollect.errors import ConfigError, DataError
from recollect.text.document import ParallelDocument
from recollect.text.variants import Shares

ADJECTIVES = {"红": "red", "蓝": "blue", "旧": "old", "新": "new"}
NOUNS = {"书": "book", "车": "car", "门": "door", "船": "boat", "树": "tree"}
TUNE = [ParallelDocument("d", ("红 书", ""), (("red book", "x"), ("a red book", "")))]


@pytest.fixture
def corpus(tmp_path):
    """Two documents of twenty short sentences, one sentence far too long at line 5."""
    phrases = [(f"{a} {n}", f"{ADJECTIVES[a]} {NOUNS[n]}") for a in ADJECTIVES for n in NOUNS]
    lines = [*phrases, ("", ""), *reversed(phrases)]
    lines.insert(4, ("书 " * 60, "book " * 60))
    (tmp_path / "train.zh").write_text("".join(f"{source}\n" for source, _ in lines), encoding="utf-8")
    (tmp_path / "train.en").write_text("".join(f"{target}\n" for _, target in lines), encoding="utf-8")
    return tmp_path


def run(corpus: Path, folder: str = "prepared", **changes) -> Prepared:
    options = {
        "source": corpus / "train.zh",
        "target": corpus / "train.en",
        "starts": None,
        "vocabulary": "words",
        "size_source": 8,
        "size_target": 8,
        "joint": False,
        "max_length": 50,
        "tune": TUNE,
        "seed": 3,
    }
    return prepare(corpus / folder, **{**options, **changes})


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_words_end_to_end(corpus):
    prepared = run(corpus)
    assert not prepared.reused
    assert (prepared.source_vocabulary.size, prepared.target_vocabulary.size) == (12, 12)
    assert prepared.train.documents.tolist() == [0, 20, 40]
    first = [vocabulary.decode(ids.tolist()) for vocabulary, ids in sides(prepared, 0)]
    assert first == ["红 书", "red book"]
    assert prepared.tune == TUNE
    assert prepared.dictionary == {**ADJECTIVES, **NOUNS}
    assert prepared.manifest.counts == {
        "pairs": 40,
        "documents": 2,
        "source_tokens": 80,
        "target_tokens": 80,
        "source_vocabulary": 12,
        "target_vocabulary": 12,
    }
    assert prepared.manifest.skipped == {"too long": 1}
    assert prepared.manifest.inputs["source"].size == (corpus / "train.zh").stat().st_size
    problems = (prepared.folder / "problems.tsv").read_text().splitlines()
    assert problems[1:] == [f"too long\t{corpus / 'train.zh'}\t5\t60 tokens, at most 50 are taken"]


def sides(prepared: Prepared, pair: int):
    yield prepared.source_vocabulary, prepared.train.source(pair)
    yield prepared.target_vocabulary, prepared.train.target(pair)


@pytest.mark.parametrize("joint", [False, True])
def test_subwords_end_to_end(corpus, joint):
    prepared = run(corpus, vocabulary="subwords", size_source=300, size_target=300, joint=joint)
    assert [vocabulary.decode(ids.tolist()) for vocabulary, ids in sides(prepared, 39)] == [
        "红 书",
        "red book",
    ]
    assert prepared.dictionary is None
    models = [(prepared.folder / f"{side}.subwords.model").read_bytes() for side in ("source", "target")]
    assert (models[0] == models[1]) == joint


def test_joint_words_share_one_vocabulary(corpus):
    prepared = run(corpus, joint=True, size_source=20, size_target=20)
    assert prepared.source_vocabulary.encode("书 book") == prepared.target_vocabulary.encode("书 book")
    with pytest.raises(ConfigError, match="one size, not 8 and 9"):
        run(corpus, "other", joint=True, size_target=9)


def test_the_same_input_and_seed_give_the_same_bytes(corpus, monkeypatch):
    whole = run(corpus, "one", vocabulary="subwords", size_source=300, size_target=300)
    monkeypatch.setattr(prepare_module, "_CHUNK", 7)
    again = run(corpus, "two", vocabulary="subwords", size_source=300, size_target=300)
    assert contents(whole.folder) == contents(again.folder)


def test_a_prepared_folder_is_used_again_for_the_same_content(corpus):
    before = contents(run(corpus).folder)
    said: list[str] = []
    (corpus / "moved.zh").write_bytes((corpus / "train.zh").read_bytes())
    again = run(corpus, source=corpus / "moved.zh", progress=lambda doing, done, total: said.append(doing))
    assert again.reused
    assert said == [
        f"{corpus / 'prepared'} was prepared from the same files with the same options: used as it is"
    ]
    assert contents(again.folder) == before


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"size_source": 7}, "size_source was 8, now 7"),
        ({"vocabulary": "subwords"}, "vocabulary was words, now subwords"),
        ({"tune": None}, "the tuning set has other content"),
    ],
)
def test_other_options_need_another_folder(corpus, changes, difference):
    run(corpus)
    with pytest.raises(DataError, match=f"{difference}.*choose another folder"):
        run(corpus, **changes)


def test_other_content_needs_another_folder(corpus):
    run(corpus)
    with (corpus / "train.zh").open("ab") as source, (corpus / "train.en").open("ab") as target:
        source.write("新 船\n".encode())
        target.write(b"new boat\n")
    with pytest.raises(DataError, match=r"the source file was .*; the target file was "):
        run(corpus)


def test_a_folder_of_something_else_is_left_alone(corpus):
    (corpus / "prepared").mkdir()
    (corpus / "prepared" / "thesis.tex").write_text("precious")
    with pytest.raises(DataError, match="not a prepared folder"):
        run(corpus)
    assert contents(corpus / "prepared") == {"thesis.tex": b"precious"}


def test_an_interrupted_preparation_leaves_nothing_to_be_mistaken(corpus):
    def interrupt(doing: str, done: int, total: int | None) -> None:
        if doing == "encoding":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(corpus, progress=interrupt)
    assert not (corpus / "prepared").exists()
    prepared = run(corpus)
    assert len(prepared.train) == 40
    assert not list(corpus.glob(".*"))


def test_bad_input_leaves_no_folder(corpus):
    whole = lzma.compress((corpus / "train.zh").read_bytes())
    (corpus / "cut.zh.xz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="truncated"):
        run(corpus, source=corpus / "cut.zh.xz")
    with pytest.raises(DataError, match="no such file"):
        run(corpus, source=corpus / "nowhere")
    (corpus / "empty").write_text("\n" * 42)
    with pytest.raises(DataError, match="misaligned"):
        run(corpus, source=corpus / "empty")
    with pytest.raises(DataError, match="not one usable pair; 41 pairs skipped: 41 too long"):
        run(corpus, max_length=1)
    assert not (corpus / "prepared").exists()


def test_text_that_normalises_to_nothing_is_reported(corpus):
    with (corpus / "train.zh").open("ab") as source, (corpus / "train.en").open("ab") as target:
        source.write("\u200b\n".encode())
        target.write(b"nothing\n")
    prepared = run(corpus, vocabulary="subwords", size_source=300, size_target=300)
    assert prepared.manifest.skipped == {"too long": 1, "nothing left after normalisation": 1}


@pytest.mark.parametrize("name", ["prepared.json", "tune.jsonl", "source.words.tsv", "train/shard.json"])
def test_a_damaged_folder_is_refused_with_the_name_of_the_file(corpus, name):
    prepared = run(corpus)
    (prepared.folder / name).write_text("{")
    with pytest.raises(DataError, match=name):
        Prepared.open(prepared.folder)


def test_a_vocabulary_cut_at_a_line_end_is_noticed(corpus):
    path = run(corpus).folder / "target.words.tsv"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(DataError, match=r"11 target_vocabulary, prepared\.json says 12"):
        Prepared.open(path.parent)


def test_another_version_is_refused(corpus):
    path = run(corpus).folder / "prepared.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": 99}))
    with pytest.raises(DataError, match="version 99"):
        Prepared.open(path.parent)


def test_a_prepared_folder_can_be_moved(corpus):
    run(corpus)
    shutil.move(corpus / "prepared", corpus / "elsewhere")
    assert len(Prepared.open(corpus / "elsewhere").train) == 40


def test_starts_make_the_documents(corpus):
    (corpus / "starts").write_text("1\n11\n31\n")
    prepared = run(corpus, starts=corpus / "starts")
    assert prepared.train.documents.tolist() == [0, 9, 28, 40]
    assert prepared.manifest.skipped == {"too long": 1, "both sides empty": 1}
    assert "starts" in prepared.manifest.inputs


def test_documents_are_held_out(corpus):
    whole, rest = run(corpus), run(corpus, "rest", held_out=2)
    sides = [(corpus / "rest" / f"held-out.{side}").read_text("utf-8") for side in ("source", "target")]
    lines = (corpus / "train.zh").read_text("utf-8").splitlines()
    assert sides[0].split("\n") == [*lines[lines.index("") + 1 :], "", ""]
    assert (
        sides[1].split("\n")[0] == (corpus / "train.en").read_text("utf-8").splitlines()[lines.index("") + 1]
    )
    held = rest.manifest.counts["held_out_pairs"]
    assert held == 20
    assert rest.manifest.counts["pairs"] == whole.manifest.counts["pairs"] - held
    assert rest.manifest.counts["documents"] == whole.manifest.counts["documents"] - 1
    with pytest.raises(DataError, match="held_out was 2, now 0"):
        run(corpus, "rest")


def test_cleaning_leaves_out_and_reports(corpus):
    for name, line in (("train.zh", "book"), ("train.en", "书")):
        with (corpus / name).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
    as_it_is, cleaned = run(corpus), run(corpus, "cleaned", clean=True)
    assert "in another script than the rest" not in as_it_is.manifest.skipped
    assert cleaned.manifest.skipped["in another script than the rest"] == 1
    assert "book | 书" in (corpus / "cleaned" / "problems.tsv").read_text(encoding="utf-8")
    with pytest.raises(DataError, match="clean was True, now False"):
        run(corpus, "cleaned")


def test_variants_are_for_what_is_trained_on(corpus):
    """The words of a document come in long lines; those held out stay as they are, and so does the choice."""
    plain = run(corpus, held_out=2)
    joined = run(corpus, "joined", held_out=2, variants=Shares(joined=0.9999))
    assert joined.manifest.counts["target_tokens"] == plain.manifest.counts["target_tokens"]
    assert joined.manifest.counts["pairs"] < 5 < plain.manifest.counts["pairs"]
    for side in ("source", "target"):
        name = f"held-out.{side}"
        assert (corpus / "joined" / name).read_bytes() == (corpus / "prepared" / name).read_bytes()
    with pytest.raises(DataError, match="variants was"):
        run(corpus, "joined", held_out=2)


def test_names_are_learned_from_what_is_trained_on(corpus):
    people, sayings = (
        {"罗斯": "Ross", "瑞秋": "Rachel"},
        {"我看{}": "I see {}.", "找{}吧": "Go to {}.", "怕{}": "Fear {}."},
    )
    pairs = [(a.format(one), b.format(other)) for one, other in people.items() for a, b in sayings.items()]
    for side, name in enumerate(("train.zh", "train.en")):
        (corpus / name).write_text("".join(f"{pair[side]}\n" for pair in pairs), encoding="utf-8")
    subwords = {"vocabulary": "subwords", "size_source": 300, "size_target": 300}
    prepared = run(corpus, variants=Shares(written_names=0.9999), **subwords)
    for number in range(len(prepared.train)):
        source, target = (vocabulary.decode(ids.tolist()) for vocabulary, ids in sides(prepared, number))
        assert any(name in source and name in target for name in people.values())
        assert not any(form in source for form in people)


def test_the_other_way_round_sources_are_what_targets_were(corpus):
    there, back = run(corpus, held_out=2), run(corpus, "back", held_out=2, reversed=True)
    assert len(back.train) == len(there.train)
    for pair in range(len(there.train)):
        texts = [
            [vocabulary.decode(ids.tolist()) for vocabulary, ids in sides(prepared, pair)]
            for prepared in (there, back)
        ]
        assert texts[1] == texts[0][::-1]
    assert back.dictionary is not None
    assert {there.dictionary[word]: word for word in there.dictionary} == back.dictionary
    for one, other in (("source", "target"), ("target", "source")):
        held = [(corpus / folder / name).read_bytes() for folder, name in (
            ("prepared", f"held-out.{one}"), ("back", f"held-out.{other}"))]  # fmt: skip
        assert held[0] == held[1]
    problems = (corpus / "back" / "problems.tsv").read_text().splitlines()
    assert problems[1:] == [f"too long\t{corpus / 'train.en'}\t5\t60 tokens, at most 50 are taken"]
    with pytest.raises(DataError, match="reversed was True, now False"):
        run(corpus, "back", held_out=2)


def test_variants_are_those_of_the_corpus_also_the_other_way_round(corpus):
    variants = {"variants": Shares(joined=0.5, punctuated=0.5), "vocabulary": "subwords"}
    sizes = {"size_source": 300, "size_target": 300}
    there = run(corpus, **variants, **sizes)
    back = run(corpus, "back", reversed=True, **variants, **sizes)
    for pair in range(len(there.train)):
        (source, given), (target, said) = sides(there, pair)
        (_, back_given), (_, back_said) = sides(back, pair)
        assert back.source_vocabulary.decode(back_given.tolist()) == target.decode(said.tolist())
        written = back.target_vocabulary.decode(back_said.tolist())
        assert normalize("NFKC", written) == source.decode(given.tolist())  # as what is only read is
    assert len(back.train) == len(there.train) < len(run(corpus, "plain").train)


def test_some_sources_are_cut_otherwise(corpus):
    subwords = {"vocabulary": "subwords", "size_source": 300, "size_target": 300}
    usual, again = run(corpus, "usual", **subwords), run(corpus, "again", redrawn=0.9, **subwords)
    run(corpus, "third", redrawn=0.9, **subwords)
    assert contents(corpus / "third") == contents(corpus / "again")
    number_of_others = 0
    for pair in range(len(usual.train)):
        (vocabulary, before), (_, target_before) = sides(usual, pair)
        (_, after), (_, target_after) = sides(again, pair)
        assert vocabulary.decode(after.tolist()) == vocabulary.decode(before.tolist())
        assert target_after.tolist() == target_before.tolist()
        number_of_others += after.tolist() != before.tolist()
    assert 0 < number_of_others < len(usual.train)
    with pytest.raises(DataError, match=r"redrawn was 0\.9, now 0\.0"):
        run(corpus, "again", **subwords)
    for kind in ("words", "subwords"):  # a vocabulary may be taken from another model
        words = {"redrawn": 0.5, "vocabulary": kind, "vocabularies": run(corpus).folder}
        with pytest.raises(ConfigError, match="redrawn is for subwords"):
            run(corpus, "wrong", **words)


def test_no_source_becomes_too_long_by_chance(corpus):
    subwords = {"vocabulary": "subwords", "size_source": 300, "size_target": 300, "max_length": 6}
    usual, again = run(corpus, "usual", **subwords), run(corpus, "again", redrawn=0.9, **subwords)
    assert len(again.train) == len(usual.train)
    assert again.train.source_lengths.max() > usual.train.source_lengths.max()


def test_words_of_tokenised_text_are_not_punctuated(corpus):
    with pytest.raises(ConfigError, match="punctuated is for raw text"):
        run(corpus, variants=Shares(punctuated=0.5))
