"""`trace` against the functions and the calls that it collects from."""

import pytest
import torch

from course_lib.data.pairs import Pair, Vocabulary
from course_lib.models.luong import LuongDecoder
from course_lib.models.seq2seq import BahdanauDecoder, Encoder, FixedContextDecoder
from course_lib.models.trace import trace
from course_lib.models.translation import Seq2Seq, forced_weights, translate
from course_lib.tokens import BOS, EOS

SOURCE, TARGET = Vocabulary.of([tuple("abcdefg")]), Vocabulary.of([tuple("uvwxyz")])
PAIR = Pair(tuple("abc"), tuple("xyzu"))
KINDS = {
    "fixed": FixedContextDecoder,
    "bahdanau": BahdanauDecoder,
    "bahdanau, query sees the word": lambda *sizes: BahdanauDecoder(*sizes, query_sees_word=True),
    "luong": LuongDecoder,
    "luong, no input feeding": lambda *sizes: LuongDecoder(*sizes, input_feeding=False),
}


def build(kind: str, bidirectional: bool = True, seed: int = 0) -> Seq2Seq:
    torch.manual_seed(seed)
    encoder = Encoder(len(SOURCE), 8, 16, bidirectional=bidirectional)
    return Seq2Seq(encoder, KINDS[kind](encoder, len(TARGET), 8, 12))


@pytest.mark.parametrize("kind", KINDS)
def test_free_running_writes_the_words_of_translate_with_its_weights(kind):
    """At several starts, since an untrained model may write <eos> at once. Rejects forced or shifted reading."""
    for seed in range(5):
        model = build(kind, seed=seed)
        got = trace(model, PAIR.source, SOURCE, TARGET, 7)
        found = translate(model, [PAIR.source], SOURCE, TARGET, 7)[0]
        ids = [TARGET.tokens.index(word) for word in got.written]
        assert TARGET.decode(ids) == found.words
        assert len(ids) == 7 or ids[-1] == EOS
        assert got.read == ("<bos>", *got.written[:-1])
        assert not got.forced
        if found.weights is None:
            assert got.weights is None
        else:
            torch.testing.assert_close(got.weights[: len(found.weights)], found.weights)


@pytest.mark.parametrize("kind", KINDS)
def test_teacher_forced_it_reads_the_right_words_and_has_the_weights_of_forced_weights(kind):
    model = build(kind)
    got, weights = trace(model, PAIR, SOURCE, TARGET), forced_weights(model, [PAIR], SOURCE, TARGET)[0]
    assert got.forced
    assert got.read == ("<bos>", *PAIR.target)
    assert got.source == (*PAIR.source, "<eos>")
    if weights is None:
        assert got.weights is None
        assert got.scores is None
    else:
        torch.testing.assert_close(got.weights, weights)
        torch.testing.assert_close(got.scores.softmax(dim=-1), weights)
        torch.testing.assert_close(got.contexts, weights @ got.encoder_states)


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_every_state_is_the_models(kind, bidirectional):
    """Each state, and what is written from it, by calling the model itself one word at a time."""
    model = build(kind, bidirectional)
    got = trace(model, PAIR, SOURCE, TARGET)
    encoded = model.encoder(torch.tensor([SOURCE.encode(PAIR.source)]))
    state = model.decoder.start(encoded)
    assert got.kind == kind
    assert got.bidirectional == bidirectional
    assert torch.equal(got.encoder_states, encoded.states[0])
    assert torch.equal(got.start, state.hidden[0])
    for step, token in enumerate([BOS, *TARGET.encode(PAIR.target)[:-1]]):
        output = model.decoder(torch.tensor([[token]]), state)
        logits, state = output.logits, output.state
        assert torch.equal(got.states[step], state.hidden[0])
        assert got.written[step] == TARGET.tokens[logits.argmax()]
        p = logits[0, 0].softmax(dim=-1)
        for word, candidate_p in got.guesses[step]:
            assert candidate_p == pytest.approx(p[TARGET.tokens.index(word)].item())
        assert got.guesses[step][0] == (got.written[step], pytest.approx(p.max().item()))
    assert len(got.states) == len(got.guesses) == len(PAIR.target) + 1
    if kind == "fixed":
        assert torch.equal(got.contexts, encoded.final.expand(5, -1))
    assert (got.combined is not None) == kind.startswith("luong")


def test_luongs_word_is_written_from_the_combined_state():
    model = build("luong")
    got = trace(model, PAIR, SOURCE, TARGET)
    logits = model.decoder.w_s(got.combined)
    assert got.written == tuple(TARGET.tokens[i] for i in logits.argmax(dim=-1))


def test_an_unknown_word_is_shown_as_unk():
    """Rejects a figure with a word that the model never read."""
    assert trace(build("bahdanau"), ("a", "nowhere"), SOURCE, TARGET, 3).source == ("a", "<unk>", "<eos>")


@pytest.mark.parametrize("sentence", ["abc", "", ()])
def test_a_string_is_not_a_sentence(sentence):
    """Rejects "je suis" read letter by letter."""
    with pytest.raises(ValueError, match="sentence must be a sequence of words"):
        trace(build("fixed"), sentence, SOURCE, TARGET)


def test_another_decoder_raises():
    """Rejects a figure with the steps of some other decoder."""
    model = build("fixed")
    known, model.decoder = model.decoder, torch.nn.Identity()
    model.decoder.start, model.decoder.forward = known.start, known.forward
    with pytest.raises(ValueError, match="must have a decoder of the course, got Identity"):
        trace(model, PAIR, SOURCE, TARGET)
