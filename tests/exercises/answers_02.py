"""Right and wrong answers to the exercises of chapter 2."""

import math

import torch

from course_lib.attention import attention
from course_lib.attention.scores import additive as additive_score

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


@wrong("additive", says="is there a `return`")
def nothing(s, h, W, U, v):
    additive(s, h, W, U, v)


@wrong("additive", "pairs=one_to_one")
def pair_by_pair(s, h, W, U, v):
    return torch.tanh(s @ W.T + h @ U.T) @ v


@wrong("additive", "gives=weights")
def weights_already(s, h, W, U, v):
    return additive(s, h, W, U, v).softmax(dim=1)


@wrong("additive", "curve=none")
def no_tanh(s, h, W, U, v):
    return ((s @ W.T)[:, None] + (h @ U.T)[None]) @ v


@wrong("additive", "join=product", "curve=none")
def dot_product_of_projections(s, h, W, U, v):
    return (s @ W.T * v) @ (h @ U.T).T


@wrong("additive", "curve=around_v")
def v_inside(s, h, W, U, v):
    return torch.tanh(((s @ W.T)[:, None] + (h @ U.T)[None]) @ v)


@wrong("additive", "gives=turned")
def keys_in_the_rows(s, h, W, U, v):
    return additive(s, h, W, U, v).T


@wrong("additive", "matrices=exchanged")
def matrices_exchanged(s, h, W, U, v):
    return additive(s, h, U, W, v)


@wrong("additive", "query=as_it_is", "key=as_it_is")
def matrices_not_turned(s, h, W, U, v):
    return additive(s, h, W.T, U.T, v)


@wrong("additive", "query=from_the_left", "key=from_the_left")
def as_for_one_query(s, h, W, U, v):
    return torch.tanh((W @ s)[:, None] + (U @ h)[None]) @ v


@wrong("additive", "query=from_the_left")
def queries_as_for_one(s, h, W, U, v):
    return torch.tanh((W @ s)[:, None] + (h @ U.T)[None]) @ v


@wrong("additive", "key=from_the_left")
def keys_as_for_one(s, h, W, U, v):
    return torch.tanh((s @ W.T)[:, None] + (U @ h)[None]) @ v


@wrong("additive", "query=as_it_is")
def only_one_matrix_turned(s, h, W, U, v):
    return additive(s, h, W.T, U, v)


@wrong("additive", "pairs=square")
def a_square_of_scores(s, h, W, U, v):
    return torch.stack([torch.stack([v @ torch.tanh(W @ s_i + U @ h[j]) for j in range(len(s))]) for s_i in s])


@wrong("additive", says="First difference at query 0, key 2")
def as_many_keys_as_queries(s, h, W, U, v):
    scores = torch.zeros(len(s), len(h))
    scores[:, : len(s)] = additive(s, h[: len(s)], W, U, v)
    return scores


@wrong("additive", "curve=each")
def tanh_of_each(s, h, W, U, v):
    return torch.stack([torch.tanh(h @ U.T) @ v + torch.tanh(W @ s_i) @ v for s_i in s])


@wrong("additive", "join=product")
def products_in_the_tanh(s, h, W, U, v):
    return torch.tanh(torch.einsum("id,jd->ijd", s @ W.T, h @ U.T)) @ v


@wrong("additive", "curve=no_v")
def without_v(s, h, W, U, v):
    return torch.tanh((s @ W.T)[:, None] + (h @ U.T)[None]).sum(dim=2)


@wrong("additive", "curve=over_keys")
def summed_over_the_keys(s, h, W, U, v):
    return (torch.tanh((s @ W.T)[:, None] + h @ U.T) * v).sum(1)


@wrong("additive", "curve=not_summed")
def a_vector_for_each_pair(s, h, W, U, v):
    return torch.tanh((s @ W.T).unsqueeze(1) + (h @ U.T).unsqueeze(0)) * v


@wrong("additive", "query=as_it_is", "matrices=exchanged")
def exchanged_and_one_not_turned(s, h, W, U, v):
    return torch.tanh((s @ U)[:, None] + h @ W.T) @ v


@wrong("additive", says="Your function stopped with RuntimeError")
def forgets_to_turn_by_the_book(s, h, W, U, v):
    return torch.tanh(torch.cat([s, h], dim=1) @ torch.cat([W, U]).T) @ v


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
    """The softmax of all places, and then the mask, and the words share out what it left."""
    positive = e.softmax(dim=1) * mask
    weights = positive / positive.sum(dim=1, keepdim=True)
    return (weights[:, None] @ h)[:, 0], weights


@right("look")
def in_single_precision_from_the_largest_word_down(e, h, mask):
    """As the formula stands there: the mask in the numerator and in the sum."""
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


@wrong("look", says="is there a `return`")
def looks_and_keeps_it(e, h, mask):
    a_large_negative_number(e, h, mask)


@wrong("look", "gives=context_alone", says="Expected a tuple of 2, got a tensor (3, 5)")
def context_alone(e, h, mask):
    return a_large_negative_number(e, h, mask)[0]


@wrong("look", says="changes its argument `e` in place")
def writes_into_the_scores(e, h, mask):
    return seen(e.masked_fill_(~mask, -INFINITY).softmax(dim=1), h)


@wrong("look", "gives=weights_first")
def weights_first(e, h, mask):
    return a_large_negative_number(e, h, mask)[::-1]


@wrong("look", "allowed=inverted")
def mask_inverted(e, h, mask):
    return seen(e.masked_fill(mask, -INFINITY).softmax(dim=1), h)


@wrong("look", "allowed=inverted")
def inverted_with_a_large_negative_number(e, h, mask):
    return seen(e.masked_fill(mask, -1e9).softmax(dim=1), h)


@wrong("look", "allowed=all")
def no_mask(e, h, mask):
    return seen(e.softmax(dim=1), h)


@wrong("look", "allowed=all")
def mask_forgotten_on_the_way(e, h, mask):
    e.masked_fill(~mask, -INFINITY)
    return seen(e.softmax(dim=1), h)


@wrong("look", "share=sentences")
def over_the_sentences(e, h, mask):
    return seen(e.masked_fill(~mask, -INFINITY).softmax(dim=0), h)


@wrong("look", "hidden=zero")
def filled_with_zero(e, h, mask):
    return seen(e.masked_fill(~mask, 0.0).softmax(dim=1), h)


@wrong("look", "hidden=zero")
def scores_times_mask(e, h, mask):
    return seen((e * mask).softmax(dim=1), h)


@wrong("look", "allowed=afterwards")
def mask_after_the_softmax(e, h, mask):
    return seen(e.softmax(dim=1) * mask, h)


@wrong("look", "total=mean")
def mean_in_place_of_sum(e, h, mask):
    weights = a_large_negative_number(e, h, mask)[1]
    return (weights[:, :, None] * h).mean(dim=1), weights


@wrong("look", "blend=unmasked")
def context_without_the_mask(e, h, mask):
    return blend(e.softmax(dim=1), h), a_large_negative_number(e, h, mask)[1]


@wrong("look", "share=no_exponentials")
def scores_over_their_sum(e, h, mask):
    shares = e * mask / (e * mask).sum(dim=1, keepdim=True)
    return seen(shares, h)


@wrong("look", "hidden=times_infinity")
def minus_infinity_times_the_padding(e, h, mask):
    return seen((e + (~mask) * -INFINITY).softmax(dim=1), h)


@wrong("look", "share=table")
def one_sum_for_the_batch(e, h, mask):
    positive = e.masked_fill(~mask, -INFINITY).exp()
    return seen(positive / positive.sum(), h)


@wrong("look", "share=exponentials")
def never_divided(e, h, mask):
    return seen(e.masked_fill(~mask, -INFINITY).exp(), h)


@wrong("look", "hidden=times_infinity")
def plus_infinity(e, h, mask):
    return seen(e.masked_fill(~mask, INFINITY).softmax(dim=1), h)


@wrong("look", "share=across")
def sums_without_their_axis(e, h, mask):
    positive = e.exp() * mask
    return seen(positive / positive.sum(dim=1), h)


@wrong("look", "blend=zeroed")
def shared_out_again_too_late(e, h, mask):
    weights = e.softmax(dim=1) * mask
    context = blend(weights, h)
    return context, weights / weights.sum(dim=1, keepdim=True)


@wrong("look", "blend=zeroed", "allowed=all")
def annotations_masked(e, h, mask):
    weights = e.softmax(dim=1)
    return blend(weights, h * mask[:, :, None]), weights


@wrong("look", "hidden=zero", "allowed=afterwards")
def masked_twice(e, h, mask):
    return seen((e * mask).softmax(dim=1) * mask, h)


@wrong("look", "share=sentences", "allowed=inverted")
def a_row_for_a_word(e, h, mask):
    return seen(e.masked_fill(mask, -INFINITY).softmax(dim=0), h)


@wrong("look", "total=mean", "gives=weights_first")
def weights_and_a_mean(e, h, mask):
    weights = a_large_negative_number(e, h, mask)[1]
    return weights, (weights.unsqueeze(2) * h).mean(1)


@wrong("look", "hidden=shallow")
def not_negative_enough(e, h, mask):
    return seen(torch.where(mask, e, -20.0).softmax(dim=-1), h)


@wrong("look", "hidden=shallow")
def a_hundred_is_not_enough(e, h, mask):
    return seen(e.masked_fill(~mask, -100.0).softmax(dim=1), h)


@wrong("look", "hidden=near")
def ten_below_the_lowest(e, h, mask):
    return seen(torch.where(mask, e, e.min() - 10).softmax(dim=1), h)


@wrong("look", "hidden=near")
def ten_below_the_lowest_of_each_sentence(e, h, mask):
    return seen(torch.where(mask, e, e.min(dim=1, keepdim=True).values - 10).softmax(dim=1), h)


@wrong("look", "share=literally")
def by_the_letter(e, h, mask):
    positive = torch.exp(e) * mask
    return seen(positive / positive.sum(dim=1, keepdim=True), h)


@wrong("look", "share=literally")
def by_the_letter_with_a_fill(e, h, mask):
    positive = e.masked_fill(~mask, -INFINITY).exp()
    return seen(positive / positive.sum(dim=1, keepdim=True), h)


@wrong("look", "blend=all_sentences")
def weights_at_annotations(e, h, mask):
    weights = a_large_negative_number(e, h, mask)[1]
    return weights @ h, weights


@wrong("look", says="The context: expected the shape (3, 5), got (3, 1, 5).")
def an_axis_left(e, h, mask):
    weights = a_large_negative_number(e, h, mask)[1]
    return weights[:, None] @ h, weights


# ── Find the bug: the shifted alignment ───────────────────────────────────────────────────────────────────────────────


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


@right("bug")
def any_link_at_the_chosen_place(weights, gold):
    chosen = torch.nn.functional.one_hot(weights[: len(gold), : gold.shape[1]].argmax(dim=1), gold.shape[1])
    return (chosen.bool() & gold).any(dim=1).float().mean()


@wrong("bug", "columns=a miss")
def a_look_at_eos_is_a_miss(weights, gold):
    looked = enumerate(weights[: len(gold)].argmax(dim=1).tolist())
    return sum(j < gold.shape[1] and bool(gold[i, j]) for i, j in looked) / len(gold)


@wrong("bug", says="Your function stopped with IndexError")
def a_loop_over_all_steps(weights, gold):
    return sum(bool(gold[i, row.argmax()]) for i, row in enumerate(weights[:, :-1])) / len(gold)


@wrong("bug", says="is there a `return`")
def counts_and_keeps_it(weights, gold):
    share(weights[:-1, :-1], gold)


@wrong("bug", "columns=all")
def last_column_kept(weights, gold):
    return share(weights[:-1], gold)


@wrong("bug", "rows=all")
def last_row_kept(weights, gold):
    return share(weights[:, :-1], gold)


@wrong("bug", "rows=later")
def as_it_was(weights, gold):
    return share(weights[1:, :-1], gold)


@wrong("bug", "rows=rolled")
def shifted_the_other_way(weights, gold):
    return share(weights.roll(1, dims=0)[:-1, :-1], gold)


@wrong("bug", "columns=later")
def first_column_dropped(weights, gold):
    return share(weights[:-1, 1:], gold)


@wrong("bug", "rows=later", "columns=later")
def first_row_and_column_dropped(weights, gold):
    return share(weights[1:, 1:], gold)


@wrong("bug", "choose=source_words")
def source_words_choose(weights, gold):
    return gold[weights[:-1, :-1].argmax(dim=0), torch.arange(gold.shape[1])].double().mean()


@wrong("bug", "choose=down")
def chosen_along_the_columns(weights, gold):
    return gold[torch.arange(len(gold)), weights[:-1, :-1].argmax(dim=0)].double().mean()


@wrong("bug", "by=none")
def a_count(weights, gold):
    return share(weights[:-1, :-1], gold) * len(gold)


@wrong("bug", "by=steps")
def divided_by_the_steps(weights, gold):
    return share(weights[:-1, :-1], gold) * len(gold) / len(weights)


@wrong("bug", "by=cells")
def mean_of_the_whole_table(weights, gold):
    words = weights[:-1, :-1]
    largest = words == words.max(dim=1, keepdim=True).values
    return (largest & gold).double().mean()


@wrong("bug", "choose=mass")
def weight_on_gold(weights, gold):
    return (weights[:-1, :-1] * gold).sum() / len(gold)


@wrong("bug", "choose=half")
def more_than_half_of_the_weight(weights, gold):
    return (gold & (weights[:-1, :-1] > 0.5)).any(dim=1).double().mean()


@wrong("bug", "by=linked")
def mean_over_linked_words(weights, gold):
    words = weights[:-1, :-1]
    linked = gold.any(dim=1)
    return share(words[linked], gold[linked])


@wrong("bug", "choose=first_link")
def compared_with_the_first_link(weights, gold):
    return (weights[:-1, :-1].argmax(1) == gold.long().argmax(1)).double().mean()


@wrong("bug", "by=none", "rows=later")
def counts_what_is_shifted(weights, gold):
    return sum(bool(gold[i, row.argmax()]) for i, row in enumerate(weights[1:, :-1]))


# ── One tick of the decoder ───────────────────────────────────────────────────────────────────────────────────────────


def scored(s, h, W, U, v):
    """Scores as they must be; some wrong answers below go wrong around them."""
    return torch.tanh((s @ W.T).unsqueeze(1) + h @ U.T) @ v


def whole(s, y, h, W, U, v, f):
    """As it must be."""
    a = scored(s, h, W, U, v).softmax(dim=1)
    c = blend(a, h)
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
    c, a, _ = attention((s @ W.T)[:, None], h @ U.T, h, score=lambda q, k: additive_score(q, k, v))
    return c[:, 0], a[:, 0], f(s, y, c[:, 0])


@wrong("tick", says="is there a `return`")
def ticks_and_keeps_it(s, y, h, W, U, v, f):
    whole(s, y, h, W, U, v, f)


@wrong("tick", says="Expected a tuple of 3, got a tensor (4, 5)")
def new_state_alone(s, y, h, W, U, v, f):
    return whole(s, y, h, W, U, v, f)[2]


@wrong("tick", "asks=word")
def the_word_asks(s, y, h, W, U, v, f):
    c, a, _ = whole(y, y, h, W, U, v, lambda *_: None)
    return c, a, f(s, y, c)


@wrong("tick", "matrices=exchanged")
def matrices_of_the_wrong_side(s, y, h, W, U, v, f):
    return whole(s, y, h, U, W, v, f)


@wrong("tick", "matrices=as_they_are")
def matrices_not_turned_in_the_tick(s, y, h, W, U, v, f):
    a = (torch.tanh((s @ W)[:, None] + h @ U) @ v).softmax(dim=1)
    c = blend(a, h)
    return c, a, f(s, y, c)


@wrong("tick", "curve=none")
def a_sum_in_place_of_a_network(s, y, h, W, U, v, f):
    a = (((s @ W.T)[:, None] + h @ U.T) @ v).softmax(dim=1)
    c = blend(a, h)
    return c, a, f(s, y, c)


@wrong("tick", "gives=new context weights")
def the_new_state_first(s, y, h, W, U, v, f):
    c, a, new = whole(s, y, h, W, U, v, f)
    return new, c, a


@wrong("tick", "gives=context scores new")
def scores_in_the_place_of_weights(s, y, h, W, U, v, f):
    c, _, new = whole(s, y, h, W, U, v, f)
    return c, scored(s, h, W, U, v), new


@wrong("tick", "gives=context new weights")
def weights_last(s, y, h, W, U, v, f):
    c, a, new = whole(s, y, h, W, U, v, f)
    return c, new, a


@wrong("tick", "gives=new weights context")
def in_reverse(s, y, h, W, U, v, f):
    return whole(s, y, h, W, U, v, f)[::-1]


@wrong("tick", "gives=weights new context")
def context_last(s, y, h, W, U, v, f):
    c, a, new = whole(s, y, h, W, U, v, f)
    return a, new, c


@wrong("tick", "reads=c y s")
def the_cell_from_behind(s, y, h, W, U, v, f):
    c, a, _ = whole(s, y, h, W, U, v, f)
    return c, a, f(c, y, s)


@wrong("tick", "reads=y c s")
def what_is_read_before_the_state(s, y, h, W, U, v, f):
    c, a, _ = whole(s, y, h, W, U, v, f)
    return c, a, f(y, c, s)


@wrong("tick", "reads=c s y")
def context_before_all(s, y, h, W, U, v, f):
    c, a, _ = whole(s, y, h, W, U, v, f)
    return c, a, f(c, s, y)


@wrong("tick", "reads=s y mean")
def a_mean_for_the_cell(s, y, h, W, U, v, f):
    c, a, _ = whole(s, y, h, W, U, v, f)
    return c, a, f(s, y, h.mean(dim=1))


@wrong("tick", "blend=no_weights")
def a_mean_as_context(s, y, h, W, U, v, f):
    a = scored(s, h, W, U, v).softmax(dim=1)
    c = h.mean(dim=1)
    return c, a, f(s, y, c)


@wrong("tick", "blend=scores")
def weights_are_made_and_not_used(s, y, h, W, U, v, f):
    e = scored(s, h, W, U, v)
    c = blend(e, h)
    return c, e.softmax(dim=1), f(s, y, c)


@wrong("tick", says="Expected a tuple of 3, got a tuple of 2.")
def no_new_state(s, y, h, W, U, v, f):
    return whole(s, y, h, W, U, v, f)[:2]


@wrong("tick", "meets=anybody")
def an_axis_in_the_wrong_place(s, y, h, W, U, v, f):
    a = (torch.tanh((s @ W.T)[None] + h @ U.T) @ v).softmax(dim=1)
    c = blend(a, h)
    return c, a, f(s, y, c)


@wrong("tick", "meets=anybody")
def no_axis_for_the_words(s, y, h, W, U, v, f):
    a = (torch.tanh(s @ W.T + h @ U.T) @ v).softmax(dim=1)
    c = blend(a, h)
    return c, a, f(s, y, c)


@wrong("tick", "share=sentences")
def softmax_over_the_batch(s, y, h, W, U, v, f):
    a = scored(s, h, W, U, v).softmax(dim=0)
    c = blend(a, h)
    return c, a, f(s, y, c)


@wrong("tick", "share=nobody")
def blends_with_scores(s, y, h, W, U, v, f):
    e = scored(s, h, W, U, v)
    c = blend(e, h)
    return c, e, f(s, y, c)


@wrong("tick", "share=best")
def takes_the_best(s, y, h, W, U, v, f):
    best = scored(s, h, W, U, v).argmax(dim=1)
    c = h[torch.arange(len(h)), best]
    return c, torch.nn.functional.one_hot(best, h.shape[1]), f(s, y, c)


@wrong("tick", "blend=projected")
def blends_what_it_compared(s, y, h, W, U, v, f):
    keys = h @ U.T
    a = (torch.tanh((s @ W.T)[:, None] + keys) @ v).softmax(dim=1)
    c = (a[:, :, None] * keys).sum(dim=1)
    return c, a, f(s, y, c)


@wrong("tick", "blend=mean")
def mean_of_weighted_annotations(s, y, h, W, U, v, f):
    a = scored(s, h, W, U, v).softmax(dim=1)
    c = (a.unsqueeze(-1) * h).mean(dim=1)
    return c, a, f(s, y, c)


@wrong("tick", "reads=y s c")
def word_before_the_state(s, y, h, W, U, v, f):
    c, a, _ = whole(s, y, h, W, U, v, f)
    return c, a, f(y, s, c)


@wrong("tick", "reads=s c y")
def context_before_the_word(s, y, h, W, U, v, f):
    c, a, _ = whole(s, y, h, W, U, v, f)
    return c, a, f(s, c, y)


@wrong("tick", "reads=s y last")
def one_context_for_the_cell(s, y, h, W, U, v, f):
    c, a, _ = whole(s, y, h, W, U, v, f)
    return c, a, f(s, y, h[:, -1])


@wrong("tick", "gives=context weights old")
def the_state_it_was_given(s, y, h, W, U, v, f):
    c, a, _ = whole(s, y, h, W, U, v, f)
    return c, a, s


@wrong("tick", "gives=weights context new")
def weights_and_then_the_context(s, y, h, W, U, v, f):
    c, a, new = whole(s, y, h, W, U, v, f)
    return a, c, new


@wrong("tick", "blend=projected", "reads=y s c")
def two_slips(s, y, h, W, U, v, f):
    c, a, _ = blends_what_it_compared(s, y, h, W, U, v, lambda *_: None)
    return c, a, f(y, s, c)


@wrong("tick", says="The weights: expected the shape (1, 1), got ().")
def squeezes_too_much(s, y, h, W, U, v, f):
    c, a, new = whole(s, y, h, W, U, v, f)
    return c, a.squeeze(), new


@wrong("tick", says="The new state: ")
def asks_again_with_the_new_state(s, y, h, W, U, v, f):
    c, a, new = whole(s, y, h, W, U, v, f)
    return c, a, whole(new, y, h, W, U, v, f)[2]


@wrong("tick", says="missing 1 required positional argument")
def the_cell_without_the_word(s, y, h, W, U, v, f):
    c, a, _ = whole(s, y, h, W, U, v, f)
    return c, a, (lambda s, y, c: f(s, y, c))(s, c)


# ── Find the bug: the error rate of a padded batch ────────────────────────────────────────────────────────────────────


def linked(weights, words):
    """One link for each target word."""
    return torch.nn.functional.one_hot(weights.argmax(dim=2), weights.shape[2]).bool() & words[:, :, None]


def rate(links, gold):
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
    looked = weights[words].argmax(dim=1)
    hits = gold[words][torch.arange(len(looked)), looked].sum()
    return 1 - 2 * hits / (words.sum() + gold.sum())


@right("rate")
def by_sets_of_links(weights, gold, words):
    links = {(b, i, int(weights[b, i].argmax())) for b, i in words.nonzero().tolist()}
    sure = {tuple(link) for link in gold.nonzero().tolist()}
    return 1 - 2 * len(links & sure) / (len(links) + len(sure))


@wrong("rate", "counted=all")
def as_it_was_with_padding(weights, gold, words):
    return rate(linked(weights, torch.ones_like(words)), gold)


@wrong("rate", "counted=all")
def padding_without_weight(weights, gold, words):
    return rate(linked(weights.masked_fill(~words[:, :, None], 0.0), words | True), gold)


@wrong("rate", "counted=padding")
def the_words_taken_out(weights, gold, words):
    return rate(linked(weights, ~words), gold)


@wrong("rate", "counted=full_sentences")
def sentences_with_padding_left_out(weights, gold, words):
    full = words.all(dim=1)
    return rate(linked(weights, words)[full], gold[full])


@wrong("rate", "counted=linked")
def words_with_a_link(weights, gold, words):
    return rate(linked(weights, gold.any(dim=2)), gold)


@wrong("rate", "average=sentences")
def sentence_by_sentence_and_the_mean(weights, gold, words):
    links = linked(weights, words)
    return sum(rate(one, sure) for one, sure in zip(links, gold, strict=True)) / len(links)


@wrong("rate", "choose=steps")
def source_words_look_for_steps(weights, gold, words):
    links = torch.zeros_like(gold)
    for b, j in [(b, j) for b in range(gold.shape[0]) for j in range(gold.shape[2])]:
        links[b, weights[b, :, j].argmax(), j] = True
    return rate(links & words[:, :, None], gold)


@wrong("rate", "choose=soft")
def sums_of_weights(weights, gold, words):
    weights = weights * words[:, :, None]
    return 1 - 2 * (weights * gold).sum() / (weights.sum() + gold.sum())


@wrong("rate", "choose=half")
def links_above_one_half(weights, gold, words):
    return rate((weights > 0.5) & words[:, :, None], gold)


@wrong("rate", "rate=no_two")
def without_the_two(weights, gold, words):
    links = linked(weights, words)
    return 1 - (links & gold).sum() / (links.sum() + gold.sum())


@wrong("rate", "rate=precision")
def one_minus_pointing(weights, gold, words):
    links = linked(weights, words)
    return 1 - (links & gold).sum() / links.sum()


@wrong("rate", "rate=recall")
def one_minus_found(weights, gold, words):
    return 1 - (linked(weights, words) & gold).sum() / gold.sum()


@wrong("rate", "rate=union")
def over_the_union(weights, gold, words):
    links = linked(weights, words)
    return 1 - (links & gold).sum() / (links | gold).sum()


@wrong("rate", "rate=right")
def how_much_is_right(weights, gold, words):
    return 1 - rate(linked(weights, words), gold)


@wrong("rate", "counted=all", "average=sentences")
def mean_over_sentences_with_their_padding(weights, gold, words):
    links = linked(weights, torch.ones_like(words))
    both, sizes = (links & gold).sum(dim=(1, 2)), links.sum(dim=(1, 2)) + gold.sum(dim=(1, 2))
    return (1 - 2 * both / sizes).mean()


# ── Looks foreseen ────────────────────────────────────────────────────────────────────────────────────────────────────


@right("foreseen")
def rounded_by_hand():
    return (0.75, 0.21, 0.29, 6, 3.0, "1/9", "The same")


@right("foreseen")
def by_computing():
    weights = torch.tensor([3.0] + [1.0] * 11) / 14
    return [weights[0] / weights[:2].sum(), weights[0], weights[:2].sum(), 6.0, -math.log2(1 / 8), "1/9", "the same"]


@wrong(
    "foreseen",
    "mask is late",
    "zero counts nothing",
    "shared out again",
    "signs of v",
    "words counted",
    "decided at random",
    "order kept",
)
def one_idea_wrong_for_each():
    return [3 / 14, 3 / 4, 1, 2, 8, "1", "reversed"]


@wrong(
    "foreseen",
    "padding is fed",
    "padding halves",
    "one word alone",
    "largest of v",
    "nats",
    "half decided",
    "places known",
)
def another_idea_wrong_for_each():
    return [1 / 8, 1 / 8, 3 / 14, 3, math.log(8), "1/2", "another"]


@wrong("foreseen", "all is lost", "all alike", "nothing left", "tanh outermost", "sum of weights")
def nothing_and_one():
    return [0, 1 / 12, 0, 1, 1, "1/9", "the same"]


@wrong("foreseen", "length of v", "one weight")
def a_length_and_a_weight():
    return [3 / 4, 3 / 14, 2 / 7, math.sqrt(14), 1 / 8, "1/9", "the same"]


@wrong("foreseen", "no limit", "no surprise")
def nothing_holds_it():
    return [3 / 4, 3 / 14, 2 / 7, math.inf, 0, "1/9", "the same"]


@wrong("foreseen", says="choose one of `'another'`, `'reversed'`, `'the same'`")
def in_other_words():
    return [3 / 4, 3 / 14, 2 / 7, 6, 3, 1 / 9, "equal"]


@wrong("foreseen", says="0.7 is near, but not near enough")
def about():
    return [0.7, 3 / 14, 2 / 7, 6, 3, "1/9", "the same"]
