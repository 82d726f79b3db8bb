"""Fixtures for grading: the sandbox or a reason to skip, and graders of the small assignment."""

import os
import tempfile

import pytest

from grading import workers
from grading.job import Job, grade_one, prepare
from grading.problem import problem
from grading.settings import Settings

from .assignment import LIMITS, SOURCE, make_results


@pytest.fixture(scope="session")
def needs_sandbox():
    """Skip with the reason if the sandbox cannot start, or fail with it if REQUIRE_SANDBOX=1."""
    why = problem("bwrap")
    if why and os.environ.get("REQUIRE_SANDBOX") == "1":
        pytest.fail(f"REQUIRE_SANDBOX=1, but: {why}", pytrace=False)
    if why:
        pytest.skip(why)


@pytest.fixture(scope="session")
def private(needs_sandbox):
    """The folder for temporary files of all graders, which have a secret in their environment."""
    with tempfile.TemporaryDirectory(prefix="tests-") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", folder)
        patch.setenv("SECRET_OF_THE_GRADER", "hush")
        patch.setattr(tempfile, "tempdir", None)
        workers.close()
        yield folder
        workers.close()


@pytest.fixture(scope="session")
def release(private):
    """The release of the small assignment."""
    return prepare(SOURCE, Settings(**LIMITS)).release


@pytest.fixture(scope="session")
def grade(private):
    """A function that grades a submission of the small assignment."""

    def graded(submission, source=SOURCE, **limits):
        return grade_one(Job("student", "numbers", "numbers", submission, source, Settings(**LIMITS | limits)))

    return graded


@pytest.fixture
def folder(tmp_path):
    """A folder of results in which the small assignment is prepared."""
    return make_results(tmp_path)
