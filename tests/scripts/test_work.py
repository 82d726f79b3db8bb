"""`make work` copies exercises, and never touches an answer."""

import pytest

from scripts import work

NAME = "00_words/00_words.ipynb"


@pytest.fixture
def course(tmp_path, capsys):
    """Return a function that releases a text, runs `make work` and returns {file in work/: text} and what was said."""

    def run(release=None, answer=None):
        for folder, text in (("exercises", release), ("work", answer)):
            if text is not None:
                work.write(tmp_path / folder / NAME, text.encode())
        work.main(tmp_path)
        files = (path for path in (tmp_path / "work").rglob("*.ipynb") if ".released" not in path.parts)
        return {path.stem: path.read_text() for path in files}, capsys.readouterr().out

    return run


def test_an_exercise_is_copied_once(course):
    assert course("one") == ({"00_words": "one"}, f"work/{NAME}: new\n")
    assert course() == ({"00_words": "one"}, "")


def test_a_new_release_is_put_beside_answers(course):
    """Rejects an answer that is overwritten, a second copy of the same release, and news that nobody is told of."""
    course("one")
    assert course(answer="mine") == ({"00_words": "mine"}, "")
    files, said = course("two")
    assert files == {"00_words": "mine", "00_words (new)": "two"}
    assert "00_words (new).ipynb" in said
    assert course() == (files, "")


def test_answers_in_an_earlier_new_version_stay_too(course, tmp_path):
    course("one")
    course("two", answer="mine")
    new = tmp_path / "work" / "00_words" / "00_words (new).ipynb"
    new.write_text("mine, too")
    files, _ = course("three")
    assert files == {"00_words": "mine", "00_words (new)": "mine, too", "00_words (new 2)": "three"}


def test_a_file_without_answers_is_replaced(course):
    course("one")
    files, said = course("two")
    assert files == {"00_words": "two"}
    assert "replaced" in said


def test_a_copy_of_unknown_origin_is_never_touched(course):
    """Rejects a program that takes a file for unchanged because it does not know what was released."""
    files, _ = course("two", answer="from another machine")
    assert files == {"00_words": "from another machine", "00_words (new)": "two"}


def test_a_file_that_was_removed_comes_back(course, tmp_path):
    course("one")
    (tmp_path / "work" / NAME).unlink()
    assert course()[0] == {"00_words": "one"}
