"""Right and wrong answers to the exercises of chapter 5."""

import math

import torch
from torch.nn.functional import one_hot

from course_lib.attention.selection import gaussian, reinforce

from .answers import right, wrong

# ── Pick one key for each query ───────────────────────────────────────────────────────────────────────────────────────


def found(places, w, v):
    """Context and pick, from the numbers of the keys."""
    ones = torch.eye(w.shape[1], dtype=v.dtype)[places]
    return v[places], ones


def places_of(w, u):
    """The right places; some wrong answers below go wrong around them."""
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
    return found(torch.tensor(places), w, v)


@right("pick")
def with_searchsorted(w, v, u):
    places = torch.searchsorted(w.cumsum(dim=1), u[:, None], right=True)[:, 0].clamp(max=w.shape[1] - 1)
    return found(places, w, v)


@right("pick")
def as_a_difference_of_steps(w, v, u):
    ends = w.cumsum(dim=1)
    ends[:, -1] = 1.0
    below = (u[:, None] < ends).to(v.dtype)
    picked = torch.cat([below[:, :1], below.diff(dim=1)], dim=1)
    return picked @ v, picked


@right("pick")
def with_eye_as_in_the_chapter(w, v, u):
    picked = torch.eye(w.shape[1])[places_of(w, u)]
    return picked @ v, picked


@wrong("pick", says="beyond their sum")
def last_key_not_held(w, v, u):
    picked = one_hot((u[:, None] >= w.cumsum(dim=1)).sum(dim=1), w.shape[1]).float()
    return picked @ v, picked


@wrong("pick", "tie=before")
def ends_belong_to_the_piece(w, v, u):
    return found((u[:, None] > w.cumsum(dim=1)).sum(dim=1).clamp(max=w.shape[1] - 1), w, v)


@wrong("pick", "chosen=likeliest")
def the_best(w, v, u):
    return found(w.argmax(dim=1), w, v)


@wrong("pick", "chosen=one throw")
def one_throw_for_all(w, v, u):
    return found(places_of(w, u[0].expand(len(w))), w, v)


@wrong("pick", "chosen=across")
def throws_without_an_axis(w, v, u):
    picked = one_hot((w.cumsum(dim=1) <= u).sum(dim=1).clamp(max=w.shape[1] - 1), w.shape[1]).float()
    return picked @ v, picked


@wrong("pick", "chosen=even")
def a_random_key(w, v, u):
    return found(torch.floor(u * w.shape[1]).long(), w, v)


@wrong("pick", "chosen=nearest")
def nearest_to_the_throw(w, v, u):
    return found((w - u[:, None]).abs().min(dim=1).indices, w, v)


@wrong("pick", "chosen=single")
def first_weight_above_the_throw(w, v, u):
    return found((w > u[:, None]).double().argmax(dim=1), w, v)


@wrong("pick", "laid=from right")
def counted_from_the_end(w, v, u):
    ends = w.flip(1).cumsum(dim=1)
    return found((u[:, None] < ends).sum(dim=1).clamp(min=1) - 1, w, v)


@wrong("pick", "laid=down")
def sums_down_the_column(w, v, u):
    places = (u.unsqueeze(1) >= w.cumsum(0)).sum(1)
    return found(places.clamp(0, w.shape[1] - 1), w, v)


@wrong("pick", "edge=left")
def one_too_few(w, v, u):
    return found((places_of(w, u) - 1).clamp(min=0), w, v)


@wrong("pick", "edge=beyond")
def one_too_many(w, v, u):
    return found((places_of(w, u) + 1).clamp(max=w.shape[1] - 1), w, v)


@wrong("pick", "takes=blend")
def picked_but_blended(w, v, u):
    return w @ v, found(places_of(w, u), w, v)[1]


@wrong("pick", "takes=weighted")
def value_times_weight(w, v, u):
    ones = one_hot(places_of(w, u), w.shape[1])
    return (w * ones) @ v, ones


@wrong("pick", "gives=turned")
def pick_first(w, v, u):
    return found(places_of(w, u), w, v)[::-1]


@wrong("pick", "gives=weights")
def weights_for_picks(w, v, u):
    return v[places_of(w, u)], w


@wrong("pick", "gives=numbers")
def number_of_the_key(w, v, u):
    return v[places_of(w, u)], places_of(w, u)


@wrong("pick", says="is there a `return`")
def picks_and_keeps_it(w, v, u):
    found(places_of(w, u), w, v)


# ── The loss of REINFORCE ─────────────────────────────────────────────────────────────────────────────────────────────


def likely(scores, picked):
    """The log-probability of each pick."""
    return scores.log_softmax(dim=1).gather(1, picked[:, None])[:, 0]


@right("reinforce")
def one_after_the_other(scores, picked, reward, baseline):
    total = 0.0
    for s, j, r, b in zip(scores, picked, reward, baseline, strict=True):
        total = total - (r - b) * (s[j] - torch.logsumexp(s, dim=0))
    return total / len(scores)


@right("reinforce")
def by_the_library(scores, picked, reward, baseline):
    return reinforce(likely(scores, picked), reward, baseline)


@right("reinforce")
def as_weighted_cross_entropy(scores, picked, reward, baseline):
    each = torch.nn.functional.cross_entropy(scores, picked, reduction="none")
    return ((reward - baseline) * each).mean()


@wrong("reinforce", "sign=plus")
def without_the_minus(scores, picked, reward, baseline):
    return ((reward - baseline) * likely(scores, picked)).mean()


@wrong("reinforce", "over=batch")
def softmax_over_the_batch(scores, picked, reward, baseline):
    rows = torch.arange(len(scores))
    return -((reward - baseline) * scores.log_softmax(dim=0)[rows, picked]).mean()


@wrong("reinforce", "over=nobody")
def scores_alone(scores, picked, reward, baseline):
    return -((reward - baseline) * scores[torch.arange(len(scores)), picked]).mean()


@wrong("reinforce", "over=table")
def one_softmax_for_all(scores, picked, reward, baseline):
    chances = scores.flatten().log_softmax(dim=0).view_as(scores)
    return -((reward - baseline) * chances[torch.arange(len(scores)), picked]).mean()


@wrong("reinforce", "power=none")
def without_the_logarithm(scores, picked, reward, baseline):
    return -((reward - baseline) * likely(scores, picked).exp()).mean()


@wrong("reinforce", "of=likeliest")
def of_the_best(scores, picked, reward, baseline):
    return -((reward - baseline) * scores.log_softmax(dim=1).amax(dim=1)).mean()


@wrong("reinforce", "of=columns")
def columns_of_all_picks(scores, picked, reward, baseline):
    return -((reward - baseline) * scores.log_softmax(1)[:, picked]).mean()


@wrong("reinforce", "by=crossed")
def gathered_and_left_so(scores, picked, reward, baseline):
    return -((reward - baseline) * scores.log_softmax(1).gather(1, picked.unsqueeze(1))).mean()


@wrong("reinforce", says="no gradient reaches the scores")
def a_number_alone(scores, picked, reward, baseline):
    return torch.tensor(by_the_library(scores, picked, reward, baseline).item())


@wrong("reinforce", says="no gradient reaches the scores")
def of_detached_scores(scores, picked, reward, baseline):
    return by_the_library(scores.detach(), picked, reward, baseline)


@wrong("reinforce", "of=all")
def of_all_keys(scores, picked, reward, baseline):
    return -((reward - baseline) * scores.log_softmax(dim=1).sum(dim=1)).mean()


@wrong("reinforce", "by=sum")
def summed(scores, picked, reward, baseline):
    return -((reward - baseline) * likely(scores, picked)).sum()


@wrong("reinforce", "by=keys")
def mean_over_a_table(scores, picked, reward, baseline):
    ones = one_hot(picked, scores.shape[1])
    return -((reward - baseline)[:, None] * ones * scores.log_softmax(dim=1)).mean()


@wrong("reinforce", "by=nothing")
def a_loss_for_each(scores, picked, reward, baseline):
    return -(reward - baseline) * likely(scores, picked)


@wrong("reinforce", "b=plus")
def baseline_added(scores, picked, reward, baseline):
    return -((reward + baseline) * likely(scores, picked)).mean()


@wrong("reinforce", "b=none")
def no_baseline(scores, picked, reward, baseline):
    return -(reward * likely(scores, picked)).mean()


@wrong("reinforce", "b=late")
def parentheses_forgotten(scores, picked, reward, baseline):
    return -(reward * likely(scores, picked) - baseline).mean()


@wrong("reinforce", "b=averaged")
def mean_baseline(scores, picked, reward, baseline):
    return -((reward - baseline.mean()) * likely(scores, picked)).mean()


@wrong("reinforce", "b=own")
def own_mean(scores, picked, reward, baseline):
    return -((reward - reward.mean()) * likely(scores, picked)).mean()


@wrong("reinforce", "sign=plus", "b=none")
def sign_and_no_baseline(scores, picked, reward, baseline):
    return (reward * likely(scores, picked)).mean()


# ── Straight-through ──────────────────────────────────────────────────────────────────────────────────────────────────


def by_autograd(scores, v, slope, line):
    """Forwards and backwards through what `line` makes of one-hot rows and weights."""
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
    asks = scores.clone().requires_grad_()
    w = asks.softmax(dim=1)
    context = (one_hot(asks.argmax(dim=1), asks.shape[1]).float() + w - w.detach()) @ v
    (context * slope).sum().backward()
    return context, asks.grad


@wrong("through", "forwards=soft")
def soft_attention(scores, v, slope):
    return by_autograd(scores, v, slope, lambda ones, w: w)


@wrong("through", "forwards=both")
def stop_forgotten(scores, v, slope):
    return by_autograd(scores, v, slope, lambda ones, w: ones + w)


@wrong("through", "forwards=weighted", "backwards=weighted")
def pick_times_weight(scores, v, slope):
    return by_autograd(scores, v, slope, lambda ones, w: ones * w)


@wrong("through", "backwards=weighted")
def pick_times_weight_over_itself(scores, v, slope):
    context, gradient = by_autograd(scores, v, slope, lambda ones, w: ones + ones * w - (ones * w).detach())
    return context, gradient


@wrong("through", "forwards=weighted")
def weight_left_in_the_context(scores, v, slope):
    context, gradient = in_one_line(scores, v, slope)
    return context * scores.softmax(dim=1).amax(dim=1, keepdim=True), gradient


@wrong("through", "backwards=zero")
def plain_pick(scores, v, slope):
    return v[scores.argmax(dim=1)], torch.zeros_like(scores)


@wrong("through", "backwards=weights")
def stopped_at_the_weights(scores, v, slope):
    return v[scores.argmax(dim=1)], torch.einsum("id,jd->ij", slope, v)


@wrong("through", "backwards=slopeless")
def slope_forgotten(scores, v, slope):
    return by_autograd(scores, v, torch.ones_like(slope), lambda ones, w: ones + w - w.detach())


@wrong("through", "backwards=unweighted")
def weights_forgotten(scores, v, slope):
    w, worth = scores.softmax(dim=1), slope @ v.T
    return v[scores.argmax(dim=1)], worth - torch.einsum("ij,ij->i", w, worth)[:, None]


@wrong("through", "backwards=evenly")
def plain_mean_of_the_row(scores, v, slope):
    w, worth = scores.softmax(dim=1), slope @ v.T
    return v[scores.argmax(dim=1)], w * (worth - worth.mean(dim=1, keepdim=True))


@wrong("through", "backwards=uncentered")
def mean_forgotten(scores, v, slope):
    return v[scores.argmax(dim=1)], scores.softmax(dim=1) * (slope @ v.T)


@wrong("through", "backwards=picked")
def only_the_picked_score(scores, v, slope):
    context, gradient = in_one_line(scores, v, slope)
    return context, gradient * one_hot(scores.argmax(dim=1), scores.shape[1])


@wrong("through", "backwards=reinforce")
def one_hot_minus_weights(scores, v, slope):
    context, ones = v[scores.argmax(dim=1)], one_hot(scores.argmax(dim=1), scores.shape[1])
    return context, (slope * context).sum(dim=1, keepdim=True) * (ones - scores.softmax(dim=1))


@wrong("through", "backwards=downhill")
def a_step_downhill(scores, v, slope):
    context, gradient = in_one_line(scores, v, slope)
    return context, -gradient


@wrong("through", "over=queries")
def softmax_down_the_queries(scores, v, slope):
    w, worth = scores.softmax(dim=0), slope @ v.T
    return v[scores.argmax(dim=1)], w * (worth - (w * worth).sum(dim=0, keepdim=True))


@wrong("through", "way=unlikeliest")
def the_worst(scores, v, slope):
    return v[scores.argmin(dim=1)], in_one_line(scores, v, slope)[1]


@wrong("through", "gives=turned")
def gradient_first(scores, v, slope):
    return in_one_line(scores, v, slope)[::-1]


@wrong("through", "gives=pick")
def the_pick_itself(scores, v, slope):
    return one_hot(scores.argmax(dim=1), scores.shape[1]), in_one_line(scores, v, slope)[1]


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
    found = torch.zeros_like(scores)
    for i, j in enumerate(picked.tolist()):
        w = scores[i].softmax(dim=0)
        direction = -w
        direction[j] += 1
        found[i] = -(r[i, j] - w @ r[i]) * direction / len(scores)
    return found


@wrong("gradient", "b=carries")
def as_it_was(scores, r, picked):
    return of_loss(scores, r, picked, lambda w: (w * r).sum(dim=1))


@wrong("gradient", "b=alone")
def exact_in_place_of_the_pick(scores, r, picked):
    w = scores.softmax(dim=1)
    return -w * (r - (w * r).sum(dim=1, keepdim=True)) / len(scores)


@wrong("gradient", "b=even")
def plain_mean(scores, r, picked):
    return of_loss(scores, r, picked, lambda w: r.mean(dim=1))


@wrong("gradient", "b=batch")
def one_for_the_batch(scores, r, picked):
    return of_loss(scores, r, picked, lambda w: (w * r).sum(dim=1).mean().detach())


@wrong("gradient", "sign=plus")
def of_the_reward(scores, r, picked):
    return -detached(scores, r, picked)


@wrong("gradient", "by=sum")
def of_the_sum(scores, r, picked):
    return detached(scores, r, picked) * len(scores)


@wrong("gradient", "by=cells")
def divided_by_cells(scores, r, picked):
    return detached(scores, r, picked) / scores.shape[1]


@wrong("gradient", "of=likeliest")
def of_the_likeliest(scores, r, picked):
    return of_loss(scores, r, scores.argmax(dim=1), expected(r))


@wrong("gradient", "subtract=no")
def baseline_thrown_out(scores, r, picked):
    return of_loss(scores, r, picked, lambda w: 0.0)


@wrong("gradient", "way=chance")
def logarithm_gone(scores, r, picked):
    return of_loss(scores, r, picked, expected(r), log=lambda w: w)


@wrong("gradient", "way=one")
def only_the_picked_one(scores, r, picked):
    w, rows = scores.softmax(dim=1), torch.arange(len(scores))
    found = torch.zeros_like(scores)
    found[rows, picked] = -(r[rows, picked] - (w * r).sum(dim=1)) / len(scores)
    return found


# ── The weights of local-p ────────────────────────────────────────────────────────────────────────────────────────────


def distances(scores, p):
    """Of each key from each center."""
    return torch.arange(scores.shape[1]) - p[:, None]


def inside(scores, p, reach):
    """The softmax of each window."""
    return torch.where(distances(scores, p).abs() <= reach, scores, -torch.inf).softmax(dim=1)


def bell(scores, p, sigma):
    """The fade."""
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
def with_the_librarys_bell(scores, p, D):
    return inside(scores, p, D) * gaussian(p, scores.shape[1], D)


@wrong("faded", "sigma=whole")
def sigma_is_the_reach(scores, p, D):
    return inside(scores, p, D) * bell(scores, p, D)


@wrong("faded", "sigma=root")
def variance_is_half_the_reach(scores, p, D):
    return inside(scores, p, D) * torch.exp(-(distances(scores, p) ** 2) / (2 * D / 2))


@wrong("faded", "sigma=quarter")
def sigma_is_a_quarter(scores, p, D):
    return inside(scores, p, D) * bell(scores, p, D / 4)


@wrong("faded", "edge=open")
def smaller_than(scores, p, D):
    near = distances(scores, p).abs() < D
    return scores.masked_fill(~near, -torch.inf).softmax(dim=1) * bell(scores, p, D / 2)


@wrong("faded", "edge=half")
def window_of_width_d(scores, p, D):
    near = distances(scores, p).abs() <= D / 2
    return scores.masked_fill(~near, -torch.inf).softmax(dim=1) * bell(scores, p, D / 2)


@wrong("faded", "cut=after")
def cut_out_afterwards(scores, p, D):
    return scores.softmax(dim=1) * bell(scores, p, D / 2) * (distances(scores, p).abs() <= D)


@wrong("faded", "cut=never")
def no_window(scores, p, D):
    return scores.softmax(dim=1) * bell(scores, p, D / 2)


@wrong("faded", "fade=before")
def shared_out_again(scores, p, D):
    weights = inside(scores, p, D) * bell(scores, p, D / 2)
    return weights / weights.sum(dim=1, keepdim=True)


@wrong("faded", "fade=never")
def window_alone(scores, p, D):
    return inside(scores, p, D)


@wrong("faded", "shape=no_two")
def two_forgotten(scores, p, D):
    return inside(scores, p, D) * torch.exp(-((distances(scores, p) / (D / 2)) ** 2))


@wrong("faded", "shape=no_square")
def square_forgotten(scores, p, D):
    return inside(scores, p, D) * torch.exp(-distances(scores, p).abs() / (2 * (D / 2) ** 2))


@wrong("faded", "shape=density")
def as_a_density(scores, p, D):
    normal = torch.distributions.Normal(0.0, D / 2)
    return inside(scores, p, D) * normal.log_prob(distances(scores, p)).exp()


@wrong("faded", "center=rounded")
def nearest_word(scores, p, D):
    return inside(scores, p.round(), D) * bell(scores, p.round(), D / 2)


@wrong("faded", "center=own")
def monotonic_centers(scores, p, D):
    own = torch.arange(len(p)).double()
    return inside(scores, own, D) * bell(scores, own, D / 2)


@wrong("faded", "center=one")
def counted_from_one(scores, p, D):
    distance = torch.arange(1, scores.shape[1] + 1) - p[:, None]
    weights = scores.masked_fill(distance.abs() > D, -torch.inf).softmax(dim=1)
    return (weights * torch.exp(-(distance**2) / (2 * (D / 2) ** 2))).nan_to_num(0.0)


@wrong("faded", "center=floor")
def whole_centers(scores, p, D):
    return inside(scores, p.long(), D) * bell(scores, p.long(), D / 2)


@wrong("faded", "sigma=floor")
def half_rounded_down(scores, p, D):
    return inside(scores, p, D) * bell(scores, p, D // 2)


@wrong("faded", "cut=zero")
def scores_of_zero_outside(scores, p, D):
    near = distances(scores, p).abs() <= D
    return (scores * near).softmax(dim=1) * bell(scores, p, D / 2)


@wrong("faded", "fade=scores")
def fade_on_the_scores(scores, p, D):
    return inside(scores * bell(scores, p, D / 2), p, D)


@wrong("faded", "shape=plus")
def minus_forgotten(scores, p, D):
    return inside(scores, p, D) / bell(scores, p, D / 2)


@wrong("faded", "center=late")
def one_place_too_far(scores, p, D):
    return (inside(scores, p + 1, D) * bell(scores, p + 1, D / 2)).nan_to_num(0.0)


@wrong("faded", "share=queries")
def softmax_over_queries(scores, p, D):
    e = torch.where(distances(scores, p).abs() <= D, scores, -torch.inf)
    return e.softmax(dim=0).nan_to_num(0.0) * bell(scores, p, D / 2)


@wrong("faded", "share=exponentials")
def never_shared_out(scores, p, D):
    return scores.exp() * (distances(scores, p).abs() <= D) * bell(scores, p, D / 2)


# ── Picks and windows foreseen ────────────────────────────────────────────────────────────────────────────────────────


@right("guessed")
def rounded_by_hand():
    return (0.375, 0.25, 0.125, 0, 0.14, 688, 3)


@wrong(
    "guessed",
    "reward times weight",
    "reward alone",
    "baseline forgotten",
    "rewards squared",
    "sigma is D",
    "windows stick out",
    "window size",
)
def one_idea_wrong_for_each():
    return [3 / 4, 1, 1 / 4, 25, math.exp(-1 / 2), 700, 5]


@wrong(
    "guessed",
    "expected reward",
    "weight as slope",
    "advantage alone",
    "rewards alone",
    "no two below",
    "own place forgotten",
    "middle alone",
)
def another_idea_wrong_for_each():
    return [1 / 2, 3 / 4, 1 / 2, 5, math.exp(-1), 600, 1]


@wrong(
    "guessed",
    "slope of the weight",
    "average of picks",
    "average again",
    "one by habit",
    "two forgotten",
    "one side",
    "all letters",
)
def a_third():
    return [3 / 16, 3 / 8, 3 / 8, 1, math.exp(-4), 300, 9]


@wrong("guessed", "sign turned", "edge counts fully", "before only", "no letter")
def a_fourth():
    return [3 / 8, 1 / 4, -1 / 8, 0, 1, 400, 0]


@wrong("guessed", "edge is outside", "all of them", "even count")
def a_fifth():
    return [3 / 8, 1 / 4, 1 / 8, 0, 0, 10_000, 4]


@wrong("guessed", "one end")
def one_end_only():
    return [3 / 8, 1 / 4, 1 / 8, 0, math.exp(-2), 694, 3]
