"""Right and wrong answers to the exercises of chapter 5."""

import math

import torch
from torch.nn.functional import one_hot

from course_lib.attention.selection import gaussian, reinforce

from .answers import right, wrong

# ── Pick one key for each query ───────────────────────────────────────────────────────────────────────────────────────


def context_and_choice(places, w, v):
    """Context and one-hot rows, from the indices of the keys."""
    ones = torch.eye(w.shape[1], dtype=v.dtype)[places]
    return v[places], ones


def sampled(w, u):
    """The right indices; some wrong answers below change them."""
    return (u[:, None] >= w.cumsum(dim=1)).sum(dim=1).clamp(max=w.shape[1] - 1)


@right("pick")
def with_loops(w, v, u):
    places = []
    for w_i, u_i in zip(w.tolist(), u.tolist(), strict=True):
        total, j = w_i[0], 0
        while u_i >= total and j < len(w_i) - 1:
            j += 1
            total += w_i[j]
        places.append(j)
    return context_and_choice(torch.tensor(places), w, v)


@right("pick")
def with_searchsorted(w, v, u):
    places = torch.searchsorted(w.cumsum(dim=1), u[:, None], right=True)[:, 0].clamp(max=w.shape[1] - 1)
    return context_and_choice(places, w, v)


@right("pick")
def as_a_difference_of_steps(w, v, u):
    ends = w.cumsum(dim=1)
    ends[:, -1] = 1.0
    below = (u[:, None] < ends).to(v.dtype)
    picked = torch.cat([below[:, :1], below.diff(dim=1)], dim=1)
    return picked @ v, picked


@right("pick")
def with_eye_as_in_the_chapter(w, v, u):
    picked = torch.eye(w.shape[1])[sampled(w, u)]
    return picked @ v, picked


@wrong("pick", says="beyond their sum")
def last_key_not_held(w, v, u):
    picked = one_hot((u[:, None] >= w.cumsum(dim=1)).sum(dim=1), w.shape[1]).float()
    return picked @ v, picked


@wrong("pick", "tie=before")
def ends_belong_to_the_piece(w, v, u):
    return context_and_choice((u[:, None] > w.cumsum(dim=1)).sum(dim=1).clamp(max=w.shape[1] - 1), w, v)


@wrong("pick", "edge=beyond")
def one_too_many(w, v, u):
    return context_and_choice((sampled(w, u) + 1).clamp(max=w.shape[1] - 1), w, v)


# ── The loss of REINFORCE ─────────────────────────────────────────────────────────────────────────────────────────────


def log_probability(scores, picked):
    """The log-probability of each sampled key."""
    return scores.log_softmax(dim=1).gather(1, picked[:, None])[:, 0]


@right("reinforce")
def one_after_the_other(scores, picked, reward, baseline):
    total = 0.0
    for s, j, r, b in zip(scores, picked, reward, baseline, strict=True):
        total = total - (r - b) * (s[j] - torch.logsumexp(s, dim=0))
    return total / len(scores)


@right("reinforce")
def with_the_library(scores, picked, reward, baseline):
    return reinforce(log_probability(scores, picked), reward, baseline)


@right("reinforce")
def as_weighted_cross_entropy(scores, picked, reward, baseline):
    each = torch.nn.functional.cross_entropy(scores, picked, reduction="none")
    return ((reward - baseline) * each).mean()


@wrong("reinforce", "by=crossed")
def gathered_and_left_so(scores, picked, reward, baseline):
    return -((reward - baseline) * scores.log_softmax(1).gather(1, picked.unsqueeze(1))).mean()


@wrong("reinforce", "b=averaged")
def every_reward_meets_every_baseline(scores, picked, reward, baseline):
    return -((reward[:, None] - baseline).T * log_probability(scores, picked)).mean()


@wrong("reinforce", "sign=plus", "b=none")
def sign_and_no_baseline(scores, picked, reward, baseline):
    return (reward * log_probability(scores, picked)).mean()


# ── Straight-through ──────────────────────────────────────────────────────────────────────────────────────────────────


def by_autograd(scores, v, slope, line):
    """Context and gradient, where `line` combines one-hot rows and weights."""
    scores = scores.detach().clone().requires_grad_()
    w = scores.softmax(dim=1)
    ones = one_hot(scores.argmax(dim=1), scores.shape[1]).to(v.dtype)
    context = line(ones, w) @ v
    return context.detach(), torch.autograd.grad(context, scores, slope)[0]


@right("through")
def in_one_line(scores, v, slope):
    return by_autograd(scores, v, slope, lambda ones, w: ones + w - w.detach())


@right("through")
def with_the_matrix_of_slopes(scores, v, slope):
    gradient = torch.zeros_like(scores)
    for i, s in enumerate(scores):
        w = s.softmax(dim=0)
        gradient[i] = (torch.diag(w) - torch.outer(w, w)) @ (v @ slope[i])
    return v[scores.argmax(dim=1)], gradient


@right("through")
def with_float_as_in_the_example(scores, v, slope):
    leaf = scores.clone().requires_grad_()
    w = leaf.softmax(dim=1)
    context = (one_hot(leaf.argmax(dim=1), leaf.shape[1]).float() + w - w.detach()) @ v
    (context * slope).sum().backward()
    return context, leaf.grad


@wrong("through", "forwards=weighted", "backwards=weighted")
def one_hot_times_weight(scores, v, slope):
    return by_autograd(scores, v, slope, lambda ones, w: ones * w)


@wrong("through", "backwards=zero")
def no_gradient(scores, v, slope):
    return v[scores.argmax(dim=1)], torch.zeros_like(scores)


@wrong("through", "backwards=reinforce")
def one_hot_minus_weights(scores, v, slope):
    context, ones = v[scores.argmax(dim=1)], one_hot(scores.argmax(dim=1), scores.shape[1])
    return context, (slope * context).sum(dim=1, keepdim=True) * (ones - scores.softmax(dim=1))


# ── A baseline with a gradient ────────────────────────────────────────────────────────────────────────────────────────


def of_loss(scores, r, picked, baseline, log=torch.log):
    """The gradient of the loss, by autograd."""
    scores = scores.detach().clone().requires_grad_()
    w, rows = scores.softmax(dim=1), torch.arange(len(scores))
    loss = -((r[rows, picked] - baseline(w)) * log(w[rows, picked])).mean()
    return torch.autograd.grad(loss, scores)[0]


def expected(r):
    """The expected reward as a number."""
    return lambda w: (w * r).sum(dim=1).detach()


@right("gradient")
def detached(scores, r, picked):
    return of_loss(scores, r, picked, expected(r))


@right("gradient")
def one_query_at_a_time(scores, r, picked):
    context_and_choice = torch.zeros_like(scores)
    for i, j in enumerate(picked.tolist()):
        w = scores[i].softmax(dim=0)
        direction = -w
        direction[j] += 1
        context_and_choice[i] = -(r[i, j] - w @ r[i]) * direction / len(scores)
    return context_and_choice


@wrong("gradient", "b=carries")
def with_the_given_bug(scores, r, picked):
    return of_loss(scores, r, picked, lambda w: (w * r).sum(dim=1))


@wrong("gradient", "b=alone")
def exact_in_place_of_the_pick(scores, r, picked):
    w = scores.softmax(dim=1)
    return -w * (r - (w * r).sum(dim=1, keepdim=True)) / len(scores)


@wrong("gradient", "by=sum")
def of_the_sum(scores, r, picked):
    return detached(scores, r, picked) * len(scores)


# ── The weights of local-p ────────────────────────────────────────────────────────────────────────────────────────────


def distances(scores, p):
    """The distance of each key from each center."""
    return torch.arange(scores.shape[1]) - p[:, None]


def local_softmax(scores, p, radius):
    """The softmax of each window."""
    return torch.where(distances(scores, p).abs() <= radius, scores, -torch.inf).softmax(dim=1)


def gaussian_weights(scores, p, sigma):
    """The Gaussian weights."""
    return torch.exp(-(distances(scores, p) ** 2) / (2 * sigma**2))


@right("faded")
def with_loops_over_places(scores, p, D):
    weights = torch.zeros_like(scores)
    for t, center in enumerate(p.tolist()):
        near = [j for j in range(scores.shape[1]) if abs(j - center) <= D]
        total = sum(math.exp(scores[t, j]) for j in near)
        for j in near:
            weights[t, j] = math.exp(scores[t, j]) / total * math.exp(-2 * (j - center) ** 2 / D**2)
    return weights


@right("faded")
def with_the_librarys_gaussian(scores, p, D):
    return local_softmax(scores, p, D) * gaussian(p, scores.shape[1], D)


@wrong("faded", "cut=after")
def cut_out_afterwards(scores, p, D):
    return scores.softmax(dim=1) * gaussian_weights(scores, p, D / 2) * (distances(scores, p).abs() <= D)


@wrong("faded", "gaussian=before")
def normalised_again(scores, p, D):
    weights = local_softmax(scores, p, D) * gaussian_weights(scores, p, D / 2)
    return weights / weights.sum(dim=1, keepdim=True)


@wrong("faded", "shape=density")
def as_a_density(scores, p, D):
    normal = torch.distributions.Normal(0.0, D / 2)
    return local_softmax(scores, p, D) * normal.log_prob(distances(scores, p)).exp()


# ── Picks and windows foreseen ────────────────────────────────────────────────────────────────────────────────────────


@right("guessed")
def rounded_by_hand():
    return (0.48, 0.4, 0.12, 0, 0.14, 688, 3)
