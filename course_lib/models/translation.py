"""From a trained encoder–decoder to sentences: loss, greedy decoding, weights for a given translation."""

import sys
from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from tqdm import tqdm

from course_lib.models.seq2seq import DecoderOutput
from course_lib.tokens import BOS, EOS, PAD, padded

Words = tuple[str, ...]


class Translation(NamedTuple):
    """A translation, and the attention weights: a row per target word and <eos>, a column per source word and <eos>."""

    words: Words
    weights: Float[Tensor, "query key"] | None


class Seq2Seq(nn.Module):
    """An encoder and a decoder as one model; `forward` is teacher-forced: it reads the correct previous words."""

    def __init__(self, encoder: nn.Module, decoder: nn.Module):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, source: Int[Tensor, "batch key"], target_in: Int[Tensor, "batch query"]) -> DecoderOutput:
        """Logits for each next word, given the source and the correct words so far."""
        return self.decoder(target_in, self.decoder.start(self.encoder(source)))


def translation_loss(model: Seq2Seq, batch) -> Float[Tensor, ""]:
    r"""Mean cross-entropy of the next word, without padding: −(1/N) Σ_i log p(y_i | y_{<i}, x).

    `batch` has `source`, `target_in` (<bos> + words) and `target_out` (words + <eos>).
    """
    logits = model(batch.source, batch.target_in).logits
    return nn.functional.cross_entropy(logits.flatten(0, 1), batch.target_out.flatten(), ignore_index=PAD)


def log_probabilities(model: nn.Module, batch) -> tuple[Float[Tensor, " query"], Float[Tensor, "key d_embedding"]]:
    """The log-probability of each target word of *one* sentence, and the source vectors to differentiate it by.

    `batch` as in `translation_loss`, with one sentence. The vectors are detached from the embedding table.
    """
    vectors = model.encoder.embed(batch.source[0]).detach().requires_grad_()
    encoded = model.encoder.read(vectors.unsqueeze(0), (batch.source != PAD).sum(dim=1))
    logits = model.decoder(batch.target_in, model.decoder.start(encoded)).logits
    chosen = logits.log_softmax(dim=-1).gather(2, batch.target_out.unsqueeze(2))
    return chosen[0, :, 0], vectors


@torch.no_grad()
def greedy(model: Seq2Seq, source: Int[Tensor, "batch key"], max_length: int) -> tuple[Tensor, Tensor | None]:
    """Greedy decoding (free-running): append the argmax until <eos> or `max_length` words.

    Shapes: source `batch key` → ids `batch query`, weights `batch query key` (None without attention).
    """
    state = model.decoder.start(model.encoder(source))
    token = source.new_full((source.shape[0], 1), BOS)
    ended = torch.zeros_like(token[:, 0], dtype=torch.bool)
    written, weights = [], []
    for _ in range(max_length):
        output = model.decoder(token, state)
        token, state = output.logits.argmax(dim=-1), output.state
        written.append(token)
        weights.append(output.weights)
        ended |= token.squeeze(1) == EOS
        if ended.all():
            break
    return torch.cat(written, dim=1), None if weights[0] is None else torch.cat(weights, dim=1)


def translate(
    model: Seq2Seq,
    sentences: Sequence[Words],
    source,
    target,
    max_length: int = 60,
    size: int = 200,
) -> list[Translation]:
    """Translate sentences by greedy decoding, in their order, with `size` sentences in a batch.

    `source` and `target` are vocabularies with `encode(words) → ids` (ending in <eos>) and `decode(ids) → words`.
    """
    results: list[Translation | None] = [None] * len(sentences)
    for rows in _by_length(sentences, size):
        chosen = [sentences[row] for row in rows]
        ids, weights = greedy(model, padded(map(source.encode, chosen), _device(model)), max_length)
        for n, row in enumerate(rows):
            words = target.decode(ids[n].tolist())
            results[row] = Translation(words, _crop(weights, n, len(words), len(sentences[row])))
    return results


@torch.no_grad()
def forced_weights(model: Seq2Seq, pairs: Sequence, source, target, size: int = 200) -> list[Tensor | None]:
    """The attention weights for given translations, teacher-forced: row i belongs to word i of the target (or <eos>).

    `pairs` have `source` and `target` words; `source`, `target` and `size` as in `translate`.
    """
    results: list[Tensor | None] = [None] * len(pairs)
    for rows in _by_length([pair.source for pair in pairs], size):
        chosen = [pairs[row] for row in rows]
        target_out = padded((target.encode(pair.target) for pair in chosen), _device(model))
        target_in = nn.functional.pad(target_out[:, :-1], (1, 0), value=BOS)
        source_ids = padded((source.encode(pair.source) for pair in chosen), _device(model))
        weights = model(source_ids, target_in).weights
        for n, row in enumerate(rows):
            results[row] = _crop(weights, n, len(pairs[row].target), len(pairs[row].source))
    return results


def _device(model: nn.Module) -> torch.device | None:
    return next((parameter.device for parameter in model.parameters()), None)


def _by_length(sentences: Sequence[Words], size: int) -> tqdm:
    """Row numbers in batches of similar length, so that little is padding; slow decoding shows a progress bar."""
    order = sorted(range(len(sentences)), key=lambda row: len(sentences[row]))
    batches = [order[start : start + size] for start in range(0, len(order), size)]
    return tqdm(batches, desc="decoding", file=sys.stdout, leave=False, delay=2)


def _crop(weights: Tensor | None, row: int, n_query: int, n_key: int) -> Tensor | None:
    """One sentence's weights without padding; both sides keep their <eos>."""
    return None if weights is None else weights[row, : n_query + 1, : n_key + 1]
