"""Submissions are found in every layout that classes use, each for its own student."""

import os
import stat
import zipfile

import pytest

from grading.files import Problem
from grading.find import find_submissions, student_name
from grading.reading import MAX_FILE_BYTES, UnreadableSubmission

NAME = "02_where_should_the_decoder_look"
FILE = f"{NAME}.ipynb"


def folder(place, *paths):
    """A folder in which each file holds its own path; later ones are newer."""
    for age, path in enumerate(paths):
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(path, encoding="utf-8")
        os.utime(place / path, (1e9 + age, 1e9 + age))
    return place


def archive(place, *paths):
    """The same as a zip archive."""
    with zipfile.ZipFile(place, "w") as whole:
        for age, path in enumerate(paths):
            whole.writestr(zipfile.ZipInfo(path, (2026, 11, 21, 12, age, 0)), path)
    return place


def found(source):
    """{student: the path of the file that would be graded}."""
    return {student: file.read().decode() for student, file in find_submissions(source, NAME).submissions.items()}


LAYOUTS = {
    "plain": {"ada": f"ada/{FILE}", "grace": "grace/02.ipynb", "alan": f"alan/work/{NAME}/{FILE}"},
    "by name": {
        "ada": "ada.ipynb",
        "grace": f"grace_{FILE}",
        "alan": f"{NAME}-alan.ipynb",
        "kurt": "kurt_02.ipynb",
        "a_b": "a_2_b.ipynb",
        "ada02": "ada02.ipynb",
    },
    "nbgrader": {name: f"submitted/{name}/{NAME}/{FILE}" for name in ("ada", "grace")},
    "hub": {name: f"{name}+{NAME}+2026-11-21 15:41:00.123456 UTC+abc/{FILE}" for name in ("ada", "grace")},
    "Moodle": {
        "Ada Lovelace_1234567": f"Ada Lovelace_1234567_assignsubmission_file_/{FILE}",
        "Grace Hopper_1234568": "Grace Hopper_1234568_assignsubmission_file_homework.ipynb",
        "Ada Lovelace_1234569": "Ada Lovelace_1234569_assignsubmission_file/02.ipynb",
    },
    "Canvas": {
        "lovelaceada_12345": f"lovelaceada_12345_678910_{NAME}-2.ipynb",
        "hoppergrace_12346": f"hoppergrace_LATE_12346_678911_{FILE}",
        "turingalan_12347": "turingalan_12347_678912_my homework.ipynb",
    },
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("make", [folder, archive])
def test_each_layout_is_understood(layout, make, tmp_path):
    """Rejects taking a system's folder or a number for the student's name, and merging namesakes."""
    beside = ["README.txt", f"__MACOSX/ada/._{FILE}", f"ada/.ipynb_checkpoints/{FILE}"] if layout == "plain" else []
    paths = LAYOUTS[layout]
    assert found(make(tmp_path / "submissions.zip", *paths.values(), *beside)) == paths


OWN = f"ada/course/work/{NAME}/{FILE}"
GIVEN = [f"ada/course/{place}/{FILE}" for place in ("notebooks", f"solutions/{NAME}", f"exercises/{NAME}")]
UNSOLVED = f"grace/course/exercises/{NAME}/{FILE}"
LATE, EARLY = (f"ada+{NAME}+2026-11-{day} 10:00:00.0 UTC+x/{FILE}" for day in (21, 9))


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ([f"class/ada/{FILE}", f"class/grace/{FILE}"], {name: f"class/{name}/{FILE}" for name in ("ada", "grace")}),
        ([f"ada/{FILE}"], {"ada": f"ada/{FILE}"}),
        ([f"ada/{FILE}", "ada/03_x/03_x.ipynb"], {"ada": f"ada/{FILE}"}),
        (["ada/02.ipynb", "ada/1.ipynb"], {"ada": "ada/02.ipynb"}),
        ([LATE, EARLY], {"ada": LATE}),
        ([OWN, *GIVEN, UNSOLVED], {"ada": OWN, "grace": UNSOLVED}),
        (["../../ada/02.ipynb", "grace/02.ipynb"], {"ada": "../../ada/02.ipynb", "grace": "grace/02.ipynb"}),
    ],
    ids=["wrapped", "one student", "two chapters", "numbers", "time stamps", "course copy", "outside"],
)
def test_the_right_file_of_an_archive_is_taken(paths, expected, tmp_path):
    """Rejects taking a class's folder for a student, the order of copying for time, and the course's own files."""
    assert found(archive(tmp_path / "a.zip", *paths)) == expected


@pytest.mark.parametrize(
    "newest", [f"ada/{NAME}-1.ipynb", f"ada/late/{FILE}", "ada/02 (1).ipynb", f"ada/{NAME}/final.ipynb"]
)
@pytest.mark.parametrize("make", [folder, archive])
def test_the_newest_version_counts_and_is_named(newest, make, tmp_path):
    """Rejects taking the first version, and choosing silently."""
    submissions = find_submissions(make(tmp_path / "a.zip", f"ada/{FILE}", newest, "grace/02.ipynb"), NAME)
    assert submissions.submissions["ada"].read().decode() == newest
    assert newest in submissions.notes["ada"]
    assert "grace" not in submissions.notes


def test_files_that_are_not_graded_are_reported(tmp_path):
    """Rejects grading another chapter's file, a student called 02, and forgetting a student."""
    others = ["grace/01_can_one_vector.ipynb", "alan/03_x/03_x.ipynb", "kurt/essay.pdf"]
    nameless = [FILE, "02.ipynb", f"{NAME}/{FILE}"]
    found = find_submissions(folder(tmp_path, "ada/02.ipynb", *others, *nameless, "03_x.ipynb"), NAME)
    assert found.submissions.keys() == {"ada"}
    assert found.missing.keys() == {"grace", "alan", "kurt"}
    assert "essay.pdf" in found.missing["kurt"]
    assert {problem.partition(": whose is it?")[0] for problem in found.problems} == set(nameless)


def test_archives_of_students_are_opened(tmp_path):
    """Rejects an LMS's archive whose students submitted archives; a broken one affects only its student."""
    inner = archive(tmp_path / "inner.zip", f"work/{NAME}/{FILE}").read_bytes()
    with zipfile.ZipFile(tmp_path / "moodle.zip", "w") as whole:
        whole.writestr("Ada_11_assignsubmission_file_/work.zip", inner)
        whole.writestr("Alan_12_assignsubmission_file_/work.zip", inner[:40])
    submissions = find_submissions(tmp_path / "moodle.zip", NAME).submissions
    assert submissions["Ada_11"].read().decode() == f"work/{NAME}/{FILE}"
    assert submissions.keys() == {"Ada_11", "Alan_12"}


def test_links_pipes_and_huge_files_are_not_read(tmp_path):
    """Rejects reading another student's file through a link, waiting for a pipe, and filling the memory."""
    place = folder(tmp_path / "all", "ada/02.ipynb", "grace/notes.txt", "pipe/x.txt", "huge/x.txt")
    (place / "grace" / "02.ipynb").symlink_to(place / "ada" / "02.ipynb")
    (place / "alan").symlink_to(place / "ada")
    os.mkfifo(place / "pipe" / "02.ipynb")
    with (place / "huge" / "02.ipynb").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    with zipfile.ZipFile(tmp_path / "all.zip", "w", zipfile.ZIP_DEFLATED) as whole:
        linked = zipfile.ZipInfo("grace/02.ipynb")
        linked.external_attr = (stat.S_IFLNK | 0o777) << 16
        whole.writestr(linked, "/etc/hostname")
        whole.writestr("huge/02.ipynb", bytes(MAX_FILE_BYTES + 1))
        whole.writestr("ada/02.ipynb", "")
    reasons = {"grace": "symbolic link", "pipe": "not a regular file", "huge": "too large"}
    for source, students in ((place, {"ada", *reasons}), (tmp_path / "all.zip", {"ada", "grace", "huge"})):
        submissions = find_submissions(source, NAME).submissions
        assert submissions.keys() == students
        for student in students - {"ada"}:
            with pytest.raises(UnreadableSubmission, match=reasons[student]):
                submissions[student].read()


def test_student_names_are_safe_and_differ():
    """Rejects paths, patterns and spreadsheet formulas as names, and two students under one name."""
    names = ["../../etc", "a/b", "a*", "a?", "=cmd()", "-rf", "..", "", "José", "O'Neil, Pat", "@ada", "+1"]
    names += ["x" * 300, "明" * 200]
    safe = [student_name(name) for name in names]
    assert len(set(safe)) == len(names)
    for name in safe:
        assert not set(name) & set('/\\*?[]{}:"<>|=+,\n')
        assert name[0] not in "-.@' "
        assert len(name.encode()) <= 200
    same = {"José": "José", "Jose\u0301": "José", "Ada Lovelace_12": "Ada Lovelace_12", "a.b@c.org": "a.b@c.org"}
    assert {name: student_name(name) for name in same} == same


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gone", "no such folder"),
        ("none", "no notebook"),
        ("other", f"no submission for {NAME}"),
        ("text.txt", "neither a folder nor a zip"),
        ("broken.zip", "archive is damaged"),
    ],
)
def test_a_folder_without_submissions_is_a_problem(name, words, tmp_path):
    """Rejects an empty success and a traceback."""
    folder(tmp_path, "none/x.txt", "other/ada/01_x.ipynb", "text.txt", "broken.zip")
    with pytest.raises(Problem, match=words):
        find_submissions(tmp_path / name, NAME)
