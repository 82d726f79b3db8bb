"""Small readers of whole rows: who remembers a card, who guesses the next letter, who counts votes."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib.attention.core import AttentionOutput, attention, masked_softmax
from course_lib.attention.masks import causal
from course_lib.attention.scores import scaled_dot
from course_lib.models.self_attention import SelfAttentionEncoder
from course_lib.models.seq2seq import PAD

READERS = {"GRU": (nn.GRU, 51), "LSTM": (nn.LSTM, 43)}  # the sizes make them as large as one block of self-attention
PLACES = ("before", "after", "nowhere")


class RecallClassifier(nn.Module):
    r"""Reads a row of cards and tells a number from what stands at the last place.

    $$ x_j = E_{\mathrm{letter}} + E_{\mathrm{number}} + E_{\mathrm{mark}} \qquad
       \mathrm{logits} = W\, \mathrm{state}_n + b $$

    The states are those of a GRU, an LSTM, or one block of self-attention with one head; about 15,000 parameters each.

    Shapes: letters, numbers, marks `batch place` → logits `batch number`.
    Source: Cho et al. 2014 (GRU); Hochreiter & Schmidhuber 1997 (LSTM); Vaswani et al. 2017, §3.
    """

    def __init__(self, reader: str, n_cards: int = 16, d_model: int = 32):
        super().__init__()
        sizes = (n_cards + 1, n_cards + 1, 2)
        self.letter, self.number, self.mark = (nn.Embedding(size, d_model, padding_idx=0) for size in sizes)
        make, d_state = READERS.get(reader, (None, d_model))
        whole = SelfAttentionEncoder(1, d_model, n_heads=1, longest=n_cards + 1)
        self.reader = whole if make is None else make(d_model, d_state, batch_first=True)
        self.told = nn.Linear(d_state, n_cards)

    def vectors(
        self,
        letters: Int[Tensor, "batch place"],
        numbers: Int[Tensor, "batch place"],
        marks: Int[Tensor, "batch place"],
    ) -> Float[Tensor, "batch place d_model"]:
        """The vector of each card and of the question."""
        return self.letter(letters) + self.number(numbers) + self.mark(marks)

    def read(self, x: Float[Tensor, "batch place d_model"]) -> Float[Tensor, "batch number"]:
        """From vectors to logits: `forward` after the look-up, where a lesson may ask for gradients."""
        attends = isinstance(self.reader, SelfAttentionEncoder)
        states = self.reader.read(x).states if attends else self.reader(x)[0]
        return self.told(states[:, -1])

    def forward(self, row) -> Float[Tensor, "batch number"]:
        """Read rows of cards (see `course_lib.data.distant_recall`)."""
        return self.read(self.vectors(row.letters, row.numbers, row.marks))


class LMOutput(NamedTuple):
    """A logit for each letter that may come next, at each place, and who looked at whom."""

    logits: Float[Tensor, "batch place letter"]
    weights: Float[Tensor, "batch place place"]


class CharLM(nn.Module):
    r"""Guesses the next letter at each place by one look; its causal mask may stand in the wrong place.

    $$ \text{before: } w = \mathrm{softmax}(s + \log m) \qquad \text{after: } w = m \odot \mathrm{softmax}(s) $$

    Shapes: ids `batch place` → logits `batch place letter`, weights `batch place place`.
    Raises: ValueError for another place of the mask.
    Source: Vaswani et al. 2017, §3.2.3.
    Differs: only "before" is theirs; the other two are wrong, and here to be measured.
    """

    def __init__(self, n_letters: int, longest: int, mask: str = "before", d_model: int = 32):
        super().__init__()
        if mask not in PLACES:
            raise ValueError(f"where the mask stands: expected one of {', '.join(PLACES)}, got {mask}")
        self.mask = mask
        self.letter, self.place = nn.Embedding(n_letters, d_model), nn.Embedding(longest, d_model)
        self.w_q, self.w_k, self.w_v = (nn.Linear(d_model, d_model, bias=False) for _ in range(3))
        self.told = nn.Linear(d_model, n_letters)

    def forward(self, ids: Int[Tensor, "batch place"]) -> LMOutput:
        """Let every place look, and guess."""
        n = ids.shape[1]
        x = self.letter(ids) + self.place(torch.arange(n))
        q, k, v = self.w_q(x), self.w_k(x), self.w_v(x)
        context, weights = LOOKS[self.mask](q, k, v, causal(n))
        return LMOutput(self.told(context), weights)


def late(q: Tensor, k: Tensor, v: Tensor, mask: Bool[Tensor, "query key"]) -> AttentionOutput:
    """The mask in the wrong place: hidden scores still stand in the sum below the line."""
    weights = masked_softmax(scaled_dot(q, k)) * mask
    return AttentionOutput(weights @ v, weights)


LOOKS = {"before": attention, "after": late, "nowhere": lambda q, k, v, mask: attention(q, k, v)}


def lm_loss(model: CharLM, ids: Int[Tensor, "batch place"]) -> Tensor:
    """Cross-entropy of each next letter."""
    return nn.functional.cross_entropy(model(ids[:, :-1]).logits.flatten(0, 1), ids[:, 1:].flatten())


@torch.no_grad()
def generate(model: CharLM, ids: Int[Tensor, "batch place"], n: int) -> Int[Tensor, "batch longer"]:
    """Write n more letters, each the likeliest after what stands there."""
    for _ in range(n):
        ids = torch.cat([ids, model(ids).logits[:, -1:].argmax(dim=-1)], dim=1)
    return ids


class VoteClassifier(nn.Module):
    """Reads a sentence by self-attention and says yes or no from the state of its first token.

    Shapes: ids `batch token` → logits `batch 2`.
    """

    def __init__(self, n_words: int, d_model: int = 32, n_layers: int = 1):
        super().__init__()
        self.encoder = SelfAttentionEncoder(n_words, d_model, n_heads=1, n_layers=n_layers)
        self.told = nn.Linear(d_model, 2)

    def forward(self, ids: Int[Tensor, "batch token"]) -> Float[Tensor, "batch 2"]:
        """Read sentences; padding is never looked at."""
        return self.told(self.encoder(ids).states[:, 0])


class Attributions(NamedTuple):
    """Four attribution methods: how much each token mattered for a prediction; the last two are signed."""

    weight: Float[Tensor, "batch token"]
    gradient: Float[Tensor, "batch token"]
    times_input: Float[Tensor, "batch token"]
    left_out: Float[Tensor, "batch token"]


def attributions(model: VoteClassifier, ids: Int[Tensor, "batch token"]) -> Attributions:
    r"""Weight, gradient and ablation for the same predictions.

    $$ w_{0j} \qquad \left\lVert \frac{\partial o}{\partial x_j} \right\rVert \qquad
       \frac{\partial o}{\partial x_j} \cdot x_j \qquad o(\text{all}) - o(\text{all but } j) $$

    The output o is the logit of what was said minus the other one; the weights are those of the last layer's first
    token; a word is left out by making it padding, so that nobody may look at it. The first token cannot be: zero.

    Source: Jain & Wallace 2019, §3–4 (gradient, leave-one-out); Wiegreffe & Pinter 2019.
    """
    words = model.encoder.words(ids).detach().requires_grad_()
    read = model.encoder.read(words, ids != PAD)
    logits = model.told(read.states[:, 0])
    side = logits.argmax(dim=-1, keepdim=True)
    said = lead(logits, side)
    (gradient,) = torch.autograd.grad(said.sum(), words)
    with torch.no_grad():
        without = [torch.zeros_like(said)]
        for j in range(1, ids.shape[1]):
            without.append(said - lead(model(ids.index_fill(1, torch.tensor([j]), PAD)), side))
    weight = read.weights[:, -1, 0, 0]
    return Attributions(
        weight.detach(),
        gradient.norm(dim=-1),
        (gradient * words.detach()).sum(dim=-1),
        torch.stack(without, 1).detach(),
    )


def lead(logits: Float[Tensor, "batch 2"], side: Int[Tensor, "batch 1"]) -> Float[Tensor, " batch"]:
    """How far the logit of this side is ahead of the other."""
    return (logits.gather(1, side) - logits.gather(1, 1 - side))[:, 0]


def rank_correlation(a: Float[Tensor, "row item"], b: Float[Tensor, "row item"]) -> Float[Tensor, " row"]:
    r"""Do two columns of numbers put the same items first? For each row, 1 for the same order, −1 for the reverse.

    $$ \rho = 1 - \frac{6 \sum_j (r_j - r'_j)^2}{n (n^2 - 1)} $$

    r and r' are the ranks of the items, which must all be different. Source: Spearman 1904.
    """
    n = a.shape[-1]
    apart = a.argsort(dim=-1).argsort(dim=-1) - b.argsort(dim=-1).argsort(dim=-1)
    return 1 - 6 * apart.square().sum(dim=-1).to(a) / (n * (n**2 - 1))
