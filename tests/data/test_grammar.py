"""The grammar against a dictionary and rules of spelling that do not use its tables."""

import os
import pickle
import random
import re
import subprocess
import sys
from collections import Counter
from functools import cache

import pytest

from course_lib.data.grammar import EXAMPLES, LANGUAGES, MAX_LENGTH, MIN_LENGTH, example, grammar, sentence, sentences
from course_lib.data.synchronous import derive, parse, read

# A pocket dictionary: any of the foreign words before the colon with any of the English words after it.
FRENCH = {
    "masculine": """étudiant: student; professeur: teacher; médecin: doctor; garçon: boy; ami: friend; chat: cat
        chien: dog; oiseau: bird; livre: book; article: article; accord: agreement; port: port; centre: centre
        vélo: bicycle; arbre: tree""",
    "feminine": """fille: girl; femme: woman; actrice: actress; voisine: neighbour; tortue: turtle; souris: mouse
        lettre: letter; loi: law; zone: area; région: region; ville: city; école: school; voiture: car; maison: house
        fleur: flower""",
    "adjective": """petit petite: small; grand grande: big; jeune: young; économique: economic; historique: historical
        politique: political; européen européenne: European; français française: French; noir noire: black
        blanc blanche: white; rouge: red; important importante: important; célèbre: famous; content contente: happy
        fatigué fatiguée: tired""",
    "verb": """aime aimes aimons: like likes; vois voit voyons: see sees; cherche cherches cherchons: look looks
        connais connaît connaissons: know knows; lis lit lisons: read reads; écris écrit écrivons: write writes
        signe signes signons: sign signs; visite visites visitons: visit visits; achète achètes achetons: buy buys
        dors dort dormons: sleep sleeps; chante chantes chantons: sing sings; pense penses pensons: think thinks""",
    "other": """Paul: Paul; Pierre: Pierre; Marie: Marie; Claire: Claire; étudiante: student; avocat avocate: lawyer
        journaliste: journalist; souvent: often; toujours: always; mais: but; quand: when; parce: because""",
    "function": """le la l': the; un une: a an; je j': I; tu te t': you; il: he; elle: she; nous: we us; me m': me
        et: and; qui que qu': that; qui: who; que qu': because; ne n': do does am are is; suis es est: am are is
        pas: not; étudiant étudiante avocat avocate journaliste: a; cherche cherches cherchons: for""",
}
CHINESE = {
    "个": "学生: student; 女孩: girl; 朋友: friend; 孩子: child",
    "只": "猫: cat; 狗: dog; 鸟: bird",
    "本": "书: book; 小说: novel; 词典: dictionary",
    "封": "信: letter",
    "辆": "车: car; 自行车: bicycle",
    "件": "毛衣: sweater; 大衣: coat",
    "杯": "茶: tea; 咖啡: coffee; 水: water",
    "adjective": """聪明: smart; 年轻: young; 可爱: cute; 有趣: interesting; 新: new; 重要: important; 漂亮: beautiful
        黑色: black; 白色: white; 红色: red""",
    "verb": """喜欢: like likes; 认识: know knows; 记得: remember remembers; 买: buy buys; 找: look looks
        等: wait waits; 看: read reads; 写: write writes; 喝: drink drinks; 听: listen listens; 学习: study studies
        工作: work works; 睡觉: sleep sleeps; 唱歌: sing sings; 觉得: think thinks; 说: say says; 知道: know knows""",
    "other": """小明: XiaoMing; 小刚: XiaoGang; 小红: XiaoHong; 小华: XiaoHua; 老师: teacher; 医生: doctor; 杯: cup
        音乐: music; 数学: mathematics; 中文: Chinese; 英文: English; 学校: school; 家: home; 图书馆: library
        公园: park; 北京: Beijing; 今天: today; 每天: day; 早上: morning; 晚上: evening; 高兴: happy; 累: tired
        忙: busy; 但是: but; 因为: because; 所以: so""",
    "function": """我: I me; 你: you; 他: he him; 她: she her; 我们: we us; 和: and; 一: a an; 这: this; 那: that
        个 只 本 封 辆 件: a an this that; 杯: of; 的: that who; 不: do does am are is not; 是 很: am are is
        在: at in; 学生 老师 医生: a; 老师 医生 图书馆 公园: the; 找 等: for; 听: to; 觉得 说 知道: that; 每天: every
        早上 晚上: in the; 的: smart young cute interesting new important beautiful black white red""",
}
DICTIONARY = {"fr": FRENCH, "zh": CHINESE}
NOUNS = {"fr": ("masculine", "feminine"), "zh": ("个", "只", "本", "封", "辆", "件", "杯")}
DETERMINERS = {"fr": ("le", "la", "l'", "un", "une"), "zh": ("一", "这", "那")}


def entries(language, *headings):
    """The entries under these headings (default: all) as pairs (foreign word, English word)."""
    tables = [DICTIONARY[language][heading] for heading in headings or DICTIONARY[language]]
    sides = [entry.split(":") for table in tables for entry in re.split("[;\n]", table)]
    return {(ours, theirs) for left, right in sides for ours in left.split() for theirs in right.split()}


def foreign(language, *headings):
    return {ours for ours, _ in entries(language, *headings)}


def text(words):
    return " ".join(words)


def targets(pair, j):
    """The target positions that source word j is linked to."""
    return [i for i, k in pair.links if k == j]


def first(words, start, wanted):
    return next(position for position in range(start, len(words)) if words[position] in wanted)


each_language = pytest.mark.parametrize("language", ["fr", "zh"])
DRAW = """
import pickle, sys
from course_lib.data.grammar import sentences
language = sys.argv[1]
drawn = sentences(language, 20_000, seed=1) + sentences(language, 500, lengths=(15, 30), seed=2)
pickle.dump(drawn, sys.stdout.buffer)
"""


@cache
def drawn(language):
    """20,000 sentences as for training, and 500 long ones, from a process without type checks and with other hashes."""
    settings = {**os.environ, "PYTHONHASHSEED": "1"}
    run = subprocess.run([sys.executable, "-c", DRAW, language], env=settings, capture_output=True, check=True)
    return pickle.loads(run.stdout)


def places(language, *wanted):
    """Each pair with each source position of these words."""
    return [(pair, j) for pair in drawn(language) for j, w in enumerate(pair.source) if w in wanted]


EXPECTED = """
je suis étudiant | I am a student
    0-0 1-1 2-2 3-2
zone économique européenne | European economic area
    0-2 1-1 2-0
la zone économique européenne | the European economic area
    0-0 1-3 2-2 3-1
Marie ne visite pas la zone économique européenne | Marie does not visit the European economic area
    0-0 1-1 2-3 3-2 4-4 5-7 6-6 7-5
tu ne m' aimes pas | you do not like me
    0-0 1-1 2-4 3-3 4-2
j' achète souvent un arbre | I often buy a tree
    0-0 1-2 2-1 3-3 4-4
il cherche l' ami qui n' est pas content | he looks for the friend who is not happy
    0-0 1-1 2-1 3-2 4-3 5-4 6-5 6-6 7-7 8-8
我 是 学生 | I am a student
    0-0 1-1 2-2 3-2
我 不 是 老师 | I am not a teacher
    0-0 1-2 2-1 3-3 4-3
小明 喜欢 小红 | XiaoMing likes XiaoHong
    0-0 1-1 2-2
小明 喜欢 的 那 本 书 | that book that XiaoMing likes
    0-3 0-4 1-5 2-2 3-0 4-1
喜欢 小红 的 那 个 女孩 不 忙 | that girl who likes XiaoHong is not busy
    0-3 0-4 1-5 2-2 3-0 4-1 5-6 6-6 7-7
小明 和 小红 喜欢 音乐 | XiaoMing and XiaoHong like music
    0-0 1-1 2-2 3-3 4-4
我 每天 在 学校 看 一 本 新 的 书 | I read a new book at school every day
    0-0 1-4 2-5 2-6 3-7 3-8 4-9 5-2 6-3 7-1 8-1
小明 喜欢 的 那 个 学生 每天 在 图书馆 看 一 本 书 | that student that XiaoMing likes reads a book in the library every day
    0-3 0-4 1-5 2-2 3-0 4-1 5-9 6-10 6-11 7-12 8-7 9-8 10-8 11-6 12-6
""".strip().splitlines()  # noqa: E501


class TestExamples:
    @pytest.mark.parametrize(("words", "links"), [*zip(EXPECTED[::2], EXPECTED[1::2], strict=True)])
    def test_translation_and_links_are_those_written_by_hand(self, words, links):
        """Rejects links counted from the wrong end, source and target mixed up, and offsets lost in a reordering."""
        source, target = words.split(" | ")
        pair = example(source)
        assert (text(pair.source), text(pair.target)) == (source, target)
        assert pair.links == {tuple(map(int, link.split("-"))) for link in links.split()}

    def test_examples_exist_and_capitals_and_apostrophes_do_not_matter(self):
        assert [text(example(source).source) for source in EXAMPLES] == list(EXAMPLES)
        for typed in ("Je suis ÉTUDIANT", " je  suis étudiant ", "J'aime l’école", "J' aime l' école"):
            assert text(example(typed).source) in ("je suis étudiant", "j' aime l' école")

    @pytest.mark.parametrize(
        "wrong",
        ["je suis un étudiant", "je suis étudiante", "la arbre est grand", "un école", "小明 喜欢", "hello", ""],
    )
    def test_other_sentences_raise(self, wrong):
        """Rejects a look-up that forgives agreement or elision, and an error without examples."""
        with pytest.raises(ValueError, match=r"je suis étudiant · .* · 小明 喜欢 小红"):
            example(wrong)

    @each_language
    def test_any_drawn_sentence_is_found_again(self, language):
        """Rejects a parser that finds another derivation than the one drawn: words and links must be the same."""
        for pair in drawn(language)[:10]:
            assert example(text(pair.source)) == pair


class TestDrawing:
    @each_language
    @pytest.mark.parametrize("length", [*range(MIN_LENGTH, 41), MAX_LENGTH])
    def test_exactly_as_long_as_asked(self, language, length):
        rng = random.Random(length)
        assert {len(sentence(language, length, rng).source) for _ in range(10)} == {length}

    @each_language
    def test_lengths_are_uniform_and_both_ends_are_included(self, language):
        counts = Counter(len(pair.source) for pair in sentences(language, 1_100))
        assert set(counts) == set(range(4, 15))
        assert all(60 < count < 150 for count in counts.values())

    @each_language
    def test_the_seed_decides(self, language):
        assert sentences(language, 50, seed=3) == sentences(language, 50, seed=3) != sentences(language, 50, seed=4)
        assert sentences(language, 50) == sentences(language, 50, seed=0)
        assert sentences(language, 0) == []
        assert sentences(language, 100, seed=1) == drawn(language)[:100]  # another process, with other string hashes

    def test_wrong_arguments_raise(self):
        """Rejects an error only when the impossible length happens to be drawn."""
        for length in (2, 0, -1, MAX_LENGTH + 1):
            with pytest.raises(ValueError, match="between 3 and 60 words"):
                sentence("fr", length, random.Random(0))
        for lengths in ((2, 5), (6, 5), (5, MAX_LENGTH + 1)):
            with pytest.raises(ValueError, match=r"\(min, max\) between 3 and 60"):
                sentences("zh", 0, lengths=lengths)
        assert sentences("zh", 0, lengths=(MIN_LENGTH, MAX_LENGTH)) == sentences("zh", 0, lengths=(5, 5)) == []
        with pytest.raises(ValueError, match="one of fr, zh, got 'de'"):
            sentences("de", 1)


@each_language
class TestTranslation:
    def test_one_source_has_one_target_and_one_target_one_source(self, language):
        """Rejects ambiguity, in either direction, that would put a ceiling on exact match; links count as well."""
        pairs = drawn(language)
        assert len({p.source for p in pairs}) == len({p.target for p in pairs}) == len(set(pairs)) > 15_000

    def test_every_word_has_a_link_and_every_link_is_in_the_dictionary(self, language):
        """Rejects a missing link, and a shifted one, which joins words that are no translations of each other."""
        for pair in drawn(language):
            rows, columns = (set(side) for side in zip(*pair.links, strict=True))
            assert (len(rows), len(columns)) == (len(pair.target), len(pair.source))
        assert {(p.source[j], p.target[i]) for p in drawn(language) for i, j in p.links} <= entries(language)

    def test_a_training_set_holds_every_word_often(self, language):
        """Rejects a word so rare that a model cannot learn it, and a rule that can never be used."""
        for side in ("source", "target"):
            counts = Counter(w for pair in drawn(language)[:20_000] for w in getattr(pair, side))
            entered = [phrase for phrases in grammar(language).words.values() for phrase in phrases]
            assert all(counts[w] >= 80 for phrase in entered for w in getattr(phrase, side)), counts.most_common()[-5:]
            assert 80 <= len(counts) <= 130

    def test_most_sentences_change_the_order_and_few_the_length(self, language):
        pairs = drawn(language)
        crossing = sum(any(i < k and j > m for i, j in p.links for k, m in p.links) for p in pairs)
        assert crossing > 0.6 * len(pairs)
        assert 0.9 < sum(len(p.target) for p in pairs) / sum(len(p.source) for p in pairs) < 1.1

    def test_a_determiner_goes_with_its_noun(self, language):
        """Rejects links between the wrong two of several `the`: the next nouns must be linked as well."""
        ours, theirs = map(set, zip(*entries(language, *NOUNS[language], "other"), strict=True))
        found = [(pair, i, j) for pair, j in places(language, *DETERMINERS[language]) for i in targets(pair, j)]
        assert len(found) > 5_000
        for pair, i, j in found:
            assert (first(pair.target, i, theirs), first(pair.source, j, ours)) in pair.links

    def test_names_and_lower_case(self, language):
        capitals = {w for pair in drawn(language) for w in pair.target if w != w.lower()}
        expected = {
            "fr": {"I", "Marie", "Claire", "Paul", "Pierre", "French", "European"},
            "zh": {"I", "XiaoMing", "XiaoGang", "XiaoHong", "XiaoHua", "Chinese", "English", "Beijing"},
        }
        assert capitals == expected[language]


SUBJECT = r"(?<!\S)%s (?:n[e'] )?(?:m[e'] |t[e'] |nous )?\w+"
VARIABLE = "(?:étudiant|avocat|content|fatigué|français|européen)"
SPELLING = {  # what to find, and how it must be written
    "fr": {
        "elision": (r"(?<!\S)(?=((?:le|la|je|me|te|ne|que|l'|j'|m'|t'|n'|qu') \S))", r".*' [aeiouéêâ]|\w+ [^aeiouéêâ]"),
        "predicates": (
            r"(?<!\S)(?:il|elle) (?:n' )?est (?:pas )?\w+",
            rf"il .* (?!{VARIABLE}n?e$)\w+|elle .* (?!{VARIABLE}$)\w+",
        ),
        "je": (SUBJECT % "j[e']", r".* (?!\w+ons$)\w+[es]"),
        "tu": (SUBJECT % "tu", r".* (?!\w+ons$)\w+s"),
        "il": (SUBJECT % "(?:il|elle|qui)", r".*[et]"),
        "nous": (SUBJECT % "(?:^|mais |que )nous", r".*ons"),
    },
    "en": {
        "a, an": (r"(?<!\S)an? \w", "an [aeiou]|a [^aeiou]"),  # a European
        "third person": (r"(?<!\S)(?:he|she|who) (?:often |always )?\w+", ".*s"),
        "other persons": (r"(?:(?<!\S)(?:I|we)|(?:do|does) not) (?:often |always )?\w+", ".*[^s]"),
        "be, do": (
            r"(?<!\S)(?:I|we|he|she|who) (?:am|are|is|do|does)(?!\S)",
            "I (?:am|do)|we (?:are|do)|(?:he|she|who) (?:is|does)",
        ),
    },
}


@pytest.mark.parametrize(
    ("language", "side", "rule"),
    [("fr", "source", rule) for rule in SPELLING["fr"]]
    + [(language, "target", rule) for language in ("fr", "zh") for rule in SPELLING["en"]],
)
def test_neighbouring_words_agree(language, side, rule):
    """Rejects `la école`, `l' chat`, `elle est content`, `tu aime`, `an European`, `she like`, `we is`, …"""
    pattern, expected = SPELLING["fr" if side == "source" else "en"][rule]
    found = [match for pair in drawn(language) for match in re.findall(pattern, text(getattr(pair, side)))]
    assert len(found) > 300
    assert [match for match in found if not re.fullmatch(expected, match)] == []


class TestFrench:
    def test_articles_and_adjectives_agree_with_the_noun(self):
        """Rejects `un maison`, `la zone économique européen`."""
        nouns = dict.fromkeys(foreign("fr", "masculine"), "m") | dict.fromkeys(foreign("fr", "feminine"), "f")
        pairs = [entry.split(":")[0].split() for entry in re.split("[;\n]", FRENCH["adjective"])]
        adjectives = {form: {"m"[: form == both[0]], "f"[: form == both[-1]]} for both in pairs for form in both}
        articles = {"le": "m", "un": "m", "la": "f", "une": "f", "l'": "mf"}
        checked = 0
        for pair, j in places("fr", *nouns):
            words = pair.source
            start = next(k for k in range(j - 1, -2, -1) if k < 0 or words[k] not in adjectives)
            end = next(k for k in range(j + 1, len(words) + 1) if k == len(words) or words[k] not in adjectives)
            around = [w for w in words[max(start, 0) : end] if w in articles or w in adjectives]
            checked += len(around)
            assert all(nouns[words[j]] in (articles | adjectives)[w] for w in around), words
        assert checked > 10_000

    def test_negation_stands_around_the_verb(self):
        for line in (text(pair.source) for pair in drawn("fr")):
            assert len(re.findall(r"n[e'] (?:(?:m[e']|t[e']|nous) )?\w+ pas", line)) == line.split().count("pas")

    def test_adjectives_after_the_noun_come_in_reversed_order(self):
        """Rejects `economic European area`, and a gold alignment that runs straight where the words cross."""
        nouns, adjectives = foreign("fr", "masculine", "feminine"), foreign("fr", "adjective")
        found = [
            (pair, j)
            for pair, j in places("fr", *nouns)
            if len(after := pair.source[j + 1 : j + 3]) == 2 and adjectives.issuperset(after)
        ]
        assert len(found) > 1_000
        for pair, j in found:
            start = targets(pair, j + 2)[0]
            assert [targets(pair, j + k) for k in (2, 1, 0)] == [[start], [start + 1], [start + 2]]

    def test_the_object_pronoun_comes_after_the_english_verb(self):
        found = places("fr", "me", "m'", "te", "t'")
        assert len(found) > 300
        assert all(targets(pair, j)[0] == max(targets(pair, j + 1)) + 1 for pair, j in found)


class TestChinese:
    def test_the_measure_word_suits_the_noun(self):
        """Rejects `一 本 猫`."""
        adjectives = foreign("zh", "adjective")
        found = [(pair.source, j) for pair, j in places("zh", "一", "这", "那") if j < len(pair.source) - 2]
        assert len(found) > 5_000
        for words, j in found:
            noun = next(words[k] for k in range(j + 2, len(words), 2) if words[k] not in adjectives)
            assert noun in foreign("zh", words[j + 1]), text(words)

    def test_a_relative_clause_comes_before_its_noun_and_after_it_in_english(self):
        """Rejects Chinese order in the translation, and links that do not cross."""
        found = [(p, j) for p, j in places("zh", "的") if p.target[targets(p, j)[0]] in ("that", "who")]
        assert len(found) > 2_000
        for pair, j in found:
            assert pair.source[j + 1] in ("这", "那")
            assert targets(pair, j + 1)[0] < targets(pair, j)[0] < min(targets(pair, j - 1))

    def test_time_and_place_come_after_the_english_verb_and_place_first(self):
        verbs = foreign("zh", "verb")
        found = places("zh", "今天", "每天", "早上", "晚上", "在")
        counts = Counter(pair.source[j] for pair, j in found)
        assert len(counts) == 5
        assert min(counts.values()) > 300
        for pair, j in found:
            verb = first(pair.source, j, verbs)
            assert min(targets(pair, j)) > max(targets(pair, verb))
            if pair.source[j] != "在" and "在" in pair.source[j:verb]:
                assert min(targets(pair, j)) > max(targets(pair, first(pair.source, j, "在") + 1))

    def test_every_bare_noun_is_determined_in_english(self):
        """Rejects `XiaoMing knows student`: each noun that can be counted has an article or a demonstrative."""
        countable = {theirs for _, theirs in entries("zh", "个", "只", "本", "封", "辆", "件")}
        countable |= {"teacher", "doctor", "library", "park"}
        adjectives = {theirs for _, theirs in entries("zh", "adjective")}
        for pair in drawn("zh"):
            for i, noun in enumerate(pair.target):
                if noun in countable:
                    before = next(w for w in reversed(pair.target[:i]) if w not in adjectives)
                    assert before in ("a", "an", "the", "this", "that"), text(pair.target)


@each_language
def test_an_animal_takes_a_verb_in_the_third_person(language):
    """Rejects `the cat like`, and `am`, `are` or `do` behind a noun."""
    wrong = {verb for _, verb in entries(language, "verb") if not verb.endswith("s")} | {"am", "are", "do"}
    behind = {verb for pair in drawn(language) for verb in re.findall(r"(?:cat|dog|bird) (\w+)", text(pair.target))}
    assert len(behind) > 5
    assert behind.isdisjoint(wrong)


class TestSynchronous:
    """The engine, on a grammar small enough to read."""

    RULES = """
    g = m f
    1  Phrase        Article.g Noun.g Adjective      ↔  Article Adjective Noun
    1  Phrase        Noun.g Adjective                ↔  Adjective Noun
    """

    def grammar(self):
        lexicon = {
            "Article.m": [("un", "a")],
            "Article.f": [("une", "a")],
            "Noun.m": [("ami", "friend")],
            "Noun.f": [("fleur", "flower")],
            "Adjective": [("jaune", "yellow"), ("très grand", "huge")],
        }
        return read(self.RULES, lexicon)

    def test_variables_have_one_value_all_over_a_rule(self):
        """Rejects `un fleur`, and lengths that do not add up."""
        rng = random.Random(0)
        drawn = {text(derive(self.grammar(), "Phrase", 3, rng).source) for _ in range(200)}
        assert drawn == {"un ami jaune", "une fleur jaune", "ami très grand", "fleur très grand"}

    def test_parse_finds_what_derive_makes_and_nothing_else(self):
        phrase = parse(self.grammar(), "Phrase", ("une", "fleur", "jaune"))
        assert phrase.target == ("a", "yellow", "flower")
        assert parse(self.grammar(), "Phrase", ("un", "fleur", "jaune")) is None
        assert parse(self.grammar(), "Phrase", ()) is None

    def test_a_length_that_no_rule_makes_is_an_error(self):
        with pytest.raises(ValueError, match="no Phrase of 5 words"):
            derive(self.grammar(), "Phrase", 5, random.Random(0))

    @pytest.mark.parametrize("target", ["B", "A B C", "A A"])
    def test_a_translation_with_other_parts_is_an_error(self, target):
        """Rejects a table with a misspelt or forgotten part."""
        with pytest.raises(ValueError, match="must be those of the rule"):
            read(f"1 S A B ↔ {target}", {})

    def test_no_word_and_no_translation_comes_twice_under_one_symbol(self):
        """Rejects the commonest way to lose the one-to-one: `friend` for both ami and copain."""
        for language in LANGUAGES:
            for symbol, phrases in grammar(language).words.items():
                assert len({p.source for p in phrases}) == len({p.target for p in phrases}) == len(phrases), symbol
