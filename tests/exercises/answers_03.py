"""Right and wrong answers to the exercises of chapter 3."""

import math

import torch
from torch.nn.functional import one_hot, pad

from course_lib.attention import attention
from course_lib.attention.scores import bilinear, concat, dot
from course_lib.attention.scores import location as location_score

from .answers import right, wrong

INFINITY = float("inf")

# ── Three scores ──────────────────────────────────────────────────────────────────────────────────────────────────────


def joined(h, h_bar):
    """Every query beside every key."""
    n_query, n_key = len(h), len(h_bar)
    return torch.cat([h[:, None].repeat(1, n_key, 1), h_bar[None].repeat(n_query, 1, 1)], dim=-1)


def zoo(h, h_bar, W, W_a, v):
    """As it must be; some wrong answers below go wrong around it."""
    return h @ h_bar.T, h @ W @ h_bar.T, torch.tanh(joined(h, h_bar) @ W_a.T) @ v


@right("zoo")
def the_librarys(h, h_bar, W, W_a, v):
    return dot(h, h_bar), bilinear(h, h_bar, W), concat(h, h_bar, W_a, v)


@right("zoo")
def two_loops(h, h_bar, W, W_a, v):
    found = torch.zeros(3, len(h), len(h_bar))
    for t, h_t in enumerate(h):
        for s, h_s in enumerate(h_bar):
            found[0, t, s] = h_t @ h_s
            found[1, t, s] = h_t @ W @ h_s
            found[2, t, s] = v @ torch.tanh(W_a @ torch.cat([h_t, h_s]))
    return tuple(found)


@right("zoo")
def concat_as_a_sum_of_two_products(h, h_bar, W, W_a, v):
    d = h.shape[1]
    left, right = h @ W_a[:, :d].T, h_bar @ W_a[:, d:].T
    return [h @ h_bar.mT, torch.einsum("id,de,je->ij", h, W, h_bar), torch.tanh(left[:, None] + right) @ v]


@wrong("zoo", says="is there a `return`")
def scores_and_says_nothing(h, h_bar, W, W_a, v):
    zoo(h, h_bar, W, W_a, v)


@wrong("zoo", says="Expected a tuple of 3, got a tuple of 2")
def two_of_three(h, h_bar, W, W_a, v):
    return zoo(h, h_bar, W, W_a, v)[:2]


@wrong("zoo", "dot=scaled")
def dot_divided(h, h_bar, W, W_a, v):
    return h @ h_bar.T / math.sqrt(h.shape[-1]), *zoo(h, h_bar, W, W_a, v)[1:]


@wrong("zoo", "dot=cosine")
def dot_of_directions(h, h_bar, W, W_a, v):
    lengths = h.norm(dim=1)[:, None] * h_bar.norm(dim=1)[None]
    return (h @ h_bar.T) / lengths, *zoo(h, h_bar, W, W_a, v)[1:]


@wrong("zoo", "dot=one_to_one")
def dot_row_by_row(h, h_bar, W, W_a, v):
    return torch.einsum("id,id->i", *torch.broadcast_tensors(h, h_bar)), *zoo(h, h_bar, W, W_a, v)[1:]


@wrong("zoo", "general=turned")
def from_the_other_side(h, h_bar, W, W_a, v):
    return h @ h_bar.T, (W @ h.T).T @ h_bar.T, zoo(h, h_bar, W, W_a, v)[2]


@wrong("zoo", "general=both")
def projects_both(h, h_bar, W, W_a, v):
    return h @ h_bar.T, (h @ W) @ (h_bar @ W).T, zoo(h, h_bar, W, W_a, v)[2]


@wrong("zoo", "general=tanh")
def tanh_on_the_query(h, h_bar, W, W_a, v):
    return h @ h_bar.T, (h @ W).tanh() @ h_bar.T, zoo(h, h_bar, W, W_a, v)[2]


@wrong("zoo", "general=outside")
def tanh_on_the_score(h, h_bar, W, W_a, v):
    return h @ h_bar.T, (h @ W @ h_bar.T).tanh(), zoo(h, h_bar, W, W_a, v)[2]


@wrong("zoo", "general=forgotten")
def general_without_its_matrix(h, h_bar, W, W_a, v):
    return h @ h_bar.T, h @ h_bar.T, zoo(h, h_bar, W, W_a, v)[2]


@wrong("zoo", "joined=key query")
def key_first(h, h_bar, W, W_a, v):
    both = joined(h_bar, h).transpose(0, 1)
    return *zoo(h, h_bar, W, W_a, v)[:2], torch.tanh(both @ W_a.T) @ v


@wrong("zoo", "pairs=one_to_one")
def joined_row_by_row(h, h_bar, W, W_a, v):
    return *zoo(h, h_bar, W, W_a, v)[:2], torch.tanh(torch.cat(torch.broadcast_tensors(h, h_bar), 1) @ W_a.T) @ v


@wrong("zoo", "pairs=one_query")
def the_chapters_line(h, h_bar, W, W_a, v):
    concats = torch.tanh(torch.cat([h.expand_as(h_bar), h_bar], dim=1) @ W_a.T)[None] @ v
    return *zoo(h, h_bar, W, W_a, v)[:2], concats


@wrong("zoo", "curve=none")
def concat_without_tanh(h, h_bar, W, W_a, v):
    return *zoo(h, h_bar, W, W_a, v)[:2], joined(h, h_bar) @ W_a.T @ v


@wrong("zoo", "curve=around_v")
def tanh_last(h, h_bar, W, W_a, v):
    return *zoo(h, h_bar, W, W_a, v)[:2], torch.tanh(joined(h, h_bar) @ (v @ W_a))


@wrong("zoo", "curve=no_v")
def concat_without_v(h, h_bar, W, W_a, v):
    return *zoo(h, h_bar, W, W_a, v)[:2], torch.tanh(joined(h, h_bar) @ W_a.T).sum(2)


@wrong("zoo", "curve=before_W")
def tanh_first(h, h_bar, W, W_a, v):
    return *zoo(h, h_bar, W, W_a, v)[:2], joined(h, h_bar).tanh() @ W_a.T @ v


@wrong("zoo", "gives=weights")
def weights_three_times(h, h_bar, W, W_a, v):
    return tuple(scores.softmax(dim=1) for scores in zoo(h, h_bar, W, W_a, v))


@wrong("zoo", "gives=turned")
def keys_in_the_rows(h, h_bar, W, W_a, v):
    return h_bar @ h.T, h_bar @ W.T @ h.T, zoo(h, h_bar, W, W_a, v)[2].T


@wrong("zoo", "gives=dot concat general")
def in_another_order(h, h_bar, W, W_a, v):
    dots, generals, concats = zoo(h, h_bar, W, W_a, v)
    return dots, concats, generals


@wrong("zoo", "gives=general dot concat")
def general_first(h, h_bar, W, W_a, v):
    dots, generals, concats = zoo(h, h_bar, W, W_a, v)
    return generals, dots, concats


@wrong("zoo", "dot=scaled", "curve=none")
def divided_and_no_tanh(h, h_bar, W, W_a, v):
    _, generals, concats = concat_without_tanh(h, h_bar, W, W_a, v)
    return h @ h_bar.T * h.shape[1] ** -0.5, generals, concats


# ── The location score ────────────────────────────────────────────────────────────────────────────────────────────────


@right("location")
def the_librarys_scores_masked(h, n, W):
    rows = torch.cat([W, torch.zeros(max(n - len(W), 0), W.shape[1])])
    scores = location_score(h, torch.zeros(n, 1), rows)
    return scores.masked_fill(torch.arange(n) >= len(W), -INFINITY).softmax(dim=-1)


@right("location")
def query_by_query_and_place_by_place(h, n, W):
    weights = torch.zeros(len(h), n)
    for t, h_t in enumerate(h):
        positive = [torch.exp(W[s] @ h_t) for s in range(min(n, len(W)))]
        for s, p in enumerate(positive):
            weights[t, s] = p / sum(positive)
    return weights


@wrong("location", says="is there a `return`")
def looks_and_forgets(h, n, W):
    (h @ W[:n].T).softmax(dim=1)


@wrong("location", "beyond=cut")
def a_column_for_each_row_of_the_matrix(h, n, W):
    return (h @ W[:n].T).softmax(dim=1)


@wrong("location", "share=before_the_cut")
def softmax_of_all_places(h, n, W):
    weights = (h @ W.T).softmax(dim=1)[:, :n]
    return pad(weights, (0, n - weights.shape[1]))


@wrong("location", "rows=last")
def last_rows(h, n, W):
    weights = (h @ W[-min(n, len(W)) :].T).softmax(dim=1)
    return pad(weights, (0, n - weights.shape[1]))


@wrong("location", "rows=reversed")
def counted_from_the_end(h, n, W):
    weights = (h @ W[:n].T).softmax(dim=1).flip(1)
    return pad(weights, (0, n - weights.shape[1]))


@wrong("location", "beyond=zero_score")
def scores_filled_up_with_zeros(h, n, W):
    scores = torch.zeros(len(h), n)
    scores[:, : len(W)] = h @ W[:n].T
    return scores.softmax(dim=1)


@wrong("location", "beyond=wrapped")
def begins_anew(h, n, W):
    return torch.stack([h @ W[s % min(n, len(W))] for s in range(n)], dim=1).softmax(dim=1)


@wrong("location", "beyond=repeated")
def the_last_row_for_all_the_rest(h, n, W):
    return (h @ W[[min(s, len(W) - 1) for s in range(n)]].T).softmax(dim=1)


@wrong("location", "share=queries")
def down_the_queries(h, n, W):
    weights = (h @ W[:n].T).softmax(dim=0)
    return pad(weights, (0, n - weights.shape[1]))


@wrong("location", "share=best")
def the_best_place(h, n, W):
    return one_hot((h @ W[:n].T).argmax(dim=1), n)


@wrong("location", "share=exponentials")
def never_shared_out(h, n, W):
    positive = (h @ W[:n].T).exp()
    return pad(positive, (0, n - positive.shape[1]))


@wrong("location", "matrix=as_it_is")
def matrix_as_for_one_query(h, n, W):
    weights = (h @ W[:n]).softmax(dim=1)
    return pad(weights, (0, n - weights.shape[1]))


@wrong("location", "gives=scores")
def scores_of_places(h, n, W):
    scores = h @ W[:n].T
    return pad(scores, (0, n - scores.shape[1]), value=-INFINITY)


@wrong("location", "gives=scores_zeros")
def scores_and_zeros_behind(h, n, W):
    found = torch.zeros(len(h), n)
    found[:, : len(W)] = h @ W[:n].T
    return found


@wrong("location", "beyond=all_rows")
def every_row_of_the_matrix(h, n, W):
    return (h @ W.T).softmax(dim=1)


@wrong("location", "gives=turned")
def a_row_for_a_place(h, n, W):
    return query_by_query_and_place_by_place(h, n, W).T


@wrong("location", "gives=scores", "beyond=cut")
def scores_of_known_places(h, n, W):
    return h @ W[:n].T


# ── One tick, with input feeding ──────────────────────────────────────────────────────────────────────────────────────


def look(h, h_bar, W):
    """Weights and context, as they must be."""
    weights = torch.einsum("bd,de,bke->bk", h, W.double(), h_bar).softmax(dim=1)
    return weights, torch.einsum("bk,bke->be", weights, h_bar)


def combine(c, h, W_c):
    """The new h̃, as it must be."""
    return torch.tanh(torch.cat([c, h], dim=1) @ W_c.T)


def whole(y, h, h_tilde, h_bar, f, W, W_c):
    """As it must be; some wrong answers below go wrong around it."""
    h = f(torch.cat([y, h_tilde], dim=1), h)
    weights, c = look(h, h_bar, W)
    return weights, h, combine(c, h, W_c)


@right("luong")
def with_the_librarys_kernel(y, h, h_tilde, h_bar, f, W, W_c):
    h = f(torch.cat([y, h_tilde], dim=1), h)
    seen = attention(h[:, None], h_bar, h_bar, score=lambda q, k: bilinear(q, k, W))
    return seen.weights[:, 0], h, combine(seen.context[:, 0], h, W_c)


@right("luong")
def sentence_by_sentence(y, h, h_tilde, h_bar, f, W, W_c):
    found = []
    for b in range(len(y)):
        new = f(torch.cat([y[b], h_tilde[b]])[None], h[b][None])[0]
        a = (h_bar[b] @ (W.T @ new)).softmax(dim=0)
        found.append((a, new, torch.tanh(W_c @ torch.cat([a @ h_bar[b], new]))))
    return [torch.stack(part) for part in zip(*found, strict=True)]


@wrong("luong", says="is there a `return`")
def moves_and_says_nothing(y, h, h_tilde, h_bar, f, W, W_c):
    whole(y, h, h_tilde, h_bar, f, W, W_c)


@wrong("luong", says="Expected a tuple of 3, got a tuple of 2")
def no_h_tilde(y, h, h_tilde, h_bar, f, W, W_c):
    return whole(y, h, h_tilde, h_bar, f, W, W_c)[:2]


@wrong("luong", "reads=fed y")
def fed_before_the_word(y, h, h_tilde, h_bar, f, W, W_c):
    h = f(torch.cat([h_tilde, y], dim=1), h)
    weights, c = look(h, h_bar, W)
    return weights, h, combine(c, h, W_c)


@wrong("luong", "reads=y h")
def state_fed(y, h, h_tilde, h_bar, f, W, W_c):
    return whole(y, h, h, h_bar, f, W, W_c)


@wrong("luong", "reads=y nothing")
def nothing_fed(y, h, h_tilde, h_bar, f, W, W_c):
    return whole(y, h, torch.zeros_like(h), h_bar, f, W, W_c)


@wrong("luong", "asks=old")
def looks_before_it_moves(y, h, h_tilde, h_bar, f, W, W_c):
    weights, c = look(h, h_bar, W)
    h = f(torch.cat([y, h_tilde], dim=1), h)
    return weights, h, combine(c, h, W_c)


@wrong("luong", "asks=fed")
def h_tilde_asks(y, h, h_tilde, h_bar, f, W, W_c):
    weights, c = look(h_tilde, h_bar, W)
    h = f(torch.cat([y, h_tilde], dim=1), h)
    return weights, h, combine(c, h, W_c)


@wrong("luong", "matrix=turned")
def matrix_turned(y, h, h_tilde, h_bar, f, W, W_c):
    h = f(torch.cat([y, h_tilde], dim=1), h)
    weights, c = look(h, h_bar, W.T)
    return weights, h, combine(c, h, W_c)


@wrong("luong", "share=sentences")
def softmax_over_sentences(y, h, h_tilde, h_bar, f, W, W_c):
    h = f(torch.cat([y, h_tilde], dim=1), h)
    weights = ((h @ W)[:, None] @ h_bar.mT)[:, 0].softmax(dim=0)
    return weights, h, combine((weights[:, None] @ h_bar)[:, 0], h, W_c)


@wrong("luong", "share=nobody")
def no_softmax(y, h, h_tilde, h_bar, f, W, W_c):
    h = f(torch.cat([y, h_tilde], dim=1), h)
    scores = ((h @ W)[:, None] @ h_bar.mT)[:, 0]
    return scores, h, combine((scores[:, None] @ h_bar)[:, 0], h, W_c)


@wrong("luong", "blend=mean")
def plain_mean(y, h, h_tilde, h_bar, f, W, W_c):
    h = f(torch.cat([y, h_tilde], dim=1), h)
    return look(h, h_bar, W)[0], h, combine(h_bar.mean(1), h, W_c)


@wrong("luong", "blend=last")
def last_state_of_the_encoder(y, h, h_tilde, h_bar, f, W, W_c):
    h = f(torch.cat([y, h_tilde], dim=1), h)
    return look(h, h_bar, W)[0], h, combine(h_bar[:, -1], h, W_c)


@wrong("luong", "blend=divided")
def mean_of_weighted_states(y, h, h_tilde, h_bar, f, W, W_c):
    h = f(torch.cat([y, h_tilde], dim=1), h)
    weights, _ = look(h, h_bar, W)
    return weights, h, combine((weights[:, :, None] * h_bar).mean(dim=1), h, W_c)


@wrong("luong", "joined=new c")
def state_before_context(y, h, h_tilde, h_bar, f, W, W_c):
    h = f(torch.cat([y, h_tilde], dim=1), h)
    weights, c = look(h, h_bar, W)
    return weights, h, torch.tanh(torch.cat([h, c], dim=1) @ W_c.T)


@wrong("luong", "joined=c old")
def combined_with_where_it_stood(y, h, h_tilde, h_bar, f, W, W_c):
    new = f(torch.cat([y, h_tilde], dim=1), h)
    weights, c = look(new, h_bar, W)
    return weights, new, combine(c, h, W_c)


@wrong("luong", "curve=none")
def combined_without_tanh(y, h, h_tilde, h_bar, f, W, W_c):
    h = f(torch.cat([y, h_tilde], dim=1), h)
    weights, c = look(h, h_bar, W)
    return weights, h, torch.cat([c, h], dim=1) @ W_c.T


@wrong("luong", "gives=scores new combined")
def scores_for_weights(y, h, h_tilde, h_bar, f, W, W_c):
    _, h, combined = whole(y, h, h_tilde, h_bar, f, W, W_c)
    return ((h @ W)[:, None] * h_bar).sum(2), h, combined


@wrong("luong", "gives=weights old combined")
def stays_where_it_stood(y, h, h_tilde, h_bar, f, W, W_c):
    weights, _, combined = whole(y, h, h_tilde, h_bar, f, W, W_c)
    return weights, h, combined


@wrong("luong", "gives=weights new context")
def context_for_h_tilde(y, h, h_tilde, h_bar, f, W, W_c):
    h = f(torch.cat([y, h_tilde], dim=1), h)
    weights, c = look(h, h_bar, W)
    return weights, h, c


@wrong("luong", "gives=weights combined new")
def h_tilde_before_the_state(y, h, h_tilde, h_bar, f, W, W_c):
    weights, new, combined = whole(y, h, h_tilde, h_bar, f, W, W_c)
    return weights, combined, new


@wrong("luong", "gives=new weights combined")
def state_before_the_weights(y, h, h_tilde, h_bar, f, W, W_c):
    weights, new, combined = whole(y, h, h_tilde, h_bar, f, W, W_c)
    return new, weights, combined


@wrong("luong", "share=quotient")
def scores_over_their_sum(y, h, h_tilde, h_bar, f, W, W_c):
    h = f(torch.cat([y, h_tilde], dim=1), h)
    scores = torch.einsum("bd,de,bke->bk", h, W, h_bar)
    weights = scores / scores.sum(1)[:, None]
    return weights, h, combine(torch.einsum("bk,bke->be", weights, h_bar), h, W_c)


@wrong("luong", "asks=old", "joined=c old")
def moves_last(y, h, h_tilde, h_bar, f, W, W_c):
    weights, c = look(h, h_bar, W)
    return weights, f(torch.cat([y, h_tilde], dim=1), h), combine(c, h, W_c)


# ── Find the bug: asked too early ─────────────────────────────────────────────────────────────────────────────────────


def masked(queries, h_bar, mask, W):
    """The weights of these queries, as they must be."""
    scores = torch.einsum("btd,de,bse->bts", queries, W, h_bar)
    return torch.where(mask[:, None], scores, -1e9).softmax(dim=-1)


@right("early")
def in_one_einsum(start, states, h_bar, mask, W):
    return masked(states, h_bar, mask, W)


@right("early")
def step_by_step(start, states, h_bar, mask, W):
    weights = torch.zeros(*states.shape[:2], h_bar.shape[1]).to(states)
    for b in range(len(states)):
        for t, h_t in enumerate(states[b]):
            weights[b, t, mask[b]] = (h_bar[b][mask[b]] @ (W.T @ h_t)).softmax(dim=0)
    return weights


@right("early")
def the_librarys_kernel(start, states, h_bar, mask, W):
    return attention(states, h_bar, h_bar, mask[:, None], score=lambda q, k: bilinear(q, k, W)).weights


@wrong("early", says="is there a `return`")
def asks_and_says_nothing(start, states, h_bar, mask, W):
    masked(states, h_bar, mask, W)


@wrong("early", "asks=before")
def as_it_was(start, states, h_bar, mask, W):
    asks = torch.cat([start[:, None], states[:, :-1]], dim=1)
    return (asks @ W @ h_bar.mT).masked_fill(~mask[:, None], -INFINITY).softmax(dim=2)


@wrong("early", "asks=after")
def shifted_the_other_way(start, states, h_bar, mask, W):
    return masked(torch.cat([states[:, 1:], states[:, -1:]], dim=1), h_bar, mask, W)


@wrong("early", "asks=around")
def rolled(start, states, h_bar, mask, W):
    return masked(states.roll(1, 1), h_bar, mask, W)


@wrong("early", "asks=first")
def the_start_for_all(start, states, h_bar, mask, W):
    return masked(start[:, None].repeat(1, states.shape[1], 1), h_bar, mask, W)


@wrong("early", "asks=last")
def the_last_for_all(start, states, h_bar, mask, W):
    return masked(states[:, [-1] * states.shape[1]], h_bar, mask, W)


@wrong("early", "asks=both")
def between_two_states(start, states, h_bar, mask, W):
    before = torch.cat([start[:, None], states[:, :-1]], dim=1)
    return masked((states + before) / 2, h_bar, mask, W)


@wrong("early", "hidden=nothing")
def no_mask(start, states, h_bar, mask, W):
    return (states @ W @ h_bar.mT).softmax(dim=-1)


@wrong("early", "hidden=inverted")
def mask_inverted(start, states, h_bar, mask, W):
    scores = (states @ W @ h_bar.mT).masked_fill(mask[:, None], -INFINITY)
    return scores.softmax(dim=-1)


@wrong("early", "hidden=one")
def the_first_mask_for_all(start, states, h_bar, mask, W):
    return masked(states, h_bar, mask[:1], W)


@wrong("early", "hidden=hundred")
def not_low_enough(start, states, h_bar, mask, W):
    return torch.where(mask[:, None], states @ W @ h_bar.mT, -100.0).softmax(dim=-1)


@wrong("early", "hidden=zero")
def scores_times_mask(start, states, h_bar, mask, W):
    return (states @ W @ h_bar.mT * mask[:, None]).softmax(dim=-1)


@wrong("early", "hidden=afterwards")
def mask_after_the_softmax(start, states, h_bar, mask, W):
    return (states @ W @ h_bar.mT).softmax(dim=-1) * mask[:, None]


@wrong("early", "share=steps")
def softmax_over_the_steps(start, states, h_bar, mask, W):
    return (states @ W @ h_bar.mT).softmax(dim=1) * mask[:, None]


@wrong("early", "share=sentences")
def softmax_over_the_batch(start, states, h_bar, mask, W):
    return (states @ W @ h_bar.mT).masked_fill(~mask[:, None], -INFINITY).softmax(dim=0).nan_to_num(0)


@wrong("early", "matrix=turned")
def turned_over(start, states, h_bar, mask, W):
    return masked(states, h_bar, mask, W.T)


@wrong("early", "gives=turned")
def a_row_for_a_word(start, states, h_bar, mask, W):
    return masked(states, h_bar, mask, W).transpose(1, 2)


@wrong("early", "gives=scores")
def scores_of_all_steps(start, states, h_bar, mask, W):
    return (states @ W @ h_bar.mT).masked_fill(~mask[:, None], -INFINITY)


@wrong("early", "asks=before", "hidden=nothing")
def early_and_unmasked(start, states, h_bar, mask, W):
    return (torch.cat([start[:, None], states], dim=1)[:, :-1] @ W @ h_bar.mT).softmax(dim=2)


# ── One step of a beam ────────────────────────────────────────────────────────────────────────────────────────────────


def best(every, width):
    """Rows, words and totals of the best cells of a table."""
    found = every.flatten().topk(width)
    return found.indices // every.shape[1], found.indices % every.shape[1], found.values


@right("beam")
def sorted_in_python(totals, logits, width):
    cells = []
    for row, (total, steps) in enumerate(zip(totals, logits, strict=True)):
        for word, p in enumerate(steps.softmax(dim=0)):
            cells.append((total + p.log(), row, word))
    cells.sort(key=lambda cell: -cell[0].item())
    totals, rows, words = zip(*cells[:width], strict=True)
    return list(rows), list(words), torch.stack(totals)


@right("beam")
def with_unravel_index(totals, logits, width):
    every = torch.log_softmax(logits, -1) + totals.unsqueeze(1)
    places = every.flatten().argsort(descending=True)[:width]
    rows, words = torch.unravel_index(places, every.shape)
    return rows, words, every[rows, words]


@wrong("beam", says="is there a `return`")
def searches_and_says_nothing(totals, logits, width):
    with_unravel_index(totals, logits, width)


@wrong("beam", "steps=logits")
def no_log_softmax(totals, logits, width):
    return best(totals[:, None] + logits, width)


@wrong("beam", "steps=softmax")
def log_and_no_log(totals, logits, width):
    return best(totals[:, None] + logits.softmax(dim=-1), width)


@wrong("beam", "steps=over_hypotheses")
def down_the_beam(totals, logits, width):
    return best(totals[:, None] + logits.log_softmax(dim=0), width)


@wrong("beam", "steps=over_all")
def one_distribution_for_all(totals, logits, width):
    return best(totals[:, None] + (logits - logits.logsumexp(dim=(0, 1))), width)


@wrong("beam", "joined=forgotten")
def forgets_what_was(totals, logits, width):
    return best(logits.log_softmax(dim=-1), width)


@wrong("beam", "joined=multiplied")
def multiplies_logarithms(totals, logits, width):
    return best(totals[:, None] * logits.log_softmax(dim=-1), width)


@wrong("beam", "joined=mean")
def takes_a_mean(totals, logits, width):
    return best(torch.stack([totals[:, None].expand_as(logits), logits.log_softmax(dim=-1)]).mean(dim=0), width)


@wrong("beam", "joined=exponentials")
def adds_probabilities(totals, logits, width):
    return best(totals.exp()[:, None] + logits.softmax(dim=1), width)


@wrong("beam", "chosen=of_each")
def one_word_each(totals, logits, width):
    found = (totals[:, None] + logits.log_softmax(dim=1)).max(dim=1)
    return torch.arange(len(totals)), found.indices, found.values


@wrong("beam", "chosen=of_the_best")
def only_the_leader(totals, logits, width):
    row = int(totals.argmax())
    found = (totals[row] + logits[row].log_softmax(dim=0)).topk(min(width, logits.shape[1]))
    return torch.full_like(found.indices, row), found.indices, found.values


@wrong("beam", "order=worst")
def the_least_likely(totals, logits, width):
    every = totals[:, None] + logits.log_softmax(dim=1)
    places = every.flatten().argsort()[:width]
    return places // every.shape[1], places % every.shape[1], every.flatten()[places]


@wrong("beam", "order=rising")
def best_last(totals, logits, width):
    every = totals[:, None] + logits.log_softmax(dim=1)
    places = every.flatten().argsort()[-width:]
    return places // every.shape[1], places % every.shape[1], every.flatten()[places]


@wrong("beam", "divided=beam")
def rows_as_long_as_the_beam(totals, logits, width):
    found = (totals[:, None] + logits.log_softmax(dim=1)).flatten().topk(width)
    return found.indices // len(totals), found.indices % len(totals), found.values


@wrong("beam", "divided=exactly")
def rows_that_are_no_whole_numbers(totals, logits, width):
    found = (totals[:, None] + logits.log_softmax(dim=1)).flatten().topk(width)
    return found.indices / logits.shape[1], found.indices % logits.shape[1], found.values


@wrong("beam", "gives=words rows totals")
def words_first(totals, logits, width):
    rows, words, values = with_unravel_index(totals, logits, width)
    return words, rows, values


@wrong("beam", "gives=rows words single")
def what_the_last_word_costs(totals, logits, width):
    rows, words, _ = with_unravel_index(totals, logits, width)
    return rows, words, logits.log_softmax(dim=1)[rows, words]


@wrong("beam", "gives=totals rows words")
def totals_first(totals, logits, width):
    rows, words, values = with_unravel_index(totals, logits, width)
    return values, rows, words


@wrong("beam", "gives=places words totals")
def places_for_rows(totals, logits, width):
    rows, words, values = with_unravel_index(totals, logits, width)
    return rows * logits.shape[1] + words, words, values


@wrong("beam", "steps=logits", "order=worst")
def lowest_logits(totals, logits, width):
    every = totals[:, None] + logits
    found = every.flatten().topk(width, largest=False)
    return found.indices // every.shape[1], found.indices % every.shape[1], found.values


# ── Reckoned before run ───────────────────────────────────────────────────────────────────────────────────────────────


@right("reckoned")
def by_computing():
    sizes = torch.empty(4, 6).numel(), torch.empty(8, 4 + 6).numel() + 8
    return [*sizes, "the same", "exchanged", 20 - 1, 0, -6 / ((5 + 7) / 6)]


@right("reckoned")
def as_a_tuple_of_floats():
    return (24.0, 88.0, "The same", "exchanged ", 19, 0.0, -3.0)


@wrong(
    "reckoned",
    *("square of the query", "v forgotten", "sees words", "places only"),
    *("first waits", "recurrence waits", "nothing divided"),
)
def one_thing_after_the_other():
    return [16, 80, "exchanged", "the same", 20, 19, -6]


@wrong(
    "reckoned",
    *("square of the key", "half the width", "words matter", "neighbours matter"),
    *("none waits", "all wait", "divided by words"),
)
def everything_matters():
    return [36, 32, "another", "another", 0, 20, -6 / 7]


@wrong("reckoned", "sizes added", "the other half", "every other", "one waits", "multiplied")
def sums_and_halves():
    return [10, 56, "the same", "exchanged", 10, 1, -12]


@wrong("reckoned", "nothing to learn", "as general", "subtracted")
def a_dot_product():
    return [0, 24, "the same", "exchanged", 19, 0, -5]


@wrong("reckoned", says="choose one of `'another'`, `'exchanged'`, `'the same'`")
def in_other_words():
    return [24, 88, "equal", "exchanged", 19, 0, -3]
