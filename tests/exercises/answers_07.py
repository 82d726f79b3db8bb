"""Right and wrong answers to the exercises of chapter 7."""

import einops
import torch
from torch.nn.functional import scaled_dot_product_attention

from course_lib.attention import attention
from course_lib.attention.heads import merge_heads, split_heads

from .answers import right, wrong

# ── Into heads ────────────────────────────────────────────────────────────────────────────────────────────────────────


@right("pieces")
def with_slices(x, n_heads):
    size = x.shape[1] // n_heads
    return torch.stack([x[:, h * size : (h + 1) * size] for h in range(n_heads)])


@right("pieces")
def in_einops(x, n_heads):
    return einops.rearrange(x, "n (h c) -> h n c", h=n_heads)


@wrong("pieces", says="is there a `return`")
def cut_and_kept(x, n_heads):
    split_heads(x, n_heads)


@wrong("pieces", "cut=viewed")
def one_view(x, n_heads):
    return x.view(n_heads, len(x), -1)


@wrong("pieces", "cut=dealt")
def every_nth_feature(x, n_heads):
    return torch.stack([x[:, h::n_heads] for h in range(n_heads)])


@wrong("pieces", "cut=copies")
def everything_for_each(x, n_heads):
    return torch.stack([x] * n_heads)


@wrong("pieces", "cut=first")
def counter_forgotten(x, n_heads):
    return torch.stack([x[:, : x.shape[1] // n_heads] for _ in range(n_heads)])


@wrong("pieces", "cut=sums")
def added_up(x, n_heads):
    total = sum(x.chunk(n_heads, dim=1))
    return torch.stack([total for _ in range(n_heads)])


@wrong("pieces", "order=reversed")
def from_the_back(x, n_heads):
    return torch.stack(x.chunk(n_heads, dim=1)[::-1])


@wrong("pieces", "axes=word_first")
def never_swapped(x, n_heads):
    return x.view(len(x), n_heads, -1)


@wrong("pieces", "axes=turned")
def cut_the_transposed(x, n_heads):
    return x.T.reshape(n_heads, -1, len(x))


# ── Side by side again ────────────────────────────────────────────────────────────────────────────────────────────────


@right("joined")
def with_cat(seen, W_O):
    return torch.cat(list(seen), dim=1) @ W_O.T


@right("joined")
def head_by_head(seen, W_O):
    """Each head has its columns of the last matrix, and the results are added."""
    return sum(part @ columns.T for part, columns in zip(seen, W_O.chunk(len(seen), dim=1), strict=True))


@wrong("joined", "join=viewed")
def reshaped_at_once(seen, W_O):
    return seen.reshape(seen.shape[1], -1) @ W_O.T


@wrong("joined", "join=dealt")
def heads_last(seen, W_O):
    return einops.rearrange(seen, "h n c -> n (c h)") @ W_O.T


@wrong("joined", "join=mean")
def averaged(seen, W_O):
    return torch.cat([seen.mean(0)] * len(seen), dim=1) @ W_O.T


@wrong("joined", "join=first")
def head_zero_again_and_again(seen, W_O):
    return torch.cat([seen[0] for _ in seen], dim=1) @ W_O.T


@wrong("joined", "order=reversed")
def last_head_first(seen, W_O):
    return torch.cat(list(seen)[::-1], dim=1) @ W_O.T


@wrong("joined", "out=none")
def without_the_matrix(seen, W_O):
    return merge_heads(seen)


@wrong("joined", "out=as_it_is")
def not_turned(seen, W_O):
    return merge_heads(seen) @ W_O


@wrong("joined", "gives=turned")
def words_in_columns(seen, W_O):
    return W_O @ merge_heads(seen).T


# ── Heads that share keys and values ──────────────────────────────────────────────────────────────────────────────────


def one_by_one(q, k, v, of_keys=lambda h, size: h // size, of_values=lambda h, size: h // size):
    """A loop over the heads; two rules say whose keys and values a head has."""
    size = len(q) // len(k)
    return torch.stack([attention(q[h], k[of_keys(h, size)], v[of_values(h, size)])[0] for h in range(len(q))])


def spread_out(few, q):
    """Each group as often as heads share it."""
    return torch.stack([few[h * len(few) // len(q)] for h in range(len(q))])


@right("grouped")
def in_a_loop(q, k, v):
    return one_by_one(q, k, v)


@right("grouped")
def pytorchs(q, k, v):
    return scaled_dot_product_attention(q[None], k[None], v[None], enable_gqa=True)[0]


@right("grouped")
def with_an_axis_for_the_group(q, k, v):
    q = q.unflatten(0, (len(k), -1))
    return attention(q, k[:, None].expand(-1, q.shape[1], -1, -1), v[:, None].expand(-1, q.shape[1], -1, -1))[
        0
    ].flatten(0, 1)


@wrong("grouped", "keys=in_turn")
def keys_in_turn(q, k, v):
    return one_by_one(q, k, v, of_keys=lambda h, size: h % len(k))


@wrong("grouped", "values=in_turn")
def values_in_turn(q, k, v):
    return one_by_one(q, k, v, of_values=lambda h, size: h % len(v))


@wrong("grouped", "keys=in_turn", "values=in_turn")
def repeated_as_a_whole(q, k, v):
    times = len(q) // len(k)
    return attention(q, torch.cat([k] * times), torch.cat([v] * times)).context


@wrong("grouped", "keys=first")
def first_keys(q, k, v):
    return one_by_one(q, k, v, of_keys=lambda h, size: 0)


@wrong("grouped", "values=first")
def first_values(q, k, v):
    return one_by_one(q, k, v, of_values=lambda h, size: 0)


@wrong("grouped", "keys=mean")
def mean_keys(q, k, v):
    return one_by_one(q, k.mean(0)[None].expand_as(k), v)


@wrong("grouped", "values=mean")
def mean_values(q, k, v):
    return one_by_one(q, k, v.mean(0)[None].expand_as(v))


@wrong("grouped", "scale=none")
def never_divided(q, k, v):
    return (q @ spread_out(k, q).mT).softmax(-1) @ spread_out(v, q)


@wrong("grouped", "scale=all")
def by_the_models_width(q, k, v):
    d_model = q.shape[0] * q.shape[2]
    return (q @ spread_out(k, q).mT / d_model**0.5).softmax(-1) @ spread_out(v, q)


@wrong("grouped", "scale=size")
def root_forgotten(q, k, v):
    return (q @ spread_out(k, q).mT / q.shape[2]).softmax(-1) @ spread_out(v, q)


@wrong("grouped", "scale=words")
def by_the_number_of_words(q, k, v):
    return (q @ spread_out(k, q).mT / len(k[0]) ** 0.5).softmax(-1) @ spread_out(v, q)


@wrong("grouped", "share=queries")
def over_the_queries(q, k, v):
    return (q @ spread_out(k, q).mT / q.shape[2] ** 0.5).softmax(1) @ spread_out(v, q)


@wrong("grouped", "share=heads")
def over_the_heads(q, k, v):
    return (q @ spread_out(k, q).mT / q.shape[2] ** 0.5).softmax(dim=0) @ spread_out(v, q)


@wrong("grouped", "gives=weights")
def weights_only(q, k, v):
    return attention(q, spread_out(k, q), spread_out(v, q)).weights


# ── What heads cost ───────────────────────────────────────────────────────────────────────────────────────────────────

COUNTS = [64, 786432, 786432, 800, 1024, 128, 327680]


def predicted(**others):
    """The right predictions but for these."""
    return [others.get(f"p{number}", right) for number, right in enumerate(COUNTS, start=1)]


@wrong(
    "costs", "whole width", "eight times", "larger head", "one map", "values forgotten", "no values", "queries shared"
)
def each_head_is_a_whole_attention():
    return predicted(p1=512, p2=6291456, p3=6291456, p4=100, p5=512, p6=64, p7=98304)


@wrong(
    "costs", "multiplied", "one head's", "fewer heads", "rows counted", "queries kept", "nothing saved", "none smaller"
)
def another_hurry():
    return predicted(p1=4096, p2=98304, p3=98304, p4=80, p5=1536, p6=1024, p7=786432)


@wrong("costs", "heads counted", "four matrices", "features counted", "one head's store", "keys alone")
def a_third():
    return predicted(p1=8, p2=4 * 512**2, p4=51200, p5=128, p7=512**2 + 512 * 64 + 512**2)


@wrong("costs", "one matrix", "values left out")
def one_of_three():
    return predicted(p2=512**2, p7=512**2 + 512 * 64)


@wrong("costs", "one head's", "share read")
def each_head_reads_its_share():
    return predicted(p2=8 * 3 * 64 * 64, p7=512**2 + 2 * 64 * 64)
