"""Encoder and decoders: against loops written from the papers' equations, and against the classic mistakes."""

import pytest
import torch
from torch import nn

from course_lib.models.luong import LuongDecoder
from course_lib.models.seq2seq import BahdanauDecoder, Encoder, FixedContextDecoder
from course_lib.models.translation import Seq2Seq

N_SOURCE, N_TARGET, D_EMBEDDING, D_STATE, D_HIDDEN = 19, 23, 5, 14, 11
SOURCE = torch.tensor([[4, 7, 9, 2], [5, 2, 0, 0], [8, 6, 2, 0]])
TARGET = torch.tensor([[1, 5, 9, 4, 7], [1, 6, 0, 0, 0], [1, 8, 11, 0, 0]])
DECODERS = {
    "fixed": FixedContextDecoder,
    "bahdanau": BahdanauDecoder,
    "bahdanau, query sees the word": lambda *sizes: BahdanauDecoder(*sizes, query_sees_word=True),
    "luong": LuongDecoder,
    "luong, concat, no input feeding": lambda *sizes: LuongDecoder(*sizes, score="concat", input_feeding=False),
}
ENCODERS = [("gru", True), ("gru", False), ("lstm", True), ("lstm", False)]


def build(decoder: str, cell: str = "gru", bidirectional: bool = True) -> Seq2Seq:
    torch.manual_seed(0)
    encoder = Encoder(N_SOURCE, D_EMBEDDING, D_STATE, cell, bidirectional)
    return Seq2Seq(encoder, DECODERS[decoder](encoder, N_TARGET, D_EMBEDDING, D_HIDDEN)).double().eval()


@pytest.mark.parametrize(("cell", "bidirectional"), ENCODERS)
def test_an_encoder_reads_each_sentence_as_if_it_were_alone(cell, bidirectional):
    """Rejects padding that is read (an unpacked backward direction starts in it) and states left in the padding."""
    encoder = build("fixed", cell, bidirectional).encoder
    together = encoder(SOURCE)
    for row, n in enumerate([4, 2, 3]):
        alone = encoder(SOURCE[row : row + 1, :n])
        torch.testing.assert_close(together.states[row, :n], alone.states[0])
        torch.testing.assert_close(together.final[row], alone.final[0])
        assert (together.states[row, n:] == 0).all()
        assert together.mask[row, 0].tolist() == [j < n for j in range(4)]


@pytest.mark.parametrize(("cell", "bidirectional"), ENCODERS)
def test_the_final_state_has_read_the_whole_sentence_in_each_direction(cell, bidirectional):
    """final = [→h_n; ←h_1]. Rejects the backward state at the last word, which has read one word only."""
    encoder = build("fixed", cell, bidirectional).encoder
    states, final, _ = encoder(SOURCE[:1])
    half = encoder.d_direction
    torch.testing.assert_close(final[0, :half], states[0, -1, :half])
    if bidirectional:
        torch.testing.assert_close(final[0, half:], states[0, 0, half:])


@pytest.mark.parametrize("name", DECODERS)
def test_more_padding_changes_nothing(name):
    """Rejects attention to padding."""
    model = build(name)
    wider, longer = nn.functional.pad(SOURCE, (0, 6)), nn.functional.pad(TARGET, (0, 3))
    before, after = model(SOURCE, TARGET), model(wider, longer)
    torch.testing.assert_close(after.logits[:, : TARGET.shape[1]], before.logits)
    if before.weights is not None:
        torch.testing.assert_close(after.weights[:, : TARGET.shape[1], : SOURCE.shape[1]], before.weights)
        assert (after.weights[..., SOURCE.shape[1] :] == 0).all()


@pytest.mark.parametrize("name", DECODERS)
def test_one_word_at_a_time_equals_the_whole_target_at_once(name):
    """Training and decoding are the same computation. Rejects a state that is not carried on."""
    model = build(name)
    whole = model(SOURCE, TARGET)
    state = model.decoder.start(model.encoder(SOURCE))
    for i in range(TARGET.shape[1]):
        step = model.decoder(TARGET[:, i : i + 1], state)
        torch.testing.assert_close(step.logits[:, 0], whole.logits[:, i])
        if whole.weights is not None:
            torch.testing.assert_close(step.weights[:, 0], whole.weights[:, i])
        state = step.state
    torch.testing.assert_close(state.hidden, whole.state.hidden)


@pytest.mark.parametrize("name", DECODERS)
def test_a_prediction_does_not_depend_on_later_words(name):
    """Rejects an off-by-one between target_in and the states: logits i depend on the target up to i only."""
    model = build(name)
    changed = TARGET.clone()
    changed[:, 3:] = 12
    before, after = model(SOURCE, TARGET).logits, model(SOURCE, changed).logits
    torch.testing.assert_close(after[:, :3], before[:, :3])
    assert (after[:, 3] - before[:, 3]).abs().max() > 1e-4


@pytest.mark.parametrize("name", DECODERS)
@pytest.mark.parametrize("position", [0, 1, 2])
def test_every_source_word_reaches_every_prediction(name, position):
    """Rejects a decoder that ignores the encoder."""
    model = build(name)
    changed = SOURCE.clone()
    changed[0, position] = 11
    before, after = model(SOURCE, TARGET), model(changed, TARGET)
    assert ((after.logits[0] - before.logits[0]).abs().amax(dim=-1) > 1e-7).all()
    torch.testing.assert_close(after.logits[1:], before.logits[1:])
    if before.weights is not None:
        assert (after.weights[0] - before.weights[0]).abs().max() > 1e-5


def deep_output(decoder, state, word, context):
    """Appendix A.2.2 for one position: the larger of each pair, then the vocabulary."""
    inner = decoder.output.u_v_c(torch.cat([state, word, context]))
    larger = torch.stack([max(inner[2 * l], inner[2 * l + 1]) for l in range(len(inner) // 2)])  # noqa: E741
    return decoder.output.w_o(larger)


@pytest.mark.parametrize("sees_word", [False, True])
def test_bahdanaus_decoder_equals_a_loop_over_the_papers_equations(sees_word):
    """One sentence, one word, one key at a time (eq. 4–6). Rejects s_i as the query, a shifted y, a wrong s_0."""
    model = build("bahdanau, query sees the word" if sees_word else "bahdanau")
    decoder, h = model.decoder, model.encoder(SOURCE[:1]).states[0]
    half = D_STATE // 2
    s = torch.tanh(decoder.w_s(h[0, half:]))  # ←h_1: the backward state at the first word
    got = model(SOURCE[:1], TARGET[:1])
    for i, token in enumerate(TARGET[0]):
        y = decoder.embed(token)
        query = decoder.score.w_q(torch.cat([s, y]) if sees_word else s)
        e = torch.stack([decoder.score.v @ torch.tanh(query + decoder.score.w_k(h_j)) for h_j in h])
        a = e.exp() / e.exp().sum()
        c = sum(a[j] * h[j] for j in range(len(h)))
        torch.testing.assert_close(got.scores[0, i], e)
        torch.testing.assert_close(got.weights[0, i], a)
        torch.testing.assert_close(got.contexts[0, i], c)
        torch.testing.assert_close(got.logits[0, i], deep_output(decoder, s, y, c))
        s = decoder.cell(torch.cat([y, c])[None], s[None])[0]
        torch.testing.assert_close(got.hidden[0, i], s)


def test_the_fixed_context_is_the_first_state_and_is_fed_at_each_step():
    """Against a loop with a GRU cell. Rejects a context that is fed once only, or none."""
    model = build("fixed")
    decoder, c = model.decoder, model.encoder(SOURCE[:1]).final[0]
    cell = nn.GRUCell(D_EMBEDDING + D_STATE, D_HIDDEN).double()
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    cell.load_state_dict({name: getattr(decoder.rnn, f"{name}_l0") for name in names})
    s, got = torch.tanh(decoder.w_s(c)), model(SOURCE[:1], TARGET[:1])
    for i, token in enumerate(TARGET[0]):
        y = decoder.embed(token)
        torch.testing.assert_close(got.logits[0, i], deep_output(decoder, s, y, c))
        s = cell(torch.cat([y, c])[None], s[None])[0]
        torch.testing.assert_close(got.hidden[0, i], s)
        torch.testing.assert_close(got.contexts[0, i], c)


def test_keys_are_projected_once_a_sentence():
    """Rejects U h_j computed again at every step."""
    model, calls = build("bahdanau"), []
    model.decoder.score.w_k.register_forward_hook(lambda *_: calls.append(1))
    model(SOURCE, TARGET)
    assert len(calls) == 1


@pytest.mark.parametrize("name", DECODERS)
def test_rows_of_a_state_can_be_selected(name):
    """Rows in any order and with repeats go on as if each had been alone."""
    model = build(name)
    state = model.decoder.start(model.encoder(SOURCE))
    rows = torch.tensor([2, 0, 2])
    selected = model.decoder(TARGET[rows], state.select(rows))
    torch.testing.assert_close(selected.logits, model(SOURCE, TARGET).logits[rows])


@pytest.mark.parametrize(("cell", "bidirectional"), ENCODERS)
@pytest.mark.parametrize("name", DECODERS)
def test_every_parameter_is_used(name, cell, bidirectional):
    """Rejects a layer that is built and never called."""
    model = build(name, cell, bidirectional)
    model(SOURCE, TARGET).logits.logsumexp(-1).sum().backward()
    unused = [n for n, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert unused == []


def test_arguments_are_never_modified():
    for name in DECODERS:
        source, target = SOURCE.clone(), TARGET.clone()
        build(name)(source, target)
        assert torch.equal(source, SOURCE)
        assert torch.equal(target, TARGET)


def test_an_odd_size_cannot_be_shared_by_two_directions():
    with pytest.raises(ValueError, match="expected an even number, got 7"):
        Encoder(5, 3, 7)
    assert Encoder(5, 3, 7, bidirectional=False).d_state == 7
    assert isinstance(Encoder(5, 3, 8).rnn, nn.GRU)
