"""The commands of docs/instructors.md as they are printed, from a clone to feedback with points given by hand."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import urllib.request
import zipfile

import nbformat
import pytest

from grading.__main__ import arguments
from tests.browser.lab import free_port, wait_for
from tests.house.files import HOME, tracked

from .assignment import gradebook, sandbox, table

PAGE = (HOME / "docs" / "instructors.md").read_text(encoding="utf-8")
COMMANDS = [line for block in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.M | re.S) for line in block.splitlines()]
ASSIGNMENT = "00_what_is_a_vector_for_a_word"
TOKEN = "only-for-this-test"


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A clone of the course without course_lib and grading, which are imported from the checkout."""
    if not shutil.which("make"):
        pytest.skip("no make on this machine")
    if sandbox() != "bwrap":
        pytest.skip("the page is about grading in the sandbox, which cannot start here")
    place = tmp_path_factory.mktemp("clone")
    for name in tracked():
        if name.parts[0] not in ("course_lib", "grading", "tests", "notebooks", "site"):
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(HOME / name, place / name)
    return place


def variables(clone):
    """The instructor's own settings: the environment, and a JupyterLab that opens no browser."""
    settings = clone.parent / "settings"
    settings.mkdir(exist_ok=True)
    options = "c.ServerApp.open_browser = False\nc.ServerApp.allow_root = True\n"
    (settings / "jupyter_server_config.py").write_text(options)
    own = {"PYTHON_ENV": sys.executable, "JUPYTER_CONFIG_DIR": str(settings), "JUPYTER_TOKEN": TOKEN}
    return {**os.environ, **own, "JUPYTER_PORT": str(free_port())}


def submissions(clone):
    """Three students' work, once in folders, once as Moodle gives it, once as nbgrader collects it."""
    right = nbformat.read(clone / "solutions" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb", as_version=4)
    unsolved = (clone / "exercises" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb").read_bytes()
    files = {
        f"hand-ins/ada/{ASSIGNMENT}.ipynb": nbformat.writes(right).encode(),
        "hand-ins/emmy/00.ipynb": unsolved,
        "hand-ins/kurt/00.ipynb": unsolved[: len(unsolved) // 2],
        f"submitted/ada/{ASSIGNMENT}/{ASSIGNMENT}.ipynb": nbformat.writes(right).encode(),
    }
    for name, content in files.items():
        (clone / name).parent.mkdir(parents=True)
        (clone / name).write_bytes(content)
    with zipfile.ZipFile(clone / "moodle.zip", "w") as archive:
        archive.writestr(f"Ada Lovelace_12_assignsubmission_file_/{ASSIGNMENT}.ipynb", nbformat.writes(right))


def request(port, path, body=None):
    """Get a page of JupyterLab, or put a body."""
    headers = {"Authorization": f"token {TOKEN}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    address = f"http://127.0.0.1:{port}/{path}"
    asked = urllib.request.Request(address, data, headers, method="GET" if body is None else "PUT")
    with urllib.request.urlopen(asked) as answer:
        return answer.read().decode()


def grade_by_hand(command, clone, about):
    """Do what the page says about the formgrader while the command runs: a point for each part of ada's experiment."""
    log = HOME / "test-artefacts" / "formgrader.log"
    log.parent.mkdir(exist_ok=True)
    with log.open("w") as words:
        lab = subprocess.Popen(
            command, shell=True, cwd=clone, env=about, stdout=words, stderr=words, start_new_session=True
        )
    try:
        port = about["JUPYTER_PORT"]
        wait_for(lab, f"http://127.0.0.1:{port}/api", log)
        assert ASSIGNMENT in request(port, f"formgrader/gradebook/{ASSIGNMENT}")
        submissions = json.loads(request(port, f"formgrader/api/submitted_notebooks/{ASSIGNMENT}/{ASSIGNMENT}"))
        assert {one["student"] for one in submissions} == {"ada", "emmy", "kurt"}
        (ada,) = (one for one in submissions if one["student"] == "ada")
        assert ada["needs_manual_grade"]
        assert "def share_of_long" in re.sub(r"<[^>]*>", "", request(port, f"formgrader/submissions/{ada['id']}/"))
        for grade in json.loads(request(port, f"formgrader/api/grades?submission_id={ada['id']}")):
            if grade["needs_manual_grade"]:
                request(port, f"formgrader/api/grade/{grade['id']}", {"manual_score": 1.0, "extra_credit": None})
    finally:
        os.killpg(lab.pid, signal.SIGTERM)
        lab.wait()


def test_the_page_as_it_is_printed(clone):
    """Rejects a command that does not work as it stands, points that get lost on the way, and a name that leaves TO."""
    about = variables(clone)
    for command in COMMANDS:
        if command.startswith("make lab"):
            grade_by_hand(command, clone, about)
            continue
        done = subprocess.run(command, shell=True, cwd=clone, env=about, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        if command == "make exercises":
            submissions(clone)
    assert [command.split()[1] for command in COMMANDS] == ["exercises", "grade", "lab", "feedback", "grade", "grade"]
    rows = table(clone / "graded", ASSIGNMENT)
    by_hand = [name for name in rows["ada"] if name in ("6 longer", "6 longer-conclusion")]
    checks = [name for name in rows["ada"] if name.endswith("-check")]
    assert len(by_hand) == 2
    assert len(checks) >= 5
    assert [rows["ada"][name] for name in by_hand] == ["1", "1"]
    assert float(rows["ada"]["total"]) == sum(float(rows["ada"][name]) for name in checks) + 2
    assert (rows["ada"]["by hand"], rows["emmy"]["total"]) == ("", "0")
    assert "not JSON" in rows["kurt"]["remark"]
    with gradebook(clone / "graded") as book:
        assert book.find_submission(ASSIGNMENT, "ada").score == float(rows["ada"]["total"])
        most = {cell.name: cell.max_score for cell in book.find_notebook(ASSIGNMENT, ASSIGNMENT).grade_cells}
    assert all(float(rows["ada"][name]) == most[name.split()[1]] for name in checks)
    for results, student in {"graded-moodle": "Ada Lovelace_12", "graded-hub": "ada"}.items():
        row = table(clone / results, ASSIGNMENT)[student]
        assert {name: row[name] for name in checks} == {name: rows["ada"][name] for name in checks}


def test_the_limits_on_the_page_can_be_set():
    """Rejects documentation of an option that the command does not have."""
    words = shlex.split(re.search(r'LIMITS="([^"]+)"', PAGE)[1])
    limits = {name[2:].replace("-", "_"): int(value) for name, value in zip(words[::2], words[1::2], strict=True)}
    assert limits.items() <= vars(arguments(["grade", *words])).items()
    assert "$(LIMITS)" in (HOME / "Makefile").read_text(encoding="utf-8")


def test_results_and_names_are_ignored_by_git():
    """Rejects names and points in a commit."""
    named = {"graded/x", *(f"{name}/x" for name in re.findall(r"(?:TO|FROM)=(\S+)", "\n".join(COMMANDS)))}
    named = {name.removesuffix("/x") if ".zip" in name else name for name in named}
    done = subprocess.run(["git", "check-ignore", *named], cwd=HOME, capture_output=True, text=True)
    if done.returncode == 128:
        pytest.skip("no Git here")
    assert set(done.stdout.split()) == named
