"""Beam search: keep the best few unfinished sentences at each step, not only the best one."""

from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from course_lib.models.translation import BOS, EOS, Seq2Seq


class Hypothesis(NamedTuple):
    """A translation: its ids, which end in <eos> unless it reached the longest length, and its log-probability."""

    ids: tuple[int, ...]
    log_probability: float

    def score(self, alpha: float) -> float:
        """The log-probability divided by the length penalty: what hypotheses are compared by."""
        return self.log_probability / length_penalty(len(self.ids), alpha)


def length_penalty(length: int, alpha: float) -> float:
    r"""What a log-probability is divided by, so that long sentences are not put behind: each word costs some.

    $$ lp(Y) = \frac{(5 + |Y|)^\alpha}{(5 + 1)^\alpha} $$

    α = 0 leaves log-probabilities as they are; <eos> counts as a word.

    Source: Wu et al. 2016, eq. 14.
    """
    return ((5 + length) / 6) ** alpha


@torch.no_grad()
def beam_search(
    model: Seq2Seq, source: Int[Tensor, "batch key"], longest: int, width: int = 4, alpha: float = 0.6
) -> list[Hypothesis]:
    r"""The best translations of one sentence that a beam of this width finds, the best first: free-running.

    $$ \mathrm{score}(Y) = \frac{\log p(Y \mid x)}{lp(Y)} $$

    At each step every unfinished hypothesis is continued by every word, and the `width` likeliest remain; those
    that end in <eos> leave the beam. It ends when the beam is empty, when `width` are finished and no unfinished one
    can overtake the best of them any more, or at `longest` words, where unfinished ones count as they are. Width 1 with
    α = 0 is greedy decoding. α is at least 0.

    Shapes: source `batch key`, where batch is 1, → hypotheses, the best first.
    Raises: ValueError for more than one sentence, or a width or length below one.
    Source: Sutskever et al. 2014, §3.2; Wu et al. 2016, §7.
    """
    if source.shape[0] != 1 or width < 1 or longest < 1:
        expected, got = "one sentence, width and longest ≥ 1", (source.shape[0], width, longest)
        raise ValueError(f"expected {expected}, got {got}")
    state = model.decoder.start(model.encoder(source))
    alive, finished = [Hypothesis((), 0.0)], []
    tokens = torch.tensor([[BOS]])
    for _ in range(longest):
        logits, _, state = model.decoder(tokens, state)
        steps = logits[:, -1].log_softmax(dim=-1)
        totals = steps + torch.tensor([one.log_probability for one in alive], dtype=steps.dtype).unsqueeze(1)
        best = totals.flatten().topk(min(width, totals.numel()))
        grown = []
        for total, place in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, word = divmod(place, steps.shape[1])
            grown.append((row, Hypothesis((*alive[row].ids, word), total)))
        finished += [one for _, one in grown if one.ids[-1] == EOS]
        kept = [(row, one) for row, one in grown if one.ids[-1] != EOS]
        alive = [one for _, one in kept]
        if not alive or (len(finished) >= width and _settled(finished, alive, longest, alpha)):
            break
        state = state.pick(torch.tensor([row for row, _ in kept]))
        tokens = torch.tensor([[one.ids[-1]] for one in alive])
    else:
        finished += alive
    return sorted(finished, key=lambda one: one.score(alpha), reverse=True)


def _settled(finished: list[Hypothesis], alive: list[Hypothesis], longest: int, alpha: float) -> bool:
    """No unfinished one can win: its log-probability only falls from here, its penalty is at most the longest one's."""
    hope = max(one.log_probability for one in alive) / length_penalty(longest, alpha)
    return max(one.score(alpha) for one in finished) >= hope
