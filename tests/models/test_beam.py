"""Beam search against every sentence there is, in a world with four words."""

import itertools
import math

import pytest
import torch

from course_lib.models.beam import Hypothesis, beam_search, length_penalty
from course_lib.models.luong import LuongDecoder
from course_lib.models.seq2seq import BahdanauDecoder, Encoder, FixedContextDecoder
from course_lib.models.translation import Seq2Seq, greedy
from course_lib.tokens import BOS, EOS

N_WORDS, LONGEST = 5, 3
SOURCE = torch.tensor([[3, 4, 4, 2]])
DECODERS = {"fixed": FixedContextDecoder, "bahdanau": BahdanauDecoder, "luong": LuongDecoder}


def build(kind="luong", seed=0):
    """A model that prefers no word by much: every choice is close."""
    torch.manual_seed(seed)
    encoder = Encoder(N_WORDS, 4, 6)
    model = Seq2Seq(encoder, DECODERS[kind](encoder, N_WORDS, 4, 6)).double().eval()
    for parameter in model.parameters():
        parameter.data *= 2
    return model


def log_probability(model, ids):
    """Of a whole sentence, teacher-forced: the sum over its words."""
    read = torch.tensor([[BOS, *ids[:-1]]])
    with torch.no_grad():
        steps = model(SOURCE, read).logits.log_softmax(dim=-1)[0]
    return float(sum(steps[i, word] for i, word in enumerate(ids)))


def every_sentence():
    """All that end in <eos>, and all that reach the longest length without one."""
    others = [word for word in range(N_WORDS) if word != EOS]
    for length in range(LONGEST):
        for words in itertools.product(others, repeat=length):
            yield (*words, EOS)
    yield from itertools.product(others, repeat=LONGEST)


@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0])
@pytest.mark.parametrize("kind", DECODERS)
def test_a_beam_as_wide_as_the_world_finds_the_best_sentence(kind, alpha):
    """Rejects states that do not follow their hypotheses, a penalty that multiplies, unfinished ones that get lost."""
    model = build(kind)
    sentences = {ids: Hypothesis(ids, log_probability(model, ids)) for ids in every_sentence()}
    best = max(sentences.values(), key=lambda one: one.score(alpha))
    found = beam_search(model, SOURCE, LONGEST, width=10_000, alpha=alpha)
    assert found[0].ids == best.ids
    for one in found:
        assert one.log_probability == pytest.approx(sentences[one.ids].log_probability)
    scores = [one.score(alpha) for one in found]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("kind", DECODERS)
@pytest.mark.parametrize("seed", range(3))
def test_width_one_is_greedy(kind, seed):
    """Rejects a beam that begins with a word of its own."""
    model = build(kind, seed)
    ids, _ = greedy(model, SOURCE, LONGEST)
    (one,) = beam_search(model, SOURCE, LONGEST, width=1, alpha=0.0)
    assert list(one.ids) == ids[0].tolist()


def beam_without_end(model, longest, width):
    """All that a beam of this width ever finishes, as a loop with lists, up to `longest` words in any case."""
    alive, finished = [((), 0.0)], []
    for _ in range(longest):
        grown = [(*ids, word) for ids, _ in alive for word in range(N_WORDS)]
        grown = sorted(((ids, log_probability(model, ids)) for ids in grown), key=lambda one: -one[1])[:width]
        finished += [one for one in grown if one[0][-1] == EOS]
        alive = [one for one in grown if one[0][-1] != EOS]
    return [Hypothesis(*one) for one in finished + alive]


@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0])
@pytest.mark.parametrize("seed", range(8))
def test_a_narrow_beam_finds_the_best_of_all_it_ever_finishes(seed, alpha):
    """Rejects the best of each row in place of the best of all, and an end at the first few that are finished.

    In a world that prefers its words by much, those are unlikely ones, and the likely sentence is still on its way.
    """
    model, longest, width = build(seed=seed), 7, 3
    for parameter in model.parameters():
        parameter.data *= 3
    every = beam_without_end(model, longest, width)
    best = max(every, key=lambda one: one.score(alpha))
    found = beam_search(model, SOURCE, longest, width, alpha)
    assert found[0].ids == best.ids
    assert {one.ids for one in found} <= {one.ids for one in every}


def test_the_search_ends_when_width_hypotheses_are_finished():
    """Rejects a step after the end, where <eos> is always the likeliest word."""
    model = build("fixed")
    model.decoder.output.w_o.bias.data[EOS] += 5
    assert [one.ids for one in beam_search(model, SOURCE, 7, width=2)] == [(EOS,), (4, EOS)]


def test_the_defaults_are_a_width_of_four_and_an_alpha_of_0_6():
    """Rejects another α, which prefers other lengths."""
    model = build("fixed")
    found = beam_search(model, SOURCE, 7)
    assert found == beam_search(model, SOURCE, 7, width=4, alpha=0.6)
    assert found != beam_search(model, SOURCE, 7, width=4, alpha=1.2)


def test_the_length_penalty_is_that_of_the_paper():
    """Rejects one that is not 1 for one word, or at α = 0."""
    assert [length_penalty(n, 1.0) for n in (1, 7)] == [1, 2]
    assert length_penalty(31, 0.5) == pytest.approx(math.sqrt(6))
    assert length_penalty(31, 0.0) == 1


def test_wrong_arguments_raise():
    """Rejects the first sentence of a batch in silence."""
    assert len(beam_search(build(), SOURCE, 1, width=2)[0].ids) == 1
    for source, longest, width, message in (
        (SOURCE.repeat(2, 1), 3, 2, "expected batch 1, got 2"),
        (SOURCE, 0, 2, "got 2 and 0"),
        (SOURCE, 3, 0, "got 0 and 3"),
    ):
        with pytest.raises(ValueError, match=message):
            beam_search(build(), source, longest, width)
