"""One sentence through an encoder–decoder, with everything that was computed on the way: what a picture of it needs."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.models.decoder import Decoded, Decoder, Run, State
from course_lib.models.luong import LuongDecoder
from course_lib.models.seq2seq import BahdanauDecoder, FixedContextDecoder
from course_lib.models.translation import BOS, EOS, Seq2Seq, Vocabulary, Words

TOP = 3  # so many of the next words are told
Guesses = tuple[tuple[str, float], ...]  # the likeliest next words, each with its probability


@runtime_checkable
class Named(Vocabulary, Protocol):
    """A vocabulary that also has the token of each id."""

    tokens: Sequence[str]


class Trace(NamedTuple):
    """What a model computed for one sentence: n source tokens (with <eos>) and, word by word, m ticks of the decoder.

    At each tick the decoder reads a word and writes one. Free-running it reads what it has just written; teacher-forced
    (`forced`) it reads the right words, and `written` is what it would have said. None is what a decoder does not have.
    """

    kind: str  # "fixed", "bahdanau", "luong", and their variants
    forced: bool
    source: Words
    encoder_states: Float[Tensor, "key d_state"]
    bidirectional: bool  # the first half of an encoder state has read forward, the second backward
    start: Float[Tensor, " d_hidden"]
    read: Words
    written: Words
    states: Float[Tensor, "query d_hidden"]
    contexts: Float[Tensor, "query d_state"]
    scores: Float[Tensor, "query key"] | None
    weights: Float[Tensor, "query key"] | None
    combined: Float[Tensor, "query d_hidden"] | None  # Luong's h̃_t
    guesses: tuple[Guesses, ...]


@torch.no_grad()
def trace(model: Seq2Seq, sentence: object, source: Named, target: Named, longest: int = 60) -> Trace:
    """Run a model on one sentence: words are translated free-running and greedily, a pair is read teacher-forced.

    All numbers are those with which the model computed its words.
    Raises: ValueError if the sentence is a text that is not divided into words, or has none.
    """
    if isinstance(sentence, str) or not sentence:
        raise ValueError(f"a sentence is a sequence of words, such as {('je', 'suis')}: got {sentence!r}")
    forced = hasattr(sentence, "target")
    ids = source.encode(sentence.source if forced else sentence)
    encoded = model.encoder(torch.tensor([ids]))
    start = model.decoder.start(encoded)
    right = target.encode(sentence.target) if forced else None
    read, runs = zip(*_ticks(model.decoder, start, right, longest), strict=True)
    decoded = [run.decoded for run in runs]
    logits = _rows(decoded, "logits")
    return Trace(
        kind=_kind(model.decoder),
        forced=forced,
        source=tuple(source.tokens[i] for i in ids),
        encoder_states=encoded.states[0],
        bidirectional=model.encoder.d_direction < model.encoder.d_state,
        start=start.hidden[0],
        read=tuple(target.tokens[i] for i in read),
        written=tuple(target.tokens[i] for i in logits.argmax(dim=-1)),
        states=_rows(runs, "states"),
        contexts=_rows(runs, "contexts"),
        scores=_rows(runs, "scores"),
        weights=_rows(decoded, "weights"),
        combined=_rows(runs, "combined"),
        guesses=tuple(_guesses(row, target) for row in logits),
    )


def _ticks(decoder: Decoder, state: State, right: list[int] | None, longest: int) -> Iterator[tuple[int, Run]]:
    """Each id that is read, and what the decoder made of it: `right` ones if there are, else its own, until <eos>."""
    token = BOS
    for place in range(longest if right is None else len(right)):
        run = decoder.run(torch.tensor([[token]]), state)
        yield token, run
        state, written = run.decoded.state, int(run.decoded.logits.argmax())
        token = written if right is None else right[place]
        if right is None and token == EOS:
            return


def _rows(ticks: Sequence[Run | Decoded], name: str) -> Float[Tensor, "query _"] | None:
    """The numbers of this name, one row for each tick; None for what the decoder does not have."""
    found = [getattr(tick, name) for tick in ticks]
    return None if found[0] is None else torch.cat(found, dim=1)[0]


def _guesses(logits: Float[Tensor, " vocabulary"], target: Named) -> Guesses:
    best = logits.softmax(dim=-1).topk(min(TOP, len(logits)))
    return tuple((target.tokens[i], p) for p, i in zip(best.values.tolist(), best.indices.tolist(), strict=True))


def _kind(decoder: Decoder) -> str:
    """The name by which a picture knows the steps of a tick."""
    match decoder:
        case FixedContextDecoder():
            return "fixed"
        case BahdanauDecoder():
            return "bahdanau, query sees the word" if decoder.query_sees_word else "bahdanau"
        case LuongDecoder():
            return "luong" if decoder.input_feeding else "luong, no input feeding"
    raise ValueError(f"expected a decoder of the course, got {type(decoder).__name__}")
