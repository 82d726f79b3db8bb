"""Right and wrong answers to the exercises of chapter 2."""

import torch

from .answers import right, wrong

INFINITY = float("inf")

# ── The additive score ────────────────────────────────────────────────────────────────────────────────────────────────


def additive(s, h, W, U, v):
    """As it must be; some wrong answers below go wrong around it."""
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


@wrong("additive", "is there a return")
def nothing(s, h, W, U, v):
    additive(s, h, W, U, v)


@wrong("additive", "each of 4 queries meets each of 4 keys")
def pair_by_pair(s, h, W, U, v):
    return torch.tanh(s @ W.T + h @ U.T) @ v


@wrong("additive", "these are weights")
def weights_already(s, h, W, U, v):
    return additive(s, h, W, U, v).softmax(dim=1)


@wrong("additive", "the tanh is missing")
def no_tanh(s, h, W, U, v):
    return ((s @ W.T)[:, None] + (h @ U.T)[None]) @ v


@wrong("additive", "grow without limit")
def dot_product_of_projections(s, h, W, U, v):
    return (s @ W.T * v) @ (h @ U.T).T


@wrong("additive", "v stands outside the tanh")
def v_inside(s, h, W, U, v):
    return torch.tanh(((s @ W.T)[:, None] + (h @ U.T)[None]) @ v)


@wrong("additive", "queries and keys have changed places")
def keys_in_the_rows(s, h, W, U, v):
    return additive(s, h, W, U, v).T


@wrong("additive", "W and U have changed places")
def matrices_exchanged(s, h, W, U, v):
    return additive(s, h, U, W, v)


@wrong("additive", "s @ W.T")
def matrices_not_turned(s, h, W, U, v):
    return additive(s, h, W.T, U.T, v)


@wrong("additive", "W @ s mixes the queries")
def as_for_one_query(s, h, W, U, v):
    return torch.tanh((W @ s)[:, None] + (U @ h)[None]) @ v


@wrong("additive", "W @ s mixes the queries")
def queries_as_for_one(s, h, W, U, v):
    return torch.tanh((W @ s)[:, None] + (h @ U.T)[None]) @ v


@wrong("additive", "U @ h the keys")
def keys_as_for_one(s, h, W, U, v):
    return torch.tanh((s @ W.T)[:, None] + (U @ h)[None]) @ v


@wrong("additive", "query 0 with key 1")
def only_one_matrix_turned(s, h, W, U, v):
    return additive(s, h, W.T, U, v)


@wrong("additive", "2 queries, 3 keys")
def a_square_of_scores(s, h, W, U, v):
    return torch.stack([torch.stack([v @ torch.tanh(W @ s_i + U @ h[j]) for j in range(len(s))]) for s_i in s])


@wrong("additive", "as many keys as queries")
def as_many_keys_as_queries(s, h, W, U, v):
    scores = torch.zeros(len(s), len(h))
    scores[:, : len(s)] = additive(s, h[: len(s)], W, U, v)
    return scores


# ── One look, with padding ────────────────────────────────────────────────────────────────────────────────────────────


def blend(weights, h):
    """The context of each sentence."""
    return torch.einsum("bk,bkd->bd", weights, h)


def seen(weights, h):
    """Context and weights."""
    return blend(weights, h), weights


@right("look")
def a_large_negative_number(e, h, mask):
    return seen(torch.where(mask, e, -1e9).softmax(dim=-1), h)


@right("look")
def masked_and_shared_out_again(e, h, mask):
    """As the formula stands there: the mask in the numerator and in the sum."""
    positive = torch.exp(e.double()) * mask
    weights = positive / positive.sum(dim=1, keepdim=True)
    return (weights[:, None] @ h.double())[:, 0], weights


@right("look")
def sentence_by_sentence(e, h, mask):
    weights = torch.zeros_like(e)
    for b in range(len(e)):
        weights[b, mask[b]] = e[b, mask[b]].softmax(dim=0)
    return torch.stack([a @ h_b for a, h_b in zip(weights, h, strict=True)]), weights


@wrong("look", "does your return give both")
def looks_and_keeps_it(e, h, mask):
    a_large_negative_number(e, h, mask)


@wrong("look", "does your return give both")
def context_alone(e, h, mask):
    return a_large_negative_number(e, h, mask)[0]


@wrong("look", "changed the scores")
def writes_into_the_scores(e, h, mask):
    return seen(e.masked_fill_(~mask, -INFINITY).softmax(dim=1), h)


@wrong("look", "expected a context (3, 5), then weights")
def weights_first(e, h, mask):
    return a_large_negative_number(e, h, mask)[::-1]


@wrong("look", "True means may attend")
def mask_inverted(e, h, mask):
    return seen(e.masked_fill(mask, -INFINITY).softmax(dim=1), h)


@wrong("look", "True means may attend")
def inverted_with_a_large_negative_number(e, h, mask):
    return seen(e.masked_fill(mask, -1e9).softmax(dim=1), h)


@wrong("look", "the mask makes no difference")
def no_mask(e, h, mask):
    return seen(e.softmax(dim=1), h)


@wrong("look", "the mask makes no difference")
def mask_forgotten_on_the_way(e, h, mask):
    e.masked_fill(~mask, -INFINITY)
    return seen(e.softmax(dim=1), h)


@wrong("look", "go along dim=1")
def over_the_sentences(e, h, mask):
    return seen(e.masked_fill(~mask, -INFINITY).softmax(dim=0), h)


@wrong("look", "has the exponential one")
def filled_with_zero(e, h, mask):
    return seen(e.masked_fill(~mask, 0.0).softmax(dim=1), h)


@wrong("look", "has the exponential one")
def scores_times_mask(e, h, mask):
    return seen((e * mask).softmax(dim=1), h)


@wrong("look", "before the softmax")
def mask_after_the_softmax(e, h, mask):
    return seen(e.softmax(dim=1) * mask, h)


@wrong("look", "no mean")
def mean_in_place_of_sum(e, h, mask):
    weights = a_large_negative_number(e, h, mask)[1]
    return (weights[:, :, None] * h).mean(dim=1), weights


@wrong("look", "not the blend of h with your weights")
def context_without_the_mask(e, h, mask):
    return blend(e.softmax(dim=1), h), a_large_negative_number(e, h, mask)[1]


@wrong("look", "is it a softmax")
def scores_over_their_sum(e, h, mask):
    shares = e * mask / (e * mask).sum(dim=1, keepdim=True)
    return seen(shares, h)


# ── Find the bug ──────────────────────────────────────────────────────────────────────────────────────────────────────


def share(words, gold):
    """The share of the rows whose largest weight is on a gold link."""
    return gold[torch.arange(len(gold)), words.argmax(dim=1)].double().mean()


@right("bug")
def without_the_last_step(weights, gold):
    return share(weights[:-1, :-1], gold)


@right("bug")
def word_by_word(weights, gold):
    n, m = gold.shape
    hits = [bool(gold[i, max(range(m), key=weights[i].tolist().__getitem__)]) for i in range(n)]
    return sum(hits) / n


@wrong("bug", "is there a return")
def counts_and_keeps_it(weights, gold):
    share(weights[:-1, :-1], gold)


@wrong("bug", "is the column of <eos> still there")
def last_column_kept(weights, gold):
    return share(weights[:-1], gold)


@wrong("bug", "is the row of <eos> still there")
def last_row_kept(weights, gold):
    return share(weights[:, :-1], gold)


@wrong("bug", "but it writes the first word")
def as_it_was(weights, gold):
    return share(weights[1:, :-1], gold)


@wrong("bug", "shifted too far")
def shifted_the_other_way(weights, gold):
    return share(weights.roll(1, dims=0)[:-1, :-1], gold)


@wrong("bug", "column 0 was dropped")
def first_column_dropped(weights, gold):
    return share(weights[:-1, 1:], gold)


@wrong("bug", "row 0 and column 0 were dropped")
def first_row_and_column_dropped(weights, gold):
    return share(weights[1:, 1:], gold)


@wrong("bug", "two of three words point")
def source_words_choose(weights, gold):
    return gold[weights[:-1, :-1].argmax(dim=0), torch.arange(gold.shape[1])].double().mean()


@wrong("bug", "each target word, a row, chooses")
def chosen_along_the_columns(weights, gold):
    return gold[torch.arange(len(gold)), weights[:-1, :-1].argmax(dim=0)].double().mean()


@wrong("bug", "expected a share of 1.0, got 5.00")
def a_count(weights, gold):
    return share(weights[:-1, :-1], gold) * len(gold)


@wrong("bug", "expected a share of 1.0, got 0.83")
def divided_by_the_steps(weights, gold):
    return share(weights[:-1, :-1], gold) * len(gold) / len(weights)
