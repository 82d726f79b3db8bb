"""Which words are near: the nearest neighbours of all words, and analogies (chapter 0)."""

import numpy as np

from ..engine import Check, Inputs, known
from ..engine import Misconception as M

TOY = {
    "the": (0, 0, 5),
    "man": (1, 0, 4),
    "woman": (2, 1, 2),
    "girl": (0, 3, 1),
    "emperor": (6, 2, 8),
    "king": (6, 0, 4),
    "queen": (4, 3, 4),
    "frog": (1, 1, 1),
}
OTHERS = ("actor", "actress", "uncle", "aunt", "paris", "france", "berlin", "germany", "tea", "bread")


def divided(table, by):
    """The vectors divided by their norms, or by what a misconception divides by."""
    lengths = {
        "length": np.linalg.norm(table, axis=1, keepdims=True),
        "across": np.linalg.norm(table, axis=1),
        "column": np.linalg.norm(table, axis=0),
        "square": (table**2).sum(axis=1, keepdims=True),
    }
    return table / lengths[by] if by in lengths else table


def table_of(rng, words, dim):
    """Vectors of any direction, some ten times as long as others; and some columns have larger numbers."""
    lengths = np.linspace(0.3, 3, words)[rng.permutation(words), None]
    return rng.normal(size=(words, dim)) * lengths * np.linspace(0.4, 2, dim)


def neighbours(table, k, *, by="length", itself="out", order="nearest", sort="row", give="rows"):
    """For each word the rows of the k nearest other words, the nearest first."""
    scores = divided(table, by) @ divided(table, by).T
    if by == "distance":
        scores = -np.linalg.norm(table[:, None] - table, axis=2)
    if itself in ("out", "zero"):
        np.fill_diagonal(scores, -np.inf if itself == "out" else 0.0)
    scores = scores if order == "farthest" else -scores
    axis = 0 if sort == "column" else 1
    ranked = -np.sort(scores, axis=axis) if give == "scores" else np.argsort(scores, axis=axis)
    kept = ranked[:, itself in ("first", "cut") : k + (itself == "first")]
    return kept[:, ::-1] if order == "backwards" else kept


def neighbours_cases(rng: np.random.Generator) -> Inputs:
    """Tables of vectors of very different lengths."""
    sizes = {
        "seven words, three numbers each, k = 3": (7, 3, 3),
        "five words, five numbers each, k = 2": (5, 5, 2),
        "nine words, four numbers each, k = 4": (9, 4, 4),
        "two words, k = 1": (2, 3, 1),
    }
    return {case: (table_of(rng, n, dim), k) for case, (n, dim, k) in sizes.items()}


check_neighbours = Check(
    neighbours,
    neighbours_cases,
    (
        *known(
            "by",
            column="each column of the table is divided by its length. Along which axis lie the numbers of a word?",
            across="the lengths of the rows have lost their axis and divide the columns. What does `keepdims` do?",
            nothing="the order is that of dot products, where long vectors lead. Which length belongs to which word?",
            square="you divide by the sum of the squares. The length of (3, 4) is 5: what is left to do?",
            distance="these are the least distances. A short and a long vector in one direction: alike, or not?",
        ),
        *known(
            "itself",
            kept="a word is its own neighbour. Nothing is more alike: how do you keep it from winning?",
            zero="a word's cosine with itself is set to 0, and 0 beats a negative cosine. Which number cannot win?",
            cut="a word is left out after k were taken, and k − 1 are left. How many have to be taken?",
        ),
        M(
            "column, first one dropped",
            {"by": "column", "itself": "first"},
            "you drop the first of each list, but it need not be the word itself: columns have been divided by their "
            "length. Is the cosine of a word with itself 1 in your table?",
        ),
        M(
            "dot product, first one dropped",
            {"by": "nothing", "itself": "first"},
            "you drop the first of each list, but by dot product a longer word may stand before the word itself. By "
            "which measure does every word come first in its own list?",
        ),
        M(
            "order=farthest, itself kept",
            {"itself": "kept", "order": "farthest"},
            "these are the words with the smallest cosines, the least alike. From which end does `argsort` count?",
        ),
        M(
            "order=farthest, first one dropped",
            {"itself": "first", "order": "farthest"},
            "you drop the first of each list, but in this order that is the least alike, and the word itself is "
            "last. With which number does `argsort` begin?",
        ),
        *known(
            "order",
            backwards="the right words, the nearest last. In which order does `argsort` leave them?",
            farthest="`argsort` begins with the smallest: the word itself, then the least alike. Which do you want?",
        ),
        *known(
            "sort",
            column="the cosines are sorted down the columns, but rows are read. Along which axis are a word's cosines?",
        ),
        *known("give", scores="these are the cosines. Asked is where they stand in the table: `sort`, or `argsort`?"),
    ),
    axes=("word", "rank"),
)


def analogy(a, b, c, words, table, *, by="length", question="b − a + c", left="all", cosine="largest", give="word"):
    """The word that is to c as b is to a."""
    vectors = divided(table, "length" if question == "directions" else by if by == "column" else "nothing")
    A, B, C = (vectors[words.index(word)] for word in (a, b, c))
    asked = {"exchanged": A - B + C, "without": B + C, "sum": A + B + C, "transposed": B - C + A}.get(
        question, B - A + C
    )
    scores = divided(table, by) @ asked
    if by == "distance":
        scores = -np.linalg.norm(table - asked, axis=1)
    passed = [
        words.index(word)
        for word in {"none": (), "three": (), "b": (b,), "a_b": (a, b), "a_c": (a, c), "b_c": (b, c)}.get(
            left, (a, b, c)
        )
    ]
    scores = scores if cosine == "largest" else -scores
    kept = [row for row in range(len(words)) if row not in passed]
    if left == "zero":
        scores[passed] = 0.0
    if left in ("zero", "words"):
        row = (range(len(words)) if left == "zero" else kept)[int(scores.argmax())]
    else:
        place = int(np.argsort(-scores[kept])[3 if left == "three" else 0])
        row = place if left == "moved" else kept[place]
    return row if give == "row" else words[row]


def analogy_cases(rng: np.random.Generator) -> Inputs:
    """The toy table of the exercise, turned in space; then made-up vectors."""
    toy = np.array([*TOY.values()]) @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
    shorter = toy * np.array([[0.2 if word == "queen" else 1.0] for word in TOY])
    cases = {
        "man, king, woman": ("man", "king", "woman", [*TOY], toy),
        "man, king, woman, and a short queen": ("man", "king", "woman", [*TOY], shorter),
    }
    words = ["uncle", "tea", "aunt", "bread", "son"]
    table = table_of(rng, 5, 4)
    table[3:] = (table[0] - table[1] - table[2]) * rng.uniform(0.3, 1, size=(2, 4))
    cases["all that is left points away"] = (*words[:3], words, table)
    between = rng.normal(size=(5, 4))
    between[0] = 0.3 * (between[1] + between[2])  # the first word of the question is nearest to it
    between[3:] = (between[1] - between[0] + between[2]) + rng.normal(size=(2, 4)) * np.abs(between[1]).max()
    cases["the question leads to its first word"] = (*words[:3], words, between)
    for dim in (3, 3, 4, 4, 5, 5, 6, 8, 10, 18):
        words = [str(word) for word in rng.permutation([*TOY, *OTHERS])]
        cases[f"made-up vectors, {', '.join(words[3:6])}"] = (*words[3:6], words, table_of(rng, len(words), dim))
    return cases


check_analogy = Check(
    analogy,
    analogy_cases,
    (
        *known(
            "left",
            none="a word of the question wins. Which words may not be the answer?",
            b="b is passed over, but `a` or `c` wins. How many words may not be the answer?",
            a_b="`a` and `b` are excluded, but `c` can still be the answer. How many words may not be the answer?",
            a_c="`a` and `c` are excluded, but `b` can still be the answer. How many words may not be the answer?",
            b_c="`b` and `c` are excluded, but `a` can still be the answer. How many words may not be the answer?",
            zero="a, b and c get the score 0, and 0 beats a negative cosine. Which number cannot win?",
            three="the three largest cosines are skipped, but a, b and c need not be among them. "
            "Which words must be skipped?",
            words="words are taken out of the list, but their rows are not, so others move up. What belongs together?",
            moved="rows are taken out of the table, so that the others move up. What must move up with them?",
        ),
        *known(
            "by",
            nothing="the words are scored by dot product, which favours long vectors. What does a cosine divide by?",
            square="you divide by the sum of the squares, which favours short vectors. What is the length of (3, 4)?",
            distance="the word at the least distance wins. May a word in exactly the right direction lose, if short?",
            column="each column of the table is divided by its length. Along which axis lie the numbers of a word?",
        ),
        *known(
            "question",
            exchanged="a is added and b is subtracted. From man to king: where do you come from, and where do you go?",
            transposed="a is added and c is subtracted. Which of the words does the formula subtract?",
            without="a plays no part. What is it that king has to give up before it meets woman?",
            sum="all three vectors are added. Which of them does the formula subtract?",
            directions="the vectors are scaled to length one before they are added. Does the formula do that to `E_b`?",
        ),
        *known("cosine", smallest="this word has the smallest cosine. At which end of your order is the nearest?"),
        *known("give", row="this is the number of a row. Which word stands there?"),
    ),
)
