"""One sentence through an encoder–decoder, with all intermediate results, for a figure or a live view."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.models.luong import LuongDecoder
from course_lib.models.seq2seq import BahdanauDecoder, DecoderOutput, FixedContextDecoder, State
from course_lib.models.translation import Seq2Seq, Words
from course_lib.tokens import BOS, EOS

TOP_K = 3
Candidates = tuple[tuple[str, float], ...]  # the most probable next words, with their probabilities


class Trace(NamedTuple):
    """The intermediate results for one sentence: n source tokens (with <eos>), and m decoding steps.

    Each step reads a word and predicts the next one. Free-running, the decoder reads its own prediction; teacher-forced
    (`forced`), it reads the correct words. A field is None where the decoder has no such thing. `guesses` are the
    candidates of each step.
    """

    kind: str  # "fixed", "bahdanau", "luong", and their variants
    forced: bool
    source: Words
    encoder_states: Float[Tensor, "key d_state"]
    bidirectional: bool  # the first half of an encoder state is the forward direction
    start: Float[Tensor, " d_hidden"]
    read: Words
    written: Words
    states: Float[Tensor, "query d_hidden"]
    contexts: Float[Tensor, "query d_state"]
    scores: Float[Tensor, "query key"] | None
    weights: Float[Tensor, "query key"] | None
    combined: Float[Tensor, "query d_hidden"] | None  # Luong's h̃_t
    guesses: tuple[Candidates, ...]


@torch.no_grad()
def trace(model: Seq2Seq, sentence: object, source, target, max_length: int = 60) -> Trace:
    """Run a model on one sentence: a sequence of words by greedy decoding, a pair teacher-forced.

    `source` and `target` are vocabularies with `encode` and `tokens`.
    Raises: ValueError if the sentence is a string or has no words, or for a decoder of another class.
    """
    if isinstance(sentence, str) or not sentence:
        raise ValueError(f"sentence must be a sequence of words, such as {('je', 'suis')}, got {sentence!r}")
    forced = hasattr(sentence, "target")
    ids = source.encode(sentence.source if forced else sentence)
    encoded = model.encoder(torch.tensor([ids], device=next(model.parameters()).device))
    start = model.decoder.start(encoded)
    correct = target.encode(sentence.target) if forced else None
    read, steps = zip(*_steps(model.decoder, start, correct, max_length), strict=True)
    logits = _rows(steps, "logits")
    return Trace(
        kind=_kind(model.decoder),
        forced=forced,
        source=tuple(source.tokens[i] for i in ids),
        encoder_states=encoded.states[0],
        bidirectional=model.encoder.d_direction < model.encoder.d_state,
        start=start.hidden[0],
        read=tuple(target.tokens[i] for i in read),
        written=tuple(target.tokens[i] for i in logits.argmax(dim=-1)),
        states=_rows(steps, "hidden"),
        contexts=_rows(steps, "contexts"),
        scores=_rows(steps, "scores"),
        weights=_rows(steps, "weights"),
        combined=_rows(steps, "combined"),
        guesses=tuple(_candidates(row, target) for row in logits),
    )


def _steps(
    decoder: nn.Module, state: State, correct: list[int] | None, max_length: int
) -> Iterator[tuple[int, DecoderOutput]]:
    """Each token read, with the decoder's output: the correct tokens if given, else its own predictions until <eos>."""
    token = BOS
    for i in range(max_length if correct is None else len(correct)):
        output = decoder(torch.tensor([[token]], device=state.hidden.device), state)
        yield token, output
        state = output.state
        token = int(output.logits.argmax()) if correct is None else correct[i]
        if correct is None and token == EOS:
            return


def _rows(steps: Sequence[DecoderOutput], name: str) -> Float[Tensor, "query _"] | None:
    """One field of all steps, a row for each; None where the decoder has no such thing."""
    found = [getattr(step, name) for step in steps]
    return None if found[0] is None else torch.cat(found, dim=1)[0]


def _candidates(logits: Float[Tensor, " vocabulary"], target) -> Candidates:
    best = logits.softmax(dim=-1).topk(min(TOP_K, len(logits)))
    return tuple((target.tokens[i], p) for p, i in zip(best.values.tolist(), best.indices.tolist(), strict=True))


def _kind(decoder: nn.Module) -> str:
    """The name by which a live view knows the computations of a step."""
    match decoder:
        case FixedContextDecoder():
            return "fixed"
        case BahdanauDecoder():
            return "bahdanau, query sees the word" if decoder.query_sees_word else "bahdanau"
        case LuongDecoder():
            return "luong" if decoder.input_feeding else "luong, no input feeding"
    raise ValueError(f"model must have a decoder of the course, got {type(decoder).__name__}")
