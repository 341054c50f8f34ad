"""Search on small random models, with and without a memory, against loops that know nothing of beams."""

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.batches.sentences import collate_source
from recollect.decoding.beam import Beam, search
from recollect.decoding.forced import force, score
from recollect.predict import predict
from recollect.text.vocabulary import BOS, EOS, PAD

variants = st.sampled_from([{}, {"conditional": True}, {"readout": "maxout", "peaky": 4.0}])
texts = st.lists(st.lists(st.integers(4, 13), min_size=1, max_size=6), min_size=1, max_size=5)
seeds = st.integers(1, 50)


def filled(model, memory, lanes):
    """Memories that have heard a sentence each, but for the first."""
    slots = memory.empty(lanes)
    heard = force(model, [[4, 5, 6, 7 + lane % 6] for lane in range(lanes)], [[8, 9, 10, 4]] * lanes)
    states, contexts = (
        torch.stack([getattr(each, name) for each in heard]) for name in ("states", "contexts")
    )
    step = model.rebuild(states, contexts, torch.tensor([[BOS, 8, 9, 10, 4]] * lanes))
    memory.write(slots, step, [None, *[[8, 9, 10, 4]] * (lanes - 1)], model)
    return slots


def looked_up(model, memory, slots):
    """The distribution that search asks for."""

    def distribution(step, alive):
        return predict(model, step, memory, slots if slots is None else slots.select(alive))

    return distribution


@torch.no_grad()
def greedy(model, text, memory, slots, beam):
    """The most probable word, again and again."""
    progress = model.start(torch.tensor([[*text, EOS]]), torch.tensor([len(text) + 1]))
    found, token = [], BOS
    while True:
        step, progress = model.step(progress, torch.tensor([[token]]))
        row = predict(model, step, memory, slots)[0, 0]
        row[list(beam.banned)] = -torch.inf
        token = int(row.argmax())
        if token == EOS or len(found) == max(10, int(beam.max_ratio * len(text))):
            return found
        found.append(token)


@settings(max_examples=25, derandomize=True)  # another computation may decide a near tie otherwise
@given(seeds, variants, texts, st.booleans())
def test_a_beam_of_one_is_greedy(make_model, make_memory, seed, variant, sources, remembering):
    model = make_model(seed, **variant)
    memory = make_memory(model, seed) if remembering else None
    slots = filled(model, memory, len(sources)) if remembering else None
    beam = Beam(size=1)
    found = search(model, looked_up(model, memory, slots), *collate_source(sources), beam)
    for lane, (hypothesis,) in enumerate(found):
        own = None if slots is None else slots.select(np.array([lane]))
        assert hypothesis.tokens == greedy(model, sources[lane], memory, own, beam)


@settings(max_examples=25)
@given(seeds, variants, texts, st.integers(1, 5), st.booleans())
def test_what_is_gathered_is_a_teacher_forced_replay(
    make_model, make_memory, seed, variant, sources, size, kept
):
    """Vectors of the path, from whichever hypotheses it went through; they do not depend on the memory."""
    model = make_model(seed, **variant)
    memory = make_memory(model, seed) if kept else None
    slots = filled(model, memory, len(sources)) if kept else None
    beam = Beam(size=size, n_best=3)
    found = search(model, looked_up(model, memory, slots), *collate_source(sources), beam)
    for lane, hypotheses in enumerate(found):
        assert hypotheses
        again = force(model, [sources[lane]] * len(hypotheses), [each.tokens for each in hypotheses])
        for each, forced in zip(hypotheses, again, strict=True):
            assert forced.tokens == each.tokens
            torch.testing.assert_close(each.contexts, forced.contexts, rtol=0, atol=1e-5)
            torch.testing.assert_close(each.states, forced.states, rtol=0, atol=1e-5)
            assert_aligned(model, sources[lane], each)
            own = None if slots is None else slots.select(np.array([lane]))
            total = sum(score(model, [sources[lane]], [each.tokens], memory, own)[0])
            assert abs(each.log_probability - total) < 1e-3 + 1e-5 * abs(total)
            if not kept:
                assert abs(forced.log_probability - total) < 1e-3 + 1e-5 * abs(total)
            assert abs(each.score - total / (len(each.tokens) + 1)) < 1e-3


@torch.no_grad()
def assert_aligned(model, source, hypothesis):
    """Each token's source position has the highest weight, or as good as the highest."""
    previous = torch.tensor([[BOS, *hypothesis.tokens]])
    attention = model.unroll(
        torch.tensor([[*source, EOS]]), torch.tensor([len(source) + 1]), previous
    ).attention[0]
    assert len(hypothesis.aligned) == len(attention)
    chosen = attention[torch.arange(len(attention)), hypothesis.aligned]
    torch.testing.assert_close(chosen, attention.amax(1), rtol=0, atol=1e-5)


@settings(max_examples=20, derandomize=True)
@given(seeds, texts, st.integers(1, 4))
def test_lanes_do_not_depend_on_each_other(make_model, make_memory, seed, sources, size):
    model = make_model(seed)
    memory = make_memory(model, seed)
    slots = filled(model, memory, len(sources))
    beam = Beam(size=size, n_best=2)
    together = search(model, looked_up(model, memory, slots), *collate_source(sources), beam)
    for lane, hypotheses in enumerate(together):
        own = slots.select(np.array([lane]))
        (alone,) = search(model, looked_up(model, memory, own), *collate_source([sources[lane]]), beam)
        assert [each.tokens for each in alone] == [each.tokens for each in hypotheses]


@settings(max_examples=20)
@given(seeds, texts, st.sets(st.integers(4, 15), max_size=6))
def test_banned_tokens_never_occur(make_model, seed, sources, banned):
    model = make_model(seed)
    beam = Beam(size=3, n_best=3, banned=(PAD, BOS, *banned))
    for hypotheses in search(model, looked_up(model, None, None), *collate_source(sources), beam):
        assert not {token for each in hypotheses for token in each.tokens} & {PAD, BOS, EOS, *banned}
