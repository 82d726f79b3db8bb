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
def returns_nothing(x, n_heads):
    split_heads(x, n_heads)


@wrong("pieces", "cut=viewed")
def one_view(x, n_heads):
    return x.view(n_heads, len(x), -1)


@wrong("pieces", "cut=exchanged")
def as_many_features_as_heads(x, n_heads):
    return x.reshape(len(x), -1, n_heads).transpose(0, 1)


@wrong("pieces", "axes=word_first")
def never_swapped(x, n_heads):
    return x.view(len(x), n_heads, -1)


# ── Side by side again ────────────────────────────────────────────────────────────────────────────────────────────────


@right("joined")
def with_cat(seen, W_O):
    return torch.cat(list(seen), dim=1) @ W_O.T


@right("joined")
def head_by_head(seen, W_O):
    """Each head times its columns of the last matrix, summed."""
    return sum(part @ columns.T for part, columns in zip(seen, W_O.chunk(len(seen), dim=1), strict=True))


@wrong("joined", "join=viewed")
def reshaped_at_once(seen, W_O):
    return seen.reshape(seen.shape[1], -1) @ W_O.T


@wrong("joined", "join=first")
def head_zero_again_and_again(seen, W_O):
    return torch.cat([seen[0] for _ in seen], dim=1) @ W_O.T


@wrong("joined", "gives=transposed")
def words_in_columns(seen, W_O):
    return W_O @ merge_heads(seen).T


# ── Heads that share keys and values ──────────────────────────────────────────────────────────────────────────────────


def repeated(few, q):
    """Each group repeated for the heads that share it."""
    return torch.stack([few[h * len(few) // len(q)] for h in range(len(q))])


@right("grouped")
def in_a_loop(q, k, v):
    size = len(q) // len(k)
    return torch.stack([attention(q[h], k[h // size], v[h // size]).context for h in range(len(q))])


@right("grouped")
def pytorchs(q, k, v):
    return scaled_dot_product_attention(q[None], k[None], v[None], enable_gqa=True)[0]


@right("grouped")
def with_an_axis_for_the_group(q, k, v):
    q = q.unflatten(0, (len(k), -1))
    k, v = (few[:, None].expand(-1, q.shape[1], -1, -1) for few in (k, v))
    return attention(q, k, v).context.flatten(0, 1)


@wrong("grouped", "keys=in_turn")
def keys_in_turn(q, k, v):
    return attention(q, torch.cat([k] * (len(q) // len(k))), repeated(v, q)).context


@wrong("grouped", "keys=in_turn", "values=in_turn")
def repeated_as_a_whole(q, k, v):
    times = len(q) // len(k)
    return attention(q, torch.cat([k] * times), torch.cat([v] * times)).context


@wrong("grouped", "scale=all")
def by_the_models_width(q, k, v):
    d_model = q.shape[0] * q.shape[2]
    return (q @ repeated(k, q).mT / d_model**0.5).softmax(-1) @ repeated(v, q)
