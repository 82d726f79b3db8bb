"""Right and wrong answers to the exercises of chapter 3."""

import torch
from torch.nn.functional import pad

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
    """The right answer; some wrong answers below change it."""
    return h @ h_bar.T, h @ W @ h_bar.T, torch.tanh(joined(h, h_bar) @ W_a.T) @ v


@right("zoo")
def scores_of_the_library(h, h_bar, W, W_a, v):
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


@wrong("zoo", says="Expected a tuple of 3, got a tuple of 2")
def two_of_three(h, h_bar, W, W_a, v):
    return zoo(h, h_bar, W, W_a, v)[:2]


@wrong("zoo", "curve=none")
def concat_without_tanh(h, h_bar, W, W_a, v):
    return *zoo(h, h_bar, W, W_a, v)[:2], joined(h, h_bar) @ W_a.T @ v


@wrong("zoo", "dot=scaled", "curve=none")
def divided_and_no_tanh(h, h_bar, W, W_a, v):
    _, generals, concats = concat_without_tanh(h, h_bar, W, W_a, v)
    return h @ h_bar.T * h.shape[1] ** -0.5, generals, concats


# ── The location score ────────────────────────────────────────────────────────────────────────────────────────────────


@right("location")
def scores_of_the_library_masked(h, n, W):
    rows = torch.cat([W, torch.zeros(max(n - len(W), 0), W.shape[1])])
    scores = location_score(h, torch.zeros(n, 1), rows)
    return scores.masked_fill(torch.arange(n) >= len(W), -INFINITY).softmax(dim=-1)


@right("location")
def query_by_query_and_position_by_position(h, n, W):
    weights = torch.zeros(len(h), n)
    for t, h_t in enumerate(h):
        positive = [torch.exp(W[s] @ h_t) for s in range(min(n, len(W)))]
        for s, p in enumerate(positive):
            weights[t, s] = p / sum(positive)
    return weights


@wrong("location", says="is there a `return`")
def returns_nothing(h, n, W):
    (h @ W[:n].T).softmax(dim=1)


@wrong("location", "softmax=before_the_cut")
def softmax_of_all_positions(h, n, W):
    weights = (h @ W.T).softmax(dim=1)[:, :n]
    return pad(weights, (0, n - weights.shape[1]))


@wrong("location", "gives=scores", "beyond=cut")
def scores_of_known_positions(h, n, W):
    return h @ W[:n].T


# ── One tick, with input feeding ──────────────────────────────────────────────────────────────────────────────────────


def attend(h, h_bar, W):
    """The right weights and context."""
    weights = torch.einsum("bd,de,bke->bk", h, W.double(), h_bar).softmax(dim=1)
    return weights, torch.einsum("bk,bke->be", weights, h_bar)


def attentional_state(c, h, W_c):
    """The right new h̃."""
    return torch.tanh(torch.cat([c, h], dim=1) @ W_c.T)


def decoder_step(y, h, h_tilde, h_bar, f, W, W_c):
    """The right answer; some wrong answers below change it."""
    h = f(torch.cat([y, h_tilde], dim=1), h)
    weights, c = attend(h, h_bar, W)
    return weights, h, attentional_state(c, h, W_c)


@right("luong")
def with_the_librarys_kernel(y, h, h_tilde, h_bar, f, W, W_c):
    h = f(torch.cat([y, h_tilde], dim=1), h)
    out = attention(h[:, None], h_bar, h_bar, score=lambda q, k: bilinear(q, k, W))
    return out.weights[:, 0], h, attentional_state(out.context[:, 0], h, W_c)


@right("luong")
def sentence_by_sentence(y, h, h_tilde, h_bar, f, W, W_c):
    found = []
    for b in range(len(y)):
        new = f(torch.cat([y[b], h_tilde[b]])[None], h[b][None])[0]
        a = (h_bar[b] @ (W.T @ new)).softmax(dim=0)
        found.append((a, new, torch.tanh(W_c @ torch.cat([a @ h_bar[b], new]))))
    return [torch.stack(part) for part in zip(*found, strict=True)]


@wrong("luong", "scale=root")
def scaled(y, h, h_tilde, h_bar, f, W, W_c):
    h = f(torch.cat([y, h_tilde], dim=1), h)
    weights, c = attend(h, h_bar, W / h.shape[1] ** 0.5)
    return weights, h, attentional_state(c, h, W_c)


@wrong("luong", "query=old")
def attends_before_the_update(y, h, h_tilde, h_bar, f, W, W_c):
    weights, c = attend(h, h_bar, W)
    h = f(torch.cat([y, h_tilde], dim=1), h)
    return weights, h, attentional_state(c, h, W_c)


@wrong("luong", "query=old", "joined=c old")
def updates_the_state_last(y, h, h_tilde, h_bar, f, W, W_c):
    weights, c = attend(h, h_bar, W)
    return weights, f(torch.cat([y, h_tilde], dim=1), h), attentional_state(c, h, W_c)


# ── Find the bug: asked too early ─────────────────────────────────────────────────────────────────────────────────────


def masked(queries, h_bar, mask, W):
    """The right weights of these queries."""
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
def kernel_of_the_library(start, states, h_bar, mask, W):
    return attention(states, h_bar, h_bar, mask[:, None], score=lambda q, k: bilinear(q, k, W)).weights


@wrong("early", "query=before")
def with_the_given_bug(start, states, h_bar, mask, W):
    queries = torch.cat([start[:, None], states[:, :-1]], dim=1)
    return (queries @ W @ h_bar.mT).masked_fill(~mask[:, None], -INFINITY).softmax(dim=2)


@wrong("early", "hidden=zero")
def scores_times_mask(start, states, h_bar, mask, W):
    return (states @ W @ h_bar.mT * mask[:, None]).softmax(dim=-1)


@wrong("early", "query=before", "hidden=nothing")
def early_and_unmasked(start, states, h_bar, mask, W):
    return (torch.cat([start[:, None], states], dim=1)[:, :-1] @ W @ h_bar.mT).softmax(dim=2)


# ── One step of a beam ────────────────────────────────────────────────────────────────────────────────────────────────


def top_cells(every, width):
    """Rows, words and totals of the largest cells of a table."""
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


@wrong("beam", "chosen=of_each")
def one_word_each(totals, logits, width):
    found = (totals[:, None] + logits.log_softmax(dim=1)).max(dim=1)
    return torch.arange(len(totals)), found.indices, found.values


@wrong("beam", "chosen=of_each_sorted")
def one_word_each_sorted(totals, logits, width):
    rows, words, found = one_word_each(totals, logits, width)
    order = found.argsort(descending=True)[:width]
    return rows[order], words[order], found[order]


@wrong("beam", "divided=exactly")
def rows_that_are_no_whole_numbers(totals, logits, width):
    found = (totals[:, None] + logits.log_softmax(dim=1)).flatten().topk(width)
    return found.indices / logits.shape[1], found.indices % logits.shape[1], found.values


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
