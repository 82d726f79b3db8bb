"""Find each student's submission in plain folders, files named by student, nbgrader's folders or an LMS's archive."""

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from .files import File, Problem, files

# Ada Lovelace_1234567_assignsubmission_file_/02.ipynb, or the same in one name
MOODLE = re.compile(r"(?P<student>.+?_\d+)_assignsubmission_[a-z]+_?(?P<file>.*)")
# lovelaceada_LATE_12345_678910_02.ipynb
CANVAS = re.compile(r"(?P<name>[^_]+)_(?:LATE_)?(?P<number>\d{2,})_\d{2,}_(?P<file>.+)")
# ada+02_where_should_the_decoder_look+2026-11-21 15:41:00.123456 UTC+random
EXCHANGE = re.compile(r"(?P<student>[^+]+)\+(?P<assignment>[^+]+)\+(?P<written>[^+]+)(?:\+.*)?")
ANY_ASSIGNMENT = re.compile(r"\d\d?_[a-z]")
NO_OWNER = "whose is it? Put it into a folder named by its student."
COURSE_FOLDERS = {"solutions", "notebooks"}  # of a copy of the course; they hold no answers of the student
MAX_NAME_BYTES = 160  # leaves room for the suffixes of file names


@dataclass(frozen=True)
class Claim:
    """A file that may be a student's submission; `rank` says how well its name matches the assignment."""

    student: str
    file: File
    rank: int
    written: tuple[int, ...]

    @property
    def age(self) -> tuple:
        """Sort key that finds the newest version; digits in names are compared as numbers."""
        words = re.split(r"(\d+)", self.file.path)
        return self.written, self.rank, [int(word) if word.isdigit() else 0 for word in words], self.file.path


@dataclass
class Found:
    """{student: file}, notes on submissions, students without a submission, and files without a student."""

    submissions: dict[str, File] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def find_submissions(source: Path, assignment: str) -> Found:
    """The newest submission of each student in a folder or a zip archive.

    Raises Problem if there is no such folder or no submission in it.
    """
    if not source.exists():
        raise Problem(f"FROM={source}: there is no such folder or archive.")
    if source.is_file() and source.suffix.lower() != ".zip":
        raise Problem(f"FROM={source} is neither a folder nor a zip archive.")
    everything = list(files(source))
    found, claims = Found(), defaultdict(list)
    for claim in find_claims(everything, assignment, found, is_archive=source.is_file()):
        claims[student_name(claim.student)].append(claim)
    for student, own in sorted(claims.items()):
        choose(student, own, found)
    if not found.submissions and not any(file.path.lower().endswith(".ipynb") for file in everything):
        raise Problem(f"FROM={source} holds no notebook.")
    if not found.submissions:
        raise Problem(f"FROM={source} holds no submission for {assignment}. {' '.join(found.problems)}".strip())
    return found


def choose(student: str, claims: list[Claim], found: Found) -> None:
    """Choose the submission among a student's files."""
    claims = [claim for claim in claims if claim.rank >= 0]
    named = [claim for claim in claims if claim.rank > 0]
    notebooks = named or [claim for claim in claims if claim.file.path.lower().endswith((".ipynb", ".zip"))]
    if not notebooks:
        others = ", ".join(claim.file.parts[-1] for claim in claims[:3])
        found.missing[student] = f"no notebook, only {others}" if others else "other assignments only"
        return
    newest = max(notebooks, key=lambda claim: claim.age)
    found.submissions[student] = newest.file
    if len(notebooks) > 1:
        found.notes[student] = f"{len(notebooks)} versions were submitted; graded is the newest, {newest.file.path}"
    elif not named:
        found.notes[student] = f"graded is a file with another name or place: {newest.file.path}"


# ── Which student owns a file? ────────────────────────────────────────────────────────────────────────────────────────


def find_claims(everything: list[File], assignment: str, found: Found, is_archive: bool) -> list[Claim]:
    """The claims of all files that name their student, in any layout."""
    claims, plain = [], []
    for file in everything:
        claim = from_system(file, assignment)
        (claims if claim else plain).append(claim or file)
    return claims + from_folders(plain, assignment, found, is_archive)


def from_system(file: File, assignment: str) -> Claim | None:
    """The claim of a file whose path has the form of Moodle, Canvas or nbgrader's exchange; else None."""
    for part in file.parts:
        if match := MOODLE.fullmatch(part) or CANVAS.fullmatch(part):
            student = match["student"] if match.re is MOODLE else f"{match['name']}_{match['number']}"
            name = match["file"] if part is file.parts[-1] else file.parts[-1]
            return Claim(student, file, max(rank(name, (), assignment), 0), file.written)
        if match := EXCHANGE.fullmatch(part):
            written = tuple(int(number) for number in re.findall(r"\d+", match["written"])[:6])
            return Claim(match["student"], file, rank(file.parts[-1], (match["assignment"],), assignment), written)
    return None


def from_folders(plain: list[File], assignment: str, found: Found, is_archive: bool) -> list[Claim]:
    """The claims of files in a folder named by student, and of files named by student."""
    course = [file for file in plain if file.parts[0] == "submitted"]
    above = 1 if course or (is_archive and is_wrapper(plain, assignment)) else 0
    claims = []
    for file in course or plain:
        student, *folders = parts = file.parts[above:]
        if student == assignment:
            found.problems.append(f"{file.path}: {NO_OWNER}")
        elif len(parts) > 1:
            claims.append(Claim(student, file, rank(parts[-1], folders[:-1], assignment), file.written))
        elif student.lower().endswith(".ipynb"):
            named = own_part(student, assignment)
            if named and not ANY_ASSIGNMENT.match(named):
                claims.append(Claim(named, file, 1, file.written))
            elif rank(student, (), assignment) > 0:
                found.problems.append(f"{file.path}: {NO_OWNER}")
    if not above and is_wrapper(plain, assignment):
        name = plain[0].parts[0]
        found.problems.append(f"All files lie in {name}/: if that is no student, use FROM=…/{name}.")
    return claims


def is_wrapper(plain: list[File], assignment: str) -> bool:
    """True if all files lie in one folder that is not a student's, as in an archive of a folder."""
    notebooks = [file.parts for file in plain if file.path.lower().endswith(".ipynb")]
    if len({parts[0] for parts in notebooks}) != 1 or any(len(parts) == 1 for parts in notebooks):
        return False
    below = {parts[1] if len(parts) > 2 else own_part(parts[1], assignment) for parts in notebooks}
    return len(below) > 1 and not any(name in ("", assignment) or ANY_ASSIGNMENT.match(name) for name in below)


def rank(name: str, folders: tuple[str, ...] | list[str], assignment: str) -> int:
    """How well a file's name matches the assignment: 3 exactly … 0 not at all, −1 for another assignment."""
    stem = name.rpartition(".")[0]
    if not name.lower().endswith(".ipynb"):
        return -1 if any(ANY_ASSIGNMENT.match(folder) and folder != assignment for folder in folders) else 0
    if COURSE_FOLDERS & set(folders):
        return -1
    if "exercises" in folders:  # the released copy, unless the student worked there
        return 0
    if assignment in stem:
        return 3 if stem == assignment else 2
    if any(ANY_ASSIGNMENT.match(one) and one != assignment for one in folders):
        return -1
    if assignment in folders:
        return 2
    number = re.match(r"\d+", assignment)
    if number and re.match(rf"0*{int(number[0])}(?!\d)", stem):
        return 1
    return -1 if ANY_ASSIGNMENT.match(stem) else 0


def own_part(name: str, assignment: str) -> str:
    """A file's name without the assignment's name or number: ada_02.ipynb -> ada."""
    stem = name.rpartition(".")[0]
    number = re.match(r"\d+", assignment)
    for word in (re.escape(assignment), *([rf"0*{int(number[0])}"] if number else [])):
        stem = re.sub(rf"(?:^|[-_ ]+){word}(?=[-_ ]|$)|^{word}$", "", stem)
    return stem.strip("-_ ")


def student_name(text: str) -> str:
    """A name that is safe as a folder, key and table field; different inputs give different names."""
    normal = unicodedata.normalize("NFC", text)
    name = (
        re.sub(r"[^\w .@'-]", "_", normal)
        .strip(" .")
        .encode("utf-8", "replace")[:MAX_NAME_BYTES]
        .decode("utf-8", "ignore")
        .rstrip(" .")
    )
    name = re.sub(r"^[-@']+", "_", name)
    return name if name and name == normal else f"{name}_{sha256(normal.encode('utf-8', 'replace')).hexdigest()[:6]}"
