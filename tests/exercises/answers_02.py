"""Right and wrong answers to the exercises of chapter 2."""

import math

import torch

from course_lib.attention import attention
from course_lib.attention.scores import additive as additive_score

from .answers import right, wrong

INFINITY = float("inf")

# ── The additive score ────────────────────────────────────────────────────────────────────────────────────────────────


def additive(s, h, W, U, v):
    """The right answer; some wrong answers below change it."""
    return torch.tanh((s @ W.T)[:, None] + (h @ U.T)[None]) @ v


@right("additive")
def two_loops(s, h, W, U, v):
    scores = torch.zeros(len(s), len(h))
    for i, s_i in enumerate(s):
        for j, h_j in enumerate(h):
            scores[i, j] = torch.dot(v, torch.tanh(W @ s_i + U @ h_j))
    return scores


@right("additive")
def in_double_precision_with_einsum(s, h, W, U, v):
    s, h, W, U, v = (tensor.double() for tensor in (s, h, W, U, v))
    pairs = torch.einsum("id,ed->ie", s, W)[:, None] + torch.einsum("jd,ed->je", h, U)
    return torch.einsum("ije,e->ij", pairs.tanh(), v)


@right("additive")
def one_query_after_the_other(s, h, W, U, v):
    keys = h @ U.T
    return torch.stack([torch.tanh(W @ s_i + keys) @ v for s_i in s])


@wrong("additive", "gives=first")
def the_first_query_alone(s, h, W, U, v):
    return torch.tanh(W @ s[0] + h @ U.T) @ v


@wrong("additive", "join=product", "curve=none")
def dot_product_of_projections(s, h, W, U, v):
    return (s @ W.T * v) @ (h @ U.T).T


@wrong("additive", says="First difference at query 0, key 2")
def as_many_keys_as_queries(s, h, W, U, v):
    scores = torch.zeros(len(s), len(h))
    scores[:, : len(s)] = additive(s, h[: len(s)], W, U, v)
    return scores


# ── One look, with padding ────────────────────────────────────────────────────────────────────────────────────────────


def weighted_sum(weights, h):
    """The context of each sentence."""
    return torch.einsum("bk,bkd->bd", weights, h)


def with_weights(weights, h):
    """Context and weights."""
    return weighted_sum(weights, h), weights


@right("look")
def a_large_negative_number(e, h, mask):
    return with_weights(torch.where(mask, e, -1e9).softmax(dim=-1), h)


@wrong("look", "allowed=normalised_again")
def masked_and_normalised_again(e, h, mask):
    positive = e.softmax(dim=1) * mask
    weights = positive / positive.sum(dim=1, keepdim=True)
    return (weights[:, None] @ h)[:, 0], weights


@right("look")
def in_single_precision_from_the_largest_word_down(e, h, mask):
    """As in the formula: the mask in the numerator and in the sum."""
    e, h = e.float().masked_fill(~mask, -1e9), h.float()
    positive = torch.exp(e - e.max(dim=1, keepdim=True).values) * mask
    weights = positive / positive.sum(dim=1, keepdim=True)
    return (weights[:, None] @ h)[:, 0], weights


@right("look")
def sentence_by_sentence(e, h, mask):
    weights = torch.zeros_like(e)
    for b in range(len(e)):
        weights[b, mask[b]] = e[b, mask[b]].softmax(dim=0)
    return torch.stack([a @ h_b for a, h_b in zip(weights, h, strict=True)]), weights


@wrong("look", "allowed=at_the_end")
def padding_at_the_end(e, h, mask):
    lengths = mask.sum(dim=1, keepdim=True)
    return with_weights(e.masked_fill(torch.arange(e.shape[1]) >= lengths, -INFINITY).softmax(dim=1), h)


@wrong("look", "hidden=shallow")
def a_hundred_is_not_enough(e, h, mask):
    return with_weights(e.masked_fill(~mask, -100.0).softmax(dim=1), h)


@wrong("look", says="The context: expected the shape (3, 5), got (3, 1, 5).")
def an_axis_left(e, h, mask):
    weights = a_large_negative_number(e, h, mask)[1]
    return weights[:, None] @ h, weights


# ── Find the bug: the shifted alignment ───────────────────────────────────────────────────────────────────────────────


def accuracy(words, gold):
    """The fraction of rows whose largest weight is on a gold link."""
    return gold[torch.arange(len(gold)), words.argmax(dim=1)].double().mean()


@right("bug")
def without_the_last_step(weights, gold):
    return accuracy(weights[:-1, :-1], gold)


@right("bug")
def word_by_word(weights, gold):
    n, m = gold.shape
    hits = [bool(gold[i, max(range(m), key=weights[i].tolist().__getitem__)]) for i in range(n)]
    return sum(hits) / n


@right("bug")
def any_link_at_the_chosen_place(weights, gold):
    chosen = torch.nn.functional.one_hot(weights[: len(gold), : gold.shape[1]].argmax(dim=1), gold.shape[1])
    return (chosen.bool() & gold).any(dim=1).float().mean()


@wrong("bug", says="Your function stopped with IndexError")
def a_loop_over_all_steps(weights, gold):
    return sum(bool(gold[i, row.argmax()]) for i, row in enumerate(weights[:, :-1])) / len(gold)


@wrong("bug", "by=links")
def divided_by_the_links(weights, gold):
    return sum(bool(gold[i, row.argmax()]) for i, row in enumerate(weights[:-1, :-1])) / gold.sum()


@wrong("bug", "rows=later")
def with_the_given_bug(weights, gold):
    return accuracy(weights[1:, :-1], gold)


@wrong("bug", "by=none", "rows=later")
def counts_hits_of_the_given_bug(weights, gold):
    return sum(bool(gold[i, row.argmax()]) for i, row in enumerate(weights[1:, :-1]))


# ── One tick of the decoder ───────────────────────────────────────────────────────────────────────────────────────────


def scores_of(s, h, W, U, v):
    """The right scores; some wrong answers below change what follows."""
    return torch.tanh((s @ W.T).unsqueeze(1) + h @ U.T) @ v


def decoder_step(s, y, h, W, U, v, f):
    """The right answer."""
    a = scores_of(s, h, W, U, v).softmax(dim=1)
    c = weighted_sum(a, h)
    return c, a, f(s, y, c)


@right("tick")
def sentence_after_sentence(s, y, h, W, U, v, f):
    c, a = torch.zeros(len(h), h.shape[2]), torch.zeros(h.shape[:2])
    for b in range(len(s)):
        e = torch.stack([v @ torch.tanh(W @ s[b] + U @ h_j) for h_j in h[b]])
        a[b] = e.exp() / e.exp().sum()
        for a_j, h_j in zip(a[b], h[b], strict=True):
            c[b] += a_j * h_j
    return [c, a, f(s, y, c)]


@right("tick")
def in_single_precision_with_einsum_throughout(s, y, h, W, U, v, f):
    s, y, h, W, U, v = (t.float() for t in (s, y, h, W, U, v))
    both = torch.einsum("bi,di->bd", s, W)[:, None] + torch.einsum("bki,di->bkd", h, U)
    a = torch.einsum("bkd,d->bk", both.tanh(), v).softmax(-1)
    c = torch.einsum("bk,bki->bi", a, h)
    return c, a, f(s, y, c)


@right("tick")
def with_the_kernel_of_the_course(s, y, h, W, U, v, f):
    out = attention((s @ W.T)[:, None], h @ U.T, h, score=lambda q, k: additive_score(q, k, v))
    return out.context[:, 0], out.weights[:, 0], f(s, y, out.context[:, 0])


@wrong("tick", "average=projected")
def averages_the_keys(s, y, h, W, U, v, f):
    keys = h @ U.T
    a = (torch.tanh((s @ W.T)[:, None] + keys) @ v).softmax(dim=1)
    c = (a[:, :, None] * keys).sum(dim=1)
    return c, a, f(s, y, c)


@wrong("tick", "average=projected", "reads=y s c")
def keys_averaged_and_word_first(s, y, h, W, U, v, f):
    c, a, _ = averages_the_keys(s, y, h, W, U, v, lambda *_: None)
    return c, a, f(y, s, c)


@wrong("tick", says="The new state: ")
def state_updated_twice(s, y, h, W, U, v, f):
    c, a, new = decoder_step(s, y, h, W, U, v, f)
    return c, a, decoder_step(new, y, h, W, U, v, f)[2]


# ── Find the bug: the error rate of a padded batch ────────────────────────────────────────────────────────────────────


def predicted_links(weights, words):
    """One link for each target word."""
    return torch.nn.functional.one_hot(weights.argmax(dim=2), weights.shape[2]).bool() & words[:, :, None]


def error_rate(links, gold):
    """The formula."""
    return 1 - 2 * (links & gold).sum() / (links.sum() + gold.sum())


@right("rate")
def counted_with_a_loop(weights, gold, words):
    both = a = 0
    for b, i in words.nonzero().tolist():
        a += 1
        both += int(gold[b, i, weights[b, i].argmax()])
    return 1 - 2 * both / (a + int(gold.sum()))


@right("rate")
def padding_cut_off(weights, gold, words):
    chosen = weights[words].argmax(dim=1)
    hits = gold[words][torch.arange(len(chosen)), chosen].sum()
    return 1 - 2 * hits / (words.sum() + gold.sum())


@right("rate")
def by_sets_of_links(weights, gold, words):
    links = {(b, i, int(weights[b, i].argmax())) for b, i in words.nonzero().tolist()}
    sure = {tuple(link) for link in gold.nonzero().tolist()}
    return 1 - 2 * len(links & sure) / (len(links) + len(sure))


@wrong("rate", "counted=all")
def padding_counted(weights, gold, words):
    return error_rate(predicted_links(weights, torch.ones_like(words)), gold)


@wrong("rate", "rate=union")
def over_the_union(weights, gold, words):
    links = predicted_links(weights, words)
    return 1 - (links & gold).sum() / (links | gold).sum()


@wrong("rate", "counted=all", "average=sentences")
def mean_over_sentences_with_their_padding(weights, gold, words):
    links = predicted_links(weights, torch.ones_like(words))
    both, sizes = (links & gold).sum(dim=(1, 2)), links.sum(dim=(1, 2)) + gold.sum(dim=(1, 2))
    return (1 - 2 * both / sizes).mean()


# ── Looks foreseen ────────────────────────────────────────────────────────────────────────────────────────────────────


@right("foreseen")
def rounded_by_hand():
    return (0.75, 0.21, 0.29, 11, 3.0, "1/9", "The same")


@right("foreseen")
def by_computing():
    weights = torch.tensor([3.0] + [1.0] * 11) / 14
    return [weights[0] / weights[:2].sum(), weights[0], weights[:2].sum(), 11.0, -math.log2(1 / 8), "1/9", "the same"]
