"""Loss, greedy decoding, and the weights of given translations."""

import math

import pytest
import torch

from course_lib.data.pairs import Pair, Vocabulary, batches, collate
from course_lib.measure import accuracy, alignment, saliency
from course_lib.models.seq2seq import BahdanauDecoder, DecoderOutput, Encoder, FixedContextDecoder, State
from course_lib.models.translation import (
    Seq2Seq,
    forced_weights,
    greedy,
    log_probabilities,
    translate,
    translation_loss,
)
from course_lib.tokens import BOS
from course_lib.training import fit, set_seed

LETTERS = tuple("abcdef")
WORDS = Vocabulary.of([LETTERS])


class Copier(torch.nn.Module):
    """A decoder that copies the source, with all weight on the word that it writes."""

    def start(self, encoded):
        return State(torch.zeros(len(encoded), 1), (encoded,))

    def forward(self, tokens, state):
        source, at = state.memory[0], int(state.hidden[0, 0])
        logits = torch.nn.functional.one_hot(source[:, at : at + 1], len(WORDS)).float()
        weights = torch.zeros(len(source), 1, source.shape[1])
        weights[:, :, at] = 1
        return DecoderOutput(logits, weights, State(state.hidden + 1, state.memory), state.hidden, state.hidden)


COPIER = Seq2Seq(torch.nn.Identity(), Copier())


def test_greedy_writes_until_each_sentence_has_ended():
    """Rejects a loop that stops at the first <eos> of the batch, or one word early."""
    source = torch.tensor([[4, 5, 2, 0, 0], [6, 7, 8, 9, 2]])
    ids, weights = greedy(COPIER, source, max_length=20)
    assert ids.tolist() == source.tolist()
    assert weights.shape == (2, 5, 5)


def test_greedy_stops_at_max_length():
    ids, _ = greedy(COPIER, torch.tensor([[4, 5, 6, 7, 2]]), max_length=3)
    assert ids.tolist() == [[4, 5, 6]]


def test_translations_come_in_the_order_of_the_sentences_with_their_own_weights():
    """Sentences are batched by length inside: rejects results left in that order, and weights with padding."""
    sentences = [tuple("abcd"), tuple("e"), tuple("fab"), tuple("dc")]
    translations = translate(COPIER, sentences, WORDS, WORDS, size=2)
    assert [t.words for t in translations] == sentences
    for sentence, (_, weights) in zip(sentences, translations, strict=True):
        assert torch.equal(weights, torch.eye(len(sentence) + 1))  # words and <eos> on both sides


def test_greedy_keeps_no_gradients():
    """Rejects weights that hold the graph of the whole translation in memory."""
    _, weights = greedy(small_model(BahdanauDecoder), torch.tensor([[4, 5, 2]]), max_length=3)
    assert not weights.requires_grad


def small_model(decoder):
    torch.manual_seed(0)
    encoder = Encoder(len(WORDS), 8, 16)
    return Seq2Seq(encoder, decoder(encoder, len(WORDS), 8, 16))


def test_the_loss_is_the_mean_over_real_words_only():
    """Against log p read word by word. Rejects padding in the mean, and a target shifted by one."""
    model = small_model(BahdanauDecoder)
    pairs = [Pair(tuple("ab"), tuple("cde")), Pair(tuple("f"), tuple("a"))]
    got = translation_loss(model, collate(pairs, WORDS, WORDS))
    total, n = 0.0, 0
    for pair in pairs:
        source, right = torch.tensor([WORDS.encode(pair.source)]), WORDS.encode(pair.target)
        for i, word in enumerate(right):
            so_far = torch.tensor([[BOS, *right[:i]]])
            total -= model(source, so_far).logits[0, -1].log_softmax(dim=-1)[word].item()
            n += 1
    assert n == 6
    assert got.item() == pytest.approx(total / n, rel=1e-5)


def test_the_loss_of_an_untrained_model_is_that_of_guessing():
    """The loss starts near log(vocabulary): rejects a loss that leaks the answer."""
    model = small_model(FixedContextDecoder)
    pairs = [Pair(tuple("abc"), tuple("fed"))] * 4
    assert translation_loss(model, collate(pairs, WORDS, WORDS)).item() == pytest.approx(math.log(len(WORDS)), rel=0.15)


def test_forced_weights_belong_to_the_right_words():
    """Row i belongs to target word i. Rejects rows of another sentence, or shifted by one."""
    model = small_model(BahdanauDecoder)
    pairs = [Pair(tuple("abc"), tuple("de")), Pair(tuple("f"), tuple("abcd"))]
    got = forced_weights(model, pairs, WORDS, WORDS)
    for pair, weights in zip(pairs, got, strict=True):
        batch = collate([pair], WORDS, WORDS)
        torch.testing.assert_close(weights, model(batch.source, batch.target_in).weights[0])
        assert weights.shape == (len(pair.target) + 1, len(pair.source) + 1)


def test_log_probabilities_are_those_of_the_loss_and_reach_every_source_word():
    """Rejects target_in where target_out belongs, and gradients that end before the encoder."""
    model = small_model(FixedContextDecoder)
    batch = collate([Pair(tuple("abc"), tuple("de"))], WORDS, WORDS)
    chosen, vectors = log_probabilities(model, batch)
    assert -chosen.mean().item() == pytest.approx(translation_loss(model, batch).item(), rel=1e-5)
    found = saliency(chosen, vectors)
    assert found.shape == (3, 4)
    assert (found > 0).all()


def test_without_attention_there_are_no_weights():
    model = small_model(FixedContextDecoder)
    assert translate(model, [tuple("abc")], WORDS, WORDS, max_length=3)[0].weights is None
    assert forced_weights(model, [Pair(tuple("abc"), tuple("a"))], WORDS, WORDS) == [None]


@pytest.mark.slow
def test_reversal_is_learned_and_the_map_is_the_one_we_know(as_students):
    """The task whose attention is known for certain: word i of the target is word n − 1 − i of the source."""
    random = torch.Generator().manual_seed(0)

    def example(_):
        n = int(torch.randint(3, 8, (), generator=random))
        word = tuple(LETTERS[k] for k in torch.randint(0, 6, (n,), generator=random).tolist())
        return Pair(word, word[::-1], frozenset((i, n - 1 - i) for i in range(n)))

    train, test = [example(k) for k in range(4000)], [example(k) for k in range(200)]
    set_seed(0)
    encoder = Encoder(len(WORDS), 16, 32)
    model = Seq2Seq(encoder, BahdanauDecoder(encoder, len(WORDS), 16, 32))
    fit(model, translation_loss, batches(train, WORDS, WORDS, seed=0), steps=400, learning_rate=1e-2)
    written = translate(model, [pair.source for pair in test], WORDS, WORDS)
    assert accuracy([t.words for t in written], test).exact > 0.9
    assert alignment(forced_weights(model, test, WORDS, WORDS), test).accuracy > 0.8
