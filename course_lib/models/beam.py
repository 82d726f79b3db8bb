"""Beam search: keep the best few unfinished hypotheses at each step, not only the best one."""

from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from course_lib.models.translation import Seq2Seq
from course_lib.tokens import BOS, EOS


class Hypothesis(NamedTuple):
    """A translation: its ids, which end in <eos> unless it reached the maximum length, and its log-probability."""

    ids: tuple[int, ...]
    log_probability: float

    def score(self, alpha: float) -> float:
        """The log-probability divided by the length penalty."""
        return self.log_probability / length_penalty(len(self.ids), alpha)


def length_penalty(length: int, alpha: float) -> float:
    r"""The divisor of the log-probability, which offsets that every further word lowers it.

    $$ lp(Y) = \frac{(5 + |Y|)^\alpha}{(5 + 1)^\alpha} $$

    α = 0 leaves log-probabilities as they are; <eos> counts as a word.

    Source: Wu et al. 2016, eq. 14.
    """
    return ((5 + length) / 6) ** alpha


@torch.no_grad()
def beam_search(
    model: Seq2Seq, source: Int[Tensor, "batch key"], max_length: int, width: int = 4, alpha: float = 0.6
) -> list[Hypothesis]:
    r"""The translations of one sentence found by a beam of this width, the best first (free-running).

    $$ \mathrm{score}(Y) = \frac{\log p(Y \mid x)}{lp(Y)} $$

    Each step extends every unfinished hypothesis by every word and keeps the `width` most probable; those that end in
    <eos> leave the beam. The search ends when the beam is empty, when `width` hypotheses are finished and no unfinished
    one can still overtake the best of them, or at `max_length` words, where unfinished ones count as they are. Width 1
    with α = 0 is greedy decoding. α is at least 0.

    Shapes: source `batch key`, where batch is 1, → hypotheses, the best first.
    Raises: ValueError for more than one sentence, or a width or maximum length below one.
    Source: Sutskever et al. 2014, §3.2; Wu et al. 2016, §7.
    """
    if source.shape[0] != 1:
        raise ValueError(f"source must be one sentence: expected batch 1, got {source.shape[0]}")
    if width < 1 or max_length < 1:
        raise ValueError(f"width and max_length must be at least 1, got {width} and {max_length}")
    state = model.decoder.start(model.encoder(source))
    alive, finished = [Hypothesis((), 0.0)], []
    tokens = source.new_full((1, 1), BOS)
    for _ in range(max_length):
        output = model.decoder(tokens, state)
        steps = output.logits[:, -1].log_softmax(dim=-1)
        totals = steps + steps.new_tensor([one.log_probability for one in alive]).unsqueeze(1)
        best = totals.flatten().topk(min(width, totals.numel()))
        grown = []
        for total, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, word = divmod(index, steps.shape[1])
            grown.append((row, Hypothesis((*alive[row].ids, word), total)))
        finished += [one for _, one in grown if one.ids[-1] == EOS]
        kept = [(row, one) for row, one in grown if one.ids[-1] != EOS]
        alive = [one for _, one in kept]
        if not alive or (len(finished) >= width and _settled(finished, alive, max_length, alpha)):
            break
        state = output.state.select(tokens.new_tensor([row for row, _ in kept]))
        tokens = tokens.new_tensor([[one.ids[-1]] for one in alive])
    else:
        finished += alive
    return sorted(finished, key=lambda one: one.score(alpha), reverse=True)


def _settled(finished: list[Hypothesis], alive: list[Hypothesis], max_length: int, alpha: float) -> bool:
    """No unfinished hypothesis can win: its log-probability only falls, its penalty is at most that of max_length."""
    bound = max(one.log_probability for one in alive) / length_penalty(max_length, alpha)
    return max(one.score(alpha) for one in finished) >= bound
