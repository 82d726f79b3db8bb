"""`make grade` and `make feedback`: words for what is in the way, and the status of the program."""

import argparse
import signal
import sys
from dataclasses import replace
from pathlib import Path

from .files import Problem
from .folder import Folder
from .grade import Class, find_source, grade_class, write_all_feedback
from .pool import cores
from .settings import Settings

INTERRUPTED = 130
WITHOUT = "SANDBOX=none: hand-ins run with your rights. They can read, change and send away all that you can."


def arguments(words: list[str]) -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m course_lib.grading", description=__doc__)
    parser.add_argument("command", choices=["grade", "feedback"])
    parser.add_argument("--assignment", default="")
    parser.add_argument("--from", dest="handins", default="")
    parser.add_argument("--to", type=Path, default=Path("grading"))
    parser.add_argument("--jobs", type=int, default=cores())
    parser.add_argument("--scheduler", default="")
    parser.add_argument("--sandbox", choices=["bwrap", "none"], default="bwrap")
    for name in ("total_s", "cell_s", "cpu_s", "memory_mb", "disk_mb"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=getattr(Settings(), name))
    return parser.parse_args(words)


def grade(asked: argparse.Namespace) -> int:
    """Grade a class."""
    if not asked.handins:
        raise Problem("FROM= must name the folder or archive of hand-ins: make grade ASSIGNMENT=02 FROM=hand-ins")
    if asked.jobs < 1:
        raise Problem(f"JOBS={asked.jobs}: at least one hand-in must be graded at a time.")
    if asked.sandbox == "none":
        print(WITHOUT, file=sys.stderr)
    limits = {name: getattr(asked, name) for name in ("total_s", "cell_s", "cpu_s", "memory_mb", "disk_mb", "sandbox")}
    settings = replace(Settings(), **limits)
    group = Class(asked.assignment, Path(asked.handins), asked.to, asked.jobs, asked.scheduler, settings)
    text, complete = grade_class(group)
    print(text, end="")
    return 0 if complete else 1


def feedback(asked: argparse.Namespace) -> int:
    """Write feedback and table again."""
    source = find_source(Path(), asked.assignment)
    print(write_all_feedback(Folder(asked.to, source.parent.name, source.stem)), end="")
    return 0


def interruptible() -> None:
    """Let SIGTERM and a closed terminal end a run as Ctrl-C does: what is finished is kept, what runs is ended."""

    def stop(number, frame):
        raise KeyboardInterrupt

    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), stop)


def main(words: list[str]) -> int:
    """Do the command: 0 when all is well, 1 for a problem, 130 when it was interrupted."""
    asked = arguments(words)
    interruptible()
    try:
        return {"grade": grade, "feedback": feedback}[asked.command](asked)
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted. What is finished is kept; the same command goes on from there.", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
