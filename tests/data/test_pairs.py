"""Pairs, vocabularies, batches and splits."""

from itertools import islice

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from course_lib.data.pairs import Pair, Vocabulary, batches, collate, split
from course_lib.tokens import BOS, EOS, PAD, SPECIALS, UNK, padded

words = st.text(alphabet="abcé中", min_size=1, max_size=3)
sentences = st.lists(words, min_size=1, max_size=6).map(tuple)


def pair(source, target="x"):
    return Pair(tuple(source.split()), tuple(target.split()))


def numbered(n):
    """n different pairs with lengths from 1 to 20, long and short mixed."""
    lengths = [1 + (7 * k) % 20 for k in range(n)]
    return [Pair((f"s{k}",) * length, (f"t{k}",) * length) for k, length in enumerate(lengths)]


def vocabularies(pairs):
    return Vocabulary.of(p.source for p in pairs), Vocabulary.of(p.target for p in pairs)


class TestPair:
    def test_gold_has_target_words_as_rows(self):
        """Rejects a transposed matrix: three target words, two source words."""
        gold = Pair(("je", "chante"), ("I", "do", "sing"), frozenset({(0, 0), (2, 1)})).gold
        np.testing.assert_array_equal(gold, [[True, False], [False, False], [False, True]])

    def test_flipped_swaps_words_and_links(self):
        """Rejects a flip that forgets the links."""
        flipped = Pair(("a", "b"), ("c", "d", "e"), frozenset({(2, 0)})).flipped()
        assert flipped == Pair(("c", "d", "e"), ("a", "b"), frozenset({(0, 2)}))
        np.testing.assert_array_equal(flipped.gold, flipped.flipped().gold.T)


class TestVocabulary:
    def test_special_tokens_come_first_and_have_fixed_ids(self):
        assert (PAD, BOS, EOS, UNK) == (0, 1, 2, 3)
        assert padded([[4, 5], [6]], "cpu").tolist() == [[4, 5], [6, PAD]]
        assert padded([[4]], "meta").device.type == "meta"
        assert Vocabulary.of([("a",)]).tokens == (*SPECIALS, "a") == ("<pad>", "<bos>", "<eos>", "<unk>", "a")

    def test_sorted_by_count_then_alphabet(self):
        """Rejects the order of appearance, which changes when the data is shuffled."""
        expected = ("b", "a", "c", "d")
        assert Vocabulary.of([("d", "c", "b"), ("b", "a")]).tokens[4:] == expected
        assert Vocabulary.of([("a", "b"), ("b", "c", "d")]).tokens[4:] == expected

    @given(st.lists(sentences, min_size=1))
    def test_round_trip(self, data):
        vocabulary = Vocabulary.of(data)
        for sentence in data:
            ids = vocabulary.encode(sentence)
            assert ids[-1] == EOS
            assert UNK not in ids
            assert vocabulary.decode(ids) == sentence

    def test_unknown_words_and_the_end(self):
        """Rejects decoding beyond the end, and a text that can end a sentence early."""
        vocabulary = Vocabulary.of([("a", "<eos>", "b", "<pad>")])
        assert vocabulary.encode(("<eos>", "a", "z", "b")) == [UNK, 4, UNK, 5, EOS]
        assert vocabulary.decode(torch.tensor([BOS, 4, PAD, UNK, 5, EOS, 4, EOS])) == ("a", "<unk>", "b")
        assert ("a" in vocabulary, "z" in vocabulary, "<eos>" in vocabulary, len(vocabulary)) == (True, False, False, 6)

    def test_min_count_and_max_size(self):
        data = [("a", "a", "a", "b", "b", "c")]
        assert Vocabulary.of(data, min_count=2).tokens[4:] == ("a", "b")
        assert Vocabulary.of(data, max_size=5).tokens[4:] == ("a",)


class TestCollate:
    def test_pads_at_the_end_and_shifts_the_target_by_one(self):
        """Rejects <eos> in the decoder's input, <bos> in its output, and padding in front."""
        pairs = [pair("b", "y x"), pair("a a b", "x")]
        a, b, x, y = 4, 5, 4, 5
        batch = collate(pairs, *vocabularies(pairs))
        assert batch.source.tolist() == [[b, EOS, PAD, PAD], [a, a, b, EOS]]
        assert batch.target_in.tolist() == [[BOS, y, x], [BOS, x, PAD]]
        assert batch.target_out.tolist() == [[y, x, EOS], [x, EOS, PAD]]
        assert (batch.source != PAD).sum(1).tolist() == [2, 4]

    @given(st.lists(st.tuples(sentences, sentences), min_size=1, max_size=5))
    def test_decoding_gives_the_words_back(self, data):
        pairs = [Pair(source, target) for source, target in data]
        source_vocab, target_vocab = vocabularies(pairs)
        batch = collate(pairs, source_vocab, target_vocab)
        assert [source_vocab.decode(row) for row in batch.source] == [p.source for p in pairs]
        for rows in (batch.target_in, batch.target_out):
            assert [target_vocab.decode(row) for row in rows] == [p.target for p in pairs]


class TestBatches:
    PAIRS = numbered(200)
    VOCABULARIES = vocabularies(PAIRS)

    def first(self, n, **options):
        return list(islice(batches(self.PAIRS, *self.VOCABULARIES, **options), n))

    def names(self, found):
        return [int(row[0]) for batch in found for row in batch.source]

    @pytest.mark.parametrize("by_length", [True, False])
    def test_each_epoch_meets_each_pair_once_in_a_new_order(self, by_length):
        """Rejects sampling with replacement, a lost last batch, and batches that are made once and only shuffled."""
        found = self.first(2 * 13, size=16, by_length=by_length)
        names = self.names(found)
        assert sorted(names[:200]) == sorted(names[200:]) == list(range(4, 204))
        assert names[:200] != names[200:]
        assert len({frozenset(self.names([batch])) for batch in found}) > 20

    def test_the_seed_decides(self):
        """And the pairs are not reordered."""
        before = list(self.PAIRS)
        first, again, other = (self.names(self.first(30, size=16, seed=seed)) for seed in (1, 1, 2))
        assert first == again != other
        assert before == self.PAIRS
        assert self.first(1)[0].source.shape[0] == 64

    def test_by_length_wastes_far_less_and_still_mixes_the_batches(self):
        """Rejects buckets that do nothing, and buckets that always start with the shortest."""

        def padding(found):
            return sum(int((b.target_out == PAD).sum()) for b in found) / sum(b.target_out.numel() for b in found)

        bucketed, mixed = self.first(13, size=16), self.first(13, size=16, by_length=False)
        assert padding(bucketed) < 0.1
        assert padding(mixed) > 4 * padding(bucketed)
        widths = [batch.source.shape[1] for batch in bucketed]
        assert widths != sorted(widths)


class TestSplit:
    @given(st.lists(st.tuples(*[st.integers(0, 30)] * 2), min_size=4, max_size=60), st.integers(0, 4), st.integers())
    def test_no_sentence_of_either_side_is_in_two_parts(self, numbers, size, seed):
        """Rejects a split by pairs, and one that groups by the source alone."""
        pairs = [pair(f"s{i}", f"t{j}") for i, j in numbers]
        try:
            parts = split(pairs, (size, 1), seed)
        except ValueError:
            assume(False)
        assert [len(part) for part in parts[1:]] == [size, 1]
        assert sorted(map(repr, pairs)) == sorted(repr(p) for part in parts for p in part)
        for side in ("source", "target"):
            sets = [{getattr(p, side) for p in part} for part in parts]
            assert len(set.union(*sets)) == sum(map(len, sets))

    def test_a_chain_stays_together(self):
        """Rejects a grouping that looks at direct neighbours only: a–x, b–x, b–y, c–y hang together."""
        chain = [pair("a", "x"), pair("b", "x"), pair("b", "y"), pair("c", "y")]
        for seed in range(20):
            train, test = split([*chain, *numbered(8)], 4, seed)
            assert sum(p in chain for p in test) in (0, 4)
            assert len(train) == 8

    def test_different_sentences_give_exact_sizes_and_keep_their_order(self):
        pairs = numbered(100)
        parts = split(pairs, (20, 30), seed=0)
        assert [len(part) for part in parts] == [50, 20, 30]
        assert all(part == sorted(part, key=pairs.index) for part in parts)
        assert [len(part) for part in split(numbered(10), (9, 0), 0)] == [1, 9, 0]

    def test_the_seed_decides(self):
        pairs = numbered(100)
        assert split(pairs, 20, 1) == split(pairs, 20, 1) != split(pairs, 20, 2)
        assert split(pairs, 20, 1)[1] != pairs[-20:]


A = vocabularies([pair("a")])
WRONG_LINKS = (2, 0), (0, 1), (-1, 0), (0, -1)
WRONG_WORDS = ("a",), (*SPECIALS, "a", "a"), (*SPECIALS, "<eos>")
ERRORS = [
    *[(lambda link=link: Pair(("un",), ("a", "b"), frozenset({link})), r"below \(2, 1\)") for link in WRONG_LINKS],
    *[(lambda data=data: Vocabulary.of(data), "sentences must leave a word") for data in ([], [()])],
    (lambda: Vocabulary.of([("a",)], min_count=2), "sentences must leave a word"),
    (lambda: Vocabulary.of([("a",)], max_size=4), "sentences must leave a word"),
    *[(lambda words=words: Vocabulary(words), "each word once") for words in WRONG_WORDS],
    (lambda: collate([], *A), "at least one pair"),
    (lambda: batches([], *A, size=4), "pairs must not be empty and size at least 1"),
    (lambda: batches([pair("a")], *A, size=0), "pairs must not be empty and size at least 1"),
    *[(lambda n=n: split(numbered(10), n, 0), "leave pairs to train on") for n in (-1, 10, (5, 5), (20, -15))],
    (lambda: split([pair("a", "x")] * 5 + [pair("b", "y")] * 5, 3, 0), "stay together"),
]


@pytest.mark.parametrize(("call", "message"), ERRORS)
def test_wrong_arguments_raise_at_once(call, message):
    """Rejects links that wrap around, batches that raise only when drawn, and a split that holds out fewer."""
    with pytest.raises(ValueError, match=message):
        call()
