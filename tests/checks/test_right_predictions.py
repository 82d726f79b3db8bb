"""The right predictions of the exercises are what the library computes: they are measured here, not known by heart."""

import math

import numpy as np
import pytest
import torch

from course_lib.attention import attention, masked_softmax
from course_lib.attention.heads import MultiHead, split_heads
from course_lib.attention.masks import and_masks, causal, window
from course_lib.attention.scores import Bilinear, Concat, additive, bilinear, dot, location
from course_lib.attention.selection import local, reinforce
from course_lib.checks import (
    chapter_00,
    chapter_01,
    chapter_02,
    chapter_03,
    chapter_04,
    chapter_05,
    chapter_06,
    chapter_07,
)
from course_lib.checks.chapter_00.softmax import softmax_rows
from course_lib.data.strings import strings
from course_lib.measure import entropy
from course_lib.models import BahdanauDecoder, Encoder, LuongDecoder, beam
from course_lib.training import set_seed


def agree(measured, right, tolerance=1e-5):
    """Compare measured numbers with predicted ones."""
    np.testing.assert_allclose([float(number) for number in measured], right, rtol=tolerance, atol=1e-6)


def test_weights_after_a_change_of_scores():
    s = np.log([[2.0, 1.0, 1.0]])
    after = [(s + 2, 1), (2 * s, 1), (np.append(s, s[:, :1], axis=1), 1), (s[:, :2], 1), (s, 1e6), (s, 1e-3)]
    agree([softmax_rows(scores, T)[0, 0] for scores, T in after], chapter_00.check_changes.reference())


def test_sizes_loss_and_exact_match():
    context = Encoder(100, 8, 12)(torch.full((1, 30), 7)).final.numel()
    parameters = sum(matrix.numel() for matrix in torch.nn.GRU(8, 16).parameters())
    loss = torch.nn.functional.cross_entropy(torch.zeros(1, 100), torch.tensor([7]))
    right = torch.full((40,), 0.97).double()
    agree([context, parameters, loss, right[:20].prod(), right.prod()], chapter_01.check_numbers.reference())


def test_one_attention_step():
    right = chapter_02.check_foreseen.reference()
    scores, is_word = torch.tensor([[math.log(3)] + [0.0] * 11]), torch.arange(12)[None] < 2
    every = torch.cartesian_prod(*[torch.tensor([-50.0, 50.0])] * 3)
    masked, late = masked_softmax(scores, is_word)[0, 0], (masked_softmax(scores) * is_word).sum()
    bound = additive(every, torch.zeros(1, 3), torch.tensor([2.0, -3.0, 6.0])).max()
    uniform = entropy(torch.full((1, 8), 1 / 8))[0]
    agree([masked, masked_softmax(scores)[0, 0], late, bound, uniform], right[:5])
    q, k, v = torch.randn(2, 3), torch.randn(5, 3), torch.randn(5, 4)
    torch.testing.assert_close(attention(q, k, v).context, attention(q, k.flip(0), v.flip(0)).context)
    assert right[6] == "the same"


@pytest.mark.parametrize("seed", range(3))
def test_weights_before_training(seed):
    set_seed(seed)
    encoder = Encoder(20, d_embedding=32, d_state=64)
    decoder = BahdanauDecoder(encoder, 20, d_embedding=32, d_hidden=64)
    weights = decoder(torch.arange(4, 13)[None], decoder.start(encoder(torch.arange(4, 13)[None]))).weights
    options = {"1/9": 1 / 9, "1/2": 1 / 2, "1": 1}
    nearest = min(options, key=lambda text: abs(options[text] - weights.max().item()))
    assert nearest == chapter_02.check_foreseen.reference()[5]


def test_scores_of_luongs_decoder():
    right = chapter_03.check_reckoned.reference()
    assert right[:2] == [sum(p.numel() for p in score.parameters()) for score in (Bilinear(4, 6), Concat(4, 6, 8))]
    h, h_bar, W = torch.randn(1, 4), torch.randn(3, 6), torch.randn(4, 6)
    exchanged = h_bar[[1, 0, 2]]
    assert torch.equal(location(h, h_bar, torch.ones(3, 4)), location(h, exchanged, torch.ones(3, 4)))
    torch.testing.assert_close(bilinear(h, h_bar, W)[0, [1, 0, 2]], bilinear(h, exchanged, W)[0])
    assert right[2:4] == ["the same", "exchanged"]
    assert right[6] == beam.Hypothesis(tuple(range(7)), -6.0).score(alpha=1.0)


@pytest.mark.parametrize(("input_feeding", "place"), [(True, 4), (False, 5)])
def test_attention_steps_that_wait_for_another(input_feeding, place):
    """Counted with gradients: a step waits for another if its weights move with an earlier context."""
    encoder = Encoder(12, d_embedding=3, d_state=6)
    decoder = LuongDecoder(encoder, 12, d_embedding=3, d_hidden=5, input_feeding=input_feeding)
    start = decoder.start(encoder(torch.tensor([[4, 5, 6], [7, 8, 9]])))
    values = start.memory[1].detach().clone().requires_grad_()
    keys, _, *rest = (tensor.detach() for tensor in start.memory)
    state = start._replace(hidden=start.hidden.detach(), memory=(keys, values, *rest))
    weights = decoder(torch.full((2, 20), 5), state).weights
    moved = [torch.autograd.grad(row[0], values, retain_graph=True, allow_unused=True)[0] for row in weights[0]]
    waiting = sum(gradient is not None and bool((gradient != 0).any()) for gradient in moved)
    assert waiting == chapter_03.check_reckoned.reference()[place]


def test_variances_and_scales():
    right, generator = chapter_04.check_variances.reference(), torch.Generator().manual_seed(0)
    q, k = torch.randn(2, 400, 64, 64, generator=generator, dtype=torch.float64)
    products = dot(q, k)
    agree([products.var(), (products / 8).var(), dot(2 * q, k).var()], right[:3], tolerance=0.05)
    torch.testing.assert_close((products[0] / right[3]).softmax(-1), attention(q[0], k[0], k[0]).weights)
    three = torch.tensor([math.log(3), 0.0, 0.0])
    agree([three.softmax(0)[0], (three / 1e6).softmax(0) @ torch.tensor([0.0, 6, 15])], right[4:6])
    w = torch.randn(3, 5, generator=generator)
    a, b = (torch.randn(1, 5, generator=generator) @ w.T for _ in range(2))
    torch.testing.assert_close(dot(a, b) / dot(b, a) * 2.5, torch.full((1, 1), right[6]))


def test_tied_projections_find_at_most_one_of_two_matching_cards():
    p = torch.randn(20_000, 2, 3, generator=torch.Generator().manual_seed(0))
    finds = (p @ p.mT).argmax(dim=-1) == torch.tensor([1, 0])
    assert finds.float().mean(dim=1).max() == chapter_04.check_variances.reference()[7]


def test_samples_and_windows():
    scores = torch.tensor([math.log(4), 0.0]).requires_grad_()
    r, first = torch.tensor([2.0, -1.0]), torch.tensor([0])
    (exact,) = torch.autograd.grad((scores.softmax(dim=0) * r).sum(), scores)
    one, compared = (
        -torch.autograd.grad(reinforce(scores.log_softmax(dim=0)[first], r[first], b), scores)[0][0] for b in (0.0, 1.4)
    )
    edge = local(torch.ones(1, 1), torch.ones(5, 1), torch.ones(5, 1), torch.tensor([2.0]), radius=2).weights[0]
    (pair,) = strings("reversal", 1, lengths=(9, 9))
    seen = [(i, j) for i, j in pair.links if window(9, 9, 2, 2)[i, j]]
    measured = [exact[0], one, compared, 0, edge[0] / edge[2], window(100, 100, 3, 3).sum(), len(seen)]
    agree(measured, chapter_05.check_guessed.reference())


def test_counts_of_masks():
    n = 12
    narrow = and_masks(causal(n), window(n, n, before=2)).long()
    radius = n - 1 - int(torch.linalg.matrix_power(narrow, 4)[-1].nonzero().min())
    level = torch.zeros(n, n)
    hidden, late = level.masked_fill(~causal(n), -np.inf).softmax(1), level.softmax(1) * causal(n)
    counted = [level.numel(), causal(n).sum(), n - 1, causal(n)[-1, 0], radius, hidden[0, 0], late[2].sum(), 9]
    agree(counted, chapter_06.check_counts.reference())


def test_sizes_of_heads():
    size, eight, two, one, kept, kept_by_one, shared = chapter_07.check_costs.reference()
    heads = {options: MultiHead(512, *options, bias=False) for options in ((8,), (1,), (8, 1))}
    matrices = [sum(w.weight.numel() for w in (m.w_q, m.w_k, m.w_v)) for m in heads.values()]
    assert matrices == [eight, two, shared]
    x = torch.randn(10, 512)
    assert split_heads(heads[8,].w_q(x), 8).shape[-1] == size
    assert heads[8,](x).weights.numel() == one
    caches = [m.w_k(x[:1]).numel() + m.w_v(x[:1]).numel() for m in (heads[8,], heads[8, 1])]
    assert caches == [kept, kept_by_one]
