"""From a trained encoder–decoder to sentences: loss, greedy decoding, weights for a given translation."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from course_lib.models.seq2seq import PAD, Decoded

BOS, EOS = 1, 2
Words = tuple[str, ...]


@runtime_checkable
class Vocabulary(Protocol):
    """What is needed of a vocabulary: words to ids, ending in <eos>, and back."""

    def encode(self, tokens: Iterable[str]) -> list[int]: ...
    def decode(self, ids: Iterable[int]) -> Words: ...


class Translation(NamedTuple):
    """Words written, and for each of them (and <eos>) the weights over the source words (and <eos>)."""

    words: Words
    weights: Float[Tensor, "query key"] | None


class Seq2Seq(nn.Module):
    """An encoder and a decoder as one model; `forward` is teacher-forced: it reads the right previous words."""

    def __init__(self, encoder: nn.Module, decoder: nn.Module):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, source: Int[Tensor, "batch key"], target_in: Int[Tensor, "batch query"]) -> Decoded:
        """Logits for each next word, given the source and the right words so far."""
        return self.decoder(target_in, self.decoder.start(self.encoder(source)))


def translation_loss(model: Seq2Seq, batch) -> Float[Tensor, ""]:
    r"""Mean cross-entropy of the right next word, padding left out: −(1/N) Σ_i log p(y_i | y_{<i}, x).

    `batch` has `source`, `target_in` (<bos> + words) and `target_out` (words + <eos>).
    """
    logits = model(batch.source, batch.target_in).logits
    return nn.functional.cross_entropy(logits.flatten(0, 1), batch.target_out.flatten(), ignore_index=PAD)


def log_probabilities(model: nn.Module, batch) -> tuple[Float[Tensor, " query"], Float[Tensor, "key d_embedding"]]:
    """The log-probability of each right word of *one* sentence, and the source vectors it can be differentiated by.

    `batch` holds one sentence. The vectors are cut off from the embedding table, so that a gradient stops there.
    """
    vectors = model.encoder.embed(batch.source[0]).detach().requires_grad_()
    encoded = model.encoder.read(vectors.unsqueeze(0), (batch.source != PAD).sum(dim=1))
    logits = model.decoder(batch.target_in, model.decoder.start(encoded)).logits
    chosen = logits.log_softmax(dim=-1).gather(2, batch.target_out.unsqueeze(2))
    return chosen[0, :, 0], vectors


@torch.no_grad()
def greedy(model: Seq2Seq, source: Int[Tensor, "batch key"], longest: int) -> tuple[Tensor, Tensor | None]:
    """Write the likeliest next word, read it, and go on until <eos> or `longest` words: free-running.

    Shapes: source `batch key` → ids `batch query`, weights `batch query key` (None without attention).
    """
    state = model.decoder.start(model.encoder(source))
    token = torch.full((source.shape[0], 1), BOS)
    ended = torch.zeros(source.shape[0], dtype=torch.bool)
    written, looked = [], []
    for _ in range(longest):
        logits, weights, state = model.decoder(token, state)
        token = logits.argmax(dim=-1)
        written.append(token)
        looked.append(weights)
        ended |= token.squeeze(1) == EOS
        if ended.all():
            break
    return torch.cat(written, dim=1), None if looked[0] is None else torch.cat(looked, dim=1)


def translate(
    model: Seq2Seq,
    sentences: Sequence[Words],
    source: Vocabulary,
    target: Vocabulary,
    longest: int = 60,
    size: int = 200,
) -> list[Translation]:
    """Translate sentences greedily, free-running; the order of the sentences is kept."""
    results: list[Translation | None] = [None] * len(sentences)
    for rows in _by_length(sentences, size):
        ids, weights = greedy(model, _padded([sentences[row] for row in rows], source), longest)
        for place, row in enumerate(rows):
            words = target.decode(ids[place].tolist())
            results[row] = Translation(words, _crop(weights, place, len(words), len(sentences[row])))
    return results


@torch.no_grad()
def forced_weights(
    model: Seq2Seq, pairs: Sequence, source: Vocabulary, target: Vocabulary, size: int = 200
) -> list[Tensor | None]:
    """The weights for given translations, teacher-forced, so that row i belongs to the right word i (and <eos>)."""
    results: list[Tensor | None] = [None] * len(pairs)
    for rows in _by_length([pair.source for pair in pairs], size):
        chosen = [pairs[row] for row in rows]
        target_out = _padded([pair.target for pair in chosen], target)
        target_in = nn.functional.pad(target_out[:, :-1], (1, 0), value=BOS)
        weights = model(_padded([pair.source for pair in chosen], source), target_in).weights
        for place, row in enumerate(rows):
            results[row] = _crop(weights, place, len(pairs[row].target), len(pairs[row].source))
    return results


def _by_length(sentences: Sequence[Words], size: int) -> list[list[int]]:
    """Rows in batches of similar length, so that little is padding."""
    order = sorted(range(len(sentences)), key=lambda row: len(sentences[row]))
    return [order[start : start + size] for start in range(0, len(order), size)]


def _padded(sentences: Sequence[Words], vocabulary: Vocabulary) -> Int[Tensor, "batch length"]:
    return pad_sequence([torch.tensor(vocabulary.encode(words)) for words in sentences], True, PAD)


def _crop(weights: Tensor | None, row: int, n_query: int, n_key: int) -> Tensor | None:
    """One sentence's weights without padding; both sides keep their <eos>."""
    return None if weights is None else weights[row, : n_query + 1, : n_key + 1]
