"""Right and wrong answers to the exercises of chapter 1."""

import torch

from .answers import right, wrong

# ── One step of a recurrent network ───────────────────────────────────────────────────────────────────────────────────


@right("step")
def sentence_by_sentence(x, h, W, U, b):
    return torch.stack([torch.tanh(W @ x_b + U @ h_b + b) for x_b, h_b in zip(x, h, strict=True)])


@right("step")
def in_double_precision_with_einsum(x, h, W, U, b):
    from_word = torch.einsum("bd,sd->bs", x.double(), W.double())
    return torch.tanh(from_word + torch.einsum("br,sr->bs", h.double(), U.double()) + b)


@right("step")
def one_matrix_for_both(x, h, W, U, b):
    return torch.tanh(torch.nn.functional.linear(torch.cat([x, h], dim=1), torch.cat([W, U], dim=1), b))


@wrong("step", "is there a return")
def says_nothing(x, h, W, U, b):
    sentence_by_sentence(x, h, W, U, b)


@wrong("step", "the tanh is missing")
def no_tanh(x, h, W, U, b):
    return x @ W.T + h @ U.T + b


@wrong("step", "the sigmoid from 0 to 1")
def sigmoid(x, h, W, U, b):
    return torch.sigmoid(x @ W.T + h @ U.T + b)


@wrong("step", "tanh(b) remains")
def no_bias(x, h, W, U, b):
    return torch.tanh(x @ W.T + h @ U.T)


@wrong("step", "W and U have changed places")
def matrices_exchanged(x, h, W, U, b):
    return torch.tanh(x @ U.T + h @ W.T + b)


@wrong("step", "x @ W.T")
def words_not_turned(x, h, W, U, b):
    return torch.tanh(x @ W + h @ U.T + b)


@wrong("step", "the old state makes no difference")
def no_memory(x, h, W, U, b):
    return torch.tanh(x @ W.T + b)


@wrong("step", "h @ U.T")
def states_not_turned(x, h, W, U, b):
    return torch.tanh(x @ W.T + h @ U + b)


@wrong("step", "a state has 2 numbers")
def states_as_long_as_words(x, h, W, U, b):
    new = torch.zeros_like(x)
    for i in range(len(W)):
        new[:, i] = torch.tanh(x @ W[i] + h @ U[i] + b[i])
    return new


# ── A padded batch ────────────────────────────────────────────────────────────────────────────────────────────────────


def states(x, h, step):
    """The states after each place, (batch, place, state): padding or not."""
    found = []
    for x_j in x.unbind(dim=1):
        h = step(x_j, h)
        found.append(h)
    return torch.stack(found, dim=1)


@right("read")
def each_sentence_alone(x, lengths, h, step):
    return torch.stack([states(x[b : b + 1, :n], h[b : b + 1], step)[0, -1] for b, n in enumerate(lengths)])


@right("read")
def picks_the_last_word(x, lengths, h, step):
    return states(x, h, step)[torch.arange(len(x)), lengths - 1].double()


@right("read")
def only_those_that_go_on(x, lengths, h, step):
    h = h.clone()
    for j in range(int(lengths.max())):
        going_on = lengths > j
        h[going_on] = step(x[going_on, j], h[going_on])
    return h


@wrong("read", "expected a tensor with a state for each sentence")
def all_states(x, lengths, h, step):
    return states(x, h, step)


@wrong("read", "changed the states you were given")
def writes_into_the_states(x, lengths, h, step):
    for j in range(x.shape[1]):
        h[lengths > j] = step(x[lengths > j, j], h[lengths > j])
    return h


@wrong("read", "is the condition the wrong way round")
def condition_inverted(x, lengths, h, step):
    for j in range(x.shape[1]):
        h = torch.where((j >= lengths)[:, None], step(x[:, j], h), h)
    return h


@wrong("read", "take x[:, j]")
def goes_over_the_sentences(x, lengths, h, step):
    for j, x_j in enumerate(x[: len(h)]):
        h = torch.where((j < lengths)[:, None], step(x_j[: len(h)], h), h)
    return h


@wrong("read", "not erase it")
def erased_by_padding(x, lengths, h, step):
    for j in range(x.shape[1]):
        h = step(x[:, j], h) * (j < lengths)[:, None]
    return h


@wrong("read", "the state at the last place")
def last_place(x, lengths, h, step):
    return states(x, h, step)[:, -1]


@wrong("read", "where j < lengths")
def one_too_many(x, lengths, h, step):
    return states(x, h, step)[torch.arange(len(x)), lengths.clamp(max=x.shape[1] - 1)]


@wrong("read", "to read zeros is a step")
def padding_set_to_zero(x, lengths, h, step):
    real = torch.arange(x.shape[1]) < lengths[:, None]
    return states(x * real[:, :, None], h, step)[:, -1]


@wrong("read", "the last one")
def one_too_few(x, lengths, h, step):
    for j in range(x.shape[1]):
        h = torch.where((j < lengths - 1)[:, None], step(x[:, j], h), h)
    return h


@wrong("read", "some word is not")
def as_far_as_the_shortest(x, lengths, h, step):
    return states(x[:, : lengths.min()], h, step)[:, -1]


# ── Exact match by length ─────────────────────────────────────────────────────────────────────────────────────────────


def mean(hits):
    """The share of hits; an empty band has none."""
    hits = list(hits)
    return sum(hits) / len(hits) if hits else 0.0


@right("match")
def with_counters(translations, bands):
    shares = []
    for low, high in bands:
        inside = exact = 0
        for n, written, right_words in translations:
            inside += n in range(low, high + 1)
            exact += n in range(low, high + 1) and " ".join(written) == " ".join(right_words)
        shares.append(exact / inside)
    return shares


@right("match")
def with_tensors(translations, bands):
    lengths = torch.tensor([n for n, _, _ in translations])
    exact = torch.tensor([written == right_words for _, written, right_words in translations]).double()
    return torch.stack([exact[(lengths >= low) & (lengths <= high)].mean() for low, high in bands])


@wrong("match", "is there a return")
def nothing(translations, bands):
    with_counters(translations, bands)


@wrong("match", "expected 2 shares, one for each band")
def one_share_for_all(translations, bands):
    low, high = bands[0]
    return [mean(written == right_words for n, written, right_words in translations if low <= n <= high)]


@wrong("match", "divided by how many there are")
def counts(translations, bands):
    return [sum(w == r for n, w, r in translations if low <= n <= high) for low, high in bands]


@wrong("match", "do not count words")
def words_counted(translations, bands):
    def share(written, right_words):
        return sum(a == b for a, b in zip(written, right_words, strict=False)) / len(right_words)

    return [mean(share(w, r) for n, w, r in translations if low <= n <= high) for low, high in bands]


@wrong("match", "zip() goes as far as the shorter one")
def beginnings_compared(translations, bands):
    def same(written, right_words):
        return all(a == b for a, b in zip(written, right_words, strict=False))

    return [mean(same(w, r) for n, w, r in translations if low <= n <= high) for low, high in bands]


@wrong("match", "in another order")
def sets_compared(translations, bands):
    return [mean(set(w) == set(r) for n, w, r in translations if low <= n <= high) for low, high in bands]


@wrong("match", "both ends belong to the band")
def upper_end_left_out(translations, bands):
    return [mean(w == r for n, w, r in translations if n in range(low, high)) for low, high in bands]


@wrong("match", "not by all")
def divided_by_all(translations, bands):
    return [sum(w == r for n, w, r in translations if a <= n <= b) / len(translations) for a, b in bands]


@wrong("match", "n, the length of the source")
def length_of_the_translation(translations, bands):
    return [mean(w == r for _, w, r in translations if low <= len(r) <= high) for low, high in bands]
