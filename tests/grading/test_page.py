"""A feedback page: clear contents, no repetitions, and only text and pictures of the submission."""

import html
import re
from types import SimpleNamespace

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from grading import feedback, page
from grading.feedback import write_feedback
from grading.folder import Folder
from tests.house.files import HOME

from .assignment import call, cell, check, entered, give, make_class, make_course, make_results, notebook_of

TASK = """## 1 · Half, if x<y

The formula of [chapter 5](../../notebooks/05.ipynb), and [a page](https://example.org):

$$ h' = \\frac{n}{2} $$

<details><summary>Steps</summary>

1. take a number
2. halve it
</details>

| n | half |
|---|---|
| 4 | 2 |
"""
HALF = "def half(n):\n    ### BEGIN SOLUTION\n    return n / 2\n    ### END SOLUTION"
CARD = "✗ `half` is not right yet (tried with: four).\nLikely cause: you forgot `/ 2`, as in $n$ < 2."
WORDS = CARD.removeprefix("✗ `half` ")
# A check, a program and a text graded by hand, under two headings.
SOURCE = nbformat.writes(
    notebook_of(
        [
            new_markdown_cell("# How small?\n\nOne exercise.", id="title"),
            cell(new_code_cell, "# given\nimport math", "imports"),
            new_markdown_cell(TASK, id="task"),
            cell(new_code_cell, HALF, "half", answer=True),
            cell(new_code_cell, check("assert half(4) == 2", "assert half(21) == 10.5"), "half-check", points=2),
            new_markdown_cell("Some words.\n\n## 2 · Measured  \n\nMore words.", id="measured"),
            new_code_cell("## no heading", id="code"),
            new_markdown_cell("### A detail", id="detail"),
            cell(new_code_cell, "### BEGIN SOLUTION\nprint(1)\n### END SOLUTION", "plan", points=4, answer=True),
            cell(new_markdown_cell, "It is small.", "conclusion", points=1, answer=True),
        ]
    )
).encode()


@pytest.fixture
def folder(tmp_path):
    """A folder of results in which the assignment is prepared."""
    return make_results(tmp_path, SOURCE)


def read(folder):
    """The page as it is now."""
    write_feedback(folder, "ada")
    return BeautifulSoup(folder.feedback("ada").read_text(encoding="utf-8"), "html.parser")


def written(folder, mark="1", **fields):
    """The page of the solutions, of which some cells have other sources (a text) or outputs (a list)."""

    def change(cells):
        for name, value in fields.items():
            cells[name.replace("_", "-")].update({"source" if isinstance(value, str) else "outputs": value})

    entered(folder, mark, change=change)
    return read(folder)


def contents(soup):
    """The table at the top: [(exercise, its points)]."""
    rows = [row.find_all("td") for row in soup.table.find_all("tr")[1:]]
    return [tuple(" ".join(one.get_text().split()) for one in row) for row in rows]


def box(soup, name):
    """The box of an exercise."""
    return soup.find(id=name).parent


def test_contents_name_exercises_and_what_is_open(folder):
    """Rejects "Test cell" five times, zero points for what nobody has graded, and a total that looks final."""
    soup = written(folder)
    assert contents(soup) == [
        ("1 · Half, if x<y", "0 of 2 points"),
        ("2 · Measured (program)", "not graded yet (4 points)"),
        ("2 · Measured (text)", "not graded yet (1 point)"),
        ("All together", "0 of 7 points so far"),
    ]
    assert "Still open: 5 points" in soup.header.get_text()
    assert [soup.find(id=one["href"][1:]).name for one in soup.table.find_all("a")] == ["h3"] * 3
    heads = [box(soup, name).h3.get_text(" ") for name in ("half", "half-check", "plan", "conclusion")]
    assert [head.replace(" ↑ contents", "") for head in heads] == [
        "Your answer",
        "Check 0 of 2 points",
        "Your answer not graded yet (4 points)",
        "Your answer not graded yet (1 point)",
    ]
    assert soup.title.get_text() == "Feedback: How small?"


def test_points_given_by_hand_are_told_and_nothing_is_open_then(folder):
    """Rejects "not graded yet" for no points given by hand, and a page that stays as it is when only this changes."""
    written(folder)
    give(folder.root, "ada", 0.0, name="plan")
    assert contents(read(folder))[1:] == [
        ("2 · Measured (program)", "0 of 4 points"),
        ("2 · Measured (text)", "not graded yet (1 point)"),
        ("All together", "0 of 7 points so far"),
    ]
    give(folder.root, "ada", 0.5, name="conclusion")
    soup = read(folder)
    assert contents(soup)[2:] == [("2 · Measured (text)", "0.5 of 1 point"), ("All together", "0.5 of 7 points")]
    assert "Still open" not in soup.get_text()
    changed = written(folder, "2", conclusion="Another text.")
    assert contents(changed)[2] == ("2 · Measured (text)", "0.5 of 1 point, to be graded again")


def test_a_comment_is_markdown_in_which_nothing_is_html(folder):
    """Rejects nbgrader's page, in which what follows a < is gone or runs."""
    written(folder)
    comment = "**p < 0.05** if a<b and <script>steal()</script> `<eos>` <x@y.z> [link](javascript:steal())"
    give(folder.root, "ada", 1.0, f"{comment}\n\n<div>\n*so*\n</div> <https://example.org>", name="plan")
    soup = read(folder)
    found = soup.find(id="comment-plan")
    for kept in ("p < 0.05", "a<b", "<script>steal()</script>", "<eos>", "<x@y.z>", "<div>"):
        assert kept in found.get_text()
    assert not found.find_all(["script", "div"])
    assert [found.find(tag).get_text() for tag in ("em", "a")] == ["so", "https://example.org"]
    assert soup.table.find("a", href="#comment-plan")


def test_a_failed_check_speaks_once(folder):
    """Rejects the card and the error one below the other, a card whose < is HTML, an error whose words are lost."""
    shown = new_output("display_data", data={"text/plain": CARD})
    wrong = new_output("error", ename="WrongAnswer", evalue=f"half {WORDS}", traceback=[f"WrongAnswer: half {WORDS}"])
    found = box(written(folder, half_check=[shown, wrong]), "half-check")
    lines = [one.get_text() for one in found.select(".card.wrong > div")]
    assert lines == CARD.replace("`", "").replace("$", "").split("\n")
    assert found.get_text().count("Likely cause") == 1
    other = new_output("error", ename="WrongAnswer", evalue="half: other words", traceback=["…"])
    crash = new_output("error", ename="NameError", evalue="name 'x' is not defined", traceback=["…"])
    found = box(written(folder, "2", half_check=[shown, other, crash]), "half-check")
    errors = [one.get_text().strip() for one in found.select("pre.error")]
    assert errors == ["WrongAnswer: half: other words", "NameError: name 'x' is not defined"]


def test_prints_in_pieces_are_one_box(folder):
    """Rejects a box for each flush, a progress bar with all its steps, and boxes joined across a picture."""
    pieces = [
        new_output("stream", name="stdout", text="seed 1: "),
        new_output("stream", name="stderr", text="\r10%\r99%\r"),
        new_output("stream", name="stdout", text="\nwindows\r\nend"),
        new_output("display_data", data={"image/png": "aGVsbG8="}),
        new_output("stream", name="stdout", text="after"),
    ]
    found = box(written(folder, plan=pieces), "plan")
    assert [one.get_text() for one in found.select("pre.output")] == ["99%\nwindows\nend", "after"]
    assert found.img["src"] == "data:image/png;base64,aGVsbG8="


def test_the_course_s_texts_are_as_in_the_notebook(folder):
    """Rejects a link that leads nowhere, hints that do not fold or fold what follows, a table that is none."""
    soup = written(folder)
    assert [one["href"] for one in soup.find_all("a") if not one["href"].startswith("#")] == ["https://example.org"]
    fold = soup.find("summary", string="Steps").parent
    assert [one.get_text() for one in fold.find_all("li")] == ["take a number", "halve it"]
    assert not fold.find_all("table")
    assert soup.find("td", string="4")
    assert [one.get_text() for one in soup.find_all("h1")] == ["How small?"]


def test_formulas_are_drawn_without_a_network_where_they_can_be(folder, monkeypatch):
    """Rejects a page that fetches something, and one that shows raw formulas to those without the converter."""
    pytest.importorskip("math_core", reason="the extra `site` is not installed")
    soup = written(folder)
    assert [one.get("display") for one in soup.find_all("math")] == ["block"]
    assert "$" not in soup.main.get_text()
    assert not soup.find_all(["script", "link"])
    assert "url(" not in str(soup.style)
    for module in (page, feedback):
        monkeypatch.setattr(module, "FORMULAS", None)
    monkeypatch.setattr(feedback, "VERSION", "without")
    soup = read(folder)
    assert not soup.find_all("math")
    assert "h' = \\frac{n}{2}" in soup.main.get_text()
    assert "MathJax" in str(soup.find_all("script"))


def test_formulas_of_a_student_stay_as_they_were_typed(folder, monkeypatch):
    """Rejects giving them to a converter that forty open brackets keep busy for years; MathJax may try."""
    converted = []
    convert = lambda latex, displaystyle: converted.append(latex) or "<math></math>"  # noqa: E731
    monkeypatch.setattr(page, "FORMULAS", SimpleNamespace(convert_with_local_state=convert))
    typed = f"My ${'(' * 40}$ and $$a < b$$."
    soup = written(folder, conclusion=typed)
    assert box(soup, "conclusion").find("div", class_="text").get_text().strip() == typed
    assert converted == [" h' = \\frac{n}{2} "]
    assert "MathJax" in str(soup.find_all("script"))


@pytest.mark.parametrize("path", sorted(HOME.glob("exercises/*/*.ipynb")), ids=lambda path: path.stem[:2])
def test_all_formulas_of_the_exercises_can_be_drawn(path):
    """Rejects a formula that the converter does not know, which a page without a network would show raw."""
    pytest.importorskip("math_core", reason="the extra `site` is not installed")
    texts = [one.source for one in nbformat.read(path, as_version=4).cells if one.cell_type == "markdown"]
    found = BeautifulSoup("".join(map(page.course_text, texts)), "html.parser")
    assert found.find_all("math")
    for code in found.find_all(["code", "pre"]):
        code.decompose()
    assert "$" not in found.get_text()


CHAPTER = "00_what_is_a_vector_for_a_word"
WRONG = {
    "softmax": "def softmax_rows(scores, T=1.0):\n    return np.exp(scores / T)",
    "answer": "def answer(questions, shelf):\n    return questions @ no_such_name",
}


def test_chapter_0_with_two_wrong_answers(tmp_path):
    """Rejects a page that does not fit the checks as they are: their cards, their errors, their hidden tests."""
    content = (HOME / "solutions" / CHAPTER / f"{CHAPTER}.ipynb").read_bytes()
    submission = nbformat.reads(content.decode(), as_version=4)
    for one in submission.cells:
        one.source = WRONG.get(one.metadata.get("nbgrader", {}).get("grade_id"), one.source)
    course = make_course(tmp_path, CHAPTER, content)
    make_class(course / "submissions", CHAPTER, ada=nbformat.writes(submission).encode())
    done = call(course, "grade", "--from", "submissions", "--to", "results", "--jobs", 1, assignment=CHAPTER)
    assert done.status == 0, done.err
    text = Folder(course / "results", CHAPTER, CHAPTER).feedback("ada").read_text(encoding="utf-8")
    soup = BeautifulSoup(text, "html.parser")
    points = dict(contents(soup))
    assert [points[name] for name in points if name[0] in "13"] == ["0 of 2 points"] * 2
    assert [points[name] for name in points if name[0] in "245"] == ["1 of 1 point", "2 of 2 points", "2 of 2 points"]
    assert all("not graded yet" in points[name] for name in points if name[0] == "6")
    for name in ("softmax", "answer"):
        found = box(soup, f"{name}-check")
        assert (len(found.select(".card.wrong")), len(found.select("pre.error"))) == (1, 0)
        assert found.get_text().count("is not right yet") == 1
    assert "no_such_name" in found.get_text()
    assert len(soup.select(".card.right")) == 3
    assert soup.h1.get_text().endswith("What is a vector for a word?")
    code = "\n".join(one.source for one in submission.cells)
    hidden = re.findall(r"### BEGIN HIDDEN TESTS\n(.*?)\n### END", code, re.S)
    assert len(hidden) >= 3
    shown = html.unescape(re.sub(r"<[^>]*>", "", text))
    assert not [line for test in hidden for line in test.splitlines() if line.split("  #")[0] in shown]
