"""Chapter 5: the loss of REINFORCE, and a baseline that carries a gradient."""

import numpy as np
import torch
from torch.nn.functional import one_hot

from ..engine import Check, Inputs, known
from ..gradient import LossCheck
from ..inputs import normal


def reinforce_loss(
    scores, sampled, reward, baseline, *, sign="minus", over="keys", by="mean", power="log", of="sampled", b="less"
):
    """The loss of a batch of samples."""
    w = {"keys": scores.softmax(dim=1), "batch": scores.softmax(dim=0), "nobody": scores, "table": scores.exp()}[over]
    if over == "table":
        w = w / w.sum()
    if power == "log":
        w = w if over == "nobody" else w.log()
    best = scores.argmax(dim=1)
    place = {"sampled": sampled, "argmax": best}.get(of)
    chosen = w.sum(dim=1) if place is None else w[torch.arange(len(w)), place]
    chosen = w[:, sampled] if of == "columns" else chosen
    advantage = {"less": reward - baseline, "plus": reward + baseline, "none": reward, "late": reward}.get(b)
    if advantage is None:
        advantage = reward - (baseline.mean() if b == "averaged" else reward.mean())
    parts = advantage * (chosen[:, None] if by == "crossed" else chosen) - (baseline if b == "late" else 0)
    total = {
        "mean": parts.mean(),
        "crossed": parts.mean(),
        "sum": parts.sum(),
        "keys": parts.sum() / scores.numel(),
    }.get(by, parts)
    return -total if sign == "minus" else total


def reinforce_loss_cases(rng: np.random.Generator) -> Inputs:
    """Scores, samples, rewards, baselines."""
    sizes = {"four samples among four keys": (4, 4), "three samples among five keys": (3, 5), "one pick": (1, 6)}
    return {
        case: (normal(rng, n, k), torch.from_numpy(rng.integers(k, size=n)), normal(rng, n) - 2, normal(rng, n) - 1)
        for case, (n, k) in sizes.items()
    }


check_reinforce = LossCheck(
    reinforce_loss,
    reinforce_loss_cases,
    (
        *known(
            "sign",
            plus="the sign: made small, minimising this makes good samples rarer. A loss is "
            "what optimisers make small.",
        ),
        *known(
            "over",
            batch="the softmax runs over the batch. Over which axis must the probabilities sum to one?",
            nobody="scores stand where log-probabilities belong. What makes probabilities of scores?",
            table="the probabilities of the whole batch sum to one. How many samples were made, and among whom each?",
        ),
        *known("power", none="the probability itself stands in your loss. Which function of it does the formula take?"),
        *known(
            "of",
            argmax="it is the most probable key whose probability you take. Which key does the reward belong to?",
            columns="each row gives the columns of all samples, a table of N × N. Which one belongs to a row?",
            all="you add up all keys. Which of them was sampled, and earned the reward?",
        ),
        *known(
            "by",
            sum="this is the sum over the batch. What does 1/N do in front of it?",
            crossed="your product is a table of N × N: what shape has the number of each row?",
            keys="you divide by keys and samples together. How many samples are averaged?",
            nothing="there is a number for each sample. A loss is one number: what is done with the batch?",
        ),
        *known(
            "b",
            plus="the baseline is added. With what is a reward compared?",
            none="the baseline makes no difference. Where does $b$ stand in the formula?",
            late="the baseline is subtracted after the product. What is multiplied with log w in the formula?",
            averaged="each reward is compared with the mean of all baselines. That also happens if shapes (N, 1) and "
            "(N) meet, since every reward then meets every baseline. Which baseline belongs to which sample?",
            own="you subtract the mean of these rewards. Which baseline were you given?",
        ),
    ),
)


def score_gradient(scores, r, sampled, *, b="number", sign="minus", by="mean", of="sampled", subtract="yes", way="log"):
    """The gradient of the loss: each query has sampled one key, the baseline is its expected reward."""
    w = scores.softmax(dim=1)
    expected = (w * r).sum(dim=1, keepdim=True)
    expected = {"even": r.mean(dim=1, keepdim=True), "batch": expected.mean()}.get(b, expected)
    best = one_hot(scores.argmax(dim=1), w.shape[1])
    ones = (best if of == "argmax" else one_hot(sampled, w.shape[1])).to(w.dtype)
    earned = (ones * r).sum(dim=1, keepdim=True)
    advantage = earned - expected if subtract == "yes" else earned
    direction = {"log": ones - w, "probability": (ones * w).sum(dim=1, keepdim=True) * (ones - w), "one": ones}[way]
    uphill = advantage * direction
    if b == "carries":
        probability = (ones * w).sum(dim=1, keepdim=True)
        uphill = uphill - probability.log() * w * (r - expected)
    if b == "alone":
        uphill = w * (r - expected)
    uphill = uphill / {"mean": len(w), "sum": 1, "cells": w.numel()}[by]
    return -uphill if sign == "minus" else uphill


def gradient_cases(rng: np.random.Generator) -> Inputs:
    """Scores, the reward of each key, the samples; some samples are the most probable, some not."""
    found = {}
    for case, (n, k) in {"four samples among four keys": (4, 4), "three samples among six keys": (3, 6)}.items():
        found[case] = normal(rng, n, k), normal(rng, n, k) - 1, torch.from_numpy(rng.integers(k, size=n))
    found["five samples among two keys"] = normal(rng, 5, 2), normal(rng, 5, 2), torch.tensor([0, 1, 0, 1, 1])
    return found


check_gradient = Check(
    score_gradient,
    gradient_cases,
    (
        *known(
            "b",
            carries="a gradient passes the baseline. From what is `b` computed, and what is it to be in the loss?",
            alone="this is the exact gradient of the expected reward: in it, it does not matter which key was sampled.",
            even="the baseline is the plain mean of the rewards. Some keys are sampled more often: "
            "with which probabilities?",
            batch="one baseline for the whole batch. Each query has its own expected reward.",
        ),
        *known(
            "sign", plus="the sign is turned round: the gradient of the *loss* is asked for, which is to become small."
        ),
        *known(
            "by",
            sum="this is the gradient of the sum. What is done with the batch in the formula?",
            cells="you divide by queries and keys together. Over how many samples is the mean taken?",
        ),
        *known("of", argmax="the most probable keys are taken in place of those that were sampled."),
        *known("subtract", no="there is no baseline left. It does no harm as a number: what was wrong with it?"),
        *known(
            "way",
            probability="the logarithm is gone: probabilities themselves are in the loss. What does "
            "$∇ \\log w$ divide by?",
            one="only the sampled key moves. In which way do the others' scores enter $\\log w_j$?",
        ),
    ),
    axes=("query", "key"),
)
