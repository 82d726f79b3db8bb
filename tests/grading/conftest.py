"""Fixtures for grading: a sandbox or the reason why there is none, a small assignment, a place for temporary files."""

import os
import tempfile

import pytest

from grading import workers
from grading.job import Job, grade_one, prepare
from grading.problem import problem
from grading.settings import Settings

from . import assignment

SOURCE = assignment.source()
SECRET = "SECRET_OF_THE_GRADER"


@pytest.fixture(scope="session")
def needs_sandbox():
    """Skip with the reason where submissions cannot be run, or fail with it where REQUIRE_SANDBOX=1 asks for it."""
    why = problem("bwrap")
    if why and os.environ.get("REQUIRE_SANDBOX") == "1":
        pytest.fail(f"REQUIRE_SANDBOX=1, but: {why}", pytrace=False)
    if why:
        pytest.skip(why)


@pytest.fixture(scope="session")
def private(needs_sandbox):
    """The folder for temporary files of all graders; they have a secret among their environment variables."""
    with tempfile.TemporaryDirectory(prefix="tests-") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", folder)
        patch.setenv(SECRET, "hush")
        patch.setattr(tempfile, "tempdir", None)
        workers.close()
        yield folder
        workers.close()


@pytest.fixture(scope="session")
def settings():
    """Small limits."""
    return Settings(**assignment.SETTINGS)


@pytest.fixture(scope="session")
def release(private, settings):
    """The release of the small assignment."""
    return prepare(SOURCE, settings).release


@pytest.fixture(scope="session")
def grade(private, settings):
    """A function that grades bytes as a submission of the small assignment."""

    def graded(submission, source=SOURCE, settings=settings):
        return grade_one(Job("student", "numbers", "numbers", submission, source, settings))

    return graded


@pytest.fixture(scope="session")
def good(release):
    """A submission in which all is right."""
    answers = {"double": assignment.DOUBLE, "triple": assignment.TRIPLE, "why": assignment.WHY}
    return assignment.released(release, **answers)
