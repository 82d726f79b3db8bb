"""Right and wrong answers to the exercises of chapter 1."""

import math

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


@wrong("step", says="is there a `return`")
def says_nothing(x, h, W, U, b):
    sentence_by_sentence(x, h, W, U, b)


@wrong("step", "curve=none")
def no_tanh(x, h, W, U, b):
    return x @ W.T + h @ U.T + b


@wrong("step", "curve=sigmoid")
def sigmoid(x, h, W, U, b):
    return torch.sigmoid(x @ W.T + h @ U.T + b)


@wrong("step", "curve=relu")
def rectified(x, h, W, U, b):
    return (x @ W.T + h @ U.T + b).clamp(min=0)


@wrong("step", "bias=none")
def no_bias(x, h, W, U, b):
    return torch.tanh(x @ W.T + h @ U.T)


@wrong("step", "bias=outside")
def bracket_closed_early(x, h, W, U, b):
    return torch.tanh(x @ W.T + h @ U.T) + b


@wrong("step", "bias=by_sentence")
def columns_and_a_bias_that_lies(x, h, W, U, b):
    return torch.tanh(W @ x.T + U @ h.T + b).T


@wrong("step", "turn=columns")
def sentences_in_columns(x, h, W, U, b):
    return torch.tanh(W @ x.T + U @ h.T + b[:, None])


@wrong("step", "turn=columns", "bias=by_sentence")
def the_formula_with_x_turned(x, h, W, U, b):
    return torch.tanh(W @ x.T + U @ h.T + b)


@wrong("step", "matrices=exchanged")
def matrices_exchanged(x, h, W, U, b):
    return torch.tanh(x @ U.T + h @ W.T + b)


@wrong("step", "word=as_it_is")
def words_not_turned(x, h, W, U, b):
    return torch.tanh(x @ W + h @ U.T + b)


@wrong("step", "state=as_it_is")
def states_not_turned(x, h, W, U, b):
    return torch.tanh(x @ W.T + h @ U + b)


@wrong("step", "word=as_it_is", "state=as_it_is")
def nothing_turned(x, h, W, U, b):
    return torch.tanh(x @ W + h @ U + b)


@wrong("step", "state=forgotten")
def no_memory(x, h, W, U, b):
    return torch.tanh(x @ W.T + b)


@wrong("step", "word=on_the_right", "state=on_the_right")
def the_formula_as_it_stands(x, h, W, U, b):
    return torch.tanh(W @ x + U @ h + b)


@wrong("step", "word=on_the_right")
def only_the_word_on_the_right(x, h, W, U, b):
    return torch.tanh(W @ x + h @ U.T + b)


@wrong("step", "state=on_the_right")
def only_the_state_on_the_right(x, h, W, U, b):
    return torch.tanh(x @ W.T + torch.matmul(U, h) + b)


@wrong("step", says="stopped with IndexError")
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


@wrong("read", "gives=all")
def every_state(x, lengths, h, step):
    kept = []
    for j in range(x.shape[1]):
        h = torch.where((j < lengths)[:, None], step(x[:, j], h), h)
        kept.append(h)
    return torch.stack(kept, dim=1)


@wrong("read", "gives=all", "until=last_place")
def every_state_after_padding_too(x, lengths, h, step):
    return states(x, h, step)


@wrong("read", "until=outside")
def condition_inverted(x, lengths, h, step):
    for j in range(x.shape[1]):
        h = torch.where((j < lengths)[:, None], h, step(x[:, j], h))
    return h


@wrong("read", "along=sentences")
def goes_over_the_sentences(x, lengths, h, step):
    for j, x_j in enumerate(x):
        h = torch.where((j < lengths)[:, None], step(x_j, h), h)
    return h


@wrong("read", "padding=erase")
def erased_by_padding(x, lengths, h, step):
    for j in range(x.shape[1]):
        h = step(x[:, j], h) * (j < lengths)[:, None]
    return h


@wrong("read", "until=last_place")
def last_place(x, lengths, h, step):
    return states(x, h, step)[:, -1]


@wrong("read", "until=longest")
def as_far_as_the_longest(x, lengths, h, step):
    for j in range(max(lengths)):
        h = step(x[:, j], h)
    return h


@wrong("read", "until=shortest")
def as_far_as_the_shortest(x, lengths, h, step):
    return states(x[:, : lengths.min()], h, step)[:, -1]


@wrong("read", "until=first")
def as_far_as_the_first(x, lengths, h, step):
    for j in range(lengths[0]):
        h = step(x[:, j], h)
    return h


@wrong("read", "gives=each_end_of_each")
def all_ends_of_all(x, lengths, h, step):
    return states(x, h, step)[:, lengths - 1]


@wrong("read", "until=one_more")
def one_too_many(x, lengths, h, step):
    return states(x, h, step)[torch.arange(len(x)), lengths.clamp(max=x.shape[1] - 1)]


@wrong("read", "until=one_fewer")
def one_too_few(x, lengths, h, step):
    for j in range(x.shape[1]):
        h = torch.where((j + 1 < lengths)[:, None], step(x[:, j], h), h)
    return h


@wrong("read", "padding=zeros")
def padding_set_to_zero(x, lengths, h, step):
    real = torch.arange(x.shape[1]) < lengths[:, None]
    return states(x * real[:, :, None], h, step)[:, -1]


@wrong("read", "begin=zeros")
def begins_with_zeros(x, lengths, h, step):
    return picks_the_last_word(x, lengths, torch.zeros(h.shape), step)


@wrong("read", "carry=nothing")
def forgets_each_word(x, lengths, h, step):
    return torch.stack([step(x[[b], n - 1], h[[b]])[0] for b, n in enumerate(lengths)])


@wrong("read", says="The size of tensor a (3) must match the size of tensor b (5)")
def condition_without_a_column(x, lengths, h, step):
    for j in range(x.shape[1]):
        h = torch.where(j < lengths, step(x[:, j], h), h)
    return h


# ── What can be known beforehand ──────────────────────────────────────────────────────────────────────────────────────


@right("numbers")
def rounded():
    return (16, 1248.0, torch.tensor(4.6), 0.36, 0.13)


@right("numbers")
def as_terms():
    return [2 * 8, 3 * 16 * (8 + 16 + 2), math.log(100), math.exp(20 * math.log(0.95)), (0.95**20) ** 2]


@wrong(
    "numbers", "a state for each word", "a plain network", "the probability", "errors add up", "errors add up to two"
)
def everything_adds_up():
    return [30 * 16, 16 * 8 + 16 * 16 + 16 + 16, 1 / 100, 1 - 20 * 0.05, 1 - 40 * 0.05]


@wrong("numbers", "the words themselves", "two gates only", "the share of wrong words", "exact match is token accuracy")
def one_word_stands_for_all():
    return [30 * 8, 2 * (16 * 8 + 16 * 16 + 16 + 16), 0.99, 0.95, 0.13]


@wrong(
    "numbers", "each direction whole", "four of each", "the number of words", "the rest", "twice as long, half as good"
)
def twice_as_much_is_half_as_good():
    return [2 * 16, 4 * (16 * 8 + 16 * 16 + 16 + 16), 100, 0.64, 0.18]


@wrong("numbers", "no biases", "length does not matter")
def the_formula_to_the_letter():
    return [16, 3 * (16 * 8 + 16 * 16), 4.6, 0.36, 0.36]


@wrong("numbers", "to base ten", "in per cent")
def other_units():
    return [16, 1248, math.log10(100), 35.85, 0.13]


@wrong("numbers", "no U", "without the minus")
def words_only():
    return [16, 3 * (16 * 8 + 16 + 16), math.log(1 / 100), 0.36, 0.13]


@wrong("numbers", "no W")
def states_only():
    return [16, 3 * (16 * 16 + 16 + 16), 4.6, 0.36, 0.13]


@wrong("numbers", "one direction", "one bias", "in bits", "errors add up", "length does not matter")
def all_five_wrong():
    return [8, 1200, math.log2(100), 0, 0.36]


@wrong("numbers", says="Prediction 2 (the parameters): it does not hold. Which steps lead you to 1000?")
def a_round_number():
    return [16, 1000, 4.6, 0.36, 0.13]


@wrong("numbers", says="Expected a list of 5 predictions, got a list of 4")
def one_left_out():
    return [16, 1248, 4.6, 0.36]


# ── The loss of the next word ─────────────────────────────────────────────────────────────────────────────────────────

PAD, BOS, EOS = 0, 1, 2


def begun(target):
    """What the decoder must read: <bos>, and all words but the last."""
    return torch.cat([torch.full((len(target), 1), BOS), target[:, :-1]], dim=1)


def surprises(predict, read, written):
    """−log p of each word that must be written, padding included."""
    return cross_entropy(predict(read).transpose(1, 2), written, reduction="none")


@right("loss")
def with_cross_entropy(predict, target):
    return cross_entropy(predict(begun(target)).flatten(0, 1), target.flatten(), ignore_index=PAD)


@right("loss")
def sentence_after_sentence(predict, target):
    total, n = 0.0, 0
    for row in target:
        words = row[row != PAD]
        log_p = predict(torch.tensor([[BOS, *words[:-1].tolist()]]))[0].log_softmax(dim=-1)
        for i, word in enumerate(words):
            total, n = total - log_p[i, word].item(), n + 1
    return total / n


@right("loss")
def reads_the_end_too_and_drops_it(predict, target):
    logits = predict(pad(target, (1, 0), value=BOS))[:, :-1].float()
    return cross_entropy(logits.transpose(1, 2), target, ignore_index=PAD)


@wrong("loss", "reads=same")
def the_bug_left_in(predict, target):
    return cross_entropy(predict(target).transpose(1, 2), target, ignore_index=PAD)


@wrong("loss", "reads=same_with_bos")
def begins_both_with_bos(predict, target):
    both = pad(target, (1, 0), value=BOS)
    return cross_entropy(predict(both).transpose(1, 2), both, ignore_index=PAD)


@wrong("loss", "reads=both_moved")
def moves_both(predict, target):
    return cross_entropy(predict(begun(target)).transpose(1, 2), begun(target), ignore_index=PAD)


@wrong("loss", "reads=next")
def shifted_the_wrong_way(predict, target):
    return cross_entropy(predict(target[:, 1:]).transpose(1, 2), target[:, :-1], ignore_index=PAD)


@wrong("loss", "reads=no_bos")
def as_a_language_model_does(predict, target):
    read, written = target[:, :-1], target[:, 1:]
    return cross_entropy(predict(read).transpose(1, 2), written, ignore_index=PAD)


@wrong("loss", "reads=pad_first")
def padded_in_front(predict, target):
    return cross_entropy(predict(pad(target[:, :-1], (1, 0))).transpose(1, 2), target, ignore_index=PAD)


@wrong("loss", "reads=rolled")
def rolled(predict, target):
    return surprises(predict, torch.roll(target, 1, 1), target)[target != PAD].mean()


@wrong("loss", "counted=padding")
def padding_counts(predict, target):
    return cross_entropy(predict(begun(target)).flatten(0, 1), target.flatten())


@wrong("loss", "reads=same", "counted=padding")
def the_bug_and_padding(predict, target):
    return cross_entropy(predict(target).flatten(0, 1), target.flatten())


@wrong("loss", "counted=no_end")
def the_end_does_not_count(predict, target):
    return surprises(predict, begun(target), target)[target > EOS].mean()


@wrong("loss", "counted=read")
def mask_of_what_is_read(predict, target):
    read = begun(target)
    return surprises(predict, read, target)[read != PAD].mean()


@wrong("loss", "average=places")
def mask_and_mean(predict, target):
    return (surprises(predict, begun(target), target) * (target != PAD)).mean()


@wrong("loss", "average=sentences")
def mean_of_each_sentence(predict, target):
    rows = zip(surprises(predict, begun(target), target), target, strict=True)
    return sum(row[words != PAD].mean() for row, words in rows) / len(target)


@wrong("loss", "average=none")
def summed_up(predict, target):
    return cross_entropy(predict(begun(target)).transpose(1, 2), target, ignore_index=PAD, reduction="sum")


@wrong("loss", "surprise=negative")
def without_the_minus(predict, target):
    log_p = predict(begun(target)).log_softmax(dim=-1)
    return log_p.gather(2, target.unsqueeze(2)).squeeze(2)[target != PAD].mean()


@wrong("loss", "surprise=of_softmax")
def probabilities_for_cross_entropy(predict, target):
    p = torch.softmax(predict(begun(target)), dim=-1)
    return cross_entropy(p.transpose(1, 2), target, ignore_index=PAD)


@wrong("loss", "surprise=over_places")
def softmax_along_the_sentence(predict, target):
    log_p = torch.log_softmax(predict(begun(target)), 1)
    return -log_p.gather(2, target.unsqueeze(2)).squeeze(2)[target != PAD].mean()


@wrong("loss", "surprise=of_logits")
def no_softmax(predict, target):
    logits = predict(begun(target))
    picked = [logits[b, i, word] for b, row in enumerate(target) for i, word in enumerate(row) if word != PAD]
    return -sum(picked) / len(picked)


@wrong("loss", "surprise=p")
def without_a_logarithm(predict, target):
    p = predict(begun(target)).softmax(dim=-1)
    return -p.gather(2, target.unsqueeze(2)).squeeze(2)[target != PAD].mean()


@wrong("loss", "average=each")
def a_loss_for_each_place(predict, target):
    return cross_entropy(predict(begun(target)).transpose(1, 2), target, ignore_index=PAD, reduction="none")


@wrong("loss", "average=each", "counted=padding")
def a_loss_for_padding_too(predict, target):
    return surprises(predict, begun(target), target)


@wrong("loss", says="(9,)")
def a_loss_for_each_right_word(predict, target):
    return surprises(predict, begun(target), target)[target != PAD]


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
    """Goes on writing behind these words, until <eos>; it stays among them."""
    while words[-1] != EOS and len(words) <= longest:
        scores, state = step(words[-1], state)
        words.append(int(scores.argmax()))
    return words


@wrong("write", "reads=bos")
def reads_the_beginning_again_and_again(step, state, longest):
    written = []
    for _ in range(longest):
        scores, state = step(BOS, state)
        if scores.argmax() == EOS:
            break
        written.append(int(scores.argmax()))
    return written


@wrong("write", "carry=nothing")
def drops_the_new_state(step, state, longest):
    word, written = BOS, []
    for _ in range(longest):
        scores, _ = step(word, state)
        word = int(scores.argmax())
        if word == EOS:
            break
        written.append(word)
    return written


@wrong("write", "first=pad")
def begins_with_zero(step, state, longest):
    return [word for word in until_the_end(step, state, longest, [PAD])[1:] if word != EOS]


@wrong("write", "first=eos")
def begins_with_the_end(step, state, longest):
    word, written = EOS, []
    for _ in range(longest):
        scores, state = step(word, state)
        word = int(scores.argmax())
        if word == EOS:
            return written
        written.append(word)
    return written


@wrong("write", "eos=goes_on")
def always_as_long_as_allowed(step, state, longest):
    word, written = BOS, []
    for _ in range(longest):
        scores, state = step(word, state)
        word = int(scores.argmax())
        written.append(word)
    return written


@wrong("write", "eos=kept")
def notes_the_end(step, state, longest):
    return until_the_end(step, state, longest, [BOS])[1:]


@wrong("write", "bos=kept")
def keeps_the_beginning(step, state, longest):
    return [word for word in until_the_end(step, state, longest, [BOS]) if word != EOS]


@wrong("write", "bos=kept", "eos=kept")
def keeps_both(step, state, longest):
    return until_the_end(step, state, longest, [BOS])


@wrong("write", "limit=one_more")
def one_word_too_many(step, state, longest):
    word, written = BOS, []
    while len(written) <= longest:
        scores, state = step(word, state)
        word = int(scores.argmax())
        if word == EOS:
            break
        written.append(word)
    return written


@wrong("write", "limit=one_fewer")
def counts_the_beginning(step, state, longest):
    written = [BOS]
    while len(written) < longest:
        scores, state = step(written[-1], state)
        if scores.argmax() == EOS:
            break
        written.append(int(scores.argmax()))
    return written[1:]


@wrong("write", "eos=alone")
def until_the_end_only(step, state, longest):
    word, written = BOS, []
    while True:
        scores, state = step(word, state)
        word = int(scores.argmax())
        if word == EOS:
            return written
        written.append(word)


@wrong("write", "limit=first")
def returns_inside_the_loop(step, state, longest):
    word, written = BOS, []
    while len(written) < longest:
        scores, state = step(word, state)
        word = int(scores.argmax())
        if word == EOS:
            break
        written.append(word)
        return written
    return None  # as Python does where no `return` is reached


@wrong("write", "pick=worst")
def the_least_score(step, state, longest):
    word, written = BOS, []
    while len(written) < longest:
        scores, state = step(word, state)
        word = int(scores.sort().indices[0])
        if word == EOS:
            break
        written.append(word)
    return written


@wrong("write", "pick=score")
def the_largest_score_itself(step, state, longest):
    word, written = BOS, []
    while len(written) < longest:
        scores, state = step(word, state)
        word = scores.max()
        if word == EOS:
            break
        written.append(word)
    return written


@wrong("write", says="Your function stopped with IndexError in line")
def nothing_to_begin_with(step, state, longest):
    written = []
    while len(written) < longest:
        scores, state = step(written[-1], state)
        written.append(int(scores.argmax()))
    return written


@wrong("write", says="is there a `return`")
def prints(step, state, longest):
    print(all_words_and_then_cut(step, state, longest))


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


@wrong("match", says="is there a `return`")
def nothing(translations, bands):
    with_counters(translations, bands)


@wrong("match", "bands_told=first")
def one_share_for_all(translations, bands):
    low, high = bands[0]
    return [mean(written == right_words for n, written, right_words in translations if low <= n <= high)]


@wrong("match", "share=count")
def counts(translations, bands):
    return [sum(w == r for n, w, r in translations if low <= n <= high) for low, high in bands]


@wrong("match", "compared=words")
def words_counted(translations, bands):
    def share(written, right_words):
        return sum(a == b for a, b in zip(written, right_words, strict=False)) / len(right_words)

    return [mean(share(w, r) for n, w, r in translations if low <= n <= high) for low, high in bands]


@wrong("match", "compared=beginnings")
def beginnings_compared(translations, bands):
    def same(written, right_words):
        return all(a == b for a, b in zip(written, right_words, strict=False))

    return [mean(same(w, r) for n, w, r in translations if low <= n <= high) for low, high in bands]


@wrong("match", "compared=sets")
def sets_compared(translations, bands):
    return [mean(set(w) == set(r) for n, w, r in translations if low <= n <= high) for low, high in bands]


@wrong("match", "ends=no_upper")
def upper_end_left_out(translations, bands):
    return [mean(w == r for n, w, r in translations if n in range(low, high)) for low, high in bands]


@wrong("match", "share=of_all")
def divided_by_all(translations, bands):
    return [sum(w == r for n, w, r in translations if a <= n <= b) / len(translations) for a, b in bands]


@wrong("match", "by=target")
def length_of_the_translation(translations, bands):
    return [mean(w == r for _, w, r in translations if low <= len(r) <= high) for low, high in bands]


@wrong("match", "by=written")
def length_of_what_was_written(translations, bands):
    return [mean(w == r for _, w, r in translations if low <= len(w) <= high) for low, high in bands]


@wrong("match", "ends=no_lower")
def lower_end_left_out(translations, bands):
    return [mean(w == r for n, w, r in translations if low < n <= high) for low, high in bands]


@wrong("match", "compared=lengths")
def lengths_compared(translations, bands):
    return [mean(len(w) == len(r) for n, w, r in translations if low <= n <= high) for low, high in bands]


@wrong("match", "share=percent")
def per_cent(translations, bands):
    return [100 * mean(w == r for n, w, r in translations if low <= n <= high) for low, high in bands]


@wrong("match", "compared=sets")
def sorted_and_compared(translations, bands):
    return [mean(sorted(w) == sorted(r) for n, w, r in translations if low <= n <= high) for low, high in bands]


@wrong("match", "compared=beginnings", "ends=no_upper")
def beginnings_up_to_the_upper_end(translations, bands):
    def same(written, right_words):
        return all(a == b for a, b in zip(written, right_words, strict=False))

    return [mean(same(w, r) for n, w, r in translations if n in range(*band)) for band in bands]


@wrong("match", "compared=never")
def a_text_and_a_list(translations, bands):
    return [mean(" ".join(w) == r for n, w, r in translations if low <= n <= high) for low, high in bands]


@wrong("match", "compared=never")
def whole_numbers(translations, bands):
    hits = [[w == r for n, w, r in translations if low <= n <= high] for low, high in bands]
    return [sum(found) // len(found) for found in hits]


@wrong("match", "ends=alone")
def in_a_pair(translations, bands):
    return [mean(w == r for n, w, r in translations if n in band) for band in bands]


@wrong("match", "share=running")
def counters_never_begin_again(translations, bands):
    shares, exact, inside = [], 0, 0
    for low, high in bands:
        for n, written, right_words in translations:
            if low <= n <= high:
                inside += 1
                exact += written == right_words
        shares.append(exact / inside)
    return shares
