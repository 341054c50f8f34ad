from collections import Counter

from recollect.text.sample import Sample


def test_a_short_stream_is_kept_whole():
    sample: Sample[int] = Sample(5, seed=1)
    for item in range(4):
        sample.offer(item)
    assert sample.items == [0, 1, 2, 3]


def test_every_item_has_about_the_same_chance():
    kept: Counter[int] = Counter()
    for seed in range(400):
        sample: Sample[int] = Sample(10, seed)
        for item in range(40):
            sample.offer(item)
        assert len(set(sample.items)) == 10
        kept.update(sample.items)
    # 400 draws with chance 1/4: mean 100, standard deviation 8.7
    assert all(60 < kept[item] < 140 for item in range(40))
