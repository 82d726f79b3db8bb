"""Submissions are found in every layout that classes use, each for its own student, and nothing else is taken."""

import os
import stat
import zipfile

import pytest

from grading.files import Problem
from grading.find import find_submissions, own_part, student_name
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
    place.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(place, "w") as whole:
        for age, path in enumerate(paths):
            whole.writestr(zipfile.ZipInfo(path, (2026, 11, 21, 12, age, 0)), path)
    return place


def found(source):
    """{student: the path of the file that would be graded}."""
    return {student: file.read().decode() for student, file in find_submissions(source, NAME).submissions.items()}


PLAIN = {"ada": f"ada/{FILE}", "grace": "grace/02.ipynb", "alan": f"alan/work/{NAME}/{FILE}"}
BY_NAME = {"ada": "ada.ipynb", "grace": f"grace_{FILE}", "alan": f"{NAME}-alan.ipynb", "kurt": "kurt_02.ipynb"}
COURSE = {name: f"submitted/{name}/{NAME}/{FILE}" for name in ("ada", "grace")}
INBOUND = {name: f"{name}+{NAME}+2026-11-21 15:41:00.123456 UTC+abc/{FILE}" for name in ("ada", "grace")}
MOODLE = {
    "Ada Lovelace_1234567": f"Ada Lovelace_1234567_assignsubmission_file_/{FILE}",
    "Grace Hopper_1234568": "Grace Hopper_1234568_assignsubmission_file_homework.ipynb",
    "Ada Lovelace_1234569": "Ada Lovelace_1234569_assignsubmission_file/02.ipynb",
}
CANVAS = {
    "lovelaceada_12345": f"lovelaceada_12345_678910_{NAME}-2.ipynb",
    "hoppergrace_12346": f"hoppergrace_LATE_12346_678911_{FILE}",
    "turingalan_12347": "turingalan_12347_678912_my homework.ipynb",
}
WRAPPED = {"ada": f"class/ada/{FILE}", "grace": f"class/grace/{FILE}"}
LAYOUTS = {"plain": PLAIN, "by name": BY_NAME, "nbgrader": COURSE, "hub": INBOUND, "Moodle": MOODLE, "Canvas": CANVAS}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
@pytest.mark.parametrize("make", [folder, archive])
def test_each_layout_is_understood(layout, make, tmp_path):
    """Rejects a reader that takes a folder of the system, or a number, for the student's name, or merges namesakes."""
    beside = ["README.txt", f"__MACOSX/ada/._{FILE}", f"ada/.ipynb_checkpoints/{FILE}"] if layout is PLAIN else []
    assert found(make(tmp_path / "submissions.zip", *layout.values(), *beside)) == layout


def test_an_archive_of_a_folder_is_unwrapped(tmp_path):
    """Rejects taking the archived folder for the only student."""
    assert found(archive(tmp_path / "a.zip", *WRAPPED.values())) == WRAPPED


@pytest.mark.parametrize(
    "paths", [[f"ada/{FILE}"], [f"ada/{FILE}", "ada/03_x/03_x.ipynb"], ["ada/02.ipynb", "ada/1.ipynb"]]
)
def test_the_folder_of_the_only_student_is_kept(paths, tmp_path):
    """Rejects unwrapping as soon as there is one folder."""
    assert found(archive(tmp_path / "a.zip", *paths)) == {"ada": paths[0]}


@pytest.mark.parametrize(
    "newest",
    [f"ada/{NAME}-1.ipynb", f"ada/late/{FILE}", "ada/02 (1).ipynb", f"ada/{NAME}/final.ipynb"],
)
@pytest.mark.parametrize("make", [folder, archive])
def test_the_newest_version_counts_and_is_named(newest, make, tmp_path):
    """Rejects taking the first one, and keeping silent about it."""
    submissions = find_submissions(make(tmp_path / "a.zip", f"ada/{FILE}", newest, "grace/02.ipynb"), NAME)
    assert submissions.submissions["ada"].read().decode() == newest
    assert newest in submissions.notes["ada"]
    assert "grace" not in submissions.notes


def test_the_newest_of_an_exchange_is_told_by_its_time_stamp(tmp_path):
    """Rejects the order in which files were copied."""
    late, early = (f"ada+{NAME}+2026-11-{day} 10:00:00.0 UTC+x/{FILE}" for day in (21, 9))
    assert found(folder(tmp_path, late, early)) == {"ada": late}


def test_what_the_course_itself_gives_is_no_answer(tmp_path):
    """Rejects grading the chapter, the solution or the newer, unsolved exercise in a student's copy of the course."""
    own = f"ada/course/work/{NAME}/{FILE}"
    given = [f"ada/course/{place}/{FILE}" for place in ("notebooks", f"solutions/{NAME}", f"exercises/{NAME}")]
    assert found(folder(tmp_path / "all", own, *given, f"grace/course/exercises/{NAME}/{FILE}")) == {
        "ada": own,
        "grace": f"grace/course/exercises/{NAME}/{FILE}",
    }


def test_other_assignments_are_passed_over_and_said(tmp_path):
    """Rejects grading chapter 1's file for chapter 2, and forgetting the student."""
    submissions = find_submissions(
        folder(tmp_path, "ada/02.ipynb", "grace/01_can_one_vector.ipynb", "alan/03_x/03_x.ipynb", "kurt/essay.pdf"),
        NAME,
    )
    assert submissions.submissions.keys() == {"ada"}
    assert submissions.missing.keys() == {"grace", "alan", "kurt"}
    assert "essay.pdf" in submissions.missing["kurt"]


def test_a_file_without_a_student_is_told_and_not_graded(tmp_path):
    """Rejects a student called 02."""
    submissions = find_submissions(folder(tmp_path, "ada/02.ipynb", FILE, "02.ipynb", f"{NAME}/{FILE}", "03_x.ipynb"), NAME)
    assert submissions.submissions.keys() == {"ada"}
    assert {told.partition(": whose is it?")[0] for told in submissions.problems} == {FILE, "02.ipynb", f"{NAME}/{FILE}"}


def test_archives_of_students_are_opened(tmp_path):
    """Rejects an LMS's zip whose students handed in zips; a broken one is that student's alone."""
    inner = archive(tmp_path / "inner.zip", f"work/{NAME}/{FILE}").read_bytes()
    with zipfile.ZipFile(tmp_path / "moodle.zip", "w") as whole:
        whole.writestr("Ada_11_assignsubmission_file_/work.zip", inner)
        whole.writestr("Alan_12_assignsubmission_file_/work.zip", inner[:40])
    submissions = find_submissions(tmp_path / "moodle.zip", NAME).submissions
    assert submissions["Ada_11"].read().decode() == f"work/{NAME}/{FILE}"
    assert submissions.keys() == {"Ada_11", "Alan_12"}


def test_links_are_not_followed(tmp_path):
    """Rejects a submission that reads another student's file, or the instructor's."""
    folder(tmp_path / "all", "ada/02.ipynb", "grace/notes.txt")
    (tmp_path / "all" / "grace" / "02.ipynb").symlink_to(tmp_path / "all" / "ada" / "02.ipynb")
    (tmp_path / "all" / "alan").symlink_to(tmp_path / "all" / "ada")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as whole:
        linked = zipfile.ZipInfo("grace/02.ipynb")
        linked.external_attr = (stat.S_IFLNK | 0o777) << 16
        whole.writestr(linked, "/etc/hostname")
        whole.writestr("ada/02.ipynb", "")
    for source in (tmp_path / "all", tmp_path / "all.zip"):
        submissions = find_submissions(source, NAME).submissions
        assert submissions.keys() == {"ada", "grace"}
        with pytest.raises(UnreadableSubmission, match="symbolic link"):
            submissions["grace"].read()


def test_what_would_hang_or_fill_the_memory_is_not_read(tmp_path):
    """Rejects reading a pipe, a huge file, and an archive that swells."""
    os.mkfifo(folder(tmp_path / "all", "ada/x.txt") / "ada" / "02.ipynb")
    (tmp_path / "all" / "grace").mkdir()
    with (tmp_path / "all" / "grace" / "02.ipynb").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    with zipfile.ZipFile(tmp_path / "all.zip", "w", zipfile.ZIP_DEFLATED) as whole:
        whole.writestr("ada/02.ipynb", bytes(MAX_FILE_BYTES + 1))
    for source in (tmp_path / "all", tmp_path / "all.zip"):
        for file in find_submissions(source, NAME).submissions.values():
            with pytest.raises(UnreadableSubmission, match=r"too large|not a regular file"):
                file.read()


def test_names_from_archives_stay_names(tmp_path):
    """Rejects writing outside the folder of results, patterns, formulas for a spreadsheet, and two students in one."""
    names = ["../../etc", "a/b", "a*", "a?", "=cmd()", "-rf", "..", "", "José", "O'Neil, Pat", "@ada", "+1"]
    names += ["x" * 300, "明" * 200]
    safe = [student_name(name) for name in names]
    assert len(set(safe)) == len(names)
    for name in safe:
        assert not set(name) & set('/\\*?[]{}:"<>|=+,\n')
        assert name[0] not in "-.@' "
        assert len(name.encode()) <= 200
    assert [student_name(name) for name in ("José", "Jose\u0301", "Ada Lovelace_12", "a.b@c.org")] == [
        "José",
        "José",
        "Ada Lovelace_12",
        "a.b@c.org",
    ]
    assert list(found(archive(tmp_path / "a.zip", "../../ada/02.ipynb", "grace/02.ipynb"))) == ["ada", "grace"]


@pytest.mark.parametrize(
    ("name", "student"),
    [("ada_02.ipynb", "ada"), (f"{NAME}.ipynb", ""), ("ada02.ipynb", "ada02"), ("a_2_b.ipynb", "a_b")],
)
def test_a_file_named_by_student(name, student):
    assert own_part(name, NAME) == student


def test_what_cannot_be_found_is_said_in_words(tmp_path):
    """Rejects an empty success and a traceback."""
    folder(tmp_path, "none/x.txt", "other/ada/01_x.ipynb", "text.txt", "broken.zip")
    for name, words in {
        "gone": "no such folder",
        "none": "no notebook",
        "other": f"no submission for {NAME}",
        "text.txt": "neither a folder nor a zip",
        "broken.zip": "archive is damaged",
    }.items():
        with pytest.raises(Problem, match=words):
            find_submissions(tmp_path / name, NAME)
