"""Feedback pages, made by nbgrader's generator: answers, points and comments, without hidden tests."""

import os
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

from jinja2 import BytecodeCache, Environment
from jinja2.bccache import Bucket
from nbconvert.exporters import HTMLExporter
from nbgrader.converters import GenerateFeedback
from nbgrader.utils import capture_log
from traitlets.config import Config

from .files import Problem
from .folder import Folder, write
from .gradebook import course, opened, release
from .hide import PREPROCESSORS
from .page import FILTERS, FORMULAS, join_prints, lay_out

VERSION = f"2{' with formulas' if FORMULAS else ''}"  # of the pages; a new version writes all of them again
TEMPLATE = Config(HTMLExporter={"template_name": "page", "extra_template_basedirs": [str(Path(__file__).parent)]})


class TemplateCache(BytecodeCache):
    """Compiles each template once, since compiling takes most of the time of a page."""

    compiled: ClassVar[dict[str, bytes]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a template from memory."""
        if bucket.key in self.compiled:
            bucket.bytecode_from_string(self.compiled[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template in memory."""
        self.compiled[bucket.key] = bucket.bytecode_to_string()


class PageExporter(HTMLExporter):
    """nbconvert's exporter with cached templates and the filters of our template."""

    def default_filters(self) -> Iterator[tuple[str, Callable]]:
        """nbconvert's filters and ours."""
        yield from super().default_filters()
        yield from FILTERS.items()

    def _create_environment(self) -> Environment:
        environment = super()._create_environment()
        environment.bytecode_cache = TemplateCache()
        return environment


def write_feedback(folder: Folder, student: str) -> bool:
    """Write a student's page; False if it is up to date."""
    (name, by_hand), page = key(folder, student), folder.feedback(student)
    mark = f"<!-- {name} -->\n".encode()
    if page.is_file() and page.read_bytes().endswith(mark):
        return False
    place, config = course(folder)
    config.merge(TEMPLATE)
    layout = partial(lay_out, released=release(folder), by_hand=by_hand)
    with tempfile.TemporaryDirectory(dir=folder.root, prefix=".feedback-") as made:
        place.student_id, place.feedback_directory = student, Path(made).name
        application = GenerateFeedback(coursedir=place, config=config)
        application.force, application.exporter_class = True, PageExporter
        application.preprocessors = [join_prints, *PREPROCESSORS, layout]
        result = capture_log(application)
        if not result["success"]:
            raise Problem(f"nbgrader could not write the feedback of {student}:\n{result.get('log')}")
        content = Path(made, student, folder.assignment, page.name).read_bytes()
    write(page, content + mark)
    os.chmod(page, 0o644)
    return True


def key(folder: Folder, student: str) -> tuple[str, set[str]]:
    """A fingerprint of everything that a page shows, and the exercises still to be graded by hand."""
    whole, by_hand = sha256(VERSION.encode() + folder.autograded(student).read_bytes()), set()
    with opened(folder) as book:
        for notebook in book.find_submission(folder.assignment, student).notebooks:
            whole.update(repr(notebook.late_submission_penalty).encode())
            by_hand |= {one.name for one in notebook.grades if one.needs_manual_grade}
            shown = [(one.name, one.score, one.max_score) for one in notebook.grades]
            shown += [(one.name, one.comment) for one in notebook.comments]
            whole.update(repr(sorted([*shown, *by_hand], key=repr)).encode())
    return whole.hexdigest()[:32], by_hand
