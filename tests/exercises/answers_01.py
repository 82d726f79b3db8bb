"""Right and wrong answers to the exercises of chapter 1."""

import math
from fractions import Fraction

import torch
from torch.nn.functional import cross_entropy, pad

from .answers import right, wrong

# ── One step of a recurrent network ───────────────────────────────────────────────────────────────────────────────────


@right("step")
def sentence_by_sentence(x, h, W, U, b):
    return torch.stack([torch.tanh(W @ x_b + U @ h_b + b) for x_b, h_b in zip(x, h, strict=True)])


@right("step")
def in_double_precision_with_einsum(x, h, W, U, b):
    x, h, W, U, b = (t.double() for t in (x, h, W, U, b))
    return torch.tanh(torch.einsum("bd,sd->bs", x, W) + torch.einsum("br,sr->bs", h, U) + b)


@right("step")
def one_matrix_for_both(x, h, W, U, b):
    return torch.tanh(torch.nn.functional.linear(torch.cat([x, h], dim=1), torch.cat([W, U], dim=1), b))


@right("step")
def with_pytorchs_cell(x, h, W, U, b):
    cell = torch.nn.RNNCell(x.shape[1], h.shape[1])
    cell.load_state_dict({"weight_ih": W, "weight_hh": U, "bias_ih": b, "bias_hh": 0 * b})
    return cell(x, h)


@wrong("step", "bias=outside")
def bracket_closed_early(x, h, W, U, b):
    return torch.tanh(x @ W.T + h @ U.T) + b


@wrong("step", "turn=columns", "bias=by_sentence")
def the_formula_with_x_turned(x, h, W, U, b):
    return torch.tanh(W @ x.T + U @ h.T + b)


@wrong("step", says="stopped with IndexError")
def states_as_long_as_words(x, h, W, U, b):
    new = torch.zeros_like(x)
    for i in range(len(W)):
        new[:, i] = torch.tanh(x @ W[i] + h @ U[i] + b[i])
    return new


# ── A padded batch ────────────────────────────────────────────────────────────────────────────────────────────────────


def states(x, h, step):
    """The states after each position, padding included: (batch, position, state)."""
    found = []
    for x_j in x.unbind(dim=1):
        h = step(x_j, h)
        found.append(h)
    return torch.stack(found, dim=1)


@right("read")
def each_sentence_alone(x, lengths, h, step):
    return torch.stack([states(x[b : b + 1, :n], h[b : b + 1], step)[0, -1] for b, n in enumerate(lengths)])


@right("read")
def gathers_the_last_state(x, lengths, h, step):
    return states(x, h, step)[torch.arange(len(x)), lengths - 1].double()


@right("read")
def only_unfinished_sentences(x, lengths, h, step):
    h = h.clone()
    for j in range(int(lengths.max())):
        going_on = lengths > j
        h[going_on] = step(x[going_on, j], h[going_on])
    return h


@right("read")
def masks_by_multiplication(x, lengths, h, step):
    for j in range(x.shape[1]):
        real = (j < lengths).float()[:, None]
        h = real * step(x[:, j], h) + (1 - real) * h
    return h


@right("read")
def collects_in_zeros(x, lengths, h, step):
    ends = torch.zeros(h.shape)
    for j in range(x.shape[1]):
        h = step(x[:, j], h)
        ends[lengths == j + 1] = h[lengths == j + 1]
    return ends


@wrong("read", says="changes its argument `h` in place")
def writes_into_the_states(x, lengths, h, step):
    for j in range(x.shape[1]):
        h[lengths > j] = step(x[lengths > j, j], h[lengths > j])
    return h


@wrong("read", "gives=all", "until=last_place")
def every_state_after_padding_too(x, lengths, h, step):
    return states(x, h, step)


@wrong("read", "gives=each_end_of_each")
def all_ends_of_all(x, lengths, h, step):
    return states(x, h, step)[:, lengths - 1]


@wrong("read", "padding=zeros")
def padding_set_to_zero(x, lengths, h, step):
    real = torch.arange(x.shape[1]) < lengths[:, None]
    return states(x * real[:, :, None], h, step)[:, -1]


# ── What can be known beforehand ──────────────────────────────────────────────────────────────────────────────────────


@right("numbers")
def rounded():
    return (12, 1248.0, torch.tensor(4.6), 0.54, 0.3)


@right("numbers")
def as_terms():
    return [2 * 6, 3 * 16 * (8 + 16 + 2), math.log(100), math.exp(20 * math.log(0.97)), (0.97**20) ** 2]


# ── The loss of the next word ─────────────────────────────────────────────────────────────────────────────────────────

PAD, BOS, EOS = 0, 1, 2


def shifted(target):
    """The input of the decoder: <bos>, and all words but the last."""
    return torch.cat([torch.full((len(target), 1), BOS), target[:, :-1]], dim=1)


def losses(predict, read, written):
    """−log p of each target word, padding included."""
    return cross_entropy(predict(read).transpose(1, 2), written, reduction="none")


@right("loss")
def with_cross_entropy(predict, target):
    return cross_entropy(predict(shifted(target)).flatten(0, 1), target.flatten(), ignore_index=PAD)


@right("loss")
def sentence_after_sentence(predict, target):
    total, n = 0.0, 0
    for row in target:
        words = row[row != PAD]
        log_p = predict(torch.tensor([[BOS, *words[:-1].tolist()]]))[0].log_softmax(dim=-1)
        for i, word in enumerate(words):
            total, n = total - log_p[i, word], n + 1
    return total / n


@right("loss")
def reads_the_end_too_and_drops_it(predict, target):
    logits = predict(pad(target, (1, 0), value=BOS))[:, :-1].float()
    return cross_entropy(logits.transpose(1, 2), target, ignore_index=PAD)


@wrong("loss", "reads=no_bos")
def as_a_language_model_does(predict, target):
    read, written = target[:, :-1], target[:, 1:]
    return cross_entropy(predict(read).transpose(1, 2), written, ignore_index=PAD)


@wrong("loss", "reads=same", "counted=padding")
def the_bug_and_padding(predict, target):
    return cross_entropy(predict(target).flatten(0, 1), target.flatten())


@wrong("loss", says="it carries no gradient")
def a_detached_loss(predict, target):
    return with_cross_entropy(predict, target).detach()


@wrong("loss", says="(9,)")
def a_loss_for_each_right_word(predict, target):
    return losses(predict, shifted(target), target)[target != PAD]


# ── Word by word ──────────────────────────────────────────────────────────────────────────────────────────────────────


@right("write")
def one_step_at_a_time_by_recursion(step, state, longest, word=BOS):
    if longest == 0:
        return []
    scores, state = step(word, state)
    word = scores.argmax().item()
    return [] if word == EOS else [word, *one_step_at_a_time_by_recursion(step, state, longest - 1, word)]


@right("write")
def all_words_and_then_cut(step, state, longest):
    words = [BOS]
    for _ in range(longest):
        scores, state = step(torch.tensor(words[-1]), state)
        words.append(int(scores.topk(1).indices))
    words = words[1:]
    return tuple(words[: words.index(EOS)] if EOS in words else words)


def until_the_end(step, state, longest, words):
    """Append words up to and including <eos>."""
    while words[-1] != EOS and len(words) <= longest:
        scores, state = step(words[-1], state)
        words.append(int(scores.argmax()))
    return words


@wrong("write", says="two different results")
def sampled(step, state, longest):
    written, word = [], BOS
    while len(written) < longest:
        scores, state = step(word, state)
        word = int(torch.multinomial(scores.softmax(dim=0), 1))
        if word == EOS:
            break
        written.append(word)
    return written


@wrong("write", "bos=kept", "eos=kept")
def keeps_both(step, state, longest):
    return until_the_end(step, state, longest, [BOS])


@wrong("write", "limit=one_fewer")
def counts_the_beginning(step, state, longest):
    written = [BOS]
    while len(written) < longest:
        scores, state = step(written[-1], state)
        if scores.argmax() == EOS:
            break
        written.append(int(scores.argmax()))
    return written[1:]


# ── Exact match by length ─────────────────────────────────────────────────────────────────────────────────────────────


def mean(hits):
    """The fraction of hits; 0 in an empty band."""
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


@right("match")
def with_fractions(translations, bands):
    exact = [[w == r for n, w, r in translations if low <= n <= high] for low, high in bands]
    return [Fraction(sum(hits), len(hits)) for hits in exact]


@wrong("match", says="is there a `return`")
def nothing(translations, bands):
    with_counters(translations, bands)


@wrong("match", "compared=beginnings", "ends=no_upper")
def beginnings_up_to_the_upper_end(translations, bands):
    def same(written, right_words):
        return all(a == b for a, b in zip(written, right_words, strict=False))

    return [mean(same(w, r) for n, w, r in translations if n in range(*band)) for band in bands]


@wrong("match", "fraction=running")
def counters_never_begin_again(translations, bands):
    shares, exact, inside = [], 0, 0
    for low, high in bands:
        for n, written, right_words in translations:
            if low <= n <= high:
                inside += 1
                exact += written == right_words
        shares.append(exact / inside)
    return shares
