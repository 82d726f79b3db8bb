"""Command line of `make grade` and `make feedback`: errors in one sentence, and the exit status."""

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
NO_SANDBOX = "SANDBOX=none: submissions run with your rights. They can read, change and send away all that you can."


def arguments(argv: list[str]) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="python -m grading", description=__doc__)
    parser.add_argument("command", choices=["grade", "feedback"])
    parser.add_argument("--assignment", default="")
    parser.add_argument("--from", dest="submissions", default="")
    parser.add_argument("--to", type=Path, default=Path("graded"))
    parser.add_argument("--jobs", type=int, default=cores())
    parser.add_argument("--scheduler", default="")
    parser.add_argument("--sandbox", choices=["bwrap", "none"], default="bwrap")
    for name in ("total_s", "cell_s", "cpu_s", "memory_mb", "disk_mb"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=getattr(Settings(), name))
    return parser.parse_args(argv)


def grade(args: argparse.Namespace) -> int:
    """Grade a class."""
    if not args.submissions:
        raise Problem("FROM= must name the folder or archive of submissions: make grade ASSIGNMENT=02 FROM=hand-ins")
    if args.jobs < 1:
        raise Problem(f"JOBS={args.jobs}: at least one submission must be graded at a time.")
    if args.sandbox == "none":
        print(NO_SANDBOX, file=sys.stderr)
    limits = {name: getattr(args, name) for name in ("total_s", "cell_s", "cpu_s", "memory_mb", "disk_mb", "sandbox")}
    settings = replace(Settings(), **limits)
    group = Class(args.assignment, Path(args.submissions), args.to, args.jobs, args.scheduler, settings)
    text, complete = grade_class(group)
    print(text, end="")
    return 0 if complete else 1


def feedback(args: argparse.Namespace) -> int:
    """Write the feedback pages and the table again."""
    source = find_source(Path(), args.assignment)
    print(write_all_feedback(Folder(args.to, source.parent.name, source.stem)), end="")
    return 0


def interruptible() -> None:
    """Treat SIGTERM and SIGHUP like Ctrl-C: finished submissions are kept and running ones are stopped."""

    def stop(number, frame):
        raise KeyboardInterrupt

    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), stop)


def main(argv: list[str]) -> int:
    """Run a command; exit status 0 for success, 1 for a problem, 130 when interrupted."""
    args = arguments(argv)
    interruptible()
    try:
        return {"grade": grade, "feedback": feedback}[args.command](args)
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted. What is finished is kept; the same command goes on from there.", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
