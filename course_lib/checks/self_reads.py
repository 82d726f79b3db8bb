"""Chapter 6: who may look at whom, and a causal look with its mask in place."""

import numpy as np
import torch

from .blends import itself_cases
from .engine import Check, Inputs, known

# ── Who may look ──────────────────────────────────────────────────────────────────────────────────────────────────────


def may_look(lengths, n, *, order="past", own="seen", hidden="keys", join="and", gives="mask"):
    """True where a query may look at a key: no later one, and no padding."""
    query, key = torch.arange(n)[:, None], torch.arange(n)[None, :]
    earlier = {"past": key <= query, "future": key >= query}.get(order, torch.ones(n, n, dtype=torch.bool))
    if own == "hidden":
        earlier = earlier & (key != query)
    of = lengths[:, None, None]
    words = {
        "keys": key < of,
        "queries": query < of,
        "nobody": torch.ones_like(key < of),
        "one_short": key < of - 1,
        "one_more": key <= of,
    }[hidden]
    mask = (earlier & words if join == "and" else earlier | words).expand(len(lengths), n, n)
    return mask if gives == "mask" else ~mask


def may_look_cases(rng: np.random.Generator) -> Inputs:
    """Sentences with and without padding."""
    return {
        "three sentences of 3, 1 and 2 words, filled up to three": (torch.tensor([3, 1, 2]), 3),
        "two sentences of 2 and 4 words, filled up to five": (torch.tensor([2, 4]), 5),
        "a sentence of some words, filled up to seven": (torch.from_numpy(rng.integers(2, 6, size=1)), 7),
    }


check_seen = Check(
    may_look,
    may_look_cases,
    (
        *known(
            "order",
            future="each word sees itself and what comes *after* it. Rows are queries: which key is the later one?",
            any="the order makes no difference in your mask. Which words does a causal mask hide?",
        ),
        *known("own", hidden="nobody may look at itself, so the first word sees nothing. Does the formula say j < i?"),
        *known(
            "hidden",
            queries="you hide the *rows* of padding. Who must not be seen: which index stands in the second condition?",
            nobody="padding is seen. What do the lengths say about the keys?",
            one_short="the last word of each sentence is hidden too. Places count from 0: which is the last?",
            one_more="one piece of padding behind each sentence is seen. Places are counted from 0.",
        ),
        *known(
            "join", either="it is enough for you if one of two conditions holds. What must a key fulfil to be seen?"
        ),
        *known("gives", blocked="`True` and `False` have changed places: True means may attend."),
    ),
    axes=("sentence", "query", "key"),
)


# ── Find the bug: a causal look ───────────────────────────────────────────────────────────────────────────────────────


def causal_look(
    x,
    W_Q,
    W_K,
    W_V,
    *,
    mask="before",
    order="past",
    share="keys",
    scale="root",
    matrices="own",
    values="own",
    gives="both",
):
    """The context of each word from itself and the words before it, and the weights."""
    if matrices == "exchanged":
        W_Q, W_K = W_K, W_Q
    q, k, v = x @ W_Q.T, x @ W_K.T, x @ W_V.T
    v = {"own": v, "keys": k, "words": x}[values]
    scores = q @ k.T / {"root": q.shape[1] ** 0.5, "size": q.shape[1], "none": 1}[scale]
    may = torch.ones(len(x), len(x), dtype=torch.bool)
    may = {"past": may.tril(), "future": may.triu(), "strict": may.tril(-1)}[order]
    fill = {"before": torch.finfo(scores.dtype).min, "zeros": 0.0}.get(mask)
    weights = SHARES[share](scores if fill is None else scores.masked_fill(~may, fill))
    if mask in ("before", "after"):
        weights = weights * may
    context = weights @ v
    return {"weights_first": (weights, context), "context_alone": context}.get(gives, (context, weights))


SHARES = {
    "keys": lambda scores: scores.softmax(dim=1),
    "queries": lambda scores: scores.softmax(dim=0),
    "best": lambda scores: torch.eye(len(scores)).to(scores)[scores.argmax(dim=1)],
}


check_causal = Check(
    causal_look,
    itself_cases,
    (
        *known(
            "mask",
            after="the weights of a row sum to less than one: hidden words were in the softmax. When must they go?",
            zeros="hidden words still get a share: the exponential of a score of zero is one. Which score gives zero?",
            nowhere="later words are seen. Where does $m_{ij}$ come into your weights?",
        ),
        *known(
            "order",
            future="each word looks at what comes after it. Which triangle of the table is the past?",
            strict="a word does not see itself, and the first one nothing at all. Does the formula say j < i?",
        ),
        *known(
            "share",
            queries="the columns of your weights sum to one. Along which axis does a word share out its look?",
            best="each word looks at one word alone. Where is the softmax?",
        ),
        *known(
            "scale",
            none="the scores are not divided. What stands below the line in the formula?",
            size="you divide by $d_k$ itself. Of what does the formula take the root?",
        ),
        *known("matrices", exchanged="queries and keys have changed their matrices: whoever asks is the row."),
        *known(
            "values",
            keys="you blend the keys. Which of the three readings of a word is blended?",
            words="you blend the words as they are. Which matrix is left over?",
        ),
        *known(
            "gives",
            weights_first="weights and context have changed places: the context is asked for first.",
            context_alone="only the context came back. What is asked for besides?",
        ),
    ),
    parts=("context", "weights"),
)
