"""Tensors are made where the inputs are: every default device is `meta`, and the inputs and models are not."""

import inspect
from importlib import import_module
from pathlib import Path

import pytest
import torch
from torch import nn

import course_lib
from course_lib.attention import attention, heads, masked_softmax, masks, scores, selection
from course_lib.data import associative_recall, distant_recall, lookup, multi_recall
from course_lib.data.pairs import Pair, Vocabulary, collate
from course_lib.models import (
    attributions,
    beam,
    char_lm,
    local,
    luong,
    multi_head,
    recall_classifier,
    self_attention,
    seq2seq,
    single_head,
    translation,
)
from course_lib.models import lookup as lookup_model
from course_lib.models.trace import trace

ROOT = Path(course_lib.__file__).parent
Q, K, V = (torch.randn(2, n, 4) for n in (3, 5, 5))
LENGTHS = torch.tensor([5, 2])
MASK = masks.padding(LENGTHS, 5)
CPU = {"device": "cpu"}
CENTERS = torch.ones(2, 3)
WORDS = Vocabulary.of([tuple("abcd")])
PAIRS = [Pair(tuple("abc"), tuple("dcb")), Pair(tuple("d"), tuple("ab"))]
BATCH, ONE = collate(PAIRS, WORDS, WORDS), collate(PAIRS[:1], WORDS, WORDS)
DECODERS = {
    "fixed": seq2seq.FixedContextDecoder,
    "bahdanau": seq2seq.BahdanauDecoder,
    **{f"luong {score}": lambda *sizes, score=score: luong.LuongDecoder(*sizes, score=score) for score in luong.SCORES},
    **{f"local {c}": lambda *sizes, c=c: local.LocalDecoder(*sizes, center=c, radius=1) for c in local.CENTERS},
}
ROWS = lookup.lookups(3)
CARDS = associative_recall.associative_recall("match", 3)
CIRCLES = multi_recall.multi_recall(("match", "left"), 3)
DISTANT = distant_recall.distant_recall("last", 3)
LETTERS = torch.randint(8, (2, 5))
IDS = torch.tensor([[3, 4, 5], [6, 7, 0]])


def translator(decoder):
    encoder = seq2seq.Encoder(len(WORDS), 4, 6)
    return translation.Seq2Seq(encoder, DECODERS[decoder](encoder, len(WORDS), 4, 6))


def translations(model):
    yield model(BATCH.source, BATCH.target_in)
    yield translation.translation_loss(model, BATCH)
    yield translation.log_probabilities(model, ONE)
    yield translation.greedy(model, BATCH.source, 3)
    yield translation.translate(model, [pair.source for pair in PAIRS], WORDS, WORDS, 3)
    yield translation.forced_weights(model, PAIRS, WORDS, WORDS)
    yield beam.beam_search(model, BATCH.source[:1], 3)
    yield trace(model, PAIRS[0], WORDS, WORDS)
    yield trace(model, PAIRS[0].source, WORDS, WORDS, 3)


CASES = {  # name → a module (or None), and a call that returns or yields tensors
    "attention": (None, lambda _: [attention(Q, K, V, MASK, bias=Q @ K.mT), masked_softmax(Q @ K.mT, MASK)]),
    "masks": (
        None,
        lambda _: [
            masks.causal(2, 3, **CPU),
            masks.window(2, 3, 1, **CPU),
            masks.padding(LENGTHS, 5),
            masks.or_masks(MASK, ~MASK),
        ],
    ),
    "hard": (
        None,
        lambda _: [
            attend(Q, K, V, MASK, sample=sample)
            for attend in (selection.hard, selection.straight_through)
            for sample in (False, True)
        ],
    ),
    "local": (
        selection.Predictive(4, 3),
        lambda predictive: [
            selection.local(Q, K, V, selection.monotonic(3, **CPU), 1, MASK),
            selection.local(Q, K, V, predictive(Q, LENGTHS), 1),
            selection.gaussian(CENTERS, 5, 1),
            selection.reinforce(Q, Q, selection.moving_mean(0.0, Q)),
        ],
    ),
    "scores": (None, lambda _: [score(Q, K) for score in (scores.dot, scores.scaled_dot, scores.cosine)]),
    **{
        type(score).__name__: (score, lambda score: score(Q, K))
        for score in (scores.Bilinear(4, 4), scores.Concat(4, 4, 3), scores.Additive(4, 4, 3), scores.Location(4, 6))
    },
    "heads": (heads.MultiHead(4, 2, 1), lambda m: [m(Q, K, MASK), heads.split_heads(Q, 2)]),
    **{name: (translator(name), translations) for name in DECODERS},
    "single head": (single_head.SingleHeadModel(), lambda m: [m(CARDS), single_head.recall_loss(m, CARDS)]),
    "multi head": (multi_head.MultiHeadModel(2, 2), lambda m: [m(CIRCLES), multi_head.multi_recall_loss(m, CIRCLES)]),
    "lookup": (
        lookup_model.LookupModel(),
        lambda m: [loss()(m, ROWS) for loss in lookup_model.ESTIMATORS.values()] + [m.accuracy(ROWS)],
    ),
    **{
        name: (recall_classifier.RecallClassifier(name), lambda m: m(DISTANT))
        for name in ("GRU", "LSTM", "self-attention")
    },
    **{
        f"mask {mask}": (
            char_lm.CharLM(8, 9, mask),
            lambda m: [m(LETTERS), char_lm.lm_loss(m, LETTERS), char_lm.generate(m, LETTERS, 2)],
        )
        for mask in char_lm.MASKED_ATTENTION
    },
    "votes": (attributions.VoteClassifier(9), lambda m: [m(IDS), attributions.attributions(m, IDS)]),
    "transformer": (
        self_attention.SelfAttentionEncoder(9, 4, 2, causal=True),
        lambda m: m(IDS, torch.ones(1, 2, device="cpu")),
    ),
}


def leaves(value):
    """The tensors of a nested result, and its numbers and words as they are."""
    if isinstance(value, (tuple, list)) or inspect.isgenerator(value):
        return [leaf for part in value for leaf in leaves(part)]
    return [value]


def result(name):
    torch.manual_seed(0)
    module, call = CASES[name]
    return leaves(call(module))


@pytest.mark.parametrize("name", CASES)
def test_no_tensor_is_made_on_the_default_device(name):
    """Rejects `torch.arange(n)`: on another device than the inputs it fails, or its result stays there."""
    expected = result(name)
    with torch.device("meta"):
        found = result(name)
    for got, right in zip(found, expected, strict=True):
        if isinstance(right, torch.Tensor):
            assert got.device == right.device
            torch.testing.assert_close(got, right)
        else:
            assert got == right


@pytest.mark.parametrize(
    "made",
    [
        lambda **there: masks.causal(2, **there),
        lambda **there: masks.window(2, 3, 1, **there),
        lambda **there: selection.monotonic(2, **there),
    ],
)
def test_masks_and_positions_take_a_device(made):
    """Rejects an argument that is accepted and not used."""
    assert made(device="meta").device.type == "meta"


def test_every_model_is_among_the_cases():
    """Rejects a new model that no case runs; the pretrained one is a `SelfAttentionEncoder`."""
    modules = [path.stem for path in (ROOT / "models").glob("*.py") if path.stem not in ("__init__", "minilm")]
    sources = [import_module(f"course_lib.models.{name}") for name in modules] + [scores, heads, selection]
    classes = {c for m in sources for _, c in inspect.getmembers(m, inspect.isclass) if c.__module__ == m.__name__}
    used = {type(part) for module, _ in CASES.values() if module is not None for part in module.modules()}
    assert {c for c in classes if issubclass(c, nn.Module)} <= used
