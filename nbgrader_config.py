"""nbgrader's settings: authors write solutions/<chapter>/*.ipynb, students get exercises/<chapter>/*.ipynb."""

from grading.hide import PREPROCESSORS, STUB

c = get_config()  # which nbgrader puts there
c.CourseDirectory.course_id = "attention"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"
# Everything beside a notebook in solutions/ goes to students too: a .py twin of it would give the answers away.
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", ".pytest_cache", "*.py", "*.md"]
c.ClearSolutions.code_stub = {"python": STUB}
# Feedback tells no hidden test, whoever makes it: make grade, make feedback, nbgrader or its formgrader.
c.GenerateFeedback.preprocessors = PREPROCESSORS
