import torch

from recollect.batches.before import collate_before
from recollect.batches.sentences import SentenceBatches, collate
from recollect.batches.shard import Shard, ShardWriter
from recollect.text.specials import EOS


def test_collated_by_hand():
    before = collate_before([[[7], [8, 9]], [], [[6]]])
    assert before.lengths.tolist() == [[2, 3], [1, 0], [2, 0]]
    assert before.ids[0].tolist() == [[7, EOS, 0], [8, 9, EOS]]
    assert before.ids[1, 0, 0] == EOS  # a document starts after an end
    some = before[torch.tensor([2, 0])]
    assert some.lengths.tolist() == [[2, 0], [2, 3]]


def test_a_share_of_a_batch_keeps_what_was_before():
    batch = collate([[4], [5], [6]], [[4], [5], [6]], [[], [[7, 8]], [[9]]])
    share = batch.share(1, 2)
    assert share.source.tolist() == batch.source[1:2].tolist()
    assert share.before.ids.tolist() == batch.before.ids[1:2].tolist()
    assert collate([[4]], [[4]]).share(0, 2).before is None


def test_shuffled_batches_bring_what_was_before(tmp_path):
    """Sentence n of document d is the id 10 d + n: whatever the order, its history is n - 2 and n - 1."""
    with ShardWriter(tmp_path / "train", 99, 99) as writer:
        for document in range(1, 6):
            for number in range(document + 1):
                writer.add([10 * document + number], [4])
            writer.end_document()
    plan = {"batch": 4, "unit": "sentences", "window": 2, "seed": 1}
    batches = SentenceBatches(Shard.open(tmp_path / "train"), **plan, looks_back=2)
    seen = 0
    for batch in batches.epoch(0):
        for lane, own in enumerate(batch.source[:, 0].tolist()):
            rows = zip(batch.before.ids[lane], batch.before.lengths[lane].tolist(), strict=True)
            history = [ids[: length - 1].tolist() for ids, length in rows if length]
            assert history == ([[own - back] for back in (2, 1) if own % 10 >= back] or [[]])
            seen += 1
    assert seen == 20
    assert next(SentenceBatches(batches.shard, **plan).epoch(0)).before is None
