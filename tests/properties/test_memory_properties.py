"""What holds of every memory: any fusion, any matching, any policy, any history."""

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.memory.slots import VECTORS
from recollect.predict import predict
from recollect.text.vocabulary import BOS


def on_figures(options):
    """What a gate on figures asks for: cosines, and words to weigh."""
    of_states = options["fusion"] in ("deep", "auxiliary")
    return {"match": "cosine", "fusion": "shallow" if of_states else options["fusion"]}


fusions = st.sampled_from(["deep", "auxiliary", "shallow", "both", "none"])
matches = st.sampled_from(["dot", "cosine", "l2", "flatness", "bilinear", "additive"])
keys = st.sampled_from([("context",), ("readout",), ("state", "readout")])
memories = st.fixed_dictionaries(
    {
        "size": st.integers(1, 9),
        "fusion": fusions,
        "match": matches,
        "theta": st.sampled_from([0.1, 1.0, 30.0]),
        "policy": st.sampled_from(["lru", "fifo"]),
        "key": keys,
        "gate": st.sampled_from(["vectors", "features"]),
        "whitened": st.sampled_from([0, 4]),
        "top": st.sampled_from([0, 1, 3]),
        "seed": st.integers(1, 99),
    }
).map(lambda options: options if options["gate"] == "vectors" else options | on_figures(options))
variants = st.sampled_from([{}, {"conditional": True}, {"readout": "maxout"}, {"tied": True, "peaky": 2.0}])
sentences = st.lists(st.integers(4, 15), max_size=5)
CLOSE = {"rtol": 1e-4, "atol": 1e-4}


def steps(model, lanes, time=6, seed=0):
    numbers = torch.Generator().manual_seed(seed)
    source = torch.randint(4, 14, (lanes, 5), generator=numbers)
    lengths = torch.randint(1, 6, (lanes,), generator=numbers)
    previous = torch.randint(4, 16, (lanes, time), generator=numbers)
    previous[:, 0] = BOS
    return model.unroll(source, lengths, previous)


def remember(model, memory, history, lanes):
    """Memories after some rounds of sentences; an empty sentence says nothing."""
    slots = memory.empty(lanes)
    for number, said in enumerate(history):
        step = steps(model, lanes, seed=number + 1)
        memory.write(slots, step, [tokens or None for tokens in said], model)
    return slots


def histories(lanes, rounds=4):
    return st.lists(st.lists(sentences, min_size=lanes, max_size=lanes), max_size=rounds)


@settings(max_examples=50)
@given(memories, variants, st.integers(0, 99))
def test_an_empty_memory_is_the_sentence_model_to_the_last_bit(
    make_model, make_memory, options, variant, seed
):
    with torch.no_grad():
        model = make_model(**variant)
        memory = make_memory(model, **options)
        step, slots = steps(model, 3, seed=seed), memory.empty(3)
        assert torch.equal(predict(model, step, memory, slots), model.predict(step))
        kept = torch.rand(3, 6, generator=torch.Generator().manual_seed(seed)) < 0.5
        assert torch.equal(predict(model, step, memory, slots, kept=kept), model.predict(step.where(kept)))
        # The same once a document has ended and another begins in its lane.
        memory.write(slots, step, [[5, 6, 7]] * 3, model)
        for lane in range(3):
            slots.clear(lane)
        assert torch.equal(predict(model, step, memory, slots), model.predict(step))


@settings(max_examples=50)
@given(memories, variants, histories(3))
def test_distributions_are_normalised_and_never_nan(make_model, make_memory, options, variant, history):
    with torch.no_grad():
        model = make_model(**variant)
        memory = make_memory(model, **options)
        slots = remember(model, memory, history, 3)
        step = steps(model, 3)
        recall = memory.recall(slots, step, model)
        scores = memory.fuse(step, recall, model)
        torch.testing.assert_close(scores.exp().sum(-1), torch.ones(3, 6), **CLOSE)
        assert not scores.isnan().any()
        assert not recall.value.isnan().any()
        filled = slots.filled.unsqueeze(1).expand(3, 6, slots.size).gather(2, recall.places)
        assert (recall.match[~filled] == 0).all()
        torch.testing.assert_close(recall.match.sum(-1), recall.found.float(), **CLOSE)
        assert recall.found.tolist() == [[any(said[lane] for said in history)] * 6 for lane in range(3)]
        alone = model.predict(step)
        silent = ~recall.found
        assert torch.equal(scores[silent], alone[silent])  # an empty lane among full ones


@settings(max_examples=30)
@given(memories, histories(4), st.permutations(range(4)))
def test_permuting_lanes_permutes_outputs(make_model, make_memory, options, history, order):
    with torch.no_grad():
        model = make_model()
        memory = make_memory(model, **options)
        slots, step = remember(model, memory, history, 4), steps(model, 4)
        moved = type(step)(*(getattr(step, name)[order] for name in step.__slots__))
        one = predict(model, step, memory, slots)
        two = predict(model, moved, memory, slots.select(np.array(order)))
        torch.testing.assert_close(one[order], two, **CLOSE)
        for lane in range(4):
            single = type(step)(*(getattr(step, name)[lane : lane + 1] for name in step.__slots__))
            alone = predict(model, single, memory, slots.select(np.array([lane])))
            torch.testing.assert_close(one[lane : lane + 1], alone, **CLOSE)


@settings(max_examples=30)
@given(memories, histories(2), st.permutations(range(5)))
def test_the_order_of_slots_is_no_matter(make_model, make_memory, options, history, order):
    with torch.no_grad():
        model = make_model()
        memory = make_memory(model, **options | {"size": 5})
        slots, step = remember(model, memory, history, 2), steps(model, 2)
        before = predict(model, step, memory, slots)
        for name in VECTORS:
            setattr(slots, name, getattr(slots, name)[:, order])
        torch.testing.assert_close(predict(model, step, memory, slots), before, **CLOSE)


@settings(max_examples=30)
@given(memories, histories(2))
def test_shallow_fusion_mixes_probabilities(make_model, make_memory, options, history):
    """P(w) = (1 - l) P_vocab(w) + l * sum over the slots of w, in double precision and one by one."""
    with torch.no_grad():
        model = make_model(peaky=2.0)
        memory = make_memory(model, **options | {"fusion": "shallow", "gate": "vectors", "top": 0})
        slots, step = remember(model, memory, history, 2), steps(model, 2)
        recall = memory.recall(slots, step, model)
        found = memory.fuse(step, recall, model).exp()
        vocabulary = model.predict(step).double().exp()
        gate = memory.fusion.gate
        for lane in range(2):
            for time in range(6):
                share = torch.sigmoid(
                    gate.state.weight @ step.state[lane, time]
                    + gate.context.weight @ step.context[lane, time]
                    + gate.value.weight @ recall.value[lane, time]
                ).item()
                share *= bool(slots.filled[lane].any())
                expected = (1 - share) * vocabulary[lane, time]
                for slot in range(slots.size):
                    if slots.filled[lane, slot]:
                        expected[slots.words[lane, slot]] += share * recall.match[lane, time, slot].item()
                torch.testing.assert_close(found[lane, time], expected.float(), **CLOSE)


@settings(max_examples=30)
@given(memories, histories(3, rounds=6))
def test_a_memory_never_holds_more_than_its_slots(make_model, make_memory, options, history):
    with torch.no_grad():
        model = make_model()
        memory = make_memory(model, **options)
        slots = remember(model, memory, history, 3)
        assert slots.size == options["size"]
        for lane in range(3):
            said = [token for sentence in history for token in sentence[lane]]
            expected = len(set(said)) if options["policy"] == "lru" else len(said)
            assert int(slots.filled[lane].sum()) == min(options["size"], expected)
            held = sorted(slots.words[lane][slots.filled[lane]].tolist())
            if options["policy"] == "lru":  # the words said last, each once
                last = list(dict.fromkeys(reversed(said)))[: options["size"]]
            else:
                last = said[-options["size"] :]
            assert held == sorted(last)
