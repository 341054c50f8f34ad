"""Greedy translation in long strides: sentences are drafted without the memory, then confirmed with it.

The memory never feeds the recurrence, so the states along a draft are right whatever is remembered; only the
choice of words may change. One look at all of a sentence's places confirms it, or finds the first word that
the memory would choose otherwise, from where the sentence goes on word by word.
"""

import numpy as np
import torch

from recollect.batches.sentences import Ids, collate_source
from recollect.decoding.beam import Beam, Distribution, forbid
from recollect.decoding.hypothesis import Hypothesis
from recollect.models.interface import SearchModel
from recollect.text.vocabulary import BOS, EOS

__all__ = ["confirm"]


@torch.inference_mode()
def confirm(
    model: SearchModel, distribution: Distribution, source: Ids, draft: Hypothesis, beam: Beam
) -> Hypothesis:
    """Return what greedy search finds for `source`, given a draft made without what is remembered."""
    inputs, lengths = (each.to(model.device) for each in collate_source([source]))
    longest = beam.longest(lengths - 1).numpy(force=True)
    drafted = [*draft.tokens, EOS]
    previous = torch.tensor([[BOS, *draft.tokens]], device=model.device)
    scores = distribution(
        model.rebuild(draft.states.unsqueeze(0), draft.contexts.unsqueeze(0), previous), None
    )
    # Times for rows, a single hypothesis in each: all places of the sentence at once.
    forbid(scores.transpose(0, 1), beam, np.arange(len(drafted)), longest)
    best, chosen = (each.tolist() for each in scores[0].max(-1))
    differing = (time for time, token in enumerate(drafted) if token != chosen[time])
    agreed = next(differing, len(drafted))
    tokens, total = chosen[: agreed + 1], sum(best[: agreed + 1])
    contexts, states = [draft.contexts[: agreed + 1]], [draft.states[: agreed + 1]]
    aligned = draft.aligned[: agreed + 1]
    progress = None
    while tokens[-1] != EOS:
        if progress is None:  # the first word that differs: go there without looking at the words between
            progress = model.start(inputs, lengths)
            for token in (BOS, *tokens[:-1]):
                _, progress = model.step(progress, torch.tensor([[token]], device=model.device))
        step, progress = model.step(progress, torch.tensor([[tokens[-1]]], device=model.device))
        scores = distribution(step, None)
        forbid(scores, beam, np.array([len(tokens)]), longest)
        value, token = scores[0, 0].max(-1)
        tokens.append(int(token))
        total += float(value)
        contexts.append(step.context[0])
        states.append(step.state[0])
        aligned.append(int(step.attention[0, 0].argmax()))
    return Hypothesis(
        tokens[:-1],
        total,
        total / len(tokens) ** beam.length_penalty,
        torch.cat(contexts),
        torch.cat(states),
        aligned,
        source,
    )
