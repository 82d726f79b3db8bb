"""What `trace` tells must be what the model computed: translate's words, forced_weights' weights, every state."""

import pytest
import torch

from course_lib.data.pairs import BOS, EOS, Pair, Vocabulary
from course_lib.models.decoder import Decoder
from course_lib.models.luong import LuongDecoder
from course_lib.models.seq2seq import BahdanauDecoder, Encoder, FixedContextDecoder
from course_lib.models.trace import trace
from course_lib.models.translation import Seq2Seq, forced_weights, translate

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
        told, found = (
            trace(model, PAIR.source, SOURCE, TARGET, 7),
            translate(model, [PAIR.source], SOURCE, TARGET, 7)[0],
        )
        ids = [TARGET.tokens.index(word) for word in told.written]
        assert TARGET.decode(ids) == found.words
        assert len(ids) == 7 or ids[-1] == EOS
        assert told.read == ("<bos>", *told.written[:-1])
        assert not told.forced
        if found.weights is None:
            assert told.weights is None
        else:
            torch.testing.assert_close(told.weights[: len(found.weights)], found.weights)


@pytest.mark.parametrize("kind", KINDS)
def test_teacher_forced_it_reads_the_right_words_and_has_the_weights_of_forced_weights(kind):
    model = build(kind)
    told, weights = trace(model, PAIR, SOURCE, TARGET), forced_weights(model, [PAIR], SOURCE, TARGET)[0]
    assert told.forced
    assert told.read == ("<bos>", *PAIR.target)
    assert told.source == (*PAIR.source, "<eos>")
    if weights is None:
        assert told.weights is None
        assert told.scores is None
    else:
        torch.testing.assert_close(told.weights, weights)
        torch.testing.assert_close(told.scores.softmax(dim=-1), weights)
        torch.testing.assert_close(told.contexts, weights @ told.encoder_states)


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_every_state_is_the_models(kind, bidirectional):
    """Each state, and what is written from it, by calling the model itself one word at a time."""
    model = build(kind, bidirectional)
    told = trace(model, PAIR, SOURCE, TARGET)
    encoded = model.encoder(torch.tensor([SOURCE.encode(PAIR.source)]))
    state = model.decoder.start(encoded)
    assert told.kind == kind
    assert told.bidirectional == bidirectional
    assert torch.equal(told.encoder_states, encoded.states[0])
    assert torch.equal(told.start, state.hidden[0])
    for tick, token in enumerate([BOS, *TARGET.encode(PAIR.target)[:-1]]):
        logits, _, state = model.decoder(torch.tensor([[token]]), state)
        assert torch.equal(told.states[tick], state.hidden[0])
        assert told.written[tick] == TARGET.tokens[logits.argmax()]
        p = logits[0, 0].softmax(dim=-1)
        for word, told_p in told.guesses[tick]:
            assert told_p == pytest.approx(p[TARGET.tokens.index(word)].item())
        assert told.guesses[tick][0] == (told.written[tick], pytest.approx(p.max().item()))
    assert len(told.states) == len(told.guesses) == len(PAIR.target) + 1
    if kind == "fixed":
        assert torch.equal(told.contexts, encoded.final.expand(5, -1))
    assert (told.combined is not None) == kind.startswith("luong")


def test_luongs_word_is_written_from_the_combined_state():
    model = build("luong")
    told = trace(model, PAIR, SOURCE, TARGET)
    logits = model.decoder.w_s(told.combined)
    assert told.written == tuple(TARGET.tokens[i] for i in logits.argmax(dim=-1))


def test_an_unknown_word_is_told_as_the_model_read_it():
    """Rejects a picture that shows a word which the model never saw."""
    assert trace(build("bahdanau"), ("a", "nowhere"), SOURCE, TARGET, 3).source == ("a", "<unk>", "<eos>")


@pytest.mark.parametrize("sentence", ["abc", "", ()])
def test_a_text_is_no_sentence(sentence):
    """Rejects "je suis" read letter by letter."""
    with pytest.raises(ValueError, match="a sentence is a sequence of words"):
        trace(build("fixed"), sentence, SOURCE, TARGET)


def test_another_decoder_is_named():
    """Rejects a picture with the steps of some other decoder."""
    model = build("fixed")
    known, model.decoder = model.decoder, Decoder()
    model.decoder.start, model.decoder.run = known.start, known.run
    with pytest.raises(ValueError, match="expected a decoder of the course, got Decoder"):
        trace(model, PAIR, SOURCE, TARGET)
